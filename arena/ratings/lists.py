"""The rating lists of a database: one for each game id, over all tournaments.

TrueSkill needs a hundredth of a millisecond for a game for two, and twenty times as long for one for four. So
the ratings after every thousandth game are stored as a checkpoint, from which they go on: to the last bit the
same. A game that ends late, or is added before a checkpoint's place in the schedule, makes it invalid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, TypeVar

from arena.errors import ArenaError, StoreError
from arena.model import GameRecord
from arena.ratings.settings import ListSettings, RatingSettings
from arena.ratings.trueskill import Rating, rate
from arena.scoring import GameScoreCounts, tally
from arena.store import ALL_GAMES, Checkpoint, GameFilter, RatedGame, Store
from protocol.words import counted

if TYPE_CHECKING:
    from arena.ratings.fit import Fit
    from arena.ratings.overall import Overall


EVERY = 1000
"""Games from one checkpoint to the next."""

_GAMES_COMPARED: Final = 20_000
"""The most games whose moves are compared. More would take longer than the ratings."""

_METHOD: Final = "by begun, pairs in closed form, great upsets exactly"
"""The order of the games, and the arithmetic. Checkpoints of older versions, which differ, are not used."""


@dataclass(frozen=True, slots=True)
class RatingList:
    """The TrueSkill ratings of one game id, by its settings and the model that follows from them."""

    game: str
    settings: ListSettings
    model: RatingSettings
    tally: GameScoreCounts
    ratings: dict[str, Rating]

    def groups(self) -> PlayGroups:
        """Return the groups of engines that played each other."""
        return play_groups(self.tally, self.model)


def rating_list(store: Store, game: str, games: GameScoreCounts, only: GameFilter = ALL_GAMES) -> RatingList:
    """Rate all games of an id, or those that meet conditions; ``games`` has their scores.

    The ratings of all games store new checkpoints if the database is writable.
    """
    settings = ListSettings.of(store.rating_lists.settings(game))
    model = settings.model_for(game, games)
    if only == ALL_GAMES:
        ratings = _ratings(store, game, model)
    else:
        ratings = rate((rated.outcome for rated in store.rating_lists.scored(game, only=only)), model)
    return RatingList(game, settings, model, games, ratings)


def elo_fit(store: Store, rated: RatingList, only: GameFilter = ALL_GAMES) -> Fit | None:
    """Fit Elo to the games of a list; None if no game is rated.

    The errors count the games of the same engines on one opening as one, unless there are too many to
    compare.
    """
    from arena.ratings.fit import fit  # it needs NumPy, which takes long to import

    clusters = _clusters(store, rated.game, rated.tally, only)
    try:
        return fit(rated.tally, rated.model, rated.settings.anchor, clusters)
    except ArenaError as error:
        raise ArenaError(f"{rated.game}: {error}") from None


def _clusters(store: Store, game: str, games: GameScoreCounts, only: GameFilter) -> list[GameScoreCounts]:
    """Return the games on the same openings; an empty list if they count as independent."""
    if games.total() > _GAMES_COMPARED:
        return []
    clusters = store.rating_lists.opening_groups(game, only=only)
    return [] if all(cluster.total() == 1 for cluster in clusters) else clusters


def overall_fit(store: Store, games: Mapping[str, GameScoreCounts], only: GameFilter) -> Overall:
    """Rate the engines that played all these games, as `arena.ratings.overall.overall` does.

    The setting of each game's list decides whether its forfeits are rated; anchors do not count.
    """
    from arena.ratings.fit import rated_games
    from arena.ratings.overall import RatedGames, overall

    rated: dict[str, RatedGames] = {}
    for game, counts in games.items():
        model = ListSettings.of(store.rating_lists.settings(game)).model
        clusters = [rated_games(cluster, model) for cluster in _clusters(store, game, counts, only)]
        if of_game := rated_games(counts, model):
            rated[game] = RatedGames(of_game, clusters)
    return overall(rated)


def _ratings(store: Store, game: str, model: RatingSettings) -> dict[str, Rating]:
    # Everything that the ratings depend on, except the games.
    fingerprint = f"trueskill {version('trueskill')} {_METHOD} {sorted(asdict(model).items())}"
    last = store.rating_lists.checkpoint(game, fingerprint)
    ratings = {} if last is None else {name: Rating(*numbers) for name, numbers in last.ratings.items()}
    games = store.rating_lists.scored(game, after=None if last is None else last.place)
    new: list[Checkpoint] = []
    for first in range(0, len(games), EVERY):
        batch = games[first : first + EVERY]
        ratings = rate((rated.outcome for rated in batch), model, ratings)
        if len(batch) == EVERY:
            last = _checkpoint(last, batch, ratings)
            new.append(last)
    if new:
        with suppress(StoreError):  # the list is correct without checkpoints
            store.rating_lists.keep(game, fingerprint, new, every=EVERY)
    return ratings


def _checkpoint(last: Checkpoint | None, batch: list[RatedGame], ratings: dict[str, Rating]) -> Checkpoint:
    return Checkpoint(
        games=len(batch) + (0 if last is None else last.games),
        place=batch[-1].place,
        duration=sum(rated.duration for rated in batch) + (0 if last is None else last.duration),
        ratings={name: (rating.mu, rating.sigma, rating.games) for name, rating in ratings.items()},
    )


def repeated_games(
    store: Store, game: str, games: GameScoreCounts, only: GameFilter = ALL_GAMES
) -> int | None:
    """Return how many games repeat an earlier one; None if there are too many games to compare."""
    return None if games.total() > _GAMES_COMPARED else store.rating_lists.repeated(game, only=only)


def repeats_note(repeated: int | None, games: GameScoreCounts) -> str:
    """Return a sentence about `repeated_games`; "" if there are none."""
    if repeated is None:
        return f"Identical games are not counted, because there are more than {_GAMES_COMPARED} games."
    if not repeated:
        return ""
    return (
        f"Identical games: {repeated} of {counted(games.total(), 'game')} repeat an earlier one (the same"
        " seats, opening and moves). They add no information, so the errors are too small, and the"
        " likelihoods are too far from 50 %."
    )


class RatingListUpdater:
    """Updates the rating lists while a tournament runs, so that nobody has to wait at its end."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tallies: dict[str, GameScoreCounts] = {}
        self._new_games: Counter[str] = Counter()

    def stored(self, records: Iterable[GameRecord]) -> None:
        """Count games that were stored. After every thousand games of an id, update its list."""
        for record in records:
            result = record.result
            self._new_games[result.game] += result.counts
            if result.game in self._tallies:
                self._tallies[result.game].update(tally([result]))
        for game, count in self._new_games.items():
            if count >= EVERY:
                if game not in self._tallies:
                    self._tallies[game] = self._store.tally(game=game).get(game, Counter())
                rating_list(self._store, game, self._tallies[game])
                self._new_games[game] = 0


