"""What a run of a tournament would play, and about how long it would take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from arena.config import TournamentSpec
from arena.errors import MissingDatabase
from arena.formats.contest import ScheduleState
from arena.formats.schedule import schedule
from arena.model import Pairing, Stage
from arena.run.stored_state import stored_state
from referee.match.time_control import TimeControl

__all__ = ["ASSUMED_MOVES", "Forecast", "forecast", "next_games", "stored_before"]

ASSUMED_MOVES = 40
"""The moves of each engine in a game, for an estimate before the first game."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The games that a run would play.

    Attributes:
        total: the number of all games of the tournament; None if it is not known.
        stored: the number of stored games that count.
        first: the first games that would be played.
        game_seconds: the mean duration of the stored games, or else the longest duration of a game with
            `ASSUMED_MOVES` moves of each engine; None if neither is known.
    """

    total: int | None
    stored: int
    first: tuple[Pairing, ...]
    game_seconds: float | None

    @property
    def left(self) -> int | None:
        """The number of games to play; None if it is not known."""
        return None if self.total is None else max(self.total - self.stored, 0)


def forecast(spec: TournamentSpec, most: int) -> Forecast:
    """Return what a run would play, with the first ``most`` games. This plays and stores nothing.

    Raises:
        ArenaError: the database cannot be used, or an opening is bad.
    """
    state, stored, seconds = stored_before(spec)
    plan = schedule(spec)
    first = tuple(islice(next_games(spec, state), most))
    if seconds is None and first:
        seconds = _longest(spec, first[0])
    return Forecast(plan.total, stored, first, seconds)


def stored_before(spec: TournamentSpec) -> tuple[ScheduleState, int, float | None]:
    """Return the state of the stored games, their number, and their mean duration in seconds, if known.

    Raises:
        ArenaError: the database cannot be used, or the tournament has changed.
    """
    from arena.store import Store

    try:
        store = Store.open(spec.database, create=False)
    except MissingDatabase:
        return ScheduleState(), 0, None
    try:
        if spec.name not in {info.name for info in store.tournaments()}:
            return ScheduleState(), 0, None
        store.check_settings(spec.name, spec.settings())
        state, games = stored_state(store, spec)
        return state, games.total(), store.mean_duration(spec.name)
    finally:
        store.close()


def next_games(spec: TournamentSpec, state: ScheduleState) -> Iterator[Pairing]:
    """Yield the next games, as if no game ended meanwhile. This adds them to ``state`` as running games.

    Raises:
        OpeningError: an opening is bad.
    """
    for item in schedule(spec).pending(state):
        if item is None:
            return
        if not isinstance(item, Stage):
            state.running[item.key] = item
            yield item


def _longest(spec: TournamentSpec, pairing: Pairing) -> float | None:
    """Return how many seconds a game takes if each engine uses all its time; None without a limit of time."""
    entries = {entry.spec.name: entry for entry in spec.engines}
    times = [_most_time(entries[name].time_control) for name in pairing.seats]
    return None if None in times else sum(time for time in times if time is not None) / 1e9


def _most_time(control: TimeControl) -> int | None:
    """Return the most nanoseconds that an engine can use in `ASSUMED_MOVES` moves; None for no limit."""
    if control.movetime_ns is not None:
        return ASSUMED_MOVES * control.movetime_ns
    if control.base_ns is None:
        return None
    sessions = 1 if control.moves is None else -(-ASSUMED_MOVES // control.moves)
    return sessions * control.base_ns + ASSUMED_MOVES * control.increment_ns
