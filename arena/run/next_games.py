"""Tell the listeners of a run which games come next."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice
from typing import Final

import trio

from arena.config import TournamentSpec
from arena.errors import OpeningError
from arena.formats.contest import ScheduleState
from arena.model import Pairing
from arena.run.forecast import next_games
from arena.run.live_feed import LiveFeed

__all__ = ["tell_next_games"]

_MOST: Final = 6
"""The number of games that are told."""

_PAUSE: Final = 1.0
"""The least number of seconds between two looks at the schedule."""

_REST: Final = 50
"""A look costs at most a fiftieth of a processor: a large schedule takes long."""


async def tell_next_games(spec: TournamentSpec, state: ScheduleState, feed: LiveFeed) -> None:
    """Tell the games that come next whenever they change, while somebody listens. It never returns.

    In a ladder the next game depends on the games that are running, so none is told.

    Args:
        spec: the tournament.
        state: the state of its games, which the runner keeps up to date.
        feed: the listeners.
    """
    while spec.format != "ladder":
        cost = 0.0
        if feed.watched:
            began = time.perf_counter()
            feed.tell_next(await trio.to_thread.run_sync(_look, spec, _copy(state), abandon_on_cancel=True))
            cost = time.perf_counter() - began
        await trio.sleep(max(_PAUSE, _REST * cost))


def _copy(state: ScheduleState) -> ScheduleState:
    """Copy what the runner changes: another thread reads it."""
    return replace(
        state,
        results=dict(state.results),
        running=dict(state.running),
        skipped=set(state.skipped),
        disabled=list(state.disabled),
    )


def _look(spec: TournamentSpec, state: ScheduleState) -> list[Pairing]:
    """Return the next games of the schedule that will be played."""
    disabled = frozenset(state.disabled)
    games = (pairing for pairing in next_games(spec, state) if not disabled & set(pairing.seats))
    try:
        return list(islice(games, _MOST))
    except OpeningError:  # the run reports the error when it comes to this game
        return []
