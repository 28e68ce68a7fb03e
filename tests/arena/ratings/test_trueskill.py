"""TrueSkill, compared with the numbers of its authors and with exact arithmetic."""

import random
from collections.abc import Callable

import mpmath
import pytest
import trueskill

from arena.model import GameResult
from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill import Model, Rating
from arena.ratings.trueskill import rate as rate_seats
from referee import Termination

MakeResult = Callable[..., GameResult]
PUBLISHED = RatingSettings(tau=25 / 300, draw_probability=0.1)


def rate(results: list[GameResult], settings: RatingSettings) -> dict[str, Rating]:
    return rate_seats([result.players for result in results if result.counts], settings)


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


@pytest.mark.parametrize("prior", [1e-3, 0.95])
def test_the_rarest_and_the_commonest_draws_agree_with_exact_numbers(
    result: MakeResult, prior: float
) -> None:
    exact = trueskill.TrueSkill(tau=0, draw_probability=prior, backend="mpmath")
    for ranks in ((1, 2), (1, 1)):
        pair = [(exact.create_rating(),), (exact.create_rating(),)]
        expected = [(float(rating.mu), float(rating.sigma)) for (rating,) in exact.rate(pair, ranks=ranks)]
        ours = rate([result(*zip("ab", ranks, strict=True))], RatingSettings(draw_probability=prior))
        for name, numbers_ in zip("ab", expected, strict=True):
            assert (ours[name].mu, ours[name].sigma) == pytest.approx(numbers_, rel=1e-3)


@pytest.mark.parametrize("tau", [0.0, 25 / 300])
@pytest.mark.parametrize("prior", [0.001, 0.1, 0.95])
@pytest.mark.parametrize("ranks", [(1, 2), (2, 1), (1, 1)])
def test_a_game_for_two_is_rated_as_by_the_factor_graph_of_the_library(
    result: MakeResult, ranks: tuple[int, int], prior: float, tau: float
) -> None:
    settings = RatingSettings(draw_probability=prior, tau=tau)
    library = trueskill.TrueSkill(tau=tau, draw_probability=prior)
    rng = random.Random(f"{ranks} {prior} {tau}")
    for _ in range(30):
        beliefs = [(rng.gauss(25, 10), rng.uniform(0.3, 8.3)) for _ in "ab"]
        pair = [(library.create_rating(*belief),) for belief in beliefs]
        earlier = {name: Rating(*belief, 1) for name, belief in zip("ab", beliefs, strict=True)}
        played = [result(*zip("ab", ranks, strict=True)).players]
        found = numbers(rate_seats(played, settings, earlier))
        for name, (rating,) in zip("ab", library.rate(pair, ranks=ranks), strict=True):
            assert found[name] == pytest.approx((rating.mu, rating.sigma), rel=1e-9)


@pytest.mark.parametrize("gap", [300, 2000])
def test_a_great_upset_is_rated_though_the_quick_numerics_give_up(result: MakeResult, gap: float) -> None:
    model = Model(RatingSettings())
    model.beliefs = {"a": (25.0, 0.5), "b": (25.0 + gap, 0.5)}
    with pytest.raises(FloatingPointError):
        model._rated(model._quick, result(("a", 1), ("b", 2)).players)
    model.update(result(("a", 1), ("b", 2)).players)
    assert 25 < model.beliefs["a"][0] < model.beliefs["b"][0] < 25 + gap
    assert all(0 < sigma < 0.5 for _, sigma in model.beliefs.values())


@pytest.mark.parametrize(
    ("settings", "beliefs", "ranks"),
    [
        (RatingSettings(), ((25.0, 25 / 3), (528.94, 25 / 3)), (1, 2)),
        (RatingSettings(), ((25.0, 25 / 3), (1025.0, 25 / 3)), (1, 2)),
        (RatingSettings(), ((1224.0, 3.0), (25.0, 25 / 3)), (2, 1)),
        (RatingSettings(), ((25.0, 25 / 3), (5025.0, 25 / 3)), (1, 1)),
        (RatingSettings(draw_probability=0.95), ((525.0, 25 / 3), (25.0, 0.5)), (1, 1)),
        (RatingSettings(draw_probability=0.001), ((525.0, 25 / 3), (25.0, 0.5)), (1, 1)),
        (RatingSettings(draw_probability=0.001), ((25.0, 25 / 3), (432.01420939989185, 3.0)), (1, 1)),
        (RatingSettings(), ((1025.0, 25 / 3), (25.0, 25 / 3)), (1, 2)),
        (RatingSettings(), ((25.0, 0.5), (325.0, 0.5), (625.0, 0.5), (925.0, 0.5)), (1, 2, 3, 4)),
        (RatingSettings(), ((25.0, 8.0), (325.0, 0.5), (625.0, 8.0), (925.0, 0.5)), (1, 2, 2, 4)),
        (RatingSettings(), ((25.0, 0.5), (325.0, 0.5), (174.0, 3.0), (172.0, 0.5)), (1, 2, 3, 4)),
        (RatingSettings(), ((25.0, 0.5), (325.0, 0.5), (174.0, 3.0), (172.0, 0.5)), (1, 2, 2, 4)),
    ],
)
def test_where_the_librarys_approximations_fail_a_game_is_rated_as_with_sixty_digits(
    result: MakeResult,
    monkeypatch: pytest.MonkeyPatch,
    settings: RatingSettings,
    beliefs: tuple[tuple[float, float], ...],
    ranks: tuple[int, ...],
) -> None:
    monkeypatch.setattr(mpmath.mp, "dps", 60)
    exact = trueskill.TrueSkill(tau=0, draw_probability=settings.draw_probability, backend="mpmath")
    expected = exact.rate([(exact.create_rating(*belief),) for belief in beliefs], ranks=ranks)
    model = Model(settings)
    model.beliefs = dict(zip("abcd", beliefs, strict=False))
    model.update(result(*zip("abcd", ranks, strict=False)).players)
    for name, (rating,) in zip("abcd", expected, strict=False):
        assert model.beliefs[name] == pytest.approx((float(rating.mu), float(rating.sigma)), rel=1e-7)


