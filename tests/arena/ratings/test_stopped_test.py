"""When a sequential test has stopped a match, the Elo of the match is corrected for that."""

from math import exp

import pytest

from arena.ratings.match_elo import estimate, estimate_after_stop, probability_of_passage
from arena.ratings.sprt import Sprt


# The values are those of server/fishtest/stats/sprt.py of https://github.com/official-stockfish/fishtest at
# b8eecff, for these numbers of pairs: ``elo``, ``ci`` and ``LOS`` of ``analytics()``.
@pytest.mark.parametrize(
    ("sprt", "counts", "accepted", "elo", "low", "high", "los"),
    [
        (Sprt(0, 50), (10, 13, 43, 20, 22), "elo1", 42.0057, -3.1897, 85.8209, 0.96631),
        (Sprt(0.5, 2.5), (223, 9863, 21279, 10037, 246), "elo0", 1.2235, -0.1363, 2.7222, 0.96121),
        (
            Sprt(-1.75, 0.25, model="normalized"),
            (127, 4883, 10712, 5150, 104),
            "elo1",
            1.6588,
            -0.1009,
            3.4028,
            0.96772,
        ),
    ],
)
def test_the_correction_agrees_with_fishtest(sprt, counts, accepted, elo, low, high, los) -> None:
    found = estimate_after_stop(sprt, counts, accepted)
    assert found is not None
    assert found.corrected
    assert found.elo == pytest.approx(elo, abs=0.001)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.001)
    assert found.los == pytest.approx(los, abs=0.0001)


def test_an_engine_that_was_accepted_quickly_is_probably_weaker_than_its_score() -> None:
    counts = (10, 13, 43, 20, 22)
    plain, found = estimate(counts), estimate_after_stop(Sprt(0, 50), counts, "elo1")
    assert plain is not None
    assert found is not None
    assert (plain.corrected, found.corrected) == (False, True)
    assert plain.elo is not None
    assert found.elo is not None
    assert found.elo < plain.elo - 5
    assert found.los < plain.los


@pytest.mark.parametrize("counts", [(0, 0, 2, 0, 10), (0, 0, 0, 6, 6), (0, 1, 2, 0, 9)])
def test_a_test_that_ends_after_few_pairs_is_less_sure_than_a_match_of_this_length(counts) -> None:
    plain, found = estimate(counts), estimate_after_stop(Sprt(0, 100), counts, "elo1")
    assert plain is not None
    assert found is not None
    assert 0.95 < found.los < plain.los - 0.001
    assert found.low < plain.low
    assert found.high is None  # a much stronger engine would not have ended the test earlier


def test_hypotheses_far_from_the_result_leave_elo_uncorrected() -> None:
    counts = (4, 0, 2, 0, 1)
    assert estimate_after_stop(Sprt(900, 1000), counts, "elo0") == estimate(counts)
    assert estimate_after_stop(Sprt(-1000, 1000), (0, 0, 0, 0, 1), "elo1") is None


@pytest.mark.parametrize("drift", [-1.5, -0.2, 0.0, 0.3, 2.0])
def test_in_the_long_run_a_motion_passes_one_of_two_barriers(drift) -> None:
    below, above, variance = 2.0, 3.0, 1.7
    up = probability_of_passage(below, above, drift, variance, 1e4)
    down = probability_of_passage(above, below, -drift, variance, 1e4)
    assert up + down == pytest.approx(1)
    slope = 2 * drift / variance
    wald = (
        below / (below + above)
        if not drift
        else (1 - exp(slope * below)) / (exp(-slope * above) - exp(slope * below))
    )
    assert up == pytest.approx(wald)


@pytest.mark.parametrize("drift", [-80.0, 80.0])
def test_a_strong_drift_is_no_overflow(drift) -> None:
    found = probability_of_passage(3.0, 3.0, drift, 0.5, 10.0)
    assert found == pytest.approx(float(drift > 0))
