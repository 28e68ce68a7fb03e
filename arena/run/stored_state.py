"""Read the state of a tournament's games from the database, as its schedule needs it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from arena.config import TournamentSpec
from arena.ended_games import GameScoreCounts
from arena.formats.contest import ScheduleState

if TYPE_CHECKING:
    from arena.ratings.settings import RatingSettings
    from arena.store import Store

__all__ = ["stored_state"]


def stored_state(store: Store, spec: TournamentSpec) -> tuple[ScheduleState, GameScoreCounts]:
    """Return the state of the stored games of a tournament, and the scores of those that count."""
    games: GameScoreCounts = Counter()
    if spec.format in ("round-robin", "gauntlet"):
        state = ScheduleState(stored=store.finished(spec.name))
        for counts in store.tally(tournament=spec.name).values():
            games.update(counts)
    else:
        endings = store.endings(spec.name)
        games.update(ending.players for ending in endings)
        state = ScheduleState.of(endings)
    if spec.format == "ladder":
        state.models = _models(store, spec.games)
    return state, games


def _models(store: Store, games: tuple[str, ...]) -> dict[str, RatingSettings]:
    """Return the rating settings of each game, with the draw probability before the first game."""
    from arena.ratings.settings import ListSettings

    texts = {game: store.rating_lists.settings(game) for game in games}
    return {game: ListSettings.of(stored).model_for(game, Counter()) for game, stored in texts.items()}
