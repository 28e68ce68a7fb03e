"""Ladder: an endless league that plays the games from which the ratings learn most.

An *encounter* is one opening, played once from every seat: two games for two engines, four games for a table
of four. The next encounter is that of the two engines with the greatest value of

    match quality · (variance of the first + variance of the second) / (number of their encounters + 1)

Match quality is that of TrueSkill for two players (Herbrich, Minka, Graepel 2007). It is high when two
engines are about equally strong. So engines of similar strength meet often, new engines meet most often, and
in time every engine meets all engines near it in the order of ratings.

A larger table begins with these two engines. Then it adds the engine for which the sum of the values with all
engines at the table is greatest, until the table is full. The variance of an engine counts less while the
engine plays. The choice depends only on the results and the running games.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, islice
from math import exp, inf, sqrt

from arena.formats.contest import Contest, Entrants, ScheduleState, Seating, duel, first_opening
from arena.formats.format import AdaptiveFormat, LengthKeys
from arena.formats.round_robin import orders
from arena.model import Pairing
from arena.ratings.settings import RatingSettings, settings_for
from arena.ratings.trueskill import Model
from arena.scoring import EndedGame

_WINDOW = 16
"""In the order of ratings, an engine meets this many engines above it and this many below it."""

_DIGITS = 9
"""Significant digits in comparisons. The last digits of a float may differ between machines."""


class _LadderFormat(AdaptiveFormat[LengthKeys]):
    name = title = "ladder"
    keys = LengthKeys
    two_players = False
    decided_by = "ratings"
    may_grow = True
    rereads = True
    by_ratings = True

    def next_games(self, keys: LengthKeys, contest: Contest, state: ScheduleState) -> Iterator[Pairing]:
        ladder = _Ladder(contest, state)
        while keys.max_games is None or ladder.started < keys.max_games:
            seating = ladder.choose(state)
            if seating is None:  # too few engines are left
                return
            pairing = contest.pairing(ladder.number, contest.entrants.key(seating), seating)
            ladder.count(pairing.key, seating.seats)
            ladder.number += 1
            yield pairing

    def total(self, keys: LengthKeys, entrants: Entrants) -> int | None:
        return keys.max_games


LADDER = _LadderFormat()


@dataclass(slots=True)
class _Table:
    """The games that the same engines have played with each other."""

    next_key: str  # of the first game that is missing
    keys: set[str] = field(default_factory=set)  # of the games that were played or are running
    next: int = 0  # the number of the first game that is missing


class _Ladder:
    """The ladder of one game id.

    Attributes:
        started: the number of games that were played or are running.
        number: the place of the next game among the games of this id.
    """

    def __init__(self, contest: Contest, state: ScheduleState) -> None:
        self._contest = contest
        self._places = {name: place for place, name in enumerate(contest.entrants.names)}
        game = contest.entrants.game
        self._beliefs = _Beliefs(state.models.get(game) or settings_for(game), game)
        self._worths = _Worths(self._beliefs.beta)
        self._tables: dict[tuple[int, ...], _Table] = {}
        self._incomplete: dict[tuple[int, ...], None] = {}  # tables whose last encounter lacks a game
        self.started = 0
        self.number = 0
        for number, key in state.taken().items():
            if key.startswith(f"{game}:"):
                self.number = max(self.number, contest.own_number(number) + 1)
        for result in state.results.values():
            self._add(result.game, result.key, [player.name for player in result.players])
        for pairing in state.running.values():
            self._add(pairing.game, pairing.key, pairing.seats)

    def _add(self, game: str, key: str, names: Iterable[str]) -> None:
        if game != self._contest.entrants.game:
            return
        places = [self._places.get(name) for name in names]
        present = [place for place in places if place is not None]
        if len(present) == len(places):
            self.count(key, tuple(present))
        else:  # an engine was removed from the file
            self.started += 1

    def count(self, key: str, seats: tuple[int, ...]) -> None:
        """Count a game that was played, is running or is about to start."""
        self.started += 1
        places = tuple(sorted(seats))
        table = self._tables.get(places)
        if table is None:
            table = self._tables[places] = _Table(self._contest.entrants.key(_rotated(places, 0)))
        if len(table.keys) % len(places) == 0:
            self._worths.meet(places)
        table.keys.add(key)
        while table.next_key in table.keys:
            table.next += 1
            table.next_key = self._contest.entrants.key(_rotated(places, table.next))
        if table.next % len(places) == 0 and table.next == len(table.keys):
            self._incomplete.pop(places, None)
        else:
            self._incomplete[places] = None

    def choose(self, state: ScheduleState) -> Seating | None:
        """Choose the next game. An encounter that lacks a game comes before a new one."""
        present = {place for name, place in self._places.items() if name not in state.disabled}
        if len(present) < self._contest.entrants.players:
            return None
        incomplete = (places for places in self._incomplete if present.issuperset(places))
        places = next(incomplete, None) or self._new_encounter(present, state)
        table = self._tables.get(places)
        return _rotated(places, 0 if table is None else table.next)

    def _new_encounter(self, present: set[int], state: ScheduleState) -> tuple[int, ...]:
        """Choose the engines of a new encounter."""
        self._beliefs.follow(state)
        beliefs = self._beliefs.now
        busy = Counter(name for pairing in state.running.values() for name in pairing.seats)
        names = self._contest.entrants.names
        strengths = {}
        for place in present:
            mu, sigma = beliefs.get(names[place], self._beliefs.start)
            strengths[place] = (mu, sigma / sqrt(1 + busy[names[place]]))
        self._worths.follow(strengths)
        table = list(self._worths.best)
        worth = self._worths.of
        while len(table) < self._contest.entrants.players:
            free = present.difference(table)
            table.append(max(free, key=lambda place: (sum(worth(place, other) for other in table), -place)))
        return tuple(sorted(table))


class _Worths:
    """The values of encounters between engines near each other, and the best one.

    Two engines are near each other if they are at most `_WINDOW` places apart in the order of ratings.

    Only a few values change from one encounter to the next. So the best opponent of each engine is cached
    until the engine or one of its neighbours changes. After an encounter of two engines, only about fifty of
    a thousand engines look for their best opponent again.

    Attributes:
        best: the places of the two engines of the best encounter. `follow` sets it.
    """

    best: tuple[int, int]

    def __init__(self, beta: float) -> None:
        self._beta = beta
        self._met: Counter[tuple[int, int]] = Counter()
        self._strengths: dict[int, tuple[float, float]] = {}
        self._changed: set[int] = set()
        self._rows: dict[int, tuple[list[int], tuple[float, int, int]]] = {}

    def meet(self, places: tuple[int, ...]) -> None:
        """Count an encounter between engines at these places, which are in ascending order."""
        self._met.update(combinations(places, 2))
        self._changed.update(places)

    def of(self, first: int, second: int) -> float:
        """The value of an encounter between two engines, with the strengths of the last `follow`."""
        met = self._met[min(first, second), max(first, second)]
        worth = gain(self._strengths[first], self._strengths[second], self._beta) / (met + 1)
        return float(f"{worth:.{_DIGITS}g}")

    def follow(self, strengths: dict[int, tuple[float, float]]) -> None:
        """Set the means and deviations of all engines, and find the best encounter."""
        old, self._strengths = self._strengths, strengths
        self._changed.update(place for place, strength in strengths.items() if old.get(place) != strength)
        ranked = sorted(strengths, key=lambda place: (round(strengths[place][0], _DIGITS), place))
        best = max(self._row(ranked[row : row + 1 + _WINDOW]) for row in range(len(ranked) - 1))
        self._changed.clear()
        self.best = -best[2], -best[1]

    def _row(self, window: list[int]) -> tuple[float, int, int]:
        """The best encounter of the first engine in a window with one of the others, if not known already.

        It is the value, and the negated places, so that the larger tuple is the better one.
        """
        engine, *neighbours = window
        cached = self._rows.get(engine)
        if cached is None or cached[0] != window or not self._changed.isdisjoint(window):
            best = max(
                (self.of(engine, other), -max(engine, other), -min(engine, other)) for other in neighbours
            )
            cached = self._rows[engine] = window, best
        return cached[1]


def _rotated(table: tuple[int, ...], game: int) -> Seating:
    """The game with this number, from 0, of the engines at a table.

    An encounter is one circular order of the table, played from every seat. The next encounter has the next
    order.
    """
    if len(table) == 2:
        return duel(*table, game, first_opening(table))
    size = len(table)
    encounter, shift = divmod(game, size)
    all_orders = orders(size)
    order = all_orders[encounter % len(all_orders)]
    seats = tuple(table[order[(place + shift) % size]] for place in range(size))
    return Seating(seats, encounter // len(all_orders), first_opening(table) + encounter)


def gain(first: tuple[float, float], second: tuple[float, float], beta: float) -> float:
    """The match quality of two engines with these means and deviations, times the sum of their variances."""
    (first_mu, first_sigma), (second_mu, second_sigma) = first, second
    variance = first_sigma * first_sigma + second_sigma * second_sigma
    spread = 2 * beta * beta + variance
    quality = sqrt(2 * beta * beta / spread) * exp(-((first_mu - second_mu) ** 2) / (2 * spread))
    return quality * variance


class _Beliefs:
    """Ratings that are updated while a tournament runs, in the order of the numbers of its games.

    Attributes:
        start: mean and deviation of an engine that has not played.
        now: mean and deviation of each engine that has played, after the last `follow`.
    """

    def __init__(self, settings: RatingSettings, game: str) -> None:
        self.start = (settings.mu, settings.sigma)
        self.beta = settings.beta
        self._game = game
        self._settings = settings
        self._final = Model(settings)
        self.now: Mapping[str, tuple[float, float]] = self._final.beliefs
        self._provisional: list[EndedGame] = []
        self._results_read = 0

    def follow(self, state: ScheduleState) -> None:
        """Rate the games that have ended since the last call.

        A game is rated for good once no game with a lower number is running; until then, again in each call.
        """
        new = islice(reversed(state.results.values()), len(state.results) - self._results_read)
        self._provisional += (
            result for result in new if result.game == self._game and self._settings.rates(result.players)
        )
        self._results_read = len(state.results)
        self._provisional.sort(key=lambda result: result.number)
        running = [pairing.number for pairing in state.running.values() if pairing.game == self._game]
        first_running = min(running, default=inf)
        final = bisect_left(self._provisional, first_running, key=lambda result: result.number)
        for result in self._provisional[:final]:
            self._final.update(result.players)
        del self._provisional[:final]
        model = self._final
        if self._provisional:
            model = model.copy()
            for result in self._provisional:
                model.update(result.players)
        self.now = model.beliefs
