"""One rating over several games: equal weights, intervals that hold, engines that played all games."""

import random
from collections import Counter

import pytest

from arena.errors import ArenaError
from arena.ratings.overall import Overall, RatedGames, overall
from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill import Model
from arena.scoring import GameScoreCounts, SeatScore
from tests.arena.ratings.test_fit import chances, elo, fitted, outcome, play

NAMES = ["a", "b", "c", "d"]
SEATS, TIES = [0.1, -0.1], [1.0, 0.5]


def results(*wins: tuple[str, str, int]) -> GameScoreCounts:
    """Count games in which the first engine beat the second, on both seats."""
    counts: GameScoreCounts = Counter()
    for winner, loser, count in wins:
        counts[outcome((winner, 1), (loser, 2))] += count
        counts[outcome((loser, 2), (winner, 1))] += count
    return counts


def rated(**games: GameScoreCounts) -> Overall:
    return overall({id_: RatedGames(counts) for id_, counts in games.items()})


def elos(found: Overall) -> dict[str, float]:
    return {strength.together.name: strength.together.elo for strength in found.strengths}


def test_intervals_cover_the_truth_about_95_times_in_100_although_strengths_differ_by_game() -> None:
    covered = total = 0
    for seed in range(120):
        chance = random.Random(seed)
        usual = {name: chance.gauss(0, 0.7) for name in NAMES}
        games, expected = {}, {}
        for id_, number in (("one", 40), ("two", 150), ("three", 80)):
            truth = {name: value + chance.gauss(0, 0.7) for name, value in usual.items()}
            pairs = [chance.sample(NAMES, 2) for _ in range(number)]
            games[id_] = Counter(play(chance, truth, SEATS, TIES, pair) for pair in pairs)
            expected[id_] = GameScoreCounts()
            for one, two in pairs:  # what countless repetitions of these games would give
                sets = chances([truth[one] + SEATS[0], truth[two] + SEATS[1]], TIES)
                for first, share in sets.items():
                    score = outcome((one, 1 if 0 in first else 2), (two, 1 if 1 in first else 2))
                    expected[id_][score] += share * 10_000
        true = elos(rated(**expected))
        for strength in rated(**games).strengths:
            covered += abs(strength.together.elo - true[strength.together.name]) <= strength.together.error
            total += 1
    assert 0.92 < covered / total < 0.98


def test_each_game_has_the_same_weight_however_many_results_it_has() -> None:
    few = {"one": results(("a", "b", 6), ("b", "a", 4)), "two": results(("a", "b", 3), ("b", "a", 7))}
    many = {**few, "two": results(("a", "b", 300), ("b", "a", 700))}
    assert elos(rated(**many))["a"] == pytest.approx(elos(rated(**few))["a"], abs=1)
    assert elos(rated(**few))["a"] < 0 < elo(fitted(few["one"]))["a"]
    won = results(("a", "b", 3))
    assert elos(rated(one=won, two=won))["a"] == pytest.approx(elo(fitted(won + won))["a"], rel=0.1)


def test_the_interval_is_from_the_interval_of_each_game() -> None:
    games = {"one": results(("a", "b", 12), ("b", "a", 8)), "two": results(("a", "b", 300), ("b", "a", 200))}
    together = rated(**games).strengths[0].together
    errors = [fitted(counts).strengths[0].error for counts in games.values()]
    assert together.error == pytest.approx(sum(error**2 for error in errors) ** 0.5 / 2, rel=0.1)


def test_games_on_one_opening_count_as_one_observation() -> None:
    won, lost = results(("a", "b", 1)), results(("b", "a", 1))
    games = RatedGames(results(("a", "b", 60), ("b", "a", 40)), [*[won] * 60, *[lost] * 40])
    found = overall({"one": games, "two": games})
    single = rated(one=games.counts, two=games.counts)
    assert elos(found) == elos(single)
    assert found.strengths[0].together.error > 1.2 * single.strengths[0].together.error
    outside = results(("c", "a", 5))
    more = RatedGames(games.counts + outside, [*games.clusters, outside])
    assert overall({"one": more, "two": games}).strengths == found.strengths


def test_the_worst_game_is_beside_the_best_with_its_own_fit() -> None:
    games = {"one": results(("a", "b", 8), ("b", "a", 2)), "two": results(("a", "b", 5), ("b", "a", 5))}
    best = {strength.together.name: strength for strength in rated(**games).strengths}["a"]
    assert [id_ for id_, _ in best.by_game] == ["two", "one"]
    assert best.by_game[1][1].elo == pytest.approx(elo(fitted(games["one"]))["a"])
    assert best.by_game[0][1].elo < best.together.elo < best.by_game[1][1].elo


def test_only_games_among_engines_that_played_all_count() -> None:
    common = {"one": results(("a", "b", 6), ("b", "a", 4)), "two": results(("a", "b", 5), ("b", "a", 5))}
    # e played d only, so d has no game of "one" among the engines that played all.
    more = {
        "one": common["one"] + results(("c", "a", 5), ("d", "e", 2)),
        "two": common["two"] + results(("d", "a", 3)),
    }
    found = rated(**more)
    assert found.games == {"one": 20, "two": 20}
    assert elos(found) == elos(rated(**common))


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ({}, "needs rated games of two ids; there are none"),
        ({"one": results(("a", "b", 1))}, "there is only one"),
        (
            {"one": results(("a", "b", 1)), "two": results(("a", "c", 1))},
            "played each of one, two among each other",
        ),
    ],
)
def test_games_that_no_two_engines_share_are_refused(games: dict, message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        rated(**games)


@pytest.mark.parametrize(("tau", "least", "most"), [(0.0, 0, 0), (25 / 300, 100, 400)])
def test_a_win_lowers_the_rating_of_no_winner_unless_engines_change(
    tau: float, least: int, most: int
) -> None:
    chance = random.Random(1)
    fell = 0
    for _ in range(3000):
        model = Model(RatingSettings(tau=tau))
        for name in ("winner", "loser"):
            model.beliefs[name] = chance.uniform(0, 50), chance.uniform(0.5, 25 / 3)
        mu, sigma = model.beliefs["winner"]
        model.update((SeatScore("winner", 1, 1.0, None), SeatScore("loser", 2, 0.0, None)))
        new_mu, new_sigma = model.beliefs["winner"]
        fell += new_mu - 3 * new_sigma < mu - 3 * sigma
    assert least <= fell <= most
