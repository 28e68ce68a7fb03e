"""The progress of a match: its games in pairs, what they say about the strengths, and its test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count, islice
from math import ceil, log10
from typing import Literal, NamedTuple, TypeAlias

from arena.formats.contest import Entrants, Seating, duel
from arena.ratings import CONFIDENCE
from arena.ratings.match_elo import FEW_UNITS, EloEstimate, estimate, estimate_after_stop, normalized
from arena.ratings.sprt import Counts, Sprt, SprtStatus, llr
from arena.scoring import EndedGame, ScoredSeat, SeatEnding, nobody_won, seat_endings, was_played
from protocol.words import counted, percent, printable
from referee.outcome import Termination

First: TypeAlias = Literal["turns", "loser"]
"""Who has the first seat: the engines take turns, or the loser of the game before has it."""


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


# --- pairs

_NO_PAIRS: Counts = (0, 0, 0, 0, 0)
_NO_GAMES: Counts = (0, 0, 0)


def unit_points(
    entrants: Entrants,
    results: Mapping[str, EndedGame],
    start: int = 0,
    first: First = "turns",
) -> Iterator[float | None]:
    """Yield the first engine's points in each pair from number ``start`` to the first incomplete pair.

    Where the loser starts, each game counts as a pair. A pair gives None if one of its games was lost by a
    disabled engine without being played, or was won by nobody: such a game does not show which engine is
    stronger.
    """
    seatings: Iterator[Seating]
    if first == "loser":
        games, seatings = 1, islice(loser_first(entrants, results), start, None)
    else:
        games, seatings = 2, (duel(0, 1, index, 0) for index in count(2 * start))
    while True:
        points: float | None = 0.0
        for seating in islice(seatings, games):
            result = results.get(entrants.key(seating))
            if result is None:
                return
            unplayed = result.termination is Termination.DISABLED
            if points is None or unplayed or nobody_won(result.players):
                points = None
            else:
                points += result.players[seating.seats.index(0)].points
        yield points


# --- the progress

Row = tuple[str, str]
"""A line about a match: what it is about in a word or two, and what it says."""


class _Elo(NamedTuple):
    """What the results say about the strengths; None if there are too few."""

    counts: Counts  # from which it is estimated: all, or those that decided the test
    estimate: EloEstimate | None
    normalized: EloEstimate | None


class MatchProgress:
    """The results of a match that runs or is over, from the side of its first engine.

    The first pair that decides its test ends it, in the order of the schedule. So the result does not depend
    on the order in which concurrent games end, and pairs that are completed later do not change it.

    Attributes:
        engines: the names of both.
        unit: what is counted: pairs, or games where the loser starts.
        counts: the complete pairs, or the games, by the points of the first engine.
        sprt: its test; None if it has none.
        status: the state of the test.
    """

    def __init__(self, entrants: Entrants, first: First, max_games: int | None, sprt: Sprt | None) -> None:
        self.engines = (entrants.names[0], entrants.names[1])
        self.unit = "pair" if first == "turns" else "game"
        self.counts: Counts = _NO_PAIRS if first == "turns" else _NO_GAMES
        self._entrants = entrants
        self._max_games = max_games  # None for no limit
        self._first = first
        self.sprt = sprt
        self.status = SprtStatus(0.0, 0, None)
        self._tested: Counts  # by the test, up to its decision
        self._units_read = 0
        self._results_read = 0
        self._endings: Counter[SeatEnding] = Counter()  # of the first engine
        self._forfeits: Counter[tuple[str, Termination]] = Counter()  # of each engine, by their kinds
        self._unplayed = 0  # the games that count and were not played, because an engine was disabled
        self._won_by_nobody = 0  # games that both engines lost by their own faults while they were played
        self._known: _Elo | None = None  # of the games that are counted

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the games that ended, and the pairs that were completed, since the last call."""
        self._known = None
        for result in islice(results.values(), self._results_read, None):
            self._count_game(result)
        self._results_read = len(results)
        for points in unit_points(self._entrants, results, self._units_read, self._first):
            self._units_read += 1
            if points is not None:
                place = round(2 * points)
                self.counts = (*self.counts[:place], self.counts[place] + 1, *self.counts[place + 1 :])
                self._go_on_testing()

    def _go_on_testing(self) -> None:
        if self.sprt is None or self.status.accepted is not None:
            return
        self._tested = self.counts
        low, high = self.sprt.bounds
        ratio = llr(self.sprt, self.counts)
        accepted = "elo1" if ratio >= high else "elo0" if ratio <= low else None
        self.status = SprtStatus(ratio, sum(self.counts), accepted)

    def _count_game(self, result: EndedGame) -> None:
        names = [seat.name for seat in result.players]
        if result.game != self._entrants.game or sorted(names) != sorted(self.engines):
            return
        endings = dict(zip(names, seat_endings(result.players), strict=True))
        self._endings[endings[self.engines[0]]] += 1
        if not was_played(result.players):
            self._unplayed += 1
            return
        self._won_by_nobody += nobody_won(result.players)
        lost = [(seat.name, seat.forfeit) for seat in result.players]
        self._forfeits.update((name, word) for name, word in lost if word is not None and word.is_forfeit)

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self._endings.total()

    @property
    def points(self) -> float:
        """The points of the first engine."""
        return self._endings["won"] + self._endings["drew"] / 2

    def games_left(self) -> float | None:
        """Return about how many games the test still needs if the LLR goes on as before; None if unknown."""
        if self.sprt is None:
            return None
        status = self.status
        if status.accepted is not None:
            return 0.0
        if status.units < FEW_UNITS or not status.llr:
            return None
        low, high = self.sprt.bounds
        bound = high if status.llr > 0 else low
        return 2 * status.units * (bound - status.llr) / status.llr

    def _elo(self) -> _Elo:
        """Estimate Elo with the interval of how the match ended: as planned, by its test, or not yet.

        That takes some hundredths of a second, so it is kept until more games are counted.
        """
        if self._known is None:
            if self.sprt is not None and self.status.accepted is not None:
                counts = self._tested
                elo = estimate_after_stop(self.sprt, counts, self.status.accepted)
            else:
                counts = self.counts
                as_planned = self._max_games is not None and self.games >= self._max_games
                elo = estimate(counts, watched=not as_planned)
            self._known = _Elo(counts, elo, None if elo is None else normalized(elo, counts))
        return self._known

    def length(self) -> str:
        """Return how many games there are."""
        return number_of_games(self.games, self._max_games, self.sprt is None)

    def title(self) -> str:
        """Return who plays whom, and how many games there are."""
        first, second = map(printable, self.engines)
        return f"{first} against {second}, {self.length()}"

    def lines(self) -> list[str]:
        """Return the state of the match, in lines."""
        return [f"Match: {self.title()}", *(f"{name:<6} {text}" for name, text in self.rows())]

    def rows(self) -> list[Row]:
        """Return the results, what they say about the strengths, and the test if there is one."""
        counts, elo, scaled = self._elo()
        rows = [("Faults", faulty)] if (faulty := self._faulty()) else []
        rows += [("Score", self._score()), ("Elo", elo_text(elo, sum(counts), self.unit))]
        if scaled is not None:
            rows.append(("nElo", _interval(scaled)))
        if elo is not None and not elo.watched:  # it would be believed at the moment when it is highest
            rows.append(("LOS", _likelihood(elo.los)))
        kinds = ("0", "1/2", "1", "3/2", "2") if self.unit == "pair" else ("0", "1/2", "1")
        rows.append(
            (f"{self.unit.title()}s", f"{', '.join(map(str, self.counts))} with {', '.join(kinds)} points")
        )
        if self.sprt is not None:
            all_played = self._max_games is not None and self.games >= self._max_games
            rows.append(("SPRT", _test(self.sprt, self.status, all_played=all_played)))
        return rows

    def data(self) -> dict[str, object]:
        """Return the same for programs."""
        _, elo, scaled = self._elo()
        data: dict[str, object] = {
            "engines": list(self.engines),
            "games": self.games,
            "max_games": self._max_games,
            "wins": self._endings["won"],
            "draws": self._endings["drew"],
            "losses": self._losses,
            "points": self.points,
            "forfeits": self._lost,
            "unplayed": self._unplayed,
            "won_by_nobody": self._won_by_nobody,
            "unit": self.unit,
            "counts": list(self.counts),
            "estimate": None if elo is None else asdict(elo),
            "normalized": None
            if scaled is None
            else {"elo": scaled.elo, "low": scaled.low, "high": scaled.high},
        }
        if self.sprt is not None:
            bounds = list(self.sprt.bounds)
            data["sprt"] = {**asdict(self.sprt), **asdict(self.status), "bounds": bounds}
        return data

    @property
    def _losses(self) -> int:
        return self._endings["lost"] + self._endings["forfeited"]

    @property
    def _lost(self) -> list[int]:
        """How many games each engine lost by its own fault while they were played."""
        return [
            sum(number for (loser, _), number in self._forfeits.items() if loser == name)
            for name in self.engines
        ]

    def _faulty(self) -> str:
        """Say that many games show no strength, and why; "" if they are few."""
        faulty = sum(self._lost) - self._won_by_nobody + self._unplayed
        if faulty <= _FEW_FAULTS * self.games:
            return ""
        causes = [
            f"{number} by {printable(name)} ({word})" for (name, word), number in self._forfeits.items()
        ]
        causes += [f"{self._unplayed} not played"] if self._unplayed else []
        games = f"{faulty} of {counted(self.games, 'game')} ended by a fault: {', '.join(causes)}"
        return f"{games}; so Elo says little about how well the engines play"

    def _score(self) -> str:
        if not self.games:
            return "no game has ended yet"
        wins, draws = self._endings["won"], self._endings["drew"]
        parts = [
            f"{wins}-{draws}-{self._losses} (won, drawn, lost)",
            f"{self.points:g} of {counted(self.games, 'point')} ({percent(self.points / self.games)})",
            f"draws {percent(draws / self.games)}",
        ]
        if self._unplayed:
            parts.append(f"{self._unplayed} not played, because an engine was disabled")
        if self._won_by_nobody:
            parts.append(f"{self._won_by_nobody} won by nobody, because both engines failed")
        lost = zip(self.engines, self._lost, strict=True)
        forfeited = [f"{number} by {printable(name)}" for name, number in lost if number]
        return ", ".join([*parts, *([f"forfeits: {' and '.join(forfeited)}"] if forfeited else [])])


