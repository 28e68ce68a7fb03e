"""Try a built submission: the conformance checks, then games against the first engine of the file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import trio

from arena.config import EngineEntry, TournamentSpec
from arena.errors import ArenaError, leaves
from arena.model import GameRecord, TournamentRecord
from arena.records.jsonl import HEADER, write
from arena.scoring import fault_of, game_record, seat_endings
from arena.single import decisive_turn, play_one
from protocol.errors import EngineStartError
from protocol.words import printable
from referee import game as find_game
from referee.check import (
    CHECKS,
    CheckReport,
    CheckResult,
    CheckStatus,
    EngineUnderTest,
    Severity,
    check_engine,
)
from referee.match.job import Job, JobFinished, JobSeat
from referee.match.time_control import TimeControl
from referee.outcome import Termination

Tell = Callable[[str, str], Awaitable[None]]  # stores a line: its kind and its text
_MUST: Final = frozenset(check.number for check in CHECKS if check.severity is Severity.MUST)
_LONGEST: Final = TimeControl.parse("10+0.1")
"""The time control of games at the door, unless the engine has a time per move or a number of nodes."""

_MOST_VOID: Final = 3

LOST_GAME: Final = "lost.jsonl"
"""The name of the file with the game that a submission lost."""


async def check(entry: EngineEntry, game: str, words: str, tell: Tell) -> None:
    """Run all checks of severity ``must``; ``words`` are the command line that starts the engine at home."""
    send, receive = trio.open_memory_channel[CheckResult](len(CHECKS))

    async def pass_on() -> None:
        async for result in receive:
            if result.status is not CheckStatus.SKIPPED:
                await tell(*_line(result))

    spec = entry.spec
    subject = EngineUnderTest(spec, game=game)
    report: CheckReport | None = None
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pass_on)
            with send:
                report = await check_engine(subject, _MUST, 1, send.send_nowait)
    except* EngineStartError as group:
        raise ArenaError(str(next(leaves(group)))) from None
    assert report is not None
    failures = [one for one in report.results if one.status is CheckStatus.FAILED]
    if failures:
        numbers = ",".join(str(one.number) for one in failures)
        await tell("home", f"arena check --game {game} --only {numbers} -- {words}")
        raise ArenaError(remark(game, *failures))
    await tell("check", f"{game}: all {len(_MUST)} checks passed")


def remark(game: str, first: CheckResult, *others: CheckResult) -> str:
    """Say in one line which check failed first and what to do, and name those that failed too."""
    also = "; also failed: " + ", ".join(f"{one.number} {one.name}" for one in others) if others else ""
    return printable(
        f"{game}: check {first.number} failed, {first.name}: it {first.text}; advice: {first.advice}{also}"
    )


def _line(result: CheckResult) -> tuple[str, str]:
    if result.status is not CheckStatus.FAILED:
        return "check", f"{result.number} {result.name}: {result.status}"
    said = "".join(f"\n    {line}" for line in result.evidence)
    return "failed", f"{result.number} {result.name}: it {result.text}\nadvice: {result.advice}{said}"


async def play(
    spec: TournamentSpec, entry: EngineEntry, game: str, games: int, words: str, tell: Tell
) -> None:
    """Play games against the first engine of the file; an ArenaError says that it lost one by a fault."""
    info = find_game(game).info
    sample = next(other for other in spec.engines if game in other.games)
    void = done = 0
    while done < games:
        seat = done % info.players
        seats = tuple(
            JobSeat((entry if place == seat else sample).spec, _control(entry))
            for place in range(info.players)
        )
        job = Job(
            id=f"door-{done + 1}", game=game, seats=seats, setup=spec.setup.get(game),
            adjudication=spec.adjudication, forgive=spec.forgive, seed=f"{spec.seed} {done}",
        )  # fmt: skip
        finished = await play_one(job, {}, lambda _: None, lambda _name, _text: None)
        if finished.termination is Termination.VOID:
            void += 1
            if void == _MOST_VOID:
                raise ArenaError(f"the games could not be played: {finished.detail}")
            continue
        done += 1
        await tell("game", f"{game}, game {done} of {games}: {_result(finished, seat)}")
        forfeit = finished.seats[seat].forfeit
        if forfeit is not None and forfeit.is_forfeit:
            record = game_record(job, finished, tournament=f"the door of {spec.name}")
            if turn := decisive_turn(record, seat):
                await tell("record", _for_home(record))
                await tell("home", _turn_at_home(turn, words))
            raise ArenaError(f"{game}, game {done}: it lost by {forfeit}: {fault_of(finished.detail, seat)}")


def _for_home(record: GameRecord) -> str:
    """Return a game as JSON lines, without the programs and options of the others, which stay secret."""
    tournament = TournamentRecord(record.result.tournament, record.started, {})
    players = tuple(replace(player, program="", options=None) for player in record.result.players)
    shown = replace(record, result=replace(record.result, id=None, players=players))
    return HEADER + write(tournament) + write(shown)


def _turn_at_home(turn: int, words: str) -> str:
    """Return the shell command that tries a turn of the game in `LOST_GAME` again."""
    return (
        f"arena import {LOST_GAME} --db lost.db; arena replay-turn 1 {turn} --trace --db lost.db -- {words}"
    )


def _control(entry: EngineEntry) -> str:
    control = entry.time_control
    return str(control if control.movetime_ns is not None or control.nodes is not None else _LONGEST)


def _result(finished: JobFinished, seat: int) -> str:
    word = {"won": "won", "drew": "drawn"}.get(seat_endings(finished.seats)[seat], "lost")
    why = finished.reason or finished.termination
    return f"{word} from seat {seat + 1} after {len(finished.record)} plies ({why})"
