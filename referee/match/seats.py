"""Who sits at a game: what players can do, what they are told, and what their failures mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import trio

from protocol.errors import EngineError, EngineFlooded, EngineStalled, EngineStartError, EngineTimedOut
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest, SearchResult
from protocol.hub.transcript import Transcript
from protocol.wire.codec import result_word
from protocol.wire.messages import GameOver, Go
from referee.match.arbiter import Arbiter, Verdict
from referee.match.clock import Clock
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.outcome import Termination

__all__ = ["SeatedPlayer", "check_seatable", "fault_of", "gameinfo", "result_of", "turn_of"]


class SeatedPlayer(Protocol):
    """Who sits at a seat: an `EngineClient`, or a person. Failures are `EngineError`s."""

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``author`` and ``version``, as far as it told them."""
        ...

    async def new_game(self, items: Sequence[tuple[str, str]], transcript: Transcript | None = None) -> None:
        """Get ready for a game."""
        ...

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: Go, budget: int
    ) -> SearchResult:
        """Choose a move; ``alarm`` is a scope around this, whose deadline is the player's to set."""
        ...

    def late(self) -> EngineError:
        """After that deadline: what it failed to do."""
        ...

    async def drain(self) -> bool:
        """Stop thinking after the time is up; whether it can play on."""
        ...

    async def report_error(self, code: str, text: str) -> None:
        """Hear what was wrong with the last move."""
        ...

    async def game_over(self, over: GameOver) -> None:
        """Hear the result."""
        ...


def gameinfo(
    number: str, game: str, clock: Clock, controls: Sequence[TimeControl], margin: int, seat: int
) -> list[tuple[str, str]]:
    """What the engine on ``seat`` is told at the start of the game called ``number``, if it asked for that.

    Args:
        number: what the referee calls the game.
        game: the game's id.
        clock: of the game, before its first move.
        controls: one a seat.
        margin: the engine's, in milliseconds.
        seat: 0-based.
    """
    control = controls[seat]
    items = [("id", number), ("game", game), ("players", str(len(controls))), ("seat", str(seat + 1))]
    if control.base_ns is not None:
        items.append(("base", str(clock.left_ns(seat) // NS_PER_MS)))
        items.append(("inc", str(control.increment_ns // NS_PER_MS)))
    items.append(("margin", str(margin)))
    return items


def turn_of(arbiter: Arbiter, start: str | None) -> SearchRequest:
    """The turn of whoever is to move, now and after every move that follows.

    Args:
        arbiter: of the game.
        start: the position string that it began with; None for the game's own start.
    """
    return SearchRequest(
        start,
        arbiter.line,
        lambda: str(arbiter.position),
        lambda: [str(move) for move in arbiter.position.legal_moves()],
    )


def check_seatable(client: EngineClient, players: int) -> None:
    """See whether an engine can sit in a game of so many.

    Raises:
        EngineStartError: it speaks plain UGI, which knows two players.
    """
    if client.session.level == 0 and players > 2:
        raise EngineStartError("announces no `protocol 1`, and such an engine plays only games for two")


def fault_of(error: EngineError) -> Termination:
    """The result word for what an engine did (PROTOCOL, Misbehaviour)."""
    if isinstance(error, EngineTimedOut):
        return Termination.TIME
    if isinstance(error, EngineStalled):
        return Termination.STALL
    if isinstance(error, EngineFlooded):
        return Termination.FLOOD
    return Termination.CRASH


def result_of(verdict: Verdict) -> GameOver:
    """What engines that want to know the result are told."""
    ranks = verdict.ranks
    if ranks is None:
        return GameOver("none", (), verdict.reason)
    return GameOver(result_word(ranks), ranks if len(ranks) > 2 else (), verdict.reason)
