"""TrueSkill: against its authors' numbers, the library and plain integration."""

import math
import random
from collections.abc import Callable

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from arena.model import Result
from arena.ratings import Rating, RatingSettings, gaussian, rate, settings_for
from arena.ratings.trueskill import _Model
from referee import Termination, game, game_ids

MakeResult = Callable[..., Result]
PUBLISHED = RatingSettings(tau=25 / 300, draw_probability=0.1)


def numbers(ratings: dict[str, Rating]) -> dict[str, tuple[float, float]]:
    return {name: (rating.mu, rating.sigma) for name, rating in ratings.items()}


def test_a_win_between_newcomers_gives_the_published_numbers(result: MakeResult) -> None:
    ratings = rate([result(("a", 1), ("b", 2))], PUBLISHED)
    assert numbers(ratings)["a"] == pytest.approx((29.396, 7.171), abs=0.001)
    assert numbers(ratings)["b"] == pytest.approx((20.604, 7.171), abs=0.001)


def test_a_draw_between_newcomers_gives_the_published_numbers(result: MakeResult) -> None:
    ratings = rate([result(("a", 1), ("b", 1))], PUBLISHED)
    assert numbers(ratings)["a"] == pytest.approx((25.0, 6.458), abs=0.001)
    assert numbers(ratings)["b"] == pytest.approx((25.0, 6.458), abs=0.001)


@pytest.mark.parametrize("prior", [1e-3, 0.02, 0.5, 0.95])
def test_duels_agree_with_the_library(result: MakeResult, prior: float) -> None:
    chance = random.Random(1)
    results = []
    for _ in range(300):
        one, other = chance.sample("abcdef", 2)
        ranks = chance.choice([(1, 2), (1, 2), (2, 1), (1, 1)])
        results.append(result((one, ranks[0]), (other, ranks[1])))
    library = trueskill.TrueSkill(tau=0.02, draw_probability=prior)
    expected = {name: library.create_rating() for name in "abcdef"}
    for played in results:
        one, other = played.players
        pair = [(expected[one.name],), (expected[other.name],)]
        ((expected[one.name],), (expected[other.name],)) = library.rate(pair, ranks=[one.rank, other.rank])
    ours = rate(results, RatingSettings(tau=0.02, draw_probability=prior))
    for name, rating in ours.items():
        # The library's error function has seven digits, and a rare draw magnifies what is missing.
        assert (rating.mu, rating.sigma) == pytest.approx((expected[name].mu, expected[name].sigma), rel=2e-3)


@pytest.mark.parametrize("ranks", [(1, 2, 3, 4), (1, 2, 2, 2), (1, 1, 3, 3), (1, 1, 1, 1)])
def test_tables_of_four_agree_with_the_library(result: MakeResult, ranks: tuple[int, ...]) -> None:
    library = trueskill.TrueSkill(tau=0, draw_probability=0.3)
    groups = [(library.create_rating(),)] * 4
    expected = [(rating.mu, rating.sigma) for (rating,) in library.rate(groups, ranks=ranks)]
    ours = rate([result(*zip("abcd", ranks, strict=True))], RatingSettings(draw_probability=0.3))
    for name, numbers_ in zip("abcd", expected, strict=True):
        assert (ours[name].mu, ours[name].sigma) == pytest.approx(numbers_, rel=1e-4)


def integrated(lower: float, upper: float, t: float) -> tuple[float, float]:
    """Mean and variance of a normal with mean t and deviation 1, given that it lies between the bounds."""
    lower, upper = max(lower, t - 40), min(upper, t + 40)
    nearest = min(max(t, lower), upper)
    upper = min(upper, nearest + 12)
    lower = max(lower, nearest - 12)
    step = (upper - lower) / 20_000
    points = [lower + (index + 0.5) * step for index in range(20_000)]
    weights = [math.exp((nearest - point) * (nearest + point - 2 * t) / 2) for point in points]
    total = math.fsum(weights)
    mean = math.fsum(map(float.__mul__, points, weights)) / total
    return mean, math.fsum(w * (p - mean) ** 2 for p, w in zip(points, weights, strict=True)) / total


@pytest.mark.parametrize("t", [-30.0, -8.0, -5.2, -4.9, -1.0, 0.0, 0.3, 2.0, 4.0, 5.3, 9.0, 30.0])
@pytest.mark.parametrize("e", [0.002, 0.1, 1.0])
def test_moments_agree_with_plain_integration(t: float, e: float) -> None:
    v, w = gaussian.win(t, e)
    assert (t + v, 1 - w) == pytest.approx(integrated(e, math.inf, t), rel=1e-3, abs=1e-6)
    v, w = gaussian.draw(t, e)
    assert (t + v, 1 - w) == pytest.approx(integrated(-e, e, t), rel=1e-3, abs=1e-6)


