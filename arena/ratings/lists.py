"""The rating lists of a database: one for each game id, over all its tournaments.

TrueSkill takes about a tenth of a millisecond a game, so the ratings after every thousandth game are kept as
checkpoints and only the games behind the newest one that holds are fed. The numbers are the same to the last
bit either way. A checkpoint holds as long as the games up to its place in the schedule are those that were
fed: one that ended late, or was added before that place, makes it void, and an older one or none is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version

from arena.errors import StoreError
from arena.model import GameRecord
from arena.ratings.settings import RatingSettings
from arena.ratings.settings_text import ListSettings
from arena.ratings.trueskill import Rating, rate
from arena.scoring import GameScoreCounts, tally
from arena.store import Checkpoint, RatedGame, Store

__all__ = ["EVERY", "RatingList", "RatingListUpdater", "rating_list"]

EVERY = 1000
"""Games from one checkpoint to the next."""


@dataclass(frozen=True, slots=True)
class RatingList:
    """The ratings of one game id.

    Attributes:
        game: the id.
        settings: how the list is set.
        model: the parameters that follow from these and the games.
        tally: the games that count.
        ratings: everybody who has a rated game.
    """

    game: str
    settings: ListSettings
    model: RatingSettings
    tally: GameScoreCounts
    ratings: dict[str, Rating]


def rating_list(store: Store, game: str, games: GameScoreCounts) -> RatingList:
    """Rate all games of an id, and keep checkpoints where the database can be written.

    Args:
        store: the database.
        game: the id.
        games: its tally over all tournaments.

    Raises:
        ArenaError: the database cannot be read, or has a setting that there isn't.
    """
    settings = ListSettings.of(store.rating_lists.settings(game))
    model = settings.model_for(game, games)
    return RatingList(game, settings, model, games, _ratings(store, game, model))


def _ratings(store: Store, game: str, model: RatingSettings) -> dict[str, Rating]:
    text = _fingerprint(model)
    base = store.rating_lists.checkpoint(game, text)
    known = {} if base is None else {name: Rating(*numbers) for name, numbers in base.ratings.items()}
    games = store.scored(game, after=None if base is None else base.place)
    kept: list[Checkpoint] = []
    for first in range(0, len(games), EVERY):
        part = games[first : first + EVERY]
        known = rate((one.outcome for one in part), model, known)
        if len(part) == EVERY:
            base = _checkpoint(base, part, known)
            kept.append(base)
    if kept:
        with suppress(StoreError):  # a file that cannot be written can still be read
            store.rating_lists.keep(game, text, kept, every=EVERY)
    return known


def _fingerprint(model: RatingSettings) -> str:
    """All that the numbers depend on besides the games."""
    return f"trueskill {version('trueskill')} {sorted(asdict(model).items())}"


def _checkpoint(base: Checkpoint | None, part: list[RatedGame], known: dict[str, Rating]) -> Checkpoint:
    return Checkpoint(
        games=len(part) + (0 if base is None else base.games),
        place=part[-1].place,
        duration=sum(one.duration for one in part) + (0 if base is None else base.duration),
        ratings={name: (rating.mu, rating.sigma, rating.games) for name, rating in known.items()},
    )


class RatingListUpdater:
    """Brings the lists up to date while a tournament runs, so that nobody waits for that at its end."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tallies: dict[str, GameScoreCounts] = {}
        self._fresh: Counter[str] = Counter()

    def stored(self, records: Iterable[GameRecord]) -> None:
        """Games have been stored; after every thousand of an id its list is brought up to date.

        Raises:
            ArenaError: the database cannot be read.
        """
        for record in records:
            result = record.result
            self._fresh[result.game] += result.counts
            if result.game in self._tallies:
                self._tallies[result.game].update(tally([result]))
        for game, count in self._fresh.items():
            if count >= EVERY:
                if game not in self._tallies:
                    self._tallies[game] = self._store.tally(game=game)[game]
                rating_list(self._store, game, self._tallies[game])
                self._fresh[game] = 0
