"""Faults that are planted into the product: a test shows that the simulation finds each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from unittest.mock import patch

import arena.run.upcoming
import arena.store.store
import arena.store.writer
import referee.match.clock

Plant = Callable[[], Any]


def _around(target: Any, name: str, wrap: Callable[..., Any]) -> Any:
    """Replace a function by ``wrap``, which gets it as its first argument."""
    real = getattr(target, name)
    return patch.object(target, name, lambda *given, **named: wrap(real, *given, **named))


def _lost_row() -> Any:
    def add(real: Any, store: Any, games: Any, **named: Any) -> Any:
        return real(store, list(games)[:-1] or games, **named)

    return _around(arena.store.store.Store, "add_games", add)


def _reported_too_early() -> Any:
    async def write(real: Any, writer: Any, batch: Any, games: Any) -> Any:
        writer.committed(batch)
        await real(writer, batch, games)

    return _around(arena.store.writer.GameWriter, "_write", write)


def _forgotten_game() -> Any:
    def state(real: Any, store: Any, spec: Any) -> Any:
        stored, scores = real(store, spec)
        for key in list(stored.results)[-1:]:
            del stored.results[key]
        return stored, scores

    return _around(arena.run.upcoming, "stored_state", state)


def _wrong_clock() -> Any:
    def charge(real: Any, clock: Any, seat: int, used: int) -> Any:
        real(clock, (seat + 1) % len(clock._seats), used)
        return real(clock, seat, 0)

    return _around(referee.match.clock.Clock, "charge", charge)


PLANTS: Final[dict[str, Plant]] = {
    "the last game of a batch is not stored": _lost_row,
    "a game is reported before it is stored": _reported_too_early,
    "a run forgets the last stored game": _forgotten_game,
    "a move is charged to the clock of the next seat": _wrong_clock,
}
"""The planted faults; each is a context in which the product has it."""
