"""Ladder: a league that plays the games from which the ratings learn most, without end unless it has a limit.

An *encounter* is one opening, played once from every seat: two games for two engines, four games for a table
of four. In the next encounter are the two engines with the greatest value of

    match quality · (variance of the first + variance of the second) / (number of their encounters + 1)

Match quality is defined by TrueSkill for two players (Herbrich, Minka, Graepel 2007). It is high when two
engines are about equally strong. So engines of similar strength meet often, new engines meet most often, and
in time every engine meets all engines near it in the order of ratings.

A larger table starts with these two engines. Then it adds the engine for which the sum of the values with all
engines at the table is greatest, until the table is full. The variance of an engine counts less while the
engine plays. The choice depends only on the results and the running games.

With `games_per_pairing` a ladder rests when each two engines that may meet have played this many games. To it
a new program under an old name has met nobody.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from math import ceil, exp, inf, sqrt
from typing import Annotated, Final

from arena.formats.contest import Contest, Next, ScheduleState, Seating, duel, first_opening
from arena.formats.format import AdaptiveFormat, LengthKeys, Setting
from arena.formats.round_robin import orders
from arena.model import GameResult, Stage
from arena.ratings.settings import RatingSettings, settings_for
from arena.ratings.trueskill import Model
from arena.scoring import EndedGame
from protocol.keys import NUMBER, Change, Key

_WINDOW = 16
"""In the order of ratings, an engine meets this many engines above it and this many below it."""

_NO_ENCOUNTER = (-1.0, 0, 0)
"""Worse than every encounter, as the value and the negated places of its engines."""

_DIGITS = 9
"""Significant digits in comparisons. The last digits of a float may differ between machines."""


GAMES_AT_DOOR: Final = 10
"""The usual value of ``games_per_pairing`` with a door."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderKeys(LengthKeys):
    """The keys of a ladder."""

    games_per_pairing: Annotated[
        int | None,
        NUMBER,
        Key("The ladder rests when every pair has played this many games.", Change.ANY_TIME),
    ] = None


