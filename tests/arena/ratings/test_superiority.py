"""The likelihood of superiority is not too high, even for engines that are nearly equal."""

import random
from collections import Counter
from itertools import combinations
from math import exp, log

import numpy as np
import pytest

from arena.ratings import fit as fitting
from arena.ratings.fit import Fit, fit
from arena.ratings.settings import RatingSettings
from arena.ratings.superiority import Quadratic, quadratic
from arena.scoring import GameScoreCounts, SeatScore

ELO = 400 / log(10)


def fitted(games: GameScoreCounts) -> Fit:
    found = fit(games, RatingSettings())
    assert found is not None
    return found


def won(one: str, other: str, games: int) -> GameScoreCounts:
    """Return games that the first engine won, half of them on each seat."""
    first, second = SeatScore(one, 1, 1.0, None), SeatScore(other, 2, 0.0, None)
    return Counter({(first, second): games // 2, (second, first): games - games // 2})


def league(chance: random.Random, truth: dict[str, float], games: int) -> GameScoreCounts:
    """Return games of each pair without draws."""
    played: GameScoreCounts = Counter()
    for one, other in combinations(truth, 2):
        share = 1 / (1 + exp((truth[other] - truth[one]) / ELO))
        wins = sum(chance.random() < share for _ in range(games))
        played += won(one, other, wins) + won(other, one, games - wins)
    return played


DIFFERENCES = np.linspace(-6000, 6000, 6_001)  # of two engines, divided by the root of two


def stronger(likelihood: np.ndarray) -> float:
    """Return the probability that a difference is positive, as an integral over all and over all spreads."""
    above = total = 0.0
    for spread in np.geomspace(1, 2000, 400):
        cauchy = spread / (1 + (spread / 100) ** 2)  # on a logarithmic grid
        prior = np.exp(-(DIFFERENCES**2) / spread**2 / 2) / spread
        density = cauchy * prior * likelihood
        above += density[DIFFERENCES > 0].sum() + density[DIFFERENCES == 0].sum() / 2
        total += density.sum()
    return above / total


@pytest.mark.parametrize(("wins", "losses"), [(4, 0), (10, 2), (30, 20), (200, 180)])
def test_a_fit_says_a_little_less_than_an_integral_over_strengths_and_spreads(wins: int, losses: int) -> None:
    odds = DIFFERENCES * 2**0.5 / ELO
    expected = stronger(np.exp(-wins * np.logaddexp(0, -odds) - losses * np.logaddexp(0, odds)))
    found = fitted(won("a", "b", wins) + won("b", "a", losses)).superior.stronger(0, 1)
    assert expected - 0.05 < found < expected + 0.001


@pytest.mark.parametrize(("curvature", "force"), [(1 / 50**2, 0.01), (1 / 300**2, 0.02), (1 / 10**2, -0.01)])
def test_two_engines_are_compared_as_an_integral_over_strengths_and_spreads_says(
    curvature: float, force: float
) -> None:
    expected = stronger(np.exp(force * DIFFERENCES - curvature * DIFFERENCES**2 / 2))
    axes = np.array([[1.0], [-1.0]]) / 2**0.5
    found = Quadratic(axes, np.array([curvature]), np.array([force])).superiority()
    assert found.stronger(0, 1) == pytest.approx(expected, abs=0.004)
    assert found.matrix() == pytest.approx(np.array([[0.5, expected], [1 - expected, 0.5]]), abs=0.004)


def test_other_parameters_are_averaged_over() -> None:
    chance = np.random.default_rng(3)
    root = chance.normal(size=(5, 5))
    information = root @ root.T
    mean = np.eye(3) - 1 / 3  # the games show no mean of the strengths
    shift = np.eye(5)
    shift[:3, :3] = mean
    information = shift @ information @ shift
    gradient, prior = shift @ chance.normal(size=5), np.array([0, 0, 0, 0.7, 1.3])
    found = quadratic(np.zeros(5), gradient, information, prior, 3).superiority()
    whole = np.linalg.pinv(information + np.diag(prior))
    # Of the spreads that are used the last is the widest, so that it hardly matters.
    assert found.covariances[-1] == pytest.approx(mean @ whole[:3, :3] @ mean, abs=0.02)


def test_nearly_equal_engines_are_not_called_better_with_confidence() -> None:
    chance = random.Random(1)
    shown, right, weak = [], [], []
    for _ in range(25):
        truth = {name: chance.gauss(0, 5) for name in "abcdefgh"}
        found = fitted(league(chance, truth, 20))
        own, matrix = found.covariance, found.superiority()
        for (row, one), (column, other) in combinations(enumerate(found.strengths), 2):
            shown.append(matrix[row][column])
            right.append(truth[one.name] > truth[other.name])
            deviation = (own[row, row] + own[column, column] - 2 * own[row, column]) ** 0.5
            weak.append((one.elo - other.elo) / deviation)
    surest = sorted(range(len(weak)), key=weak.__getitem__)[-len(weak) // 5 :]
    assert sum(shown) / len(shown) < 0.68
    assert sum(weak[place] > 1.28 for place in surest) == len(surest)  # 90 % and more with the weak prior
    mean = sum(shown[place] for place in surest) / len(surest)
    assert mean < 0.85
    assert mean - sum(right[place] for place in surest) / len(surest) < 0.2


def test_engines_that_never_met_are_as_likely_the_one_as_the_other() -> None:
    found = fitted(won("a", "b", 6) + won("b", "a", 4) + won("c", "d", 5) + won("d", "c", 5))
    names = [strength.name for strength in found.strengths]
    matrix = found.superiority()
    assert matrix[names.index("c")][names.index("d")] == pytest.approx(0.5)
    assert 0.5 < matrix[names.index("a")][names.index("c")] < 0.6


def test_many_engines_are_compared_in_the_simple_way_with_nearly_the_same_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(5)
    truth = {f"{number:02}": chance.gauss(0, 100) for number in range(30)}
    games = league(chance, truth, 4)
    exact = np.array(fitted(games).superiority())
    monkeypatch.setattr(fitting, "_MANY", 10)
    simple = fitted(games).superior
    assert simple.weights.shape == (1,)
    assert np.array(simple.matrix()) == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("deviation", [0.0, 100.0])
def test_of_many_engines_the_spread_is_what_their_variance_exceeds_the_errors_by(
    deviation: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(5)
    games = league(chance, {name: chance.gauss(0, deviation) for name in "abcdef"}, 6)
    spreads, prior = [], fitting.prior_of
    monkeypatch.setattr(fitting, "_MANY", 5)
    monkeypatch.setattr(
        fitting, "prior_of", lambda choices, spread=1000.0: spreads.append(spread) or prior(choices, spread)
    )
    found = fitted(games)
    variance = np.var([strength.elo for strength in found.strengths], ddof=1)
    excess = variance - found.covariance.trace() / 5
    assert (excess > 1) == (deviation > 0)
    assert spreads == [1000, pytest.approx(max(excess, 1) ** 0.5)]


def test_a_tie_group_ends_where_games_separate_an_engine_from_the_first_of_the_group() -> None:
    chance = random.Random(5)
    found = fitted(league(chance, {f"e{number:02}": -40.0 * number for number in range(12)}, 20))
    order = [strength.name for strength in found.strengths]
    groups = found.tie_groups(order)
    assert [groups[name] for name in order] == sorted(groups.values())
    assert {*groups.values()} == {*range(1, groups[order[-1]] + 1)}
    assert 2 < groups[order[-1]] < 8
    matrix = found.superiority()
    for place, name in enumerate(order):
        first = next(index for index, other in enumerate(order) if groups[other] == groups[name])
        assert matrix[first][place] < 0.95
        if first == place and place:
            before = next(index for index, other in enumerate(order) if groups[other] == groups[name] - 1)
            assert matrix[before][place] >= 0.95


def test_tie_groups_count_only_the_engines_that_are_asked_for() -> None:
    found = fitted(won("a", "b", 40) + won("b", "c", 40))
    assert found.tie_groups(["a", "b", "c"]) == {"a": 1, "b": 2, "c": 3}
    assert found.tie_groups(["c", "a", "x"]) == {"a": 1, "c": 2}
    assert found.tie_groups([]) == {}
