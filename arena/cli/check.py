"""``arena check``: check whether an engine follows the protocol and the rules, or ask it for one turn."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import click

from arena.address import Address
from arena.cli.common import ci, values
from arena.cli.common.database import open_database
from arena.cli.common.engines import (
    CommandLineSettings,
    echo_line,
    engine_options,
    read_words,
    warn_of_engine,
    warn_of_root,
)
from arena.cli.common.output import paragraphs, print_json, progress_line, show, table, tell
from arena.cli.common.parameters import (
    ascii_option,
    database_option,
    examples,
    json_option,
    seed_option,
    time_control_option,
)
from arena.cli.program import FAILED
from protocol.words import counted, printable
from referee.match.time_control import USUAL

if TYPE_CHECKING:
    from rich.table import Table

    from arena.model import GameRecord
    from arena.single import StoredTurn
    from protocol.spec import EngineSpec
    from protocol.wire.messages import Go
    from referee.check import CheckReport, CheckResult, EngineUnderTest


@click.command(
    "check",
    epilog=examples(
        "$ arena check -- python3 mine.py",
        "$ arena check --game quoridor4 --only 200-299,401 -- ./mine --threads 2",
        "$ arena check --dialect uci --option Hash=64 -- stockfish",
        "$ arena check --sandbox bwrap --cwd bots/ann -- {python} {cwd}/bot.py",
        "$ arena check --format junit -- python3 mine.py > report.xml",
        "$ arena check --turn 3:4 --trace -- python3 mine.py",
        "$ arena check --list",
        "$ arena check --system",
    ),
)
@click.argument("command_line", metavar="-- CMD", nargs=-1, type=values.COMMAND)
@click.option(
    "--game",
    "game_id",
    type=values.GAME,
    help="The game. The default is the game that the engine names, and chess for the dialect uci.",
)
@click.option(
    "--only",
    type=values.LINE,
    metavar="N,N-N…",
    help="Run only these checks and the checks that they need.",
)
@click.option(
    "--timeout",
    type=values.SECONDS,
    default=2.5,
    metavar="SECONDS",
    help="Seconds to wait for an answer in checks that do not measure time.",
)
@time_control_option(USUAL, "For an engine without a clock: its time per move, depth or number of nodes.")
@seed_option("positions")
@engine_options("the engine")
@click.option(
    "--turn",
    type=values.LINE,
    metavar="GAME:PLY",
    help="Instead, ask the engine for this ply of a stored game, and judge its answer.",
)
@click.option(
    "--trace",
    is_flag=True,
    help="With --turn, print every line to and from the engine on standard error.",
)
@ascii_option
@database_option
@click.option("--list", "only_list", is_flag=True, help="List the checks and run none.")
@click.option("--system", is_flag=True, help="Show what this machine offers for engines; start no engine.")
@json_option
@click.option(
    "--format",
    "output_format",
    type=click.Choice(list(ci.FORMATS)),
    help="Instead, print the failures for a CI server: annotations of GitHub, or JUnit XML.",
)
def command(
    command_line: tuple[str, ...],
    game_id: str | None,
    only: str | None,
    timeout: float,
    time_control: str,
    seed: int,
    settings: CommandLineSettings,
    turn: str | None,
    trace: bool,
    ascii_only: bool,
    database: Address,
    only_list: bool,
    system: bool,
    as_json: bool,
    output_format: str | None,
) -> None:
    """Check the engine that CMD starts: protocol, moves, clocks, output, and how it ends.

    The exit code is 0 if no check of severity `must` failed, and 1 otherwise.

    With --turn the engine gets the same lines as in the stored game: handshake, new game, the position before
    that ply, and the clocks and the margin at that time. If a forfeit ended the game, the ply after the last
    one is the turn of the forfeit. The exit code is 0 if the answer is a legal move in time, and 1 if it
    would have lost the game. Another move than the stored one does not prove that the game is forged, because
    an engine remembers the turns before: `arena verify` plays whole games again.
    """
    from protocol.process import sandbox
    from referee import game
    from referee.check import EngineUnderTest

    if as_json and output_format:
        raise click.UsageError(f"give either --json or --format {output_format}, not both")
    if system:
        _show_system(as_json)
        return
    numbers = None if only is None else _numbers(only)
    if only_list:
        _list(numbers, as_json)
        return
    if not command_line:
        raise click.UsageError("name the engine's command after --, as in: arena check -- python3 mine.py")
    if turn is not None:
        number, ply = _turn(turn)
        spec = settings.spec("the engine", read_words(command_line))
        _ask(number, ply, spec, database, trace=trace, ascii_only=ascii_only, as_json=as_json)
        return
    if settings.keys(command_line).get("dialect") == "xboard":
        raise click.UsageError(
            "there are no checks for xboard; `arena play --trace` shows the dialogue of a game"
        )
    spec = settings.spec("engine", command_line)
    game_id = game_id or settings.implied_game("--game ID")
    if game_id is not None:
        game(game_id)  # report a wrong id before any engine starts
    engine = EngineUnderTest(spec, seed, game_id, timeout, limit=_limit(time_control))
    warn_of_root([spec])
    for text in sandbox.warnings(spec):
        tell(f"warning: {text}")
    report = _run(engine, numbers, quiet=as_json or output_format is not None)
    if output_format:
        click.echo("\n".join(ci.FORMATS[output_format](report, spec.cwd or "")))
        tell(_counts(report))
    else:
        _show(report, guessed=engine.names_no_game, as_json=as_json)
    if not report.conforms:
        raise click.exceptions.Exit(FAILED)


def _limit(time_control: str) -> Go | None:
    """Return what replaces clocks in the checks; None for a time control with a clock, or ``none``."""
    from referee.match.clock import Clock
    from referee.match.time_control import TimeControl

    go = Clock([TimeControl.parse(time_control)], [0]).go(0)
    return None if go.times else go


def _numbers(text: str) -> frozenset[int]:
    """Return the numbers of the checks that a list like ``12,40-49`` selects."""
    from referee.check import CHECKS

    numbers = [check.number for check in CHECKS]
    chosen: set[int] = set()
    for part in text.split(","):
        first, dash, last = (word.strip() for word in part.partition("-"))
        try:
            low = int(first)
            high = int(last) if dash else low
        except ValueError:
            raise click.UsageError(
                f"--only takes numbers and ranges, as in 201,401-499, not {part!r}"
            ) from None
        selected = [number for number in numbers if low <= number <= high]
        if not selected:
            raise click.UsageError(
                f"--only: there is no check {part.strip()}; `arena check --list` lists the checks"
            )
        chosen.update(selected)
    return frozenset(chosen)


def _run(engine: EngineUnderTest, numbers: frozenset[int] | None, *, quiet: bool) -> CheckReport:
    """Run the checks; on a terminal, show the progress."""
    import trio

    from protocol.process.machine import usable_cores
    from referee.check import check_engine

    done = count(1)

    def on_result(result: CheckResult) -> None:
        if not quiet:
            show_line(f"{counted(next(done), 'check')}, the last was {result.number}")

    with progress_line() as show_line:
        return trio.run(check_engine, engine, numbers, len(usable_cores()), on_result)


def _list(numbers: frozenset[int] | None, as_json: bool) -> None:
    """Print the list of all checks, or of the checks with these numbers."""
    from referee.check import CHECKS

    chosen = [check for check in CHECKS if numbers is None or check.number in numbers]
    if as_json:
        names = ("number", "name", "severity", "level", "capability", "advice")
        print_json([{name: getattr(check, name) for name in names} for check in chosen])
        return
    rows = table(">number", "check", "severity", ">level", "only with")
    for check in chosen:
        rows.add_row(str(check.number), check.name, check.severity, str(check.level), check.capability)
    show(rows)


def _show(report: CheckReport, *, guessed: bool, as_json: bool) -> None:
    if as_json:
        values = {name: getattr(report, name) for name in report.__slots__}
        print_json({"conforms": report.conforms, **values})
    else:
        paragraphs(_parts(report, guessed=guessed))


def _parts(report: CheckReport, *, guessed: bool) -> Iterable[str | Table]:
    """Return the text output: the engine, the table, the failures and notes with advice, and a summary.

    ``guessed``: neither the user nor the engine named the game.
    """
    from referee.check import CheckStatus

    heading = f"{printable(report.engine) or shlex.join(report.command)}: level {report.level}"
    if report.level is None:
        heading = f"{shlex.join(report.command)}: no handshake"
    if report.game:
        heading += f", {report.game}, positions of seed {report.seed}"
    yield heading
    yield _table(report)
    yield from _skipped(report)
    for result in report.results:
        if result.status is not CheckStatus.FAILED and "\n" in result.text:
            yield "\n    ".join((f"{result.number} {result.name}", *map(printable, result.text.splitlines())))
        if result.status is CheckStatus.FAILED:
            reason, advice = printable(result.text), printable(result.advice)
            yield f"{result.number} {result.name} ({result.severity})\n    it {reason}\n    advice: {advice}"
    if guessed and not report.conforms:
        yield f"The engine names no game, so it was checked with {report.game}; --game ID chooses another."
    yield _counts(report)


def _counts(report: CheckReport) -> str:
    from referee.check import CheckStatus, Severity

    failed = {severity: report.count(CheckStatus.FAILED, severity) for severity in Severity}
    notes = counted(failed.pop(Severity.INFO), "note")
    return (
        f"{report.count(CheckStatus.PASSED)} passed, {report.count(CheckStatus.SKIPPED)} skipped, failed: "
        + ", ".join(f"{count} {severity}" for severity, count in failed.items())
        + f"; {notes}"
    )


def _skipped(report: CheckReport) -> Iterator[str]:
    """Yield a line for each reason to skip checks, with their numbers."""
    from referee.check import CheckStatus

    numbers: dict[str, list[str]] = {}
    for result in report.results:
        if result.status is CheckStatus.SKIPPED and result.blocker is None:
            numbers.setdefault(printable(result.text), []).append(str(result.number))
    if numbers:
        yield "\n".join(f"skipped {', '.join(same)}: {reason}" for reason, same in numbers.items())


def _table(report: CheckReport) -> Table:
    from referee.check import CheckStatus, Severity

    rows = table(">number", "check", "severity", "result", ">time", "remark")
    styles = {CheckStatus.PASSED: "green", CheckStatus.FAILED: "bold red"}
    for result in report.results:
        failed = result.status is CheckStatus.FAILED
        note = failed and result.severity is Severity.INFO  # neither good nor bad
        if result.status is CheckStatus.SKIPPED:
            continue
        rows.add_row(
            str(result.number),
            result.name,
            result.severity,
            "note" if note else result.status.upper() if failed else result.status,
            f"{result.milliseconds / 1000:.3f}",
            "see below" if failed or "\n" in result.text else printable(result.text),
            style="yellow" if note else styles[result.status],
        )
    return rows


# --- what this machine offers ----------------------------------------------------------------------------


def _show_system(as_json: bool) -> None:
    """Try out what this machine offers, and print it. This starts a few short processes, but no engine."""
    if as_json:
        print_json(
            [
                {"name": name, "works": not trouble, "text": trouble or text}
                for name, trouble, text in _facilities()
            ]
        )
        return
    rows = table("on this machine", "", "remark")
    for name, trouble, text in _facilities():
        rows.add_row(name, "no" if trouble else "yes", printable(trouble or text))
    show(rows)


def _facilities() -> Iterator[tuple[str, str, str]]:
    """Yield what a machine may offer: its name, why it is missing and what follows from that, what it is."""
    import platform
    import resource

    from protocol.process import bubblewrap, machine
    from protocol.process.lifetime import adopt_orphans, namespace_trouble

    yield "system", "", f"{platform.system()} {platform.release()} {platform.machine()}"
    yield "Python", "", f"{platform.python_version()}, {sys.executable}"
    user = os.geteuid()
    root = "" if user else "this is root: engines without bubblewrap can do anything"
    yield "ordinary user", root, f"user {user}"
    cores = counted(len(machine.usable_cores()), "core")
    pinning = "" if hasattr(os, "sched_getaffinity") else f"{cores}: the system cannot pin processes"
    yield "pinning", pinning, f"{cores}: can be pinned"
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield "open files", "", f"at most {files} in a process"
    daemon = "a daemon that forks in a tight loop can outlive its engine"
    namespaces = _with(namespace_trouble(), daemon)
    yield "process namespaces", namespaces, "the kernel kills what engines have started"
    signals = _with(_absent("setpriv"), "an engine can outlive a killed referee")
    yield "parent-death signal", signals, "the kernel kills engines whose referee was killed"
    daemons = "" if adopt_orphans() else "the system does not show them"
    yield "daemons", daemons, "arena finds and kills them"
    late = "arena notices it after a moment, because the system or this Python has no pidfds"
    yield "end of an engine", "" if hasattr(os, "pidfd_open") else late, "arena notices it immediately"
    yield 'sandbox = "folder"', "", "works"
    works = "works" if bubblewrap.user() is None else "works; engines run as the user nobody"
    yield 'sandbox = "bwrap"', _with(_absent("bwrap") or bubblewrap.trouble()), works
    yield "limits", _with(_absent("prlimit"), "no limits can be set"), "prlimit sets them"
    choom = _absent("choom") or machine.complaint("choom", "-n", "1000", "--", "true")
    yield "out of memory", _with(choom), "the kernel kills engines first (choom)"


def _absent(program: str) -> str:
    from protocol.process import machine

    return "" if machine.which(program) else f"the program {program} is not installed"


def _with(trouble: str, consequence: str = "") -> str:
    """Return trouble in one line, with what follows from it."""
    return "; ".join(filter(None, (*trouble.splitlines(), consequence))) if trouble else ""


# --- a turn of a stored game


def _turn(text: str) -> tuple[int, int]:
    """Return the numbers of a game and of a ply, from 1."""
    match = re.fullmatch(r"(\d{1,18}):(\d{1,18})", text, re.ASCII)
    if match is None or not int(match[1]) or not int(match[2]):
        raise click.UsageError(f"--turn takes the numbers of a game and of a ply, as in 3:4, not {text!r}")
    return int(match[1]), int(match[2])


def _ask(
    number: int,
    ply: int,
    spec: EngineSpec,
    database: Address,
    *,
    trace: bool,
    ascii_only: bool,
    as_json: bool,
) -> None:
    """Ask an engine for a ply of a stored game, and show its answer beside the stored one."""
    import trio

    from arena.single import answer_text, ask_engine, stored_turn, turn_text

    with open_database(database) as store:
        record = store.game(number)
    turn = stored_turn(record, ply)
    head = _as_data(number, ply, record, turn)
    if not as_json:
        click.echo(turn_text(number, ply, record, turn, ascii_only=ascii_only))

    def on_line(seconds: float, direction: str, text: str) -> None:
        if trace:
            echo_line(turn.seat, seconds, direction, text)

    warn_of_root([spec])
    answer = trio.run(ask_engine, turn, replace(spec, margin=turn.margin), on_line, warn_of_engine)
    if as_json:
        print_json(head | {"answer": answer})
    else:
        click.echo("one turn alone proves nothing about the game; `arena verify` plays whole games again")
        click.echo(answer_text(answer))
    if answer.fault is not None:
        raise click.exceptions.Exit(FAILED)


def _as_data(number: int, ply: int, record: GameRecord, turn: StoredTurn) -> dict[str, Any]:
    """Return the stored turn as data for ``--json``, without the new answer."""
    from protocol.wire.codec import format_command

    arbiter, played = turn.arbiter, turn.played
    return {
        "id": number,
        "tournament": record.result.tournament,
        "game": turn.game,
        "ply": ply,
        "seat": turn.seat,
        "engine": record.result.players[turn.seat].name,
        "position": str(arbiter.position),
        "moves": list(arbiter.line),
        "go": format_command(arbiter.go(), "ugi"),
        "played": None if played is None else {"move": played.text, "time": played.time},
        "detail": record.result.detail,
    }
