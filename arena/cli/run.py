"""``arena run``: play a tournament, or continue it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import wraps
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from arena.address import Address, absolute
from arena.cli.common import values
from arena.cli.common.database import open_database
from arena.cli.common.engines import warn_of_root
from arena.cli.common.output import arena_command, open_input, print_json, same_command, short_path, tell
from arena.cli.common.parameters import (
    Decorated,
    accept_option,
    dry_run_option,
    examples,
    json_option,
    log_option,
)
from arena.cli.program import FAILED, INTERRUPTED, outlast_readers
from protocol.process.lifetime import death_signal
from protocol.words import counted

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.events import RunEvent, RunSummary
    from arena.run.batch import KnownResults
    from arena.run.upcoming import Forecast


_NEXT_GAMES_SHOWN = 10
"""The number of games that a dry run lists."""


def file_options(function: Decorated) -> Decorated:
    """Add FILE and the options that replace its keys; the command takes all as ``spec``."""

    @click.argument("file", type=values.TOURNAMENT_FILE)
    @click.option(
        "--concurrency",
        type=values.CONCURRENCY,
        help="How many games run at the same time, instead of `concurrency` in the file.",
    )
    @click.option(
        "--db",
        "database",
        type=values.DATABASE,
        help="The database for the games, instead of `database` in the file.",
    )
    @click.option(
        "--name",
        type=values.TITLE,
        help="The tournament's name, instead of `name` in the file; a new name starts a new tournament.",
    )
    @click.option(
        "--scheduler",
        type=values.NAME,
        metavar="ADDRESS",
        help="Play on the workers of this Dask scheduler, instead of what [executor] in the file says.",
    )
    @wraps(function)
    def with_spec(
        *,
        file: Path,
        concurrency: int | None,
        database: Address | None,
        name: str | None,
        scheduler: str | None,
        **others: Any,  # noqa: ANN401 - the options of any command
    ) -> Any:  # noqa: ANN401 - any command
        from arena.config import load

        spec = load(file).override(
            concurrency=concurrency, database=None if database is None else absolute(database), name=name
        )
        return function(spec=_with_scheduler(spec, scheduler), **others)

    return with_spec  # type: ignore[return-value]  # it takes other arguments


@click.command(
    "run",
    epilog=examples(
        "$ arena run tournament.toml",
        "$ arena run tournament.toml --dry-run",
        "$ arena run tournament.toml --concurrency 1 --log logs",
    ),
)
@file_options
@log_option("The folder for transcripts, instead of `log` in the file.")
@dry_run_option
@click.option("--quiet", is_flag=True, help="Show no progress, only problems and the tables at the end.")
@accept_option
@click.option(
    "--write-orders",
    type=values.FILE,
    help="Play nothing; write the games to play into a file, as orders for `arena worker`.",
)
@click.option(
    "--results",
    type=values.FILE,
    help="Play nothing; store the results that `arena worker` has written for these orders.",
)
@click.option("--serve", is_flag=True, help="Show the run in a browser until it ends; see `arena serve`.")
@click.option("--again", type=values.COMMAND, hidden=True, help="What continues the tournament.")
@json_option
def command(
    spec: TournamentSpec,
    log: Path | None,
    dry_run: bool,
    quiet: bool,
    accept_changed_options: bool,
    write_orders: Path | None,
    results: Path | None,
    serve: bool,
    again: str | None,
    as_json: bool,
) -> None:
    """Play the tournament that FILE describes, or continue it.

    Every game is stored as soon as it ends. After Ctrl-C the command waits for the running games to end; a
    second Ctrl-C stops it immediately. Run the same command again to continue the tournament.
    """
    spec = spec.override(log=None if log is None else log.absolute())
    if dry_run:
        print_forecast(spec, as_json=as_json)
        return
    if write_orders is not None:
        _write_orders(spec, write_orders)
        return
    play(
        spec,
        accept_changed_options=accept_changed_options,
        output_format="json" if as_json else "table",
        quiet=quiet,
        serve=serve,
        results=results,
        again=again,
    )


def _with_scheduler(spec: TournamentSpec, scheduler: str | None) -> TournamentSpec:
    """Return the tournament with this scheduler, if any; UsageError: its address cannot be used."""
    if scheduler is None:
        return spec
    from arena.config.tournament_keys import check_address

    try:
        keys = replace(spec.executor, scheduler=check_address(scheduler))
    except ValueError as error:
        raise click.UsageError(f"--scheduler: {error}") from None
    return spec.override(executor=keys)


def _write_orders(spec: TournamentSpec, file: Path) -> None:
    """Write the games to play into a new file."""
    from arena.run.batch import write_orders

    with file.open("xb") as out:
        number = write_orders(spec, out.write)
    tell(f"{counted(number, 'order')} in {file}; play them with: {arena_command('worker', str(file))}")


def _read_results(spec: TournamentSpec, file: Path) -> KnownResults:
    """Read the results in a file. ConfigError: it cannot be read, or it is no such file."""
    from arena.run.batch import KnownResults, order_id, read_results

    with open_input(file) as lines:
        read = read_results(str(file), lines)
    return KnownResults(read, lambda job: order_id(job, spec.name), file.stem)


def play(
    spec: TournamentSpec,
    *,
    accept_changed_options: bool = False,
    output_format: str = "table",
    quiet: bool = False,
    serve: bool = False,
    results: Path | None = None,
    again: str | None = None,
) -> None:
    """Play a tournament, print its tables, and report problems.

    ``again`` is the command that continues it, if that is not the one that runs; ``output_format`` is a value
    of ``--format``. If standard output or standard error breaks, the run continues without it. OpeningError:
    the rules refuse an opening of a long list, which is checked only when it is used.
    """
    import trio

    from arena.cli.progress import open_view
    from arena.cli.tables import show_standings
    from arena.notify import play_and_notify
    from arena.run.tournament import Run
    from arena.workers import cluster_of
    from protocol.process.lifetime import adopt_orphans

    again = again or same_command()
    outlast_readers()
    warn_of_root(entry.spec for entry in spec.engines)
    adopt_orphans()
    executor = cluster_of(spec) if results is None else nullcontext(_read_results(spec, results))
    try:
        with (
            open_view(spec, quiet=quiet) as view,
            _page_server(spec.database, view.say) as serve_pages,
        ):
            run = Run(
                spec,
                view.observe,
                *([serve_pages] if serve else []),
                begin=view.begin,
                accept_changed_options=accept_changed_options,
                executor=executor,
            )
            summary = trio.run(play_and_notify, run)
        show_standings(spec.database, spec.name, output_format)
        _print_summary(spec, summary, again)
    except* KeyboardInterrupt:
        tell(f"stopped immediately: stored games are safe; continue with: {again}")
        raise
    if summary.refused is not None:
        raise summary.refused
    if summary.stopped and not _endless(spec):
        raise click.exceptions.Exit(INTERRUPTED)
    if summary.disabled or summary.void:
        raise click.exceptions.Exit(FAILED)


def _endless(spec: TournamentSpec) -> bool:
    """Return whether only Ctrl-C ends the tournament."""
    from arena.formats.format import LengthKeys

    keys, form = spec.format_keys, spec.plan.format
    unlimited = isinstance(keys, LengthKeys) and keys.max_games is None and not form.may_end_early(keys)
    return unlimited or spec.door is not None


def _reopening(spec: TournamentSpec, engine: str) -> str:
    """Return the command that opens the games again that an engine lost unplayed."""
    database = short_path(str(spec.database))
    return arena_command("void", spec.name, "--engine", engine, "--unplayed", "--db", database)


def _print_summary(spec: TournamentSpec, summary: RunSummary, again: str) -> None:
    """Print disabled engines, games without a result and the number of games played to standard error."""
    from arena.cli.stored_games import lost_unplayed

    for name in summary.disabled:
        # What came through the door has no command of its own for `arena check`.
        words = (
            ("check",)
            if spec.door is None
            else ("show", name, "--last-loss", "--db", short_path(str(spec.database)))
        )
        tell(f"{name} was disabled: it failed three times in a row; `{arena_command(*words)}` shows why")
    for name in summary.unplayed:
        reopen = _reopening(spec, name)
        tell(f"{name} lost its remaining games unplayed; when it is repaired, open them with: {reopen}")
    if summary.skipped:
        tell(
            f"not played because an engine is disabled: {counted(summary.skipped, 'game')}; repair it, and"
            f" play what is missing with: {again}"
        )
    if summary.void:
        tell(
            f"without a result: {counted(summary.void, 'game')}; if an engine stops or kills its referee,"
            f' only `sandbox = "bwrap"` prevents that; play what is missing with: {again}'
        )
    idle = not (summary.played or summary.skipped or summary.void or summary.stopped or summary.refused)
    if idle:
        with open_database(spec.database) as store:
            forgotten = [name for name in spec.programs if lost_unplayed(store, spec.name, name)]
        for name in forgotten:
            if name not in summary.unplayed:
                reopen = _reopening(spec, name)
                tell(f"{name} lost games unplayed while it was disabled; to play them, first: {reopen}")
    if summary.stopped:
        tell(f"stopped; continue with: {again}")
    tell(f"{counted(summary.played, 'game')} played, stored in {spec.database}")


def print_forecast(spec: TournamentSpec, *, as_json: bool) -> None:
    """Print the number of games, the next ones, and an estimate of the time."""
    from arena.formats.format import LengthKeys
    from arena.run.upcoming import forecast

    coming = forecast(spec, _NEXT_GAMES_SHOWN)
    if as_json:
        print_json(
            {
                "tournament": spec.name,
                "format": spec.format,
                "total": coming.total,
                "most": coming.most,
                "stored": coming.stored,
                "concurrency": spec.concurrency,
                "seconds": _seconds(spec, coming),
                "next": [{"game": pairing.game, "seats": pairing.seats} for pairing in coming.first],
            }
        )
        return
    no_limit = isinstance(spec.format_keys, LengthKeys)
    at_most = "" if coming.most is None or coming.total is not None else "at most "
    total, left = ("no limit of games", "no limit") if no_limit else ("the number of games is not known", "?")
    if coming.most is not None:
        total, left = f"{at_most}{counted(coming.most, 'game')}", f"{at_most}{coming.left}"
    click.echo(f"{spec.name}: {spec.format}, {counted(len(spec.engines), 'engine')}, {total}")
    click.echo(f"stored: {coming.stored}; to play: {left}")
    where = "here, before the first game" if spec.executor.scheduler is None else "on each worker"
    for entry in spec.engines:
        if entry.build:
            click.echo(f"  {entry.spec.name} is built {where}: {' && '.join(entry.build)}")
    for pairing in coming.first:
        click.echo(f"  {pairing.game}: {' - '.join(pairing.seats)}")
    more = None if coming.left is None else coming.left - len(coming.first)
    if coming.first and (more is None or more > 0):
        click.echo("  ... and more" if more is None else f"  ... and {at_most}{more} more")
    click.echo(_estimate(spec, coming))
    for notice in coming.notices:
        tell(f"{'warning: ' if notice.warning else ''}{notice.about}: {notice.text}")


def _seconds(spec: TournamentSpec, coming: Forecast) -> float | None:
    if coming.left is None or coming.game_seconds is None or spec.executor.scheduler is not None:
        return None
    return coming.left * coming.game_seconds / spec.concurrency


def _estimate(spec: TournamentSpec, coming: Forecast) -> str:
    from arena.cli.progress import duration
    from arena.run.upcoming import ASSUMED_MOVES

    parallel = f"{counted(spec.concurrency, 'game')} in parallel"
    if spec.executor.scheduler is not None:
        parallel = "as many games in parallel as the workers have cores for"
    if not coming.first:
        return "nothing is left to play"
    if coming.game_seconds is None:
        return f"time: unknown before the first games; {parallel}"
    each = duration(coming.game_seconds)
    basis = (
        f"{each} a game, as in the stored games"
        if coming.stored
        else f"{each} a game, if each engine uses all its time for {ASSUMED_MOVES} moves"
    )
    seconds = _seconds(spec, coming)
    how = "about" if coming.total is not None else "at most about"
    return f"time: {'unknown' if seconds is None else f'{how} {duration(seconds)}'}; {basis}, {parallel}"


@contextmanager
def _page_server(database: Address, say: Callable[[str], None]) -> Iterator[Callable[[RunEvent], None]]:
    """Yield an observer that starts `arena serve` beside the run, when the database is there.

    ``say`` then gets where it serves, or why not. It ends with the context, and with this process.
    """
    from arena.events import Planned

    servers: list[subprocess.Popen[str]] = []

    def observe(event: RunEvent) -> None:
        if not isinstance(event, Planned):
            return
        words = [*death_signal("TERM"), sys.executable, "-m", "arena", "serve", str(database)]
        server = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )
        servers.append(server)
        # What another process writes to a terminal is lost when the live page is drawn again.
        Thread(target=say_lines, args=(server,), daemon=True).start()

    def say_lines(server: subprocess.Popen[str]) -> None:
        for line in server.stdout or ():
            say(line.rstrip("\n"))
        if server.wait() == 2:  # such as a port that is taken
            other_port = arena_command("serve", str(database), "--port", "0")
            say(f"warning: the run goes on without pages; to show them: {other_port}")

    try:
        yield observe
    finally:
        for server in servers:
            server.terminate()
            server.wait()
