"""Match of two engines: pairs of games until a sequential test decides or a number of games is reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count, islice
from math import ceil, log10
from typing import Annotated, Literal, TypeAlias

from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating, duel
from arena.formats.format import AdaptiveFormat, DuelView, FormatView, LengthKeys, Names, Played
from arena.model import Stage
from arena.ratings import CONFIDENCE
from arena.ratings.match_elo import FEW_UNITS, EloEstimate, estimate, estimate_after_stop
from arena.ratings.sprt import (
    GAMES,
    MOST_NORMALIZED_ELO,
    Counts,
    Sprt,
    SprtStatus,
    TestUnit,
    count_points,
    llr,
)
from arena.scoring import EndedGame, ScoredSeat
from protocol.keys import Change, Key, WrongKey
from protocol.words import counted
from referee.outcome import Termination

First: TypeAlias = Literal["turns", "loser"]
"""Who has the first seat: the engines take turns, or the loser of the game before has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchKeys(LengthKeys):
    """The keys of a match."""

    first: Annotated[
        First,
        Key(
            'Who begins a game: `"turns"`: the engines take turns, the first one in the file begins;'
            ' `"loser"`: the loser of the game before, and after a draw the other engine.',
            Change.NEVER,
        ),
    ] = "turns"
    sprt: Annotated[
        Sprt | None,
        Key("A test that ends the match, see [Formats](#formats).", Change.NEVER, default="none"),
    ] = None