_Member = TypeVar("_Member", bound=Hashable)
_POINT: Final = 1_000_000
"""Points are added in millionths: the last digits of a sum of floats depend on the order of the games."""


@dataclass(frozen=True, slots=True)
class PlayGroups:
    """The groups of engines that played each other, and the sets that forfeits join.

    The largest group comes first; of equal ones, the group whose best engine has the most points.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    by_forfeits: tuple[tuple[int, ...], ...] = ()

    def index(self) -> dict[str, int]:
        """Return the index of each engine's group."""
        return {name: place for place, group in enumerate(self.groups) for name in group}

    def among(self, names: Collection[str]) -> PlayGroups:
        """Return the groups of some engines; a chain of games that joins them may lead through others."""
        kept = {
            place: tuple(name for name in group if name in names) for place, group in enumerate(self.groups)
        }
        order = sorted((place for place in kept if kept[place]), key=lambda place: -len(kept[place]))
        joined = (
            tuple(sorted(order.index(place) for place in places if kept[place]))
            for places in self.by_forfeits
        )
        by_forfeits = tuple(places for places in joined if len(places) > 1)
        return PlayGroups(tuple(kept[place] for place in order), by_forfeits)


def play_groups(games: GameScoreCounts, settings: RatingSettings) -> PlayGroups:
    """Find the groups among the engines that have a rated game: a chain of games joins two engines.

    A seat that forfeited joins none: that is rated as a loss, but does not show how well the opponent plays.
    """
    played: dict[str, set[str]] = {}
    met: list[list[str]] = []
    points: Counter[str] = Counter()
    for outcome, count in games.items():
        if not settings.rates(outcome):
            continue
        for seat in outcome:
            played.setdefault(seat.name, {seat.name})
            points[seat.name] += round(seat.points * count * _POINT)
        _join(played, [seat.name for seat in outcome if not seat.forfeited])
        if any(seat.forfeited for seat in outcome):
            met.append([seat.name for seat in outcome])
    groups = tuple(
        sorted(
            {tuple(sorted(group)) for group in played.values()},
            key=lambda group: (-len(group), -max(points[name] for name in group), group),
        )
    )
    index = PlayGroups(groups).index()
    joined: dict[int, set[int]] = {}
    for names in met:
        _join(joined, [index[name] for name in names])
    by_forfeits = {tuple(sorted(places)) for places in joined.values() if len(places) > 1}
    return PlayGroups(groups, tuple(sorted(by_forfeits)))


def _join(sets: dict[_Member, set[_Member]], members: Sequence[_Member]) -> None:
    """Put the sets of members into one; ``sets`` has the set of each member."""
    parts = [sets.setdefault(member, {member}) for member in members]
    if any(part is not parts[0] for part in parts):
        whole = set().union(*parts)
        sets.update(dict.fromkeys(whole, whole))
