"""The errors of the fit allow for games that depend on each other."""

import random
from collections import Counter

import numpy as np
import pytest

from arena.ratings import fit as fitting
from arena.ratings.fit import clustered_covariance, fit
from arena.ratings.likelihood import Choices
from arena.ratings.settings import RatingSettings
from arena.scoring import GameScoreCounts, SeatScore

USUAL = RatingSettings()


def score(first: str, second: str, ranks: tuple[int, int]) -> tuple[SeatScore, ...]:
    names = zip((first, second), ranks, strict=True)
    return tuple(SeatScore(name, rank, 0.0, None) for name, rank in names)


def errors(games: list[GameScoreCounts], *, clustered: bool) -> list[float]:
    total = sum(games, Counter())
    found = fit(total, USUAL, None, games if clustered else ())
    assert found is not None
    return [strength.error for strength in found.strengths]


def independent(number: int, copies: int = 1) -> list[GameScoreCounts]:
    """Return games of three engines, each as often as ``copies`` in a cluster of its own."""
    chance = random.Random(3)
    found = []
    for _ in range(number):
        first, second = chance.sample("abc", 2)
        ranks = (1, 2) if chance.random() < 0.6 else (2, 1)
        found.append(Counter({score(first, second, ranks): copies}))
    return found


def test_a_game_that_is_played_four_times_proves_about_as_much_as_one() -> None:
    once = errors(independent(300), clustered=False)
    four_times = independent(300, copies=4)
    assert errors(four_times, clustered=False) == pytest.approx([error / 2 for error in once], rel=0.05)
    assert errors(four_times, clustered=True) == pytest.approx(once, rel=0.1)


def test_pairs_that_the_opening_decides_make_the_errors_smaller() -> None:
    decided = [Counter([score("a", "b", (1, 2)), score("b", "a", (1, 2))]) for _ in range(90)]
    lost = [Counter([score("a", "b", (1, 2)), score("b", "a", (2, 1))]) for _ in range(10)]
    games = [*decided, *lost]
    assert max(errors(games, clustered=True)) < 0.7 * min(errors(games, clustered=False))


def test_two_clusters_count_and_of_very_many_engines_none_do(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [Counter({score("a", "b", (1, 2)): 3}), Counter({score("a", "b", (2, 1)): 1})]
    alone = errors(games, clustered=False)
    for many, counted in ((2, True), (1, False)):
        monkeypatch.setattr(fitting, "_MANY", many)
        assert (errors(games, clustered=True) != alone) == counted
        found = fit(sum(games, Counter()), USUAL, None, games)
        assert found is not None
        assert found.clustered == counted


def test_the_order_of_the_clusters_changes_no_digit() -> None:
    games = independent(40, copies=2)
    assert errors(games, clustered=True) == errors(games[::-1], clustered=True)


def test_the_covariance_agrees_with_the_formula() -> None:
    games = [Counter({score("a", "b", (1, 2)): 2}), Counter([score("b", "a", (1, 2))]), *independent(9)]
    names = ("a", "b", "c")
    size = len(Choices(games[0], names).gradient(np.zeros(8)))
    parameters, prior = np.linspace(-0.5, 0.5, size), np.linspace(0.1, 0.9, size)
    covariance = np.linalg.inv(np.diag(np.linspace(1.0, 2.0, size)) + 0.1)
    gradients = [Choices(one, names).gradient(parameters) for one in games]
    middle = sum(np.outer(one, one) for one in gradients) * 11 / 10 + np.diag(prior)
    expected = 11 / 21 * covariance @ middle @ covariance + 10 / 21 * covariance
    found = clustered_covariance(games, names, parameters, covariance, prior)
    assert found == pytest.approx(expected, rel=1e-9)
