"""Try again what went wrong: failed checks, or a turn of a game.

The participant gets a command to try it on another machine, and can let the door's worker try it in the
sandbox.
"""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

import msgspec
import trio

from arena.config import EngineEntry
from arena.door.build import Output
from arena.errors import ArenaError, leaves
from arena.model import GameRecord, TournamentRecord
from arena.records.entries import ReadEntry
from arena.records.files import read_records
from arena.records.jsonl import HEADER, write
from arena.single import answer_text, ask_engine, stored_turn, turn_text
from protocol.errors import EngineStartError
from protocol.words import printable
from referee.check import CheckResult, CheckStatus, EngineUnderTest, check_engine
from referee.ply import Ply

_SECONDS: Final = 120
_MOST_OUTPUT: Final = 50_000
_LONGEST_LINE: Final = 400


@dataclass(frozen=True, slots=True)
class Retry:
    """What can be tried again: failed checks, or a turn of a game."""

    game: str
    words: str  # the command line of the engine in its own folder
    checks: tuple[int, ...] = ()  # the numbers of failed checks; empty for a turn
    record: str = ""  # a game as JSON lines; "" for checks
    ply: int = 0  # the turn of this game, counted from 1; 0 for checks
    title: str = ""  # what this is, for people

    def text(self) -> str:
        """Return it as JSON."""
        return msgspec.json.encode(self).decode()

    def command(self, name: str) -> str:
        """Return the shell command that tries the same at home, with the game in the file ``name``.jsonl."""
        if self.checks:
            numbers = ",".join(map(str, self.checks))
            return f"arena check --game {self.game} --only {numbers} -- {self.words}"
        return (
            f"arena import {name}.jsonl --db {name}.db;"
            f" arena replay-turn 1 {self.ply} --trace --db {name}.db -- {self.words}"
        )


def retry_from(text: str) -> Retry | None:
    """Read the JSON that `Retry.text` returns; None for any other text."""
    try:
        return msgspec.json.decode(text, type=Retry)
    except msgspec.DecodeError:
        return None


def turn_retry(record: GameRecord, seat: int, words: str, title: str) -> Retry | None:
    """Return the turn by which a seat, counted from 0, lost a game; None if there is none to try again."""
    ply = _decisive(record, seat)
    try:
        stored_turn(record, ply)
    except ArenaError:  # e.g. the engine lost before its first turn in a game that went on without it
        return None
    # The programs and options of other participants stay secret; the moves are public.
    tournament = TournamentRecord(record.result.tournament, record.started, {})
    players = tuple(replace(player, program="", options=None) for player in record.result.players)
    shown = replace(record, result=replace(record.result, id=None, players=players))
    return Retry(
        record.result.game, words, record=HEADER + write(tournament) + write(shown), ply=ply, title=title
    )


def _decisive(record: GameRecord, seat: int) -> int:
    """Return the turn of a seat's forfeit, or its last move."""

    def last(wanted: Callable[[Ply], bool]) -> int:
        return max(
            (n for n, ply in enumerate(record.record, 1) if ply.seat == seat and wanted(ply)), default=0
        )

    if record.result.players[seat].forfeit is None:
        return last(lambda ply: ply.is_move)
    return last(lambda ply: ply.is_removal) or len(record.record) + 1


async def run_retry(retry: Retry, entry: EngineEntry, tell: Callable[[str], Awaitable[None]]) -> None:
    """Try again with an engine, for at most two minutes."""
    output = Output(tell, _MOST_OUTPUT)

    def say(text: str) -> None:
        output.add(f"{text}\n".encode("utf-8", "replace"))

    async with output.passed_on():
        with trio.move_on_after(_SECONDS) as scope:
            try:
                await (_checks if retry.checks else _turn)(retry, entry, output, say)
            except* (ArenaError, EngineStartError) as group:
                say(printable(str(next(leaves(group)))))
        if scope.cancelled_caught:
            say(f"this was ended after {_SECONDS} seconds")


async def _checks(retry: Retry, entry: EngineEntry, _output: Output, say: Callable[[str], None]) -> None:
    def heard(result: CheckResult) -> None:
        if result.number in retry.checks or result.status is CheckStatus.FAILED:
            lines = (result.text, result.advice, *result.evidence)
            more = "".join(f"\n    {printable(line)}" for line in lines if line)
            say(f"{result.number} {result.name}: {result.status}{more}")

    spec = entry.spec
    subject = EngineUnderTest(spec, game=retry.game)
    await check_engine(subject, frozenset(retry.checks), 1, heard)


async def _turn(retry: Retry, entry: EngineEntry, output: Output, say: Callable[[str], None]) -> None:
    record = await trio.to_thread.run_sync(_game, retry.record)
    turn = stored_turn(record, retry.ply)
    say(turn_text(1, retry.ply, record, turn, ascii_only=False) + "\n")

    def heard(seconds: float, direction: str, text: str) -> None:
        if not output.full:
            shown = (
                text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}… ({len(text)} characters)"
            )
            say(f"{seconds:9.4f} {direction} {printable(shown)}")

    def warn(_name: str, text: str) -> None:
        say(f"warning: {printable(text)}")

    answer = await ask_engine(turn, replace(entry.spec, margin=turn.margin), heard, warn)
    infos = replace(answer, infos=())  # the lines are there already
    say("\n" + answer_text(infos))


def _game(text: str) -> GameRecord:
    """Return the game of a file of JSON lines."""
    for read in read_records("the game", io.BytesIO(text.encode())):
        if isinstance(read, ReadEntry) and isinstance(read.entry, GameRecord):
            return read.entry
    raise ArenaError("the game cannot be read")
