"""The players of a game: their interface, and the messages for them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import trio

from protocol.errors import EngineError, EngineStartError, EngineTimedOut
from protocol.hub.search import SearchRequest, SearchResult
from protocol.hub.transcript import Transcript
from protocol.spec import EngineSpec
from protocol.wire.codec import result_word
from protocol.wire.messages import GameOver, Go
from protocol.wire.session import Session
from referee.game import GameInfo
from referee.match.arbiter import Arbiter, Verdict
from referee.match.clock import Clock
from referee.match.time_control import NS_PER_MS, TimeControl


class SeatedPlayer(Protocol):
    """The player on a seat: an `EngineClient`, or a person. Failures raise `EngineError`."""

    @property
    def identity(self) -> Mapping[str, str]:
        """The player's ``name``, ``author`` and ``version``, as far as they are known."""

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Prepare for a new game."""

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: Go, budget: int
    ) -> SearchResult:
        """Choose a move. The player sets the deadline of ``alarm``, a scope around this call."""

    async def ponder(self, alarm: trio.CancelScope, turn: SearchRequest, go: Go) -> None:
        """Think on about the position after the last move of ``turn``, which the opponent may play."""

    def late(self) -> EngineError:
        """Return the error for a deadline of `think_until` that has passed."""

    async def drain(self) -> bool:
        """Stop thinking after a loss on time. Return whether the player can play other games."""

    async def report_error(self, code: str, text: str) -> None:
        """Receive the reason why the last move was rejected."""

    async def game_over(self, over: GameOver) -> None:
        """Receive the result."""


def gameinfo(
    number: str, game: str, clock: Clock, controls: Sequence[TimeControl], margin: int, seat: int
) -> list[tuple[str, str]]:
    """Return the pairs of ``gameinfo`` for the engine on ``seat``, before the first move."""
    control = controls[seat]
    items = [("id", number), ("game", game), ("players", str(len(controls))), ("seat", str(seat + 1))]
    if control.base_ns is not None:
        items.append(("base", str(clock.left_ns(seat) // NS_PER_MS)))
        items.append(("inc", str(control.increment_ns // NS_PER_MS)))
    items.append(("margin", str(margin)))
    return items


def turn_of(arbiter: Arbiter, start: str | None) -> SearchRequest:
    """Return a request that always shows the arbiter's current position, from the string of its first one."""
    return SearchRequest(
        start,
        arbiter.line,
        arbiter.recent,
        lambda: str(arbiter.position),
        lambda: [str(move) for move in arbiter.position.legal_moves()],
    )


def check_seatable(session: Session, players: int) -> None:
    """Raise EngineStartError if there are more than two players, and the engine speaks plain UGI."""
    if session.level == 0 and players > 2:
        raise EngineStartError(
            f"does not announce `protocol 1`, so it can play only games for two players, not for {players}"
        )


def for_game(spec: EngineSpec, info: GameInfo) -> EngineSpec:
    """Add the options by which an engine that speaks UCI plays a game."""
    return replace(spec, options=dict(info.uci_options) | spec.options) if spec.dialect == "uci" else spec


def result_of(verdict: Verdict) -> GameOver:
    """Return the ``gameover`` message for a verdict."""
    ranks = verdict.ranks
    if ranks is None:
        return GameOver("none", (), verdict.reason)
    return GameOver(result_word(ranks), ranks if len(ranks) > 2 else (), verdict.reason)


_GRACE = 0.05  # seconds after the budget, as for engines: an answer that comes with the alarm is late


class Person:
    """What all people have in common: they need no messages."""

    def __init__(self, name: str) -> None:
        self.identity: Mapping[str, str] = {"name": name}

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Do nothing: a person needs no preparation."""

    async def ponder(self, alarm: trio.CancelScope, turn: SearchRequest, go: Go) -> None:
        """Do nothing: a person thinks at any time."""

    def late(self) -> EngineError:
        """Return the error for a late move."""
        return EngineTimedOut("took too long")

    async def drain(self) -> bool:
        """Do nothing: a person has no search to stop."""
        return True

    async def report_error(self, code: str, text: str) -> None:
        """Do nothing: the page or the terminal knows the rules."""

    async def game_over(self, over: GameOver) -> None:
        """Do nothing: the page or the terminal shows the result."""


class RemotePerson(Person):
    """A player whose moves somebody else brings, one a turn. The time control holds as for an engine."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._waiting: trio.MemorySendChannel[str] | None = None

    def answer(self, move: str) -> None:
        """Take the move of the current turn. A second one, or one outside a turn, has no effect."""
        if self._waiting is not None:
            self._waiting.send_nowait(move)
            self._waiting = None

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
