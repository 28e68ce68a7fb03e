"""A game whose forced pass is `0000`, as in Ataxx: `check_game` accepts it, and engines may play it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import trio

from protocol.spec import EngineSpec
from referee import GameInfo, IllegalMove, MoveSyntaxError, Outcome, PositionError
from referee.match.job import Job, JobSeat
from referee.match.play import RefereedGame
from referee.match.pool import EnginePool
from referee.testing import check_game

PASS = "0000"


@dataclass(frozen=True, slots=True)
class Count:
    """Player 1 counts to four, one or two a turn. Player 2 can only pass."""

    number: int
    turn: int

    def legal_moves(self) -> Iterator[str]:
        if self.number < 4:
            yield from ("1", "2")[: 4 - self.number] if self.turn == 0 else (PASS,)

    def parse_move(self, text: str) -> str:
        if text not in ("1", "2", PASS):
            raise MoveSyntaxError("a move is 1, 2 or 0000")
        if text not in self.legal_moves():
            raise IllegalMove("player 2 passes, and player 1 counts")
        return text

    def play(self, move: str) -> Count:
        return Count(self.number + int(move), 1 - self.turn)

    def outcome(self) -> Outcome | None:
        return Outcome.win(0, 2, "counted") if self.number == 4 else None

    def key(self) -> object:
        return self

    def skip_turn(self) -> Count:
        return Count(self.number, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.number} {self.turn + 1}"


class Counting:
    info = GameInfo("counting", "Counting", 2, "a number", None, 0.0, "", ())

    def start(self, setup: str | None = None) -> Count:
        if setup is not None:
            raise PositionError("setup", "there is none")
        return Count(0, 0)

    def parse_position(self, text: str) -> Count:
        if not re.fullmatch("[0-4] [12]", text, re.ASCII):
            raise PositionError("number", "a number from 0 to 4 and a player were expected")
        return Count(int(text[0]), int(text[2]) - 1)


def test_a_plug_in_may_write_its_forced_pass_as_0000() -> None:
    check_game(Counting())


ENGINE = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "ugi": print("id name plain\\nugiok", flush=True)
    if words[0] == "isready": print("readyok", flush=True)
    if words[0] == "position": moves = words[3:]
    if words[0] == "go": print("bestmove", sys.argv[1 + len(moves) % 2], flush=True)
    if words[0] == "quit": break
"""


def seat(*answers: str) -> JobSeat:
    return JobSeat(EngineSpec("plain", (sys.executable, "-S", "-c", ENGINE, *answers)), "none")


@pytest.mark.parametrize(
    ("second", "reason", "detail", "moves"),
    [
        (PASS, "counted", "", ["2", PASS, "2"]),
        ("(none)", "illegal", "seat 2 said that it has no move", ["2"]),
        ("", "illegal", "seat 2 said that it has no move", ["2"]),
        ("resign", "resign", "seat 2 resigned", ["2"]),
    ],
)
async def test_0000_is_played_where_it_is_legal_and_means_no_move_elsewhere(
    monkeypatch: pytest.MonkeyPatch, second: str, reason: str, detail: str, moves: list[str]
) -> None:
    for module in ("play", "pool"):
        monkeypatch.setattr(f"referee.match.{module}.find_game", lambda _: Counting())
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, lambda *_: None)
        job = Job("1", "counting", (seat("2", "-"), seat("-", second)))
        finished = await RefereedGame(job, pool, lambda: None).play()
        pool.close()
    assert (finished.reason, finished.detail) == (reason, detail)
    assert [ply.text for ply in finished.record] == moves