class _LadderFormat(AdaptiveFormat[LadderKeys]):
    name = title = "ladder"
    keys = LadderKeys
    two_players = False
    decided_by = "ratings"
    may_grow = True

    def checked(self, keys: LadderKeys, setting: Setting) -> LadderKeys:
        usual = GAMES_AT_DOOR if setting.door else None
        return replace(keys, games_per_pairing=keys.games_per_pairing or usual)

    def whole_results(self, keys: LadderKeys) -> bool:
        return keys.games_per_pairing is not None

    def next_games(self, keys: LadderKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        limit = keys.games_per_pairing
        ladder = _Ladder(contest, state, limit)
        while keys.max_games is None or ladder.started < keys.max_games:
            seating = ladder.choose(state)
            if seating is None:
                if any(pairing.game == contest.entrants.game for pairing in state.running.values()):
                    yield None  # its result may change who is near whom
                    continue
                if ladder.rests:
                    reason = f"every pair has played its games (games_per_pairing = {limit})"
                    yield Stage(contest.entrants.game, f"rests: {reason}", rests=True)
                return
            pairing = contest.pairing(ladder.number, contest.entrants.key(seating), seating)
            ladder.count(pairing.key, seating.seats)
            ladder.number += 1
            yield pairing


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
        rests: whether there was no next game because every pair has played its games.
    """

    def __init__(self, contest: Contest, state: ScheduleState, games_per_pairing: int | None) -> None:
        self._contest = contest
        self._places = {name: place for place, name in enumerate(contest.entrants.names)}
        game = contest.entrants.game
        self._beliefs = _Beliefs(state.models.get(game) or settings_for(game), game)
        self.rests = False
        encounters = None if games_per_pairing is None else ceil(games_per_pairing / contest.entrants.players)
        self._worths = _Worths(self._beliefs.beta, encounters)
        self._tables: dict[tuple[int, ...], _Table] = {}
        self._incomplete: dict[tuple[int, ...], None] = {}  # tables whose last encounter lacks a game
        self.started = 0
        self.number = 0
        for number, key in state.taken().items():
            if key.startswith(f"{game}:"):
                self.number = max(self.number, number // contest.stride + 1)
        for result in state.results.values():
            if result.game == game:
                names = [player.name for player in result.players]
                self._add(result.key, names, meets=games_per_pairing is None or _plays_on(result, state))
        for pairing in state.running.values():
            if pairing.game == game:
                self._add(pairing.key, pairing.seats)

    def _add(self, key: str, names: Sequence[str], *, meets: bool = True) -> None:
        if all(name in self._places for name in names):
            self.count(key, tuple(self._places[name] for name in names), meets=meets)
        else:  # an engine was removed from the file
            self.started += 1

    def count(self, key: str, seats: tuple[int, ...], *, meets: bool = True) -> None:
        """Count a game that was played, is running or is about to start.

        It starts no encounter unless ``meets``: the present programs play it.
        """
        self.started += 1
        places = tuple(sorted(seats))
        table = self._tables.get(places)
        if table is None:
            table = self._tables[places] = _Table(self._contest.entrants.key(_rotated(places, 0)))
        if meets and len(table.keys) % len(places) == 0:
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
        self.rests = False
        present = {place for name, place in self._places.items() if name not in state.disabled}
        if len(present) < self._contest.entrants.players:
            return None
        incomplete = (places for places in self._incomplete if present.issuperset(places))
        places = next(incomplete, None) or self._new_encounter(present, state)
        if places is None:
            return None
        table = self._tables.get(places)
        return _rotated(places, 0 if table is None else table.next)

    def _new_encounter(self, present: set[int], state: ScheduleState) -> tuple[int, ...] | None:
        """Choose the engines of a new encounter; None if every pair has played its games."""
        self._beliefs.follow(state)
        busy = Counter(name for pairing in state.running.values() for name in pairing.seats)
        names = self._contest.entrants.names
        strengths = {}
        for place in present:
            mu, sigma = self._beliefs.now.get(names[place], self._beliefs.start)
            strengths[place] = (mu, sigma / sqrt(1 + busy[names[place]]))
        best = self._worths.follow(strengths)
        self.rests = best is None
        return None if best is None else self._full_table(best, present)

    def _full_table(self, pair: tuple[int, int], present: set[int]) -> tuple[int, ...]:
        """Add engines to the first two of an encounter."""
        table = list(pair)
        worth = self._worths.of
        while len(table) < self._contest.entrants.players:
            free = present.difference(table)
            table.append(max(free, key=lambda place: (sum(worth(place, other) for other in table), -place)))
        return tuple(sorted(table))


def _plays_on(result: EndedGame, state: ScheduleState) -> bool:
    """Whether all engines of a game still have the programs that played it."""
    return not isinstance(result, GameResult) or all(
        state.plays_on(player.name, player.version, player.program) for player in result.players
    )


class _Worths:
    """The values of encounters between engines near each other, and the best one.

    Two engines are near each other if they are at most `_WINDOW` places apart in the order of ratings.

    Only a few values change from one encounter to the next. So the best opponent of each engine is cached
    until the engine or one of its neighbours changes. After an encounter of two engines, only about fifty of
    a thousand engines look for their best opponent again.
    """

    def __init__(self, beta: float, encounters: int | None = None) -> None:
        self._beta = beta
        self._most_encounters = inf if encounters is None else encounters  # of two engines
        self._met: Counter[tuple[int, int]] = Counter()
        self._have_met: set[tuple[int, int]] = set()  # those who have had all their encounters
        self._strengths: dict[int, tuple[float, float]] = {}
        self._changed: set[int] = set()
        self._rows: dict[int, tuple[list[int], tuple[float, int, int]]] = {}

    def meet(self, places: tuple[int, ...]) -> None:
        """Count an encounter between engines at these places, which are in ascending order."""
        pairs = list(combinations(places, 2))
        self._met.update(pairs)
        self._have_met.update(pair for pair in pairs if self._met[pair] >= self._most_encounters)
        self._changed.update(places)

    def of(self, first: int, second: int) -> float:
        """The value of an encounter between two engines, with the strengths of the last `follow`."""
        met = self._met[min(first, second), max(first, second)]
        worth = gain(self._strengths[first], self._strengths[second], self._beta) / (met + 1)
        return float(f"{worth:.{_DIGITS}g}")

    def follow(self, strengths: dict[int, tuple[float, float]]) -> tuple[int, int] | None:
        """Set the means and deviations of all engines, and return the places of the best encounter.

        It is None if all have had theirs.
        """
        old, self._strengths = self._strengths, strengths
        self._changed.update(place for place, strength in strengths.items() if old.get(place) != strength)
        ranked = sorted(strengths, key=lambda place: (round(strengths[place][0], _DIGITS), place))
        best = max(self._row(ranked[row : row + 1 + _WINDOW]) for row in range(len(ranked) - 1))
        self._changed.clear()
        return None if best == _NO_ENCOUNTER else (-best[2], -best[1])

    def _row(self, window: list[int]) -> tuple[float, int, int]:
        """The best encounter of the first engine in a window with one of the others.

        It is the value, and the negated places, so that the larger tuple is the better one.
        """
        engine, *neighbours = window
        cached = self._rows.get(engine)
        if cached is None or cached[0] != window or not self._changed.isdisjoint(window):
            best = max(
                (
                    (self.of(engine, other), -max(engine, other), -min(engine, other))
                    for other in neighbours
                    if not self._have_met or (min(engine, other), max(engine, other)) not in self._have_met
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
