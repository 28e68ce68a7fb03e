"""The log-likelihood ratio of a match has the values of fastchess and fishtest."""

from functools import partial
from math import inf, log, sqrt

import pytest

from arena.ratings.sprt import (
    Sprt,
    count_points,
    hypothetical_scores,
    llr,
    score_of_elo,
)


# Losses, draws and wins, or pairs with 0 to 2 points. The values are those of app/tests/sprt_test.cpp of
# fastchess, https://github.com/Disservin/fastchess at 74deac2. It gives 111.82 and 120.56 for won pairs and
# games, because it stops earlier; the more exact values are those of fishtest.
@pytest.mark.parametrize(
    ("model", "elo0", "elo1", "counts", "expected"),
    [
        ("logistic", 0.5, 2.5, (223, 9863, 21279, 10037, 246), -3.07),
        ("logistic", 0, 2, (871, 26175, 55983, 26678, 821), -4.98),
        ("normalized", 0, 2, (365, 16618, 36229, 16974, 390), 2.25),
        ("normalized", -1.75, 0.25, (127, 4883, 10712, 5150, 104), 3.01),
        ("normalized", 0, 5, (0, 0, 0, 0, 5550), 111.80),
        ("logistic", 0.5, 2.5, (21184, 40708, 21404), -1.57),
        ("logistic", 0, 2, (57030, 106593, 57433), -2.59),
        ("normalized", 0, 2, (36027, 68692, 36433), 0.92),
        ("normalized", -1.75, 0.25, (10650, 20431, 10871), 2.30),
        ("normalized", 0, 10, (0, 0, 4250), 120.55),
    ],
)
def test_the_llr_is_that_of_fastchess(model, elo0, elo1, counts, expected) -> None:
    unit = "pair" if len(counts) == 5 else "game"
    sprt = Sprt(elo0, elo1, model=model, unit=unit)
    assert llr(sprt, counts) == pytest.approx(expected, abs=0.01)


# The values are those of LLR_logistic and LLR_normalized in server/fishtest/stats/LLRcalc.py of fishtest,
# https://github.com/official-stockfish/fishtest at b8eecff. The counts are examples in its stat_util.py,
# except the last ones.
@pytest.mark.parametrize(
    ("model", "elo0", "elo1", "counts", "expected"),
    [
        ("logistic", -3, 1, (10789, 19328, 33806, 19402, 10543), 2.131067812),
        ("logistic", 0.2, 0.9, (39, 2226, 31451, 2412, 40), 2.162542580),
        ("normalized", 0.764, 3.439, (39, 2226, 31451, 2412, 40), 2.162940870),
        ("normalized", 0, 5, (3, 20, 60, 25, 4), 0.153112613),
    ],
)
def test_the_llr_is_that_of_fishtest(model, elo0, elo1, counts, expected) -> None:
    assert llr(Sprt(elo0, elo1, model=model), counts) == pytest.approx(expected, abs=1e-8)


def test_no_pair_at_all_speaks_for_neither_hypothesis() -> None:
    assert abs(llr(Sprt(0, 5), (0, 0, 0, 0, 0))) < 1e-3


def test_a_sum_that_never_came_up_counts_for_a_thousandth_of_a_pair() -> None:
    sprt = Sprt(0, 50)
    assert llr(sprt, (0, 0, 9, 0, 4)) == llr(sprt, (1e-3, 1e-3, 9, 1e-3, 4))


def greatest_likelihood(counts, allowed, steps: int = 3000) -> float:
    """The greatest log-likelihood of losses, draws and wins among allowed shares, found by trying.

    ``allowed`` gives the share of wins for a share of draws.
    """
    best = -inf
    for step in range(1, steps):
        draw = step / steps
        win = allowed(draw)
        loss = 1 - win - draw
        if win > 0 and loss > 0:
            best = max(best, counts[0] * log(loss) + counts[1] * log(draw) + counts[2] * log(win))
    return best


@pytest.mark.parametrize("counts", [(10, 20, 14), (3, 40, 2), (7, 1, 30)])
def test_the_llr_is_the_quotient_of_the_greatest_likelihoods(counts) -> None:
    def wins(elo: float, draw: float) -> float:
        return score_of_elo(elo) - draw / 2

    likelihoods = [greatest_likelihood(counts, partial(wins, elo)) for elo in (-30, 60)]
    found = llr(Sprt(-30, 60, unit="game"), counts)
    assert found == pytest.approx(likelihoods[1] - likelihoods[0], abs=0.02)


@pytest.mark.parametrize("counts", [(10, 20, 14), (3, 40, 2), (7, 1, 30)])
def test_normalized_elo_is_the_distance_from_one_half_in_standard_deviations_of_a_game(counts) -> None:
    def wins(elo: float, draw: float) -> float:
        """Solve (score - 1/2)² = t² · variance, where the variance is (1 - draw) / 4 - (score - 1/2)²."""
        t = elo * log(10) / 800
        distance = t * sqrt((1 - draw) / 4 / (1 + t * t))
        return 0.5 + distance - draw / 2

    likelihoods = [greatest_likelihood(counts, partial(wins, elo)) for elo in (-30, 60)]
    found = llr(Sprt(-30, 60, model="normalized", unit="game"), counts)
    assert found == pytest.approx(likelihoods[1] - likelihoods[0], abs=0.02)


def test_pairs_and_games_are_counted_by_the_points_that_they_brought() -> None:
    points = [0.0, 0.5, 0.5, *[1.0] * 3, None, *[1.5] * 4, *[2.0] * 5]
    assert count_points(points) == (1, 2, 3, 4, 5)
    assert count_points([0.0, 0.5, 0.5, None, 1.0, 1.0, 1.0], "game") == (1, 2, 3)


def test_the_scores_of_hypotheses_depend_on_the_variance_only_in_normalized_elo() -> None:
    scores = pytest.approx((0.5, score_of_elo(20)))
    assert hypothetical_scores(Sprt(0, 20), 0.04) == hypothetical_scores(Sprt(0, 20), 0.09) == scores
    unit = log(10) / 800  # a normalized Elo, in standard deviations of a game
    by_pairs = hypothetical_scores(Sprt(-10, 20, model="normalized"), 0.08)
    assert by_pairs == pytest.approx((0.5 - 10 * unit * 0.4, 0.5 + 20 * unit * 0.4))
    by_games = hypothetical_scores(Sprt(-10, 20, model="normalized", unit="game"), 0.16)
    assert by_games == pytest.approx(by_pairs)


@pytest.mark.parametrize(
    ("sprt", "words"),
    [
        (Sprt(0, 5), "elo0 0, elo1 5, alpha 0.05, beta 0.05"),
        (
            Sprt(-2.5, 1, alpha=0.1, beta=0.2, model="normalized", unit="game"),
            "elo0 -2.5, elo1 1, alpha 0.1, beta 0.2, model normalized, unit game",
        ),
    ],
)
def test_a_test_is_written_with_what_is_not_usual(sprt: Sprt, words: str) -> None:
    assert str(sprt) == words