def number_of_games(played: int, most: int | None, exact: bool) -> str:
    """Return a number of games with the number that there will be; ``exact`` if it cannot be less."""
    if most is None or most < played:  # an earlier version of the file had more games
        return counted(played, "game")
    return f"{played} of {'' if exact or played == most else 'at most '}{counted(most, 'game')}"


_FEW_FAULTS = 0.1
"""The largest share of games that ended by faults, with which nothing is said about it in front of Elo."""

_ONE_SIDED = (1 + CONFIDENCE) / 2
"""The confidence of an interval with only one bound."""

_LEAST_LIKELIHOOD = 0.001
"""The least likelihood that is shown as a number; the greatest is as far from 1."""

_EVEN = 0.05
"""The largest distance of an estimate from the middle of its interval, as a share of the interval, with which
half of the interval is shown as its error."""


def elo_text(elo: EloEstimate | None, units: int, unit: str) -> str:
    """Return Elo with its interval, and how far they can be trusted."""
    if elo is None:
        return f"{counted(units, unit)} so far, too few for an estimate"
    corrected = "; corrected, because the test stopped the match" if elo.corrected else ""
    watched = "; wide enough to hold at every look" if elo.watched else ""
    few = f"; only {counted(units, unit)}, so this is a rough estimate" if units < FEW_UNITS else ""
    return _interval(elo) + corrected + watched + few


