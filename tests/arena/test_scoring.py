"""Points: what a place among two or four is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scoring import points
from referee.outcome import Termination


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((2, 1), (0, 1)),
        ((1, 2, 2, 2), (1, 1 / 3, 1 / 3, 1 / 3)),
        ((1, 2, 3, 4), (1, 2 / 3, 1 / 3, 0)),
        ((1, 1, 1, 1), (0.5, 0.5, 0.5, 0.5)),
    ],
)
def test_points_of_places(ranks, expected):
    assert points(ranks, (None,) * len(ranks)) == pytest.approx(expected)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4))
def test_a_game_without_forfeits_gives_half_a_point_a_seat(raw):
    ranks = tuple(1 + sum(other < rank for other in raw) for rank in raw)
    assert sum(points(ranks, (None,) * len(ranks))) == pytest.approx(len(ranks) / 2)


def test_a_forfeit_scores_nothing_even_shared_and_resigning_is_none():
    assert points((1, 1), (Termination.CRASH, Termination.CRASH)) == (0, 0)
    assert points((1, 3, 2, 4), (None, Termination.RESIGN, None, Termination.TIME)) == pytest.approx(
        (1, 1 / 3, 2 / 3, 0)
    )
