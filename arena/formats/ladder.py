"""Ladder: a league that plays the games from which the ratings learn most, without end unless it may rest.

An *encounter* is one opening, played once from every seat: two games for two engines, four games for a table
of four. The next encounter is that of the two engines with the greatest value of

    match quality · (variance of the first + variance of the second) / (number of their encounters + 1)

Match quality is that of TrueSkill for two players (Herbrich, Minka, Graepel 2007). It is high when two
engines are about equally strong. So engines of similar strength meet often, new engines meet most often, and
in time every engine meets all engines near it in the order of ratings.

A larger table begins with these two engines. Then it adds the engine for which the sum of the values with all
engines at the table is greatest, until the table is full. The variance of an engine counts less while the
engine plays. The choice depends only on the results and the running games.

A ladder that may rest leaves out encounters from which it learns nothing (`arena.formats.appetite`). To it
a new program under an old name is nearly a newcomer: it has the mean, but not the deviation of the old one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from math import exp, inf, sqrt
from operator import attrgetter
from typing import Annotated, Final

from arena.formats.appetite import Appetite
from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating, duel, first_opening
from arena.formats.format import AdaptiveFormat, LengthKeys, Names
from arena.formats.round_robin import orders
from arena.model import Stage
from arena.ratings.settings import RatingSettings, settings_for
from arena.ratings.trueskill import Model
from arena.scoring import EndedGame, ScoredSeat
from protocol.keys import Between, Change, Key

_WINDOW = 16
"""In the order of ratings, an engine meets this many engines above it and this many below it."""

_NO_ENCOUNTER = (-1.0, 0, 0)
"""Worse than every encounter, as the value and the negated places of its engines."""

_DIGITS = 9
"""Significant digits in comparisons. The last digits of a float may differ between machines."""


AT_DOOR: Final = 100
"""The usual value of ``rest`` with a door."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderKeys(LengthKeys):
    """The keys of a ladder."""

    rest: Annotated[
        int | None,
        Between(0, 1000, "Elo"),
        Key(
            "The ladder [rests](formats/ladder.md#when-it-rests) when the rating of every engine is known to"
            " plus or minus so many Elo, until an engine comes in or changes. `0`: it never rests.",
            Change.ANY_TIME,
            default=f"`{AT_DOOR}` with a `[door]`, else `0`",
        ),
    ] = None


