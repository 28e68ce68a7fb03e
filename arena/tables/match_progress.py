"""The state of a match of two engines: pairs, Elo and the sequential test, in lines and as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite

from arena.config import PairingPlan, Sprt
from arena.ended_games import EndedGame
from arena.ratings.match_statistics import EloEstimate, SprtStatus, count_pairs, estimate
from arena.schedule.match import SequentialTest, pair_points
from arena.schedule.seating import Entrants
from protocol.plurals import counted

__all__ = ["MatchProgress"]

_FEWEST_PAIRS = 10
"""The number of pairs from which the growth of the LLR says how long the test will take."""


class MatchProgress:
    """Counts the pairs of a match while it is played, or afterwards.

    Args:
        plan: the pairing plan, whose format is ``match``.
        game: the game id.
    """

    def __init__(self, plan: PairingPlan, game: str) -> None:
        self._entrants = Entrants(game, plan.entrants[game])
        self._max_games = plan.max_games
        self._sprt = plan.sprt
        self._test = None if plan.sprt is None else SequentialTest(plan.sprt, self._entrants)
        self._pairs: list[float | None] = []

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that were completed since the last call.

        Args:
            results: all results by key, including the results of earlier calls.
        """
        self._pairs += pair_points(self._entrants, results, len(self._pairs))
        if self._test is not None:
            self._test.count(results)

    def lines(self) -> list[str]:
        """Return the match, Elo, the pairs, and the test if there is one."""
        first, second = self._entrants.names
        counts = count_pairs(self._pairs)
        lines = [f"Match: {first} against {second}"]
        elo = estimate(counts)
        if elo is not None:
            lines.append(_elo_line(elo))
        lines.append(f"Pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, counts))}")
        if self._sprt is not None and self._test is not None:
            lines.append(_sprt_line(self._sprt, self._test.status, all_played=self._all_played))
        return lines

    def data(self) -> dict[str, object]:
        """Return the same for programs."""
        counts = count_pairs(self._pairs)
        elo = estimate(counts)
        data: dict[str, object] = {
            "engines": list(self._entrants.names),
            "pairs": list(counts),
            "estimate": None if elo is None else _finite(asdict(elo)),
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
        if status.pairs < _FEWEST_PAIRS or not status.llr:
            return None
        low, high = self._sprt.bounds
        bound = high if status.llr > 0 else low
        return 2 * status.pairs * (bound - status.llr) / status.llr

    @property
    def _all_played(self) -> bool:
        return self._max_games is not None and 2 * len(self._pairs) >= self._max_games


def _elo_line(elo: EloEstimate) -> str:
    if not isfinite(elo.elo):
        return f"Elo cannot be estimated, because one engine has all points; LOS {elo.los:.1%}"
    margin = (elo.high - elo.low) / 2
    error = f" ± {margin:.1f}" if isfinite(margin) else f", {elo.low:+.1f} to {elo.high:+.1f}"
    return f"Elo {elo.elo + 0.0:+.1f}{error} (95 %), LOS {elo.los:.1%}"


def _sprt_line(sprt: Sprt, status: SprtStatus, *, all_played: bool) -> str:
    low, high = sprt.bounds
    undecided = "not decided after max_games" if all_played else "not decided"
    decisions = {
        None: undecided,
        "elo0": f"Elo {sprt.elo0:g} accepted",
        "elo1": f"Elo {sprt.elo1:g} accepted",
    }
    return (
        f"SPRT ({sprt}): LLR {status.llr:.2f} in [{low:.2f}, {high:.2f}]"
        f" after {counted(status.pairs, 'pair')}: {decisions[status.accepted]}"
    )


def _finite(values: dict[str, float]) -> dict[str, float | None]:
    """Replace infinity with ``None``, because JSON has no infinity."""
    return {name: value if isfinite(value) else None for name, value in values.items()}
