"""The log-likelihood ratio of a match has the values of fastchess and fishtest."""

from math import log

import pytest

from arena.ratings.sprt import (
    Sprt,
    hypothetical_scores,
    llr,
    score_of_elo,
)


# Pairs with 0 to 2 points. The values are those of app/tests/sprt_test.cpp of fastchess,
# https://github.com/Disservin/fastchess at 74deac2. It gives 111.82 for won pairs, because it stops earlier;
# the more exact value is that of fishtest.
@pytest.mark.parametrize(
    ("model", "elo0", "elo1", "counts", "expected"),
    [
        ("logistic", 0.5, 2.5, (223, 9863, 21279, 10037, 246), -3.07),
        ("logistic", 0, 2, (871, 26175, 55983, 26678, 821), -4.98),
        ("normalized", 0, 2, (365, 16618, 36229, 16974, 390), 2.25),
        ("normalized", -1.75, 0.25, (127, 4883, 10712, 5150, 104), 3.01),
        ("normalized", 0, 5, (0, 0, 0, 0, 5550), 111.80),
    ],
)
def test_the_llr_agrees_with_fastchess(model, elo0, elo1, counts, expected) -> None:
    assert llr(Sprt(elo0, elo1, model=model), counts) == pytest.approx(expected, abs=0.01)


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
def test_the_llr_agrees_with_fishtest(model, elo0, elo1, counts, expected) -> None:
    assert llr(Sprt(elo0, elo1, model=model), counts) == pytest.approx(expected, abs=1e-8)


def test_no_pair_at_all_speaks_for_neither_hypothesis() -> None:
    assert abs(llr(Sprt(0, 5), (0, 0, 0, 0, 0))) < 1e-3


def test_a_sum_that_never_came_up_counts_for_a_thousandth_of_a_pair() -> None:
    sprt = Sprt(0, 50)
    assert llr(sprt, (0, 0, 9, 0, 4)) == llr(sprt, (1e-3, 1e-3, 9, 1e-3, 4))


def test_the_scores_of_hypotheses_depend_on_the_variance_only_in_normalized_elo() -> None:
    scores = pytest.approx((0.5, score_of_elo(20)))
    assert hypothetical_scores(Sprt(0, 20), 0.04) == hypothetical_scores(Sprt(0, 20), 0.09) == scores
    unit = log(10) / 800  # a normalized Elo, in standard deviations of a game
    by_pairs = hypothetical_scores(Sprt(-10, 20, model="normalized"), 0.08)
    assert by_pairs == pytest.approx((0.5 - 10 * unit * 0.4, 0.5 + 20 * unit * 0.4))


@pytest.mark.parametrize(
    ("sprt", "words"),
    [
        (Sprt(0, 5), "elo0 0, elo1 5, alpha 0.05, beta 0.05"),
        (
            Sprt(-2.5, 1, alpha=0.1, beta=0.2, model="normalized"),
            "elo0 -2.5, elo1 1, alpha 0.1, beta 0.2, model normalized",
        ),
    ],
)
def test_a_test_is_written_with_what_is_not_usual(sprt: Sprt, words: str) -> None:
    assert str(sprt) == words
