"""The state of a match of two engines: pairs, Elo and the sequential test, in lines and as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from arena.config import PairingPlan
from arena.config.pairing_plan import TestUnit
from arena.ended_games import EndedGame
from arena.formats.contest import Entrants
from arena.formats.match import SequentialTest, unit_points
from arena.ratings.match_elo import FEW_UNITS, EloEstimate, estimate, estimate_after_stop
from arena.ratings.sprt import GAMES, Counts, count_points
from arena.tables.match.text import counts_line, elo_line, sprt_line

__all__ = ["MatchProgress"]


class MatchProgress:
    """Counts the pairs of a match, or its games if its test counts games. The match may be running or over.

    Args:
        plan: the pairing plan, whose format is ``match``.
        game: the game id.
    """

    def __init__(self, plan: PairingPlan, game: str) -> None:
        self._entrants = Entrants(game, plan.entrants[game])
        self._max_games = plan.max_games
        self._sprt = plan.sprt
        self._unit: TestUnit = "pair" if plan.sprt is None else plan.sprt.unit
        self._test = None if plan.sprt is None else SequentialTest(plan.sprt, self._entrants)
        self._points: list[float | None] = []

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that were completed since the last call.

        Args:
            results: all results by key, including the results of earlier calls.
        """
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
