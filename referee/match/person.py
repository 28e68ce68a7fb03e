"""A person on a seat of a game in a referee process. The moves come from outside, one for each turn."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import trio

from protocol.errors import EngineError, EngineTimedOut
from protocol.hub.search import SearchRequest, SearchResult
from protocol.hub.transcript import Transcript
from protocol.wire.messages import GameOver, Go

__all__ = ["RemotePerson"]

_GRACE = 0.05
"""Seconds after the budget, as for engines: an answer that comes with the alarm is late."""


class RemotePerson:
    """A player whose moves somebody else brings. The time control holds as for an engine.

    Args:
        name: the name of the player in the game.
    """

    def __init__(self, name: str) -> None:
        self.identity: Mapping[str, str] = {"name": name}
        self._waiting: trio.MemorySendChannel[str] | None = None

    def answer(self, move: str) -> None:
        """Take the move of the current turn. A second one, or one outside a turn, has no effect."""
        if self._waiting is not None:
            self._waiting.send_nowait(move)
            self._waiting = None

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Do nothing: a person needs no preparation."""

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: Go, budget: int
    ) -> SearchResult:
        """Wait for the move."""
        started = time.monotonic_ns()
        alarm.deadline = trio.current_time() + budget / 1e9 + _GRACE
        self._waiting, moves = trio.open_memory_channel[str](1)
        try:
            move = await moves.receive()
        finally:
            self._waiting = None
        return SearchResult(move, started, time.monotonic_ns(), "")

    def late(self) -> EngineError:
        """Return the error for a late move."""
        return EngineTimedOut("took too long")

    async def drain(self) -> bool:
        """Do nothing: a person has no search to stop."""
        return True

    async def report_error(self, code: str, text: str) -> None:
        """Do nothing: the sender of the moves knows the rules."""

    async def game_over(self, over: GameOver) -> None:
        """Do nothing: the event `JobFinished` has the result."""