class _LadderFormat(AdaptiveFormat[LadderKeys]):
    name = title = "ladder"
    keys = LadderKeys
    two_players = False
    decided_by = "ratings"
    may_grow = True
    rereads = True
    by_ratings = True

    def at_door(self, keys: LadderKeys) -> LadderKeys:
        return replace(keys, rest=AT_DOOR) if keys.rest is None else keys

    def checked(self, keys: LadderKeys, entrants: Names) -> LadderKeys:
        return replace(keys, rest=keys.rest or 0)

    def by_moves(self, keys: LadderKeys) -> bool:
        return bool(keys.rest)

    def next_games(self, keys: LadderKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        ladder = _Ladder(contest, state, keys.rest or 0)
        while keys.max_games is None or ladder.started < keys.max_games:
            seating = ladder.choose(state)
            if seating is None:
                if any(pairing.game == contest.entrants.game for pairing in state.running.values()):
                    yield None  # its result may change what is known
                    continue
                if ladder.rests:
                    yield Stage(contest.entrants.game, ladder.rests, rests=True)
                return
            pairing = contest.pairing(ladder.number, contest.entrants.key(seating), seating)
            ladder.count(pairing.key, seating.seats)
            ladder.appetite.begin(pairing.seats)
            ladder.number += 1
            yield pairing

    def total(self, keys: LadderKeys, entrants: Entrants) -> int | None:
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
        appetite: what it wants to know.
        rests: why there was no next game; "" if there was, or if too few engines are left.
    """

    def __init__(self, contest: Contest, state: ScheduleState, rest: int = 0) -> None:
        self._contest = contest
        self._places = {name: place for place, name in enumerate(contest.entrants.names)}
        game = contest.entrants.game
        self._beliefs = _Beliefs(state.models.get(game) or settings_for(game), game, by_program=rest > 0)
        self.appetite = Appetite(rest, contest, state, self._beliefs.beta)
        self.rests = ""
        self._results_read = len(state.results)
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
        if rest:
            own = (result for result in state.results.values() if result.game == game)
            for result in sorted(own, key=attrgetter("number")):
                self.appetite.read(result)
            for pairing in state.running.values():
                if pairing.game == game:
                    self.appetite.begin(pairing.seats)

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
        self.rests = ""
        self._follow(state)
        present = {place for name, place in self._places.items() if name not in state.disabled}
        if len(present) < self._contest.entrants.players:
            return None
        incomplete = (places for places in self._incomplete if present.issuperset(places))
        places = next(incomplete, None) or self._new_encounter(present, state)
        if places is None:
            return None
        table = self._tables.get(places)
        return _rotated(places, 0 if table is None else table.next)

    def _follow(self, state: ScheduleState) -> None:
        """Note the games that have ended since the last call."""
        for result in islice(reversed(state.results.values()), len(state.results) - self._results_read):
            if result.game == self._contest.entrants.game:
                self.appetite.end(result)
                self._worths.allow([self._places.get(player.name, -1) for player in result.players])
        self._results_read = len(state.results)

    def _new_encounter(self, present: set[int], state: ScheduleState) -> tuple[int, ...] | None:
        """Choose the engines of a new encounter; None if none says anything new."""
        self._beliefs.follow(state)
        busy = Counter(name for pairing in state.running.values() for name in pairing.seats)
        names = self._contest.entrants.names
        strengths, sigmas = {}, {}
        for place in present:
            mu, sigma = self._beliefs.of(names[place], state)
            sigmas[place] = sigma
            strengths[place] = (mu, sigma / sqrt(1 + busy[names[place]]))
        known = {place for place in present if self.appetite.known(names[place], sigmas[place])}
        self._worths.follow(strengths, known)
        while (best := self._worths.best) is not None:
            table = self._full_table(best, present)
            if not self._repeats(table):
                return table
            self._worths.refuse(best)
        self.rests = self.appetite.reason({names[place]: sigma for place, sigma in sigmas.items()})
        return None

    def _full_table(self, pair: tuple[int, int], present: set[int]) -> tuple[int, ...]:
        """Add engines to the first two of an encounter."""
        table = list(pair)
        worth = self._worths.of
        while len(table) < self._contest.entrants.players:
            free = present.difference(table)
            table.append(max(free, key=lambda place: (sum(worth(place, other) for other in table), -place)))
        return tuple(sorted(table))

    def _repeats(self, places: tuple[int, ...]) -> bool:
        """Whether a game of the next encounter of these engines would only repeat earlier ones."""
        if places not in self._tables:
            return False
        first = self._tables[places].next
        return any(
            self.appetite.repeats(_rotated(places, game)) for game in range(first, first + len(places))
        )


class _Worths:
    """The values of encounters between engines near each other, and the best one.

    Two engines are near each other if they are at most `_WINDOW` places apart in the order of ratings.

    Only a few values change from one encounter to the next. So the best opponent of each engine is cached
    until the engine or one of its neighbours changes. After an encounter of two engines, only about fifty of
    a thousand engines look for their best opponent again.

    Attributes:
        best: the places of the two engines of the best encounter; None if all are refused, or known engines.
    """

    best: tuple[int, int] | None

    def __init__(self, beta: float) -> None:
        self._beta = beta
        self._met: Counter[tuple[int, int]] = Counter()
        self._strengths: dict[int, tuple[float, float]] = {}
        self._changed: set[int] = set()
        self._rows: dict[int, tuple[list[int], tuple[float, int, int]]] = {}
        self._known: set[int] = set()
        self._refused: set[frozenset[int]] = set()

    def meet(self, places: tuple[int, ...]) -> None:
        """Count an encounter between engines at these places, which are in ascending order."""
        self._met.update(combinations(places, 2))
        self._changed.update(places)

    def of(self, first: int, second: int) -> float:
        """The value of an encounter between two engines, with the strengths of the last `follow`."""
        met = self._met[min(first, second), max(first, second)]
        worth = gain(self._strengths[first], self._strengths[second], self._beta) / (met + 1)
        return float(f"{worth:.{_DIGITS}g}")

    def refuse(self, pair: tuple[int, int]) -> None:
        """Leave out an encounter, and find the best of the others."""
        self._refused.add(frozenset(pair))
        self._forget(pair)
        self.follow(self._strengths, self._known)

    def allow(self, places: Iterable[int]) -> None:
        """Leave out the encounters between these engines no more."""
        for pair in map(frozenset, combinations(places, 2)):
            if pair in self._refused:
                self._refused.remove(pair)
                self._forget(pair)

    def _forget(self, pair: Iterable[int]) -> None:
        """Look for the best opponents of two engines again. The encounter of the two is in no other row."""
        for place in pair:
            self._rows.pop(place, None)

    def follow(self, strengths: dict[int, tuple[float, float]], known: Iterable[int] = ()) -> None:
        """Set the means and deviations of all engines, and find the best encounter; see `Appetite`."""
        old, self._strengths = self._strengths, strengths
        self._changed.update(place for place, strength in strengths.items() if old.get(place) != strength)
        before, self._known = self._known, set(known)
        self._changed |= before ^ self._known
        ranked = sorted(strengths, key=lambda place: (round(strengths[place][0], _DIGITS), place))
        best = max(self._row(ranked[row : row + 1 + _WINDOW]) for row in range(len(ranked) - 1))
        self._changed.clear()
        self.best = None if best == _NO_ENCOUNTER else (-best[2], -best[1])

    def _row(self, window: list[int]) -> tuple[float, int, int]:
        """The best encounter of the first engine in a window with one of the others, if not known already.

        It is the value, and the negated places, so that the larger tuple is the better one.
        """
        engine, *neighbours = window
        cached = self._rows.get(engine)
        if cached is None or cached[0] != window or not self._changed.isdisjoint(window):
            best = max(
                (
                    (self.of(engine, other), -max(engine, other), -min(engine, other))
                    for other in neighbours
                    if not (engine in self._known and other in self._known)
                    and not (self._refused and frozenset((engine, other)) in self._refused)
                ),
                default=_NO_ENCOUNTER,
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

    def __init__(self, settings: RatingSettings, game: str, *, by_program: bool = False) -> None:
        self.start = (settings.mu, settings.sigma)
        self.beta = settings.beta
        self._game = game
        self._settings = settings
        self._final = Model(settings)
        self.now: Mapping[str, tuple[float, float]] = self._final.beliefs
        self._provisional: list[EndedGame] = []
        self._results_read = 0
        self._by_program = by_program
        self._final_programs: dict[str, tuple[str, str]] = {}
        self._programs = self._final_programs  # of each engine in its last game, for ``now``

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
            self._rate(result, state, self._final, self._final_programs)
        del self._provisional[:final]
        model, self._programs = self._final, self._final_programs
        if self._provisional:
            model, self._programs = model.copy(), dict(self._final_programs)
            for result in self._provisional:
                self._rate(result, state, model, self._programs)
        self.now = model.beliefs

    def of(self, name: str, state: ScheduleState) -> tuple[float, float]:
        """Return mean and deviation of an engine with its present program."""
        mu, sigma = self.now.get(name, self.start)
        played = self._programs.get(name)
        return (mu, sigma) if played is None or state.plays_on(name, played) else (mu, self.start[1])

    def _rate(
        self, result: EndedGame, state: ScheduleState, model: Model, programs: dict[str, tuple[str, str]]
    ) -> None:
        """Rate a game; the deviation of an engine with another program than before is that of a newcomer."""
        trace = state.traces.get(result.key) if self._by_program else None
        if trace is not None:
            players: Sequence[ScoredSeat] = result.players
            for player, program in zip(players, trace.programs, strict=True):
                if programs.get(player.name, program) != program:
                    model.beliefs[player.name] = (model.beliefs[player.name][0], self.start[1])
                programs[player.name] = program
        model.update(result.players)
