"""Ladder: an endless league in which the games are played that say most about who is how strong.

An *encounter* is one opening from every seat: two games for two engines, four for a table of four. The next
one is that of the two engines with the greatest

    match quality · (variance of one + variance of the other) / (encounters of the two + 1)

where match quality is TrueSkill's for two (Herbrich, Minka, Graepel 2007): how near the engines are to each
other. So equals meet often, those least known meet oftener, and everybody meets everybody in time. To a
larger table those are added for whom the sum of this over all who sit there already is greatest. The variance
of an engine counts less while it is playing. All of it follows from the results and the games under way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, islice
from math import exp, inf, sqrt

from arena.model import Pairing
from arena.ratings.settings import RatingSettings, settings_for
from arena.ratings.trueskill import Model
from arena.schedule.contest import Contest
from arena.schedule.multiplayer import orders
from arena.schedule.seating import Seating, duel, first_opening
from arena.schedule.state import ScheduleState
from arena.scoring import EndedGame

__all__ = ["gain", "pending"]

_WINDOW = 16
"""Neighbours in the order of ratings whom an engine may meet: all of them, in most ladders."""

_DIGITS = 9
"""To which gains and means are compared: the last digits of a float need not be the same on every machine."""


def pending(part: Contest, state: ScheduleState, *, max_games: int | None) -> Iterator[Pairing]:
    """The next games, for ever or up to a number of games; it ends when too few engines are left."""
    ladder = _Ladder(part, state)
    while max_games is None or ladder.handed < max_games:
        seating = ladder.choose(state)
        if seating is None:
            return
        pairing = part.pairing(ladder.number, part.entrants.key(seating), seating)
        ladder.count(pairing.key, seating.seats)
        ladder.number += 1
        yield pairing


@dataclass(slots=True)
class _Table:
    """The games of some engines with each other: keys of those that are known, and the first that is not."""

    keys: set[str] = field(default_factory=set)
    next: int = 0


class _Ladder:
    """One game's ladder, beside the state of the tournament."""

    def __init__(self, part: Contest, state: ScheduleState) -> None:
        self._part = part
        self._places = {name: place for place, name in enumerate(part.entrants.names)}
        game = part.entrants.game
        self._beliefs = _Beliefs(state.models.get(game) or settings_for(game), game)
        self._worths = _Worths(self._beliefs.beta)
        self._tables: dict[tuple[int, ...], _Table] = {}
        self._begun: dict[tuple[int, ...], None] = {}  # tables whose last encounter lacks a game
        self.handed = 0
        self.number = 0
        for result in state.results.values():
            self._take(result.game, result.key, result.number, [player.name for player in result.players])
        for pairing in state.running.values():
            self._take(pairing.game, pairing.key, pairing.number, pairing.seats)

    def _take(self, game: str, key: str, number: int, names: Iterable[str]) -> None:
        if game != self._part.entrants.game:
            return
        self.number = max(self.number, self._part.own_number(number) + 1)
        places = [self._places.get(name) for name in names]
        known = [place for place in places if place is not None]
        if len(known) == len(places):
            self.count(key, tuple(known))
        else:  # somebody has left the file
            self.handed += 1

    def count(self, key: str, seats: tuple[int, ...]) -> None:
        """Take down a game that was played or is handed out."""
        self.handed += 1
        places = tuple(sorted(seats))
        table = self._tables.setdefault(places, _Table())
        if len(table.keys) % len(places) == 0:
            self._worths.meet(places)
        table.keys.add(key)
        while self._part.entrants.key(_rotated(places, table.next)) in table.keys:
            table.next += 1
        if table.next % len(places) == 0 and table.next == len(table.keys):
            self._begun.pop(places, None)
        else:
            self._begun[places] = None

    def choose(self, state: ScheduleState) -> Seating | None:
        """Choose the next game: of the first encounter that lacks one, or of a new one."""
        present = {place for name, place in self._places.items() if name not in state.disabled}
        if len(present) < self._part.players:
            return None
        begun = (places for places in self._begun if present.issuperset(places))
        places = next(begun, None) or self._new_encounter(present, state)
        table = self._tables.get(places)
        return _rotated(places, 0 if table is None else table.next)

    def _new_encounter(self, present: set[int], state: ScheduleState) -> tuple[int, ...]:
        """Choose the engines of a new encounter."""
        self._beliefs.follow(state)
        beliefs = self._beliefs.now
        busy = Counter(name for pairing in state.running.values() for name in pairing.seats)
        names = self._part.entrants.names
        strengths = {}
        for place in present:
            mu, sigma = beliefs.get(names[place], self._beliefs.start)
            strengths[place] = (mu, sigma / sqrt(1 + busy[names[place]]))
        self._worths.follow(strengths)
        table = list(self._worths.best)
        worth = self._worths.of
        while len(table) < self._part.players:
            free = present.difference(table)
            table.append(max(free, key=lambda place: (sum(worth(place, other) for other in table), -place)))
        return tuple(sorted(table))


