"""How two engines stand against each other: one value, in words for people and as data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil, log10

from arena.ratings import CONFIDENCE
from arena.ratings.match_elo import FEW_UNITS, EloEstimate, normalized
from arena.ratings.sprt import Counts, Sprt, SprtStatus, TestUnit
from protocol.words import counted, printable
from referee.outcome import Termination

Row = tuple[str, str]
"""A line about a match: what it is about in a word or two, and what it says."""


@dataclass(frozen=True, slots=True)
class DuelView:
    """How a match stands, from the side of its first engine."""

    engines: tuple[str, str]
    wins: int  # of the games that count, also of those that were not played
    draws: int
    losses: int
    unplayed: int  # how many of these were not played, because an engine was disabled
    won_by_nobody: int  # how many of these both engines lost by faults of their own while they were played
    forfeits: Mapping[tuple[str, Termination], int]  # how many each engine lost by each fault while playing
    max_games: int | None  # None for no limit
    unit: TestUnit
    counts: Counts  # the complete pairs, or the games, by the points of the first engine
    estimated: Counts  # those of them from which Elo is estimated: all, or those that decided the test
    estimate: EloEstimate | None  # None if there are too few
    test: tuple[Sprt, SprtStatus] | None  # with its state; None without a test

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The points of the first engine."""
        return self.wins + self.draws / 2

    def length(self) -> str:
        """Return how many games there are."""
        return number_of_games(self.games, self.max_games, self.test is None)

    def title(self) -> str:
        """Return who plays whom, and how many games there are."""
        first, second = map(printable, self.engines)
        return f"{first} against {second}, {self.length()}"

    def rows(self) -> list[Row]:
        """Return the results, what they say about the strengths, and the test if there is one."""
        rows = [("Faults", faulty)] if (faulty := self._faulty()) else []
        rows += [("Score", self._score()), ("Elo", elo_text(self.estimate, sum(self.estimated), self.unit))]
        if self.estimate is not None:
            scaled = normalized(self.estimate, self.estimated)
            if scaled is not None:
                rows.append(("nElo", _interval(scaled)))
            if not self.estimate.watched:  # it would be believed at the moment when it is highest
                rows.append(("LOS", _likelihood(self.estimate.los)))
        kinds = ("0", "1/2", "1", "3/2", "2") if self.unit == "pair" else ("0", "1/2", "1")
        counts = f"{', '.join(map(str, self.counts))} with {', '.join(kinds)} points"
        rows.append((f"{self.unit.title()}s", counts))
        if self.test is not None:
            all_played = self.max_games is not None and self.games >= self.max_games
            rows.append(("SPRT", _test(*self.test, all_played=all_played)))
        return rows

    def data(self) -> dict[str, object]:
        """Return the same for programs."""
        scaled = None if self.estimate is None else normalized(self.estimate, self.estimated)
        data: dict[str, object] = {
            "engines": list(self.engines),
            "games": self.games,
            "max_games": self.max_games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "points": self.points,
            "forfeits": self._lost,
            "unplayed": self.unplayed,
            "won_by_nobody": self.won_by_nobody,
            "unit": self.unit,
            "counts": list(self.counts),
            "estimate": None if self.estimate is None else asdict(self.estimate),
            "normalized": None
            if scaled is None
            else {"elo": scaled.elo, "low": scaled.low, "high": scaled.high},
        }
        if self.test is not None:
            sprt, status = self.test
            data["sprt"] = {**asdict(sprt), **asdict(status), "bounds": list(sprt.bounds)}
        return data

    @property
    def _lost(self) -> list[int]:
        """How many games each engine lost by its own fault while they were played."""
        return [
            sum(self.forfeits[fault] for fault in self.forfeits if fault[0] == name) for name in self.engines
        ]

    def _faulty(self) -> str:
        """Say that many games show no strength, and why; "" if they are few."""
        faulty = sum(self._lost) - self.won_by_nobody + self.unplayed
        if faulty <= _MOST_FAULTY * self.games:
            return ""
        causes = [f"{number} by {printable(name)} ({word})" for (name, word), number in self.forfeits.items()]
        causes += [f"{self.unplayed} not played"] if self.unplayed else []
        games = f"{faulty} of {counted(self.games, 'game')} ended by a fault: {', '.join(causes)}"
        return f"{games}; so Elo says little about how well the engines play"

    def _score(self) -> str:
        if not self.games:
            return "no game has ended yet"
        share, drawn = self.points / self.games, self.draws / self.games
        parts = [
            f"{self.wins}-{self.draws}-{self.losses} (won, drawn, lost)",
            f"{self.points:g} of {counted(self.games, 'point')} ({_percent(share, 1)})",
            f"draws {_percent(drawn, 1)}",
        ]
        if self.unplayed:
            parts.append(f"{self.unplayed} not played, because an engine was disabled")
        if self.won_by_nobody:
            parts.append(f"{self.won_by_nobody} won by nobody, because both engines failed")
        lost = zip(self.engines, self._lost, strict=True)
        forfeited = [f"{number} by {printable(name)}" for name, number in lost if number]
        return ", ".join([*parts, *([f"forfeits: {' and '.join(forfeited)}"] if forfeited else [])])


def number_of_games(played: int, most: int | None, exact: bool) -> str:
    """Return a number of games with the number that there will be; ``exact`` if it cannot be less."""
    if most is None or most < played:  # an earlier version of the file had more games
        return counted(played, "game")
    return f"{played} of {'' if exact or played == most else 'at most '}{counted(most, 'game')}"


_MOST_FAULTY = 0.1
"""The largest share of games that ended by faults, with which nothing is said about it in front of Elo."""

_ONE_SIDED = (1 + CONFIDENCE) / 2
"""The confidence of an interval with only one bound."""

_LEAST_LIKELIHOOD = 0.001
"""The least likelihood that is shown as a number; the greatest is as far from 1."""

_EVEN = 0.05
"""The largest distance of an estimate from the middle of its interval, as a share of the interval, with which
half of the interval is shown as its error."""


def elo_text(elo: EloEstimate | None, units: int, unit: TestUnit) -> str:
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


def _percent(share: float, digits: int | None = None) -> str:
    return f"{100 * share:g} %" if digits is None else f"{100 * share:.{digits}f} %"


def _likelihood(los: float) -> str:
    """Return a likelihood with one decimal, but never as 0 or 100 %."""
    if los < _LEAST_LIKELIHOOD:
        return f"below {_percent(_LEAST_LIKELIHOOD)}"
    if los > 1 - _LEAST_LIKELIHOOD:
        return f"above {_percent(1 - _LEAST_LIKELIHOOD)}"
    return _percent(los, 1)


def _test(sprt: Sprt, status: SprtStatus, *, all_played: bool) -> str:
    low, high = sprt.bounds
    scale = "Elo" if sprt.model == "logistic" else "normalized Elo"
    aim, elo = (high, sprt.elo1) if status.llr > 0 else (low, sprt.elo0)
    after = f"after {counted(status.units, sprt.unit)}"
    state = f"LLR {status.llr:.2f} in [{low:.2f}, {high:.2f}] {after}"
    if status.accepted is not None:
        verdict = f"{scale} {elo:g} accepted"
    else:
        undecided = "not decided after max_games" if all_played else "not decided"
        verdict = f"{undecided}, {int(100 * status.llr / aim)} % of the way to {scale} {elo:g}"
    return f"{state}: {verdict} ({sprt})"
