"""Rules of a plug-in that raise an error make their game void, in one sentence, and disturb no other game."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import trio

from protocol.spec import EngineSpec
from referee import Outcome, game
from referee.__main__ import RunningJob
from referee.match.heartbeat import Heartbeat
from referee.match.job import Job, JobSeat, VoidCause
from referee.match.pool import EnginePool
from tests.processes import PATIENCE

HUGE = 10**6000  # Python refuses to write it

ENGINE = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "ugi": print("id name plain\\nugiok", flush=True)
    if words[0] == "isready": print("readyok", flush=True)
    if words[0] == "go": print("bestmove a1", flush=True)
    if words[0] == "quit": break
"""


class Position:
    """Two moves are played, and then it may raise anything."""

    def __init__(self, broken: str, plies: int = 0) -> None:
        self.broken = broken if plies == 2 else ""
        self.next = lambda: type(self)(broken, plies + 1)
        self.plies = plies

    @property
    def turn(self) -> int:
        return HUGE if self.broken == "turn" else self.plies % 2

    def parse_move(self, text: str) -> str:
        return text

    def play(self, _: str) -> Position:
        if self.broken == "play":
            raise ZeroDivisionError("division\nby zero")
        return self.next()

    def outcome(self) -> Outcome | None:
        ranks = {"ranks": (1, HUGE), "text": (1, 2)}.get(self.broken)
        return None if ranks is None else Outcome(ranks, "goal")

    def key(self) -> int:
        return self.plies

    def __str__(self) -> str:
        return f"position {HUGE if self.broken == 'text' else self.plies}"


class Rules:
    info = game("hops").info

    def __init__(self, broken: str) -> None:
        self.broken = broken

    def start(self, setup: str | None = None) -> Position:
        return Position(self.broken)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Play a game, by rules that are broken like this, in a referee that plays others."""

    async def played(broken: str, name: str) -> Any:
        for module in ("play", "pool"):
            monkeypatch.setattr(f"referee.match.{module}.find_game", lambda _: Rules(broken))
        seat = JobSeat(EngineSpec("e", (sys.executable, "-S", "-c", ENGINE)), "none")
        outbox, _ = trio.open_memory_channel[Any](100)
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                pool = EnginePool(nursery, 0, lambda *_: None)
                running = RunningJob(Job("1", name, (seat, seat)), pool, outbox, Heartbeat())
                finished = await running.play()
                pool.close()
        return finished

    return played


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        ("play", "ZeroDivisionError: division by zero"),
        ("turn", "KeyError: <exception str() failed>"),
        ("ranks", "ValueError: Exceeds the limit"),
        ("text", "ValueError: Exceeds the limit"),
    ],
)
async def test_a_game_is_void_and_its_detail_says_where_the_rules_failed(
    play: Callable[..., Any], broken: str, error: str
) -> None:
    finished = await play(broken, "somebodys")
    assert finished.void is VoidCause.RULES
    assert finished.detail.startswith("the rules of somebodys failed in ")
    assert error in finished.detail
    assert finished.detail.isprintable()
    assert len(finished.record) == 2 or broken == "ranks"


async def test_a_mistake_in_our_own_rules_keeps_its_traceback(
    play: Callable[..., Any],
) -> None:
    with pytest.RaisesGroup(ZeroDivisionError):
        await play("play", "hops")