@given(t=st.floats(-2000, 2000), e=st.floats(0.0005, 5))
def test_moments_stay_in_their_bounds_however_great_the_upset(t: float, e: float) -> None:
    for moments in (gaussian.win, gaussian.draw):
        v, w = moments(t, e)
        assert 0 <= w <= 1
        assert math.isfinite(v)
    assert gaussian.win(t, e)[0] >= 0
    assert gaussian.draw(t, e)[0] * t <= 0


@pytest.mark.parametrize("t", [-5.0, 5.0])
def test_moments_have_no_step_where_the_formula_changes(t: float) -> None:
    e = 0.01
    for moments, at in ((gaussian.win, -5.0 + e), (gaussian.draw, math.copysign(5.0 + e, t))):
        below, above = moments(at - 1e-9, e), moments(at + 1e-9, e)
        assert below == pytest.approx(above, abs=1e-7)


def test_a_great_upset_at_a_table_of_four_is_rated(result: MakeResult) -> None:
    model = _Model(RatingSettings())
    model.beliefs = {name: (25.0 + 300 * index, 0.25) for index, name in enumerate("abcd")}
    model.update(result(("a", 1), ("b", 2), ("c", 3), ("d", 4)).players)
    mus = [model.beliefs[name][0] for name in "abcd"]
    assert mus[0] > 30
    assert mus[3] < 920
    assert all(0 < variance < 0.25 for _, variance in model.beliefs.values())


def test_the_order_of_games_is_that_of_the_list(result: MakeResult) -> None:
    win, loss = result(("a", 1), ("b", 2)), result(("a", 2), ("b", 1))
    assert rate([win, loss], RatingSettings())["a"].mu < 25
    assert rate([loss, win], RatingSettings())["a"].mu > 25


def test_who_sits_where_does_not_matter(result: MakeResult) -> None:
    one = rate([result(("a", 1), ("b", 2)), result(("b", 1), ("a", 1))], RatingSettings())
    other = rate([result(("b", 2), ("a", 1)), result(("a", 1), ("b", 1))], RatingSettings())
    for name in "ab":
        assert (one[name].mu, one[name].sigma) == pytest.approx((other[name].mu, other[name].sigma))


def test_games_that_say_nothing_of_strength_are_not_rated(result: MakeResult) -> None:
    off, crash = Termination.DISABLED, Termination.CRASH
    rated = result(("a", 1), ("b", 2), termination=crash, forfeits={"b": crash})
    results = [
        result(("a", None), ("b", None), termination=Termination.VOID),
        result(("a", 1), ("b", 2), termination=off, forfeits={"b": off}),
        result(("a", 1), ("a", 2)),
        result(("c", 1), ("a", 2), ("a", 3), ("d", 4)),
    ]
    assert rate(results, RatingSettings()) == {}
    assert rate([*results, rated], RatingSettings()) == rate([rated], RatingSettings())


def test_a_rating_says_on_how_many_games_it_rests_and_what_is_almost_sure(result: MakeResult) -> None:
    ratings = rate([result(("a", 1), ("b", 2))] * 3 + [result(("a", 1), ("c", 1))], RatingSettings())
    assert {name: rating.games for name, rating in ratings.items()} == {"a": 4, "b": 3, "c": 1}
    assert ratings["a"].conservative == ratings["a"].mu - 3 * ratings["a"].sigma
    assert ratings["a"].name == "a"


def test_certainty_grows_with_games_and_the_better_one_is_found(result: MakeResult) -> None:
    chance = random.Random(7)
    results = [
        result(("good", 1), ("bad", 2)) if chance.random() < 0.75 else result(("good", 2), ("bad", 1))
        for _ in range(200)
    ]
    few, many = rate(results[:20], RatingSettings()), rate(results, RatingSettings())
    assert many["good"].sigma < few["good"].sigma < 25 / 3
    assert many["good"].mu - many["bad"].mu > 2


@pytest.mark.parametrize("bad", [{"sigma": 0.0}, {"beta": -1.0}, {"tau": -0.1}, {"draw_probability": 1e-5}])
def test_impossible_settings_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        RatingSettings(**bad)


def test_each_game_is_rated_with_its_own_share_of_draws() -> None:
    for id_ in game_ids():
        prior = game(id_).info.draw_prior
        assert settings_for(id_).draw_probability == min(max(prior, 1e-3), 0.95)
    assert settings_for("a-game-that-was-uninstalled") == RatingSettings()


def test_the_librarys_global_model_is_left_alone(result: MakeResult) -> None:
    before = trueskill.global_env()
    rate([result(("a", 1), ("b", 2), ("c", 3), ("d", 4))], RatingSettings(mu=100.0))
    assert trueskill.global_env() is before
    assert before.mu == 25


def test_three_at_a_table_are_rated_in_the_order_of_their_ranks(result: MakeResult) -> None:
    ratings = rate([result(("b", 2), ("c", 3), ("a", 1))], RatingSettings())
    assert ratings["a"].mu > ratings["b"].mu > ratings["c"].mu
