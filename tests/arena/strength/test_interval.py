"""The interval of a strength holds while one watches, and the next opponent tells most."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from arena.strength.interval import Estimate, estimate, expected_score, most_telling


def test_scores_are_as_elo_expects_without_draws_and_flatter_with_draws() -> None:
    assert expected_score(0, 0.3) == pytest.approx(0.5)
    assert expected_score(200, 0) == pytest.approx(0.7597, abs=1e-4)
    assert 0.5 < expected_score(200, 0.5) < expected_score(200, 0)
    assert expected_score(200, 0.3) + expected_score(-200, 0.3) == pytest.approx(1)


def test_nothing_is_known_without_games_and_one_bound_is_missing_while_all_are_won() -> None:
    assert estimate({}, 0, 30) == Estimate(None, None, None)
    won = estimate({(500.0, 4): 50}, 0, 30)
    assert (won.elo, won.high, won.error) == (None, None, None)
    assert won.low is not None
    assert won.low > 500
    # As documented, who bets that the engine is stronger than the bound has made 40 of 1.
    stake, gain = (expected_score(30, 0) - 0.5) * 8, 1 - expected_score(won.low - 500, 0)
    bets = ((min(stake, 0.9), 0.75), (min(3 * stake, 0.9), 0.25))
    assert sum(share * (1 + bet * gain) ** 50 for bet, share in bets) == pytest.approx(40, rel=0.05)


def test_even_scores_against_an_opponent_are_worth_its_elo_and_more_games_narrow_the_interval() -> None:
    few, many = ({(500.0, 4): n, (500.0, 0): n, (500.0, 2): 2 * n} for n in (10, 160))
    assert estimate(many, 0, 30).elo == pytest.approx(500, abs=1)
    wide, narrow = estimate(few, 0, 30).error, estimate(many, 0, 30).error
    assert wide is not None
    assert narrow is not None
    assert narrow < 35 < 100 < wide


def test_the_interval_holds_at_every_look() -> None:
    draw, misses, engines = Random(1), 0, 100
    for _ in range(engines):
        pairs: Counter[tuple[float, int]] = Counter()
        strength, inside = draw.uniform(0, 400), True
        for number in range(1, 81):
            opponent = 200.0 * (number % 3)
            chance = expected_score(strength - opponent, 0)
            pairs[opponent, 2 * sum(draw.random() < chance for _ in range(2))] += 1
            if number % 4 == 0:
                found = estimate(pairs, 0, 60)
                inside &= (found.low or -1e9) <= strength <= (found.high or 1e9)
        misses += not inside
    assert misses <= engines * 0.05


def test_the_opponent_as_strong_as_the_engine_comes_next_and_near_ones_take_turns() -> None:
    strengths = [0, 400, 460, 1000]
    pairs = {(400.0, 2): 80}
    assert most_telling(strengths, [0, 40, 40, 0], pairs, 0) == 1
    assert most_telling(strengths, [0, 41, 40, 0], pairs, 0) == 2
    assert most_telling(strengths, [0, 0, 0, 0], {(1000.0, 4): 20}, 0) == 3
