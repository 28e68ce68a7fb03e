"""The numbers of games on the page about tuning are right."""

from __future__ import annotations

import re
from math import log
from pathlib import Path
from statistics import NormalDist

import pytest

from arena.ratings.sprt import Sprt, score_of_elo

PAGE = Path(__file__).parents[2] / "docs/howto/tune-an-engine.md"
ROWS = re.findall(
    r"^\| (\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", PAGE.read_text("utf-8"), flags=re.MULTILINE
)
VARIANCE = 0.25
"""Of the points of a game that is not drawn, between equal engines."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_has_the_numbers_of_games_for_a_difference(row: tuple[str, ...]) -> None:
    elo, *games = (float(cell.replace(",", "")) for cell in row)
    sprt = Sprt(elo0=0.0, elo1=elo)
    difference = score_of_elo(elo) - 0.5
    information = difference**2 / VARIANCE  # of one game about the two hypotheses
    bound = log((1 - sprt.beta) / sprt.alpha)
    fixed = NormalDist().inv_cdf(0.975) ** 2 / information
    decided = 2 * bound * (1 - sprt.alpha - sprt.beta) / information  # Wald's mean, without overshoot
    between = bound**2 / information
    assert games == pytest.approx([fixed, decided, between], rel=0.05)


def test_the_page_has_four_differences() -> None:
    assert [row[0] for row in ROWS] == ["5", "10", "20", "50"]
