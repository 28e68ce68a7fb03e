"""Elo, its interval and the likelihood of superiority of a match: never surer than the games allow."""

from itertools import product

import numpy as np
import pytest

from arena.ratings.match_elo import (
    LEAST_WATCHED,
    EloEstimate,
    estimate,
    quantile,
    score_is_at_most,
    watched_tail,
    with_prior,
)
from arena.ratings.sprt import elo_of_score, score_of_elo, values

Small = dict[tuple[int, ...], EloEstimate]


@pytest.fixture(scope="module")
def small() -> Small:
    """The estimates of all matches of two or three pairs, and of two to five single games."""
    return {
        counts: found
        for size, most in ((5, 3), (3, 5))
        for counts in product(range(most + 1), repeat=size)
        if sum(counts) <= most and (found := estimate(counts)) is not None
    }


def plus(counts: tuple[int, ...], kind: int) -> tuple[int, ...]:
    """The counts with one more pair of this kind."""
    return (*counts[:kind], counts[kind] + 1, *counts[kind + 1 :])


def perfect(counts: tuple[int, ...]) -> bool:
    return sum(counts) in (counts[0], counts[-1])


def test_an_interval_contains_its_estimate_and_has_two_bounds_unless_an_engine_has_all_points(
    small: Small,
) -> None:
    for counts, found in small.items():
        if perfect(counts):
            assert found.elo is None
            assert (found.low is None) == (counts[0] > 0)
            assert (found.high is None) == (counts[-1] > 0)
        else:
            assert found.elo is not None
            assert found.low is not None
            assert found.high is not None
            assert found.low < found.elo < found.high


def test_an_estimate_with_exchanged_engines_is_the_same_with_the_other_sign(small: Small) -> None:
    for counts, found in small.items():
        other = small[counts[::-1]]
        swapped = [None if bound is None else -bound for bound in (other.elo, other.high, other.low)]
        assert [found.elo, found.low, found.high] == pytest.approx(swapped, abs=1e-5)
        assert found.los == pytest.approx(1 - other.los, abs=1e-9)


def test_a_pair_that_is_won_makes_superiority_likelier_and_a_drawn_one_does_not_change_it(
    small: Small,
) -> None:
    for counts, found in small.items():
        for kind, score in enumerate(values(counts)):
            after = small.get(plus(counts, kind))
            if after is not None and score > 0.5:
                assert after.los > found.los
            elif after is not None and score == 0.5:
                assert after.los == pytest.approx(found.los, abs=1e-9)


def test_many_pairs_have_the_elo_and_the_interval_of_fastchess() -> None:
    # app/tests/elo_test.cpp of https://github.com/Disservin/fastchess at 74deac2, which takes the normal
    # approximation: the score plus or minus 1.96 standard errors.
    for counts, elo, error, los in [
        ((34, 54, 63, 64, 75), 55.58, 27.65, 0.99996),
        ((332, 433, 498, 333, 334), -8.64, 10.33, 0.0505),
        ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, 0.0),
    ]:
        found = estimate(counts)
        assert found is not None
        assert found.elo == pytest.approx(elo, abs=0.01)
        assert found.low == pytest.approx(elo - error, abs=0.5)
        assert found.high == pytest.approx(elo + error, abs=0.5)
        assert found.los == pytest.approx(los, abs=0.001)


def test_not_even_a_million_won_pairs_are_certain() -> None:
    found = estimate((0, 0, 0, 0, 10**6))
    assert found == EloEstimate(
        None, pytest.approx(2199.2, abs=0.1), None, pytest.approx(1 - 1e-9, abs=1e-12)
    )
    assert found.los < 1


@pytest.mark.parametrize(
    ("counts", "score", "probability"),
    [
        ((0, 0, 0, 0, 2), 0.4, 0.02165054919697767),
        ((0, 0, 300, 0, 0), 0.49, 0.00014678846903424),
        ((0, 0, 2), 0.7, 0.54804407793030017),
        ((3, 5, 7, 5, 3), 0.45, 0.20051743906383912),
    ],
)
def test_the_posterior_has_the_values_of_thirty_digits(counts, score, probability) -> None:
    # 1/2 - 1/pi of the integral from 0 to infinity of sin(sum of weight * atan(t * distance)) /
    # (t * product of (1 + (t * distance)²) ** (weight / 2)), computed with mpmath (J. Gil-Pelaez, 1951).
    assert score_is_at_most(counts, score) == pytest.approx(probability, abs=1e-10)


def test_a_quantile_is_where_the_curve_reaches_the_probability() -> None:
    elo = quantile(lambda score: score**3, 0.2)
    assert elo == pytest.approx(elo_of_score(0.2 ** (1 / 3)), abs=1e-5)
    assert quantile(lambda score: score / 2, 0.6) is None
    assert quantile(lambda score: 0.5 + score / 2, 0.4) is None


# --- while somebody watches


@pytest.mark.parametrize("counts", [(3, 9, 20, 12, 6), (0, 2, 40, 3, 0), (0, 0, 0, 1, 9), (5, 30, 15)])
def test_the_interval_of_a_watched_match_ends_where_its_tails_do(counts: tuple[int, ...]) -> None:
    found, tail = estimate(counts, watched=True), watched_tail(sum(counts))
    assert found is not None
    for elo, share in ((found.low, tail), (found.high, 1 - tail)):
        assert elo is not None
        assert score_is_at_most(counts, score_of_elo(elo)) == pytest.approx(share, abs=1e-7)


def test_a_match_has_no_interval_for_watchers_before_it_can_hold() -> None:
    assert estimate((0, 0, LEAST_WATCHED - 1, 0, 0), watched=True) is None
    assert estimate((0, 0, LEAST_WATCHED, 0, 0), watched=True) is not None


@pytest.mark.parametrize("shares", [(0.1, 0.2, 0.4, 0.2, 0.1), (0.005, 0.02, 0.95, 0.02, 0.005)])
def test_intervals_after_every_pair_are_false_in_at_most_one_of_twenty_matches(shares) -> None:
    source, matches, pairs, scores = np.random.default_rng(49), 600, 120, np.arange(5) / 4
    counts = np.cumsum(source.multinomial(1, shares, (pairs, matches)), axis=0)
    false, false_if_usual = set(), set()
    for number in range(LEAST_WATCHED, pairs + 1):
        now = counts[number - 1]
        weights = now + np.array(with_prior([0] * 5))
        means = weights @ scores / weights.sum(axis=1)
        errors = np.sqrt((weights @ scores**2 / weights.sum(axis=1) - means**2) / number)
        for match in np.flatnonzero(np.abs(means - 0.5) > 1.5 * errors):
            below = score_is_at_most(tuple(now[match].tolist()), 0.5)
            for found, tail in ((false, watched_tail(number)), (false_if_usual, 0.025)):
                if not tail <= below <= 1 - tail:
                    found.add(match)
    assert len(false) / matches <= 0.05
    assert len(false_if_usual) / matches > 0.05
