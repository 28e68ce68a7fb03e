"""Faults that are planted into the product, to see that the simulation finds each of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

import arena.formats.contest
import arena.run.game_loop
import arena.run.tournament
import arena.run.upcoming
import arena.store.store
import arena.store.writer
import protocol.hub.client
import referee.match.arbiter
import referee.match.clock
import referee.match.pool

Plant = Callable[[], Any]


def _around(target: Any, name: str, wrap: Callable[..., Any]) -> Any:
    """Replace a function by ``wrap``, which gets it as its first argument."""
    real = getattr(target, name)
    return patch.object(target, name, lambda *given, **named: wrap(real, *given, **named))


def _lost_row() -> Any:
    def add(real: Any, store: Any, games: Any, **named: Any) -> Any:
        return real(store, list(games)[:-1] or games, **named)

    return _around(arena.store.store.Store, "add_games", add)


def _told_too_early() -> Any:
    async def write(real: Any, writer: Any, batch: Any, games: Any) -> Any:
        writer.committed(batch)
        await real(writer, batch, games)

    return _around(arena.store.writer.GameWriter, "_write", write)


def _forgotten_game() -> Any:
    def state(real: Any, store: Any, spec: Any) -> Any:
        found = real(store, spec)
        for key in list(found[0].results)[-1:]:
            del found[0].results[key]
        return found

    return _around(arena.run.upcoming, "stored_state", state)


def _wrong_seat() -> Any:
    def on_move(real: Any, arbiter: Any, text: str, started: int, ended: int, info: str) -> Any:
        moved = real(arbiter, text, started, ended, info)
        arbiter.used.reverse()
        return moved

    return _around(referee.match.arbiter.Arbiter, "on_move", on_move)


def _charged_too_much() -> Any:
    def think(real: Any, move: str, started: int, ended: int, info: str) -> Any:
        return real(move, started, ended + 5_000_000, info)

    return _around(protocol.hub.client, "SearchResult", think)


def _wall_clock() -> Any:
    real: Any = protocol.hub.client.EngineClient.__init__
    return patch.object(real, "__kwdefaults__", {**real.__kwdefaults__, "now": time.time_ns})


def _wrong_forfeit() -> Any:
    def forfeit(real: Any, arbiter: Any, seats: Any) -> Any:
        return real(arbiter, {(seat + 1) % arbiter.players: why for seat, why in seats.items()})

    return _around(referee.match.arbiter.Arbiter, "on_forfeit", forfeit)


def _wrong_options() -> Any:
    seen: dict[str, Any] = {}

    def make(real: Any, spec: Any, *given: Any, **named: Any) -> Any:
        others = [options for name, options in seen.items() if name != spec.name]
        again, seen[spec.name] = spec.name in seen, spec.options
        return real(replace(spec, options=others[0]) if again and others else spec, *given, **named)

    return _around(referee.match.pool, "EngineClient", make)


@contextmanager
def _opening_again() -> Iterator[None]:
    resumed: list[bool] = []

    def state(real: Any, store: Any, spec: Any) -> Any:
        found = real(store, spec)
        resumed[:] = [bool(found[1])]
        return found

    def pairing(real: Any, contest: Any, number: int, key: str, seating: Any) -> Any:
        if resumed and resumed[0] and seating.opening:
            resumed[0] = False
            seating = seating._replace(opening=seating.opening - 1)
        return real(contest, number, key, seating)

    with (
        _around(arena.run.upcoming, "stored_state", state),
        _around(arena.formats.contest.Contest, "pairing", pairing),
    ):
        yield


def _left_engine() -> Any:
    return patch.object(referee.match.pool.EnginePool, "kill", lambda pool: None)


def _deaf() -> Any:
    async def stop(real: Any, runner: Any) -> None:
        runner._observe(arena.events.Stopping(0))

    return _around(arena.run.game_loop.GameLoop, "stop", stop)


def _no_flag() -> Any:
    def charge(real: Any, clock: Any, seat: int, used: int) -> int:
        real(clock, seat, used)
        return 0

    return _around(referee.match.clock.Clock, "charge", charge)


def _wrong_clock() -> Any:
    def charge(real: Any, clock: Any, seat: int, used: int) -> Any:
        real(clock, (seat + 1) % len(clock._seats), used)
        return real(clock, seat, 0)

    return _around(referee.match.clock.Clock, "charge", charge)


def _left_open() -> Any:
    return patch.object(arena.store.store.Store, "close", lambda store: None)


PLANTS: Final[dict[str, Plant]] = {
    "the last game of a batch is not stored": _lost_row,
    "a game is told before it is stored": _told_too_early,
    "a run forgets the last stored game": _forgotten_game,
    "a forfeit goes to the next seat": _wrong_forfeit,
    "each search is charged 5 ms too much": _charged_too_much,
    "clocks are read from the wall": _wall_clock,
    "an engine is started again with the options of another": _wrong_options,
    "a run that goes on plays a stored opening again": _opening_again,
    "a run does not close its database": _left_open,
    "a referee leaves its engines running": _left_engine,
    "Ctrl-C begins more games": _deaf,
    "a late move counts": _no_flag,
    "a move is charged to the clock of the next seat": _wrong_clock,
    "the time of a game goes to the other seat": _wrong_seat,
}
"""The planted faults; each is a context in which the product has it."""


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Let the product have a fault."""
    with PLANTS[name]():
        yield