class _Match(AdaptiveFormat[MatchKeys]):
    name = title = "match"
    keys = MatchKeys

    def checked(self, keys: MatchKeys, entrants: Names) -> MatchKeys:
        for game_id, names in entrants.items():
            if len(names) != 2:
                problem = f"a match has two engines, but {len(names)} enter {game_id}"
                raise WrongKey(("format",), f'{problem}; use "round-robin" or "gauntlet"')
        if keys.sprt is not None:
            if keys.first == "loser":
                problem = "[sprt] needs games in which the engines take turns; remove [sprt], or this key"
                raise WrongKey(("first",), problem)
            _check_test(keys.sprt, keys.max_games)
        elif keys.max_games is None:
            problem = "a match needs max_games, e.g. max_games = 100, or a table [sprt] with elo0 and elo1"
            raise WrongKey(("format",), problem)
        return keys

    def openings_problem(self, keys: MatchKeys) -> str:
        if keys.first == "turns":
            return ""
        return 'openings are played twice with seats exchanged; remove [openings], or first = "loser"'

    def next_games(self, keys: MatchKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        if keys.first == "loser":
            seatings = loser_first(contest.entrants, state.results)
            for number, seating in enumerate(islice(seatings, keys.max_games)):
                key = contest.entrants.key(seating)
                if key not in state:
                    yield contest.pairing(number, key, seating)
                while key not in state.results:
                    yield None  # the next game depends on it
            return
        test = None if keys.sprt is None else SequentialTest(keys.sprt, contest.entrants)
        announced = ""
        for index in count() if keys.max_games is None else range(keys.max_games):
            seating = duel(0, 1, index, 0)
            key = contest.entrants.key(seating)
            if key in state:
                continue
            if test is not None:
                disabled = not set(contest.entrants.names).isdisjoint(state.disabled)
                test.count(state.results)
                status = test.status
                text = f"LLR {status.llr:.2f} after {counted(status.units, test.unit)}"
                if text != announced:
                    announced = text
                    yield Stage(contest.entrants.game, text)
                if disabled or status.accepted is not None:  # a test needs games that are played
                    return
            yield contest.pairing(index, key, seating)

    def total(self, keys: MatchKeys, entrants: Entrants) -> int | None:
        return keys.max_games if keys.sprt is None else None

    def most_games(self, keys: MatchKeys, entrants: Entrants) -> int | None:
        return keys.max_games

    def is_over(self, keys: MatchKeys, entrants: Entrants, played: Played) -> bool:
        if keys.sprt is None or super().is_over(keys, entrants, played):
            return super().is_over(keys, entrants, played)
        test = SequentialTest(keys.sprt, entrants)
        test.count(played.results)
        return test.status.accepted is not None

    def left(self, keys: MatchKeys, entrants: Entrants, games: frozenset[str]) -> int:
        return sum(set(entrants.seats(key)) != set(entrants.names) for key in games)

    def may_end_early(self, keys: MatchKeys) -> bool:
        return keys.sprt is not None

    def view(self, keys: MatchKeys, entrants: Entrants, played: Played) -> FormatView:
        progress = MatchProgress(keys, entrants)
        progress.count(played.results)
        return FormatView({"match": progress.data()}, "\n".join(progress.lines()), duel=progress.view())

    def progress(self, keys: MatchKeys, entrants: Entrants) -> MatchProgress:
        return MatchProgress(keys, entrants)


MATCH = _Match()


def loser_first(entrants: Entrants, results: Mapping[str, EndedGame]) -> Iterator[Seating]:
    """Yield the games up to one without a result; the loser of a game has the first seat in the next one."""
    repeats = {(0, 1): 0, (1, 0): 0}
    seats = (0, 1)
    while True:
        seating = Seating(seats, repeats[seats], 0)
        yield seating
        result = results.get(entrants.key(seating))
        if result is None:
            return
        repeats[seats] += 1
        players: Sequence[ScoredSeat] = result.players
        if players[0].points >= players[1].points:
            seats = (seats[1], seats[0])


def _check_test(sprt: Sprt, max_games: int | None) -> None:
    if sprt.unit == "pair" and max_games is not None and max_games % 2:
        problem = f"[sprt] counts pairs of games, so this must be even, not {max_games}"
        raise WrongKey(("max_games",), problem)
    if sprt.elo0 >= sprt.elo1:
        problem = f"this must be greater than elo0, {sprt.elo0:g}, not {sprt.elo1:g}"
        raise WrongKey(("sprt", "elo1"), problem)
    for key, elo in (("elo0", sprt.elo0), ("elo1", sprt.elo1)):
        if sprt.model == "normalized" and abs(elo) > MOST_NORMALIZED_ELO:
            most = MOST_NORMALIZED_ELO
            problem = f'with model = "normalized" this must be from -{most} to {most}, not {elo:g}'
            raise WrongKey(("sprt", key), problem)


# --- the test


class SequentialTest:
    """A sequential test over pairs of games, or over single games, in the order of the schedule.

    The first pair that decides the test ends it. So the result does not depend on the order in which
    concurrent games end, and games that end after the decision do not change it.
    """

    def __init__(self, sprt: Sprt, entrants: Entrants) -> None:
        self.sprt = sprt
        self._entrants = entrants
        self._units_read = 0
        self.unit: TestUnit = sprt.unit
        self.counts: Counts = count_points([], self.unit)
        self.status = SprtStatus(0.0, 0, None)

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that were completed since the last call, up to the pair that decides the test."""
        low, high = self.sprt.bounds
        for points in unit_points(self._entrants, results, self._units_read, self.unit):
            if self.status.accepted is not None:
                return
            self._units_read += 1
            if points is not None:
                place = round(2 * points)
                self.counts = (*self.counts[:place], self.counts[place] + 1, *self.counts[place + 1 :])
                ratio = llr(self.sprt, self.counts)
                accepted = "elo1" if ratio >= high else "elo0" if ratio <= low else None
                self.status = SprtStatus(ratio, sum(self.counts), accepted)


def unit_points(
    entrants: Entrants,
    results: Mapping[str, EndedGame],
    begin: int = 0,
    unit: TestUnit = "pair",
    first: First = "turns",
) -> Iterator[float | None]:
    """Yield the first engine's points in each pair from number ``begin`` to the first incomplete pair.

    A pair gives None if one of its games was lost by a disabled engine without being played: such a game says
    nothing about strength.
    """
    games = GAMES[unit]
    seatings: Iterator[Seating]
    if first == "loser":
        seatings = islice(loser_first(entrants, results), games * begin, None)
    else:
        seatings = (duel(0, 1, index, 0) for index in count(games * begin))
    while True:
        points: float | None = 0.0
        for seating in islice(seatings, games):
            result = results.get(entrants.key(seating))
            if result is None:
                return
            if points is None or result.termination is Termination.DISABLED:
                points = None
            else:
                points += result.players[seating.seats.index(0)].points
        yield points


# --- what is known so far


class MatchProgress:
    """Counts the pairs of a match that runs or is over, or its games if its test counts games."""

    def __init__(self, keys: MatchKeys, entrants: Entrants) -> None:
        self._entrants = entrants
        self._max_games = keys.max_games
        self._first = keys.first
        usual: TestUnit = "pair" if keys.first == "turns" else "game"
        self._unit = usual if keys.sprt is None else keys.sprt.unit
        self._test = None if keys.sprt is None else SequentialTest(keys.sprt, self._entrants)
        self._points: list[float | None] = []

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that were completed since the last call."""
        self._points += unit_points(self._entrants, results, len(self._points), self._unit, self._first)
        if self._test is not None:
            self._test.count(results)

    def lines(self) -> list[str]:
        """Return the match, Elo, the pairs, and the test if there is one."""
        first, second = self._entrants.names
        counts = count_points(self._points, self._unit)
        lines = [
            f"Match: {first} against {second}",
            elo_line(self._estimate(), sum(self._estimated), self._unit),
            f"{_KINDS[self._unit]}: {', '.join(map(str, counts))}",
        ]
        if self._test is not None:
            games = GAMES[self._unit] * len(self._points)
            all_played = self._max_games is not None and games >= self._max_games
            lines.append(_sprt_line(self._test.sprt, self._test.status, all_played=all_played))
        return lines

    def view(self) -> DuelView:
        """Return Elo and the test."""
        first, second = self._entrants.names
        elo = elo_line(self._estimate(), sum(self._estimated), self._unit)
        test = None if self._test is None else (self._test.sprt, self._test.status)
        return DuelView((first, second), elo, self._unit, test)

    def data(self) -> dict[str, object]:
        """Return the same for programs."""
        elo = self._estimate()
        data: dict[str, object] = {
            "engines": list(self._entrants.names),
            "unit": self._unit,
            "counts": list(count_points(self._points, self._unit)),
            "estimate": None if elo is None else asdict(elo),
        }
        if self._test is not None:
            sprt = self._test.sprt
            data["sprt"] = {**asdict(sprt), **asdict(self._test.status), "bounds": list(sprt.bounds)}
        return data

    def games_left(self) -> float | None:
        """Return about how many games the test still needs if the LLR goes on as before; None if unknown."""
        if self._test is None:
            return None
        status = self._test.status
        if status.accepted is not None:
            return 0.0
        if status.units < FEW_UNITS or not status.llr:
            return None
        low, high = self._test.sprt.bounds
        bound = high if status.llr > 0 else low
        return GAMES[self._unit] * status.units * (bound - status.llr) / status.llr

    @property
    def _estimated(self) -> Counts:
        """The counts from which Elo is estimated: all, or those that decided the test."""
        if self._test is not None and self._test.status.accepted is not None:
            return self._test.counts
        return count_points(self._points, self._unit)

    def _estimate(self) -> EloEstimate | None:
        if self._test is None or self._test.status.accepted is None:
            return estimate(self._estimated)
        return estimate_after_stop(self._test.sprt, self._estimated, self._test.status.accepted)


_ONE_SIDED = (1 + CONFIDENCE) / 2
"""The confidence of an interval with only one bound."""

_LEAST_LIKELIHOOD = 0.001
"""The least likelihood that is shown as a number; the greatest is as far from 1."""

_KINDS: dict[TestUnit, str] = {
    "pair": "Pairs with 0, 1/2, 1, 3/2, 2 points",
    "game": "Games with 0, 1/2, 1 points",
}


def elo_line(elo: EloEstimate | None, units: int, unit: TestUnit) -> str:
    """Return Elo, its interval and LOS, and how far they can be trusted.

    A narrow interval has more decimals, so that its bounds differ.
    """
    if elo is None:
        return f"Elo: {counted(units, unit)} so far, too few for an estimate"
    digits = 1
    if elo.low is not None and elo.high is not None:
        digits += max(0, ceil(-log10(elo.high - elo.low)))
        low, high = _signed(elo.low, digits), _signed(elo.high, digits)
        bounds = f"between {low} and {high} ({_percent(CONFIDENCE)})"
    elif elo.low is not None:
        bounds = f"above {_signed(elo.low)} ({_percent(_ONE_SIDED)})"
    else:
        bounds = f"below {_signed(elo.high or 0.0)} ({_percent(_ONE_SIDED)})"
    best = "" if elo.elo is None else f" {_signed(elo.elo, digits)},"
    line = f"Elo{best} {bounds}, LOS {_likelihood(elo.los)}"
    corrected = "; corrected, because the test stopped the match" if elo.corrected else ""
    few = f"; only {counted(units, unit)}, so this is a rough estimate" if units < FEW_UNITS else ""
    return line + corrected + few


def _signed(elo: float, digits: int = 1) -> str:
    return f"{round(elo, digits) + 0.0:+.{digits}f}"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _likelihood(los: float) -> str:
    """Return a likelihood with one decimal, but never as 0 or 100 %."""
    if los < _LEAST_LIKELIHOOD:
        return f"below {_percent(_LEAST_LIKELIHOOD)}"
    if los > 1 - _LEAST_LIKELIHOOD:
        return f"above {_percent(1 - _LEAST_LIKELIHOOD)}"
    return f"{los:.1%}".replace("%", " %")


def _sprt_line(sprt: Sprt, status: SprtStatus, *, all_played: bool) -> str:
    low, high = sprt.bounds
    scale = "Elo" if sprt.model == "logistic" else "normalized Elo"
    undecided = "not decided after max_games" if all_played else "not decided"
    decisions = {
        None: undecided,
        "elo0": f"{scale} {sprt.elo0:g} accepted",
        "elo1": f"{scale} {sprt.elo1:g} accepted",
    }
    return (
        f"SPRT ({sprt}): LLR {status.llr:.2f} in [{low:.2f}, {high:.2f}]"
        f" after {counted(status.units, sprt.unit)}: {decisions[status.accepted]}"
    )
