"""The state of a match of two engines: pairs, Elo and the sequential test, in lines and as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import ceil, log10

from arena.config import PairingPlan, Sprt
from arena.config.pairing_plan import TestUnit
from arena.ended_games import EndedGame
from arena.formats.contest import Entrants
from arena.formats.match import SequentialTest, unit_points
from arena.ratings import CONFIDENCE
from arena.ratings.match_elo import FEW_UNITS, EloEstimate, estimate, estimate_after_stop
from arena.ratings.sprt import GAMES, Counts, SprtStatus, count_points
from protocol.plurals import counted


class MatchProgress:
    """Counts the pairs of a match, or its games if its test counts games; it may be running or over."""

    def __init__(self, plan: PairingPlan, game: str) -> None:
        self._entrants = Entrants(game, plan.entrants[game])
        self._max_games = plan.max_games
        self._sprt = plan.sprt
        self._unit: TestUnit = "pair" if plan.sprt is None else plan.sprt.unit
        self._test = None if plan.sprt is None else SequentialTest(plan.sprt, self._entrants)
        self._points: list[float | None] = []

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that were completed since the last call, in all results by key."""
        self._points += unit_points(self._entrants, results, len(self._points), self._unit)
        if self._test is not None:
            self._test.count(results)

    def lines(self) -> list[str]:
        """Return the match, Elo, the pairs, and the test if there is one."""
        first, second = self._entrants.names
        counts = count_points(self._points, self._unit)
        lines = [
            f"Match: {first} against {second}",
            elo_line(self._estimate(), sum(self._estimated), self._unit),
            counts_line(counts, self._unit),
        ]
        if self._sprt is not None and self._test is not None:
            lines.append(sprt_line(self._sprt, self._test.status, all_played=self._all_played))
        return lines

    def data(self) -> dict[str, object]:
        """Return the same for programs."""
        elo = self._estimate()
        data: dict[str, object] = {
            "engines": list(self._entrants.names),
            "unit": self._unit,
            "counts": list(count_points(self._points, self._unit)),
            "estimate": None if elo is None else asdict(elo),
        }
        if self._sprt is not None and self._test is not None:
            bounds = list(self._sprt.bounds)
            data["sprt"] = {**asdict(self._sprt), **asdict(self._test.status), "bounds": bounds}
        return data

    def games_left(self) -> float | None:
        """Return about how many games the test still needs if the LLR goes on as before; None if unknown."""
        if self._sprt is None or self._test is None:
            return None
        status = self._test.status
        if status.accepted is not None:
            return 0.0
        if status.units < FEW_UNITS or not status.llr:
            return None
        low, high = self._sprt.bounds
        bound = high if status.llr > 0 else low
        return GAMES[self._unit] * status.units * (bound - status.llr) / status.llr

    @property
    def _estimated(self) -> Counts:
        """The counts from which Elo is estimated: all, or those that decided the test."""
        if self._test is not None and self._test.status.accepted is not None:
            return self._test.counts
        return count_points(self._points, self._unit)

    def _estimate(self) -> EloEstimate | None:
        accepted = None if self._test is None else self._test.status.accepted
        if self._sprt is None or accepted is None:
            return estimate(self._estimated)
        return estimate_after_stop(self._sprt, self._estimated, accepted)

    @property
    def _all_played(self) -> bool:
        return self._max_games is not None and GAMES[self._unit] * len(self._points) >= self._max_games


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


def counts_line(counts: Counts, unit: TestUnit) -> str:
    """Return the numbers of pairs (or games) by the points of the first engine."""
    return f"{_KINDS[unit]}: {', '.join(map(str, counts))}"


def sprt_line(sprt: Sprt, status: SprtStatus, *, all_played: bool) -> str:
    """Return a test and its state; ``all_played`` says whether ``max_games`` have been played."""
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