@pytest.mark.parametrize("ranks", [(1, 2), (1, 1), (1, 2, 2, 4)])
def test_on_a_scale_twice_as_large_all_numbers_are_twice_as_large(
    result: MakeResult, ranks: tuple[int, ...]
) -> None:
    played = [result(*zip("abcd", ranks, strict=False)), result(*zip("badc", ranks, strict=False))]
    usual = rate(played, RatingSettings(tau=0.1))
    large = rate(played, RatingSettings(mu=50.0, sigma=50 / 3, beta=25 / 3, tau=0.2))
    for name, (mu, sigma) in numbers(usual).items():
        assert numbers(large)[name] == pytest.approx((2 * mu, 2 * sigma))


def test_a_game_for_two_takes_no_factor_graph(result: MakeResult, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*_: object) -> None:
        raise AssertionError("the library builds a factor graph")

    monkeypatch.setattr(Model, "_rated", build)
    assert rate([result(("a", 1), ("b", 2))], RatingSettings())["a"].games == 1


@pytest.mark.parametrize("prior", [0.1, 0.5])
def test_a_tie_at_a_table_of_four_is_rated_with_the_settings_share_of_draws(
    result: MakeResult, prior: float
) -> None:
    library = trueskill.TrueSkill(tau=0, draw_probability=prior)
    ranks = (1, 2, 2, 4)
    expected = library.rate([(library.create_rating(),) for _ in ranks], ranks=ranks)
    found = numbers(rate([result(*zip("abcd", ranks, strict=True))], RatingSettings(draw_probability=prior)))
    for name, (rating,) in zip("abcd", expected, strict=True):
        assert found[name] == pytest.approx((rating.mu, rating.sigma), rel=1e-9)


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


DRAWS = r"the draw probability must lie between 0\.001 and 0\.95"


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ({"draw_probability": 1e-5}, DRAWS),
        ({"draw_probability": 0.951}, DRAWS),
    ],
)
def test_impossible_settings_are_refused(bad: dict[str, float], problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        RatingSettings(**bad)


@pytest.mark.parametrize(
    ("forfeits", "rated", "without"),
    [
        ({}, True, True),
        ({"b": Termination.RESIGN}, True, True),
        ({"b": Termination.TIME}, True, False),
        ({"b": Termination.ILLEGAL, "a": Termination.CRASH}, True, False),
        ({"b": Termination.RESIGN, "a": Termination.CRASH}, True, False),
        ({"b": Termination.DISABLED}, False, False),
        ({"b": Termination.DISABLED, "a": Termination.CRASH}, False, False),
    ],
)
def test_forfeits_are_rated_unless_they_are_left_out_and_games_not_played_never(
    result: MakeResult, forfeits: dict[str, Termination], rated: bool, without: bool
) -> None:
    game_ = result(("a", 1), ("b", 2), forfeits=forfeits)
    assert RatingSettings().rates(game_.players) == rated
    assert RatingSettings(forfeits=False).rates(game_.players) == without


def test_ratings_go_on_from_those_that_are_known(result: MakeResult) -> None:
    first, second = [result(("a", 1), ("b", 2))] * 3, [result(("b", 1), ("c", 2))] * 2
    known = rate(first, RatingSettings())
    whole = rate([*first, *second], RatingSettings())
    assert rate_seats([game_.players for game_ in second], RatingSettings(), known) == whole
    assert {name: rating.games for name, rating in whole.items()} == {"a": 3, "b": 5, "c": 2}


def test_a_copy_of_a_model_learns_alone(result: MakeResult) -> None:
    model = Model(RatingSettings())
    model.update(result(("a", 1), ("b", 2)).players)
    before = dict(model.beliefs), dict(model.games)
    other = model.copy()
    assert (other.beliefs, other.games) == before
    other.update(result(("a", 1), ("b", 2)).players)
    assert (model.beliefs, model.games) == before
    assert other.games == {"a": 2, "b": 2}
    model.update(result(("a", 1), ("b", 2)).players)
    assert model.beliefs == other.beliefs


def test_the_librarys_global_model_is_left_alone(result: MakeResult) -> None:
    before = trueskill.global_env()
    rate([result(("a", 1), ("b", 2), ("c", 3), ("d", 4))], RatingSettings(mu=100.0))
    assert trueskill.global_env() is before
    assert before.mu == 25


def test_the_order_of_the_seats_matters_only_among_those_who_share_a_rank(result: MakeResult) -> None:
    seated = [("d", 4), ("b", 2), ("a", 1), ("c", 2)]
    others = [("a", 1), ("b", 2), ("c", 2), ("d", 4)]
    assert rate([result(*seated)], RatingSettings()) == rate([result(*others)], RatingSettings())