def _interval(elo: EloEstimate) -> str:
    """Return a difference with its interval. A narrow one has more decimals, so that its bounds differ."""
    if elo.low is None:
        return f"below {_signed(elo.high or 0.0)} ({_percent(_ONE_SIDED)})"
    if elo.high is None:
        return f"above {_signed(elo.low)} ({_percent(_ONE_SIDED)})"
    width = elo.high - elo.low
    digits = 1 + max(0, ceil(-log10(width)))
    bounds = f"{_percent(CONFIDENCE)}: {_signed(elo.low, digits)} to {_signed(elo.high, digits)}"
    if elo.elo is None:
        return bounds
    even = abs(elo.elo - (elo.low + elo.high) / 2) <= _EVEN * width
    error = f" +- {width / 2:.{digits}f}" if even else ""
    return f"{_signed(elo.elo, digits)}{error} ({bounds})"


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
    return f"{100 * los:.1f} %"


def _test(sprt: Sprt, status: SprtStatus, *, all_played: bool) -> str:
    low, high = sprt.bounds
    scale = "Elo" if sprt.model == "logistic" else "normalized Elo"
    aim, elo = (high, sprt.elo1) if status.llr > 0 else (low, sprt.elo0)
    after = f"after {counted(status.units, 'pair')}"
    state = f"LLR {status.llr:.2f} in [{low:.2f}, {high:.2f}] {after}"
    if status.accepted is not None:
        verdict = f"{scale} {elo:g} accepted"
    else:
        undecided = "not decided after max_games" if all_played else "not decided"
        verdict = f"{undecided}, {int(100 * status.llr / aim)} % of the way to {scale} {elo:g}"
    return f"{state}: {verdict} ({sprt})"