class _Worths:
    """What an encounter of any two would be worth; the best one is found without looking at all of them.

    From one encounter to the next little changes, so for each engine the best of its neighbours is kept until
    one of them has changed. Of a thousand engines a hundredth is looked at again.

    Attributes:
        best: the two, by place, whose encounter is worth most; known from the first `follow` on.
    """

    best: tuple[int, int]

    def __init__(self, beta: float) -> None:
        self._beta = beta
        self._met: Counter[tuple[int, int]] = Counter()
        self._strengths: dict[int, tuple[float, float]] = {}
        self._changed: set[int] = set()
        self._rows: dict[int, tuple[list[int], tuple[float, int, int]]] = {}

    def meet(self, places: tuple[int, ...]) -> None:
        """An encounter of these, in ascending order, has been arranged."""
        self._met.update(combinations(places, 2))
        self._changed.update(places)

    def of(self, one: int, other: int) -> float:
        """What these two would be worth, with the strengths that `follow` was told last."""
        met = self._met[min(one, other), max(one, other)]
        worth = gain(self._strengths[one], self._strengths[other], self._beta) / (met + 1)
        return float(f"{worth:.{_DIGITS}g}")

    def follow(self, strengths: dict[int, tuple[float, float]]) -> None:
        """Go by these means and deviations from now on, and find the best encounter again."""
        known, self._strengths = self._strengths, strengths
        self._changed.update(place for place, strength in strengths.items() if known.get(place) != strength)
        ranked = sorted(strengths, key=lambda place: (round(strengths[place][0], _DIGITS), place))
        best = max(self._row(ranked[row : row + 1 + _WINDOW]) for row in range(len(ranked) - 1))
        self._changed.clear()
        self.best = -best[2], -best[1]

    def _row(self, window: list[int]) -> tuple[float, int, int]:
        """The first of some engines with the best of the others: worth, and places to be compared by.

        Looked for again only where something has changed.
        """
        one, *others = window
        kept = self._rows.get(one)
        if kept is None or kept[0] != window or not self._changed.isdisjoint(window):
            best = max((self.of(one, other), -max(one, other), -min(one, other)) for other in others)
            kept = self._rows[one] = window, best
        return kept[1]


def _rotated(table: tuple[int, ...], game: int) -> Seating:
    """The game with this number, from 0, of those at a table: each order is played from every seat."""
    if len(table) == 2:
        return duel(*table, game)
    size = len(table)
    encounter, shift = divmod(game, size)
    every = orders(size)
    order = every[encounter % len(every)]
    seats = tuple(table[order[(place + shift) % size]] for place in range(size))
    return Seating(seats, encounter // len(every), first_opening(table) + encounter)


def gain(one: tuple[float, float], other: tuple[float, float], beta: float) -> float:
    """What two engines with these means and deviations can teach: match quality times variances."""
    (mu, sigma), (nu, tau) = one, other
    doubt = sigma * sigma + tau * tau
    spread = 2 * beta * beta + doubt
    quality = sqrt(2 * beta * beta / spread) * exp(-((mu - nu) ** 2) / (2 * spread))
    return quality * doubt


class _Beliefs:
    """Ratings that follow a tournament: games count in the order of their numbers, not of their ends.

    Attributes:
        now: mean and deviation of everybody who has played, as of the last `follow`.
    """

    def __init__(self, settings: RatingSettings, game: str) -> None:
        self.start = (settings.mu, settings.sigma)
        self.beta = settings.beta
        self._game = game
        self._settings = settings
        self._settled = Model(settings)
        self.now: Mapping[str, tuple[float, float]] = self._settled.beliefs
        self._waiting: list[EndedGame] = []
        self._read = 0

    def follow(self, state: ScheduleState) -> None:
        """Rate the games that have ended since the last call.

        Those before every running game are settled; the others may still be overtaken.
        """
        fresh = islice(reversed(state.results.values()), len(state.results) - self._read)
        self._waiting += (
            result for result in fresh if result.game == self._game and self._settings.rates(result.players)
        )
        self._read = len(state.results)
        self._waiting.sort(key=lambda result: result.number)
        running = [pairing.number for pairing in state.running.values() if pairing.game == self._game]
        border = min(running, default=inf)
        settled = bisect_left(self._waiting, border, key=lambda result: result.number)
        for result in self._waiting[:settled]:
            self._settled.update(result.players)
        del self._waiting[:settled]
        model = self._settled
        if self._waiting:
            model = model.copy()
            for result in self._waiting:
                model.update(result.players)
        self.now = model.beliefs
