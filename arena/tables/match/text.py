"""The state of a match in words: what is known of Elo, and how far a test has got."""

from __future__ import annotations

from math import ceil, log10

from arena.config import Sprt
from arena.config.pairing_plan import TestUnit
from arena.ratings import CONFIDENCE
from arena.ratings.match_elo import FEW_UNITS, EloEstimate
from arena.ratings.sprt import Counts, SprtStatus
from protocol.plurals import counted

__all__ = ["counts_line", "elo_line", "sprt_line"]

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

    Args:
        elo: the estimate; None for too few pairs.
        units: the number of pairs or games from which Elo was estimated.
        unit: whether these are pairs or games.
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
    """Return a test and its state.

    Args:
        sprt: the test.
        status: its state.
        all_played: whether ``max_games`` have been played.
    """
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
