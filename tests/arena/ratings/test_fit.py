"""The Elo fit, compared with independent optimisers, and with the true strengths of simulated engines."""

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import combinations, permutations
from math import exp, log

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.ratings.fit import Fit, fit
from arena.ratings.likelihood import Choices
from arena.ratings.settings import Anchor, RatingSettings
from arena.scoring import GameScore, GameScoreCounts, SeatScore

ELO = 400 / log(10)
USUAL = RatingSettings()


def outcome(*placed: tuple[str, int]) -> GameScore:
    return tuple(SeatScore(name, rank, 0.0, None) for name, rank in placed)


def fitted(games: GameScoreCounts, anchor: Anchor | None = None) -> Fit:
    found = fit(games, USUAL, anchor)
    assert found is not None
    return found


def elo(found: Fit) -> dict[str, float]:
    return {strength.name: strength.elo for strength in found.strengths}


def chances(worths: list[float], ties: list[float]) -> dict[tuple[int, ...], float]:
    """The probability that each set of players shares the next place, by the definition of the model."""
    weights = {}
    for size in range(1, len(worths) + 1):
        for chosen in combinations(range(len(worths)), size):
            weights[chosen] = ties[size - 1] * exp(sum(worths[one] for one in chosen) / size)
    total = sum(weights.values())
    return {chosen: weight / total for chosen, weight in weights.items()}


def play(
    chance: random.Random, truth: dict[str, float], seats: list[float], ties: list[float], names: list[str]
) -> GameScore:
    """Play one game by the model."""
    left, ranks = list(range(len(names))), {}
    while left:
        options = chances([truth[names[seat]] + seats[seat] for seat in left], ties)
        (chosen,) = chance.choices(list(options), list(options.values()))
        for one in chosen:
            ranks[left[one]] = len(names) - len(left) + 1
        left = [seat for index, seat in enumerate(left) if index not in chosen]
    return outcome(*((name, ranks[seat]) for seat, name in enumerate(names)))


def likelihood(games: GameScoreCounts, names: list[str], parameters: np.ndarray) -> float:
    """The log-likelihood of all games and the prior, by the definition of the model."""
    players, seats = len(names), max(map(len, games))
    truth = dict(zip(names, parameters[:players], strict=True))
    extra = parameters[players : players + seats]
    ties = [1.0, *np.exp(parameters[players + seats :])]
    deviations = np.array([1000] * players + [200] * seats + [1000] * (seats - 1)) / ELO
    total = -float(((parameters / deviations) ** 2).sum()) / 2
    for game, count in games.items():
        left = list(range(len(game)))
        while len(left) > 1:
            best = min(game[seat].rank for seat in left)
            chosen = tuple(index for index, seat in enumerate(left) if game[seat].rank == best)
            options = chances([truth[game[seat].name] + extra[seat] for seat in left], ties)
            total += count * log(options[chosen])
            left = [seat for seat in left if game[seat].rank != best]
    return total


def tie_of_two(left: list[int], ties: list[float]) -> float:
    """The probability that players 0 and 1 tie if all are equal, summed over all sets."""
    total = 0.0
    for chosen, chance in chances([0.0] * len(left), ties).items():
        places = {left[index] for index in chosen}
        if {0, 1} <= places:
            total += chance
        elif not {0, 1} & places:
            total += chance * tie_of_two([one for one in left if one not in places], ties)
    return total


@pytest.mark.slow  # imports choix for a second; the test with a general optimiser is quick
def test_without_draws_and_seats_it_is_bradley_and_terry_as_choix_has_it() -> None:
    import choix

    chance = random.Random(1)
    truth = {name: chance.gauss(0, 0.7) for name in "abcdef"}
    games: GameScoreCounts = Counter()
    wins = []
    for one, other in combinations(sorted(truth), 2):
        for _ in range(200):
            better = chance.random() < 1 / (1 + exp(truth[other] - truth[one]))
            winner, loser = (one, other) if better else (other, one)
            wins.append(("abcdef".index(winner), "abcdef".index(loser)))
            for seating in (
                ((winner, 1), (loser, 2)),
                ((loser, 2), (winner, 1)),
            ):  # both seatings, so that no seat is better
                games[outcome(*seating)] += 1
    theirs = choix.ilsr_pairwise(6, wins, alpha=0)
    ours = elo(fitted(games))
    assert [ours[name] for name in "abcdef"] == pytest.approx(list(ELO * (theirs - theirs.mean())), abs=1)


@pytest.mark.slow  # the same
def test_without_ties_of_four_it_is_plackett_and_luce_as_choix_has_it() -> None:
    import choix

    chance = random.Random(2)
    truth = {name: chance.gauss(0, 0.7) for name in "abcdef"}
    games: GameScoreCounts = Counter()
    rankings = []
    for _ in range(400):
        ranked = list(play(chance, truth, [0] * 4, [1, 0, 0, 0], chance.sample("abcdef", 4)))
        ranked.sort(key=lambda share: share.rank)
        rankings.append(["abcdef".index(share.name) for share in ranked])
        for seating in permutations(ranked):
            games[tuple(seating)] += 1
    theirs = choix.ilsr_rankings(6, rankings, alpha=0)
    ours = elo(fitted(games))
    assert [ours[name] for name in "abcdef"] == pytest.approx(list(ELO * (theirs - theirs.mean())), abs=1)


@pytest.mark.parametrize("players", [2, 4])
def test_strengths_seats_draws_and_errors_agree_with_a_general_optimiser(players: int) -> None:
    from scipy.optimize import minimize

    chance = random.Random(players)
    names = list("abcde")
    truth = {name: chance.gauss(0, 0.6) for name in names}
    seats, ties = [0.3, -0.1, -0.1, -0.1][:players], [1.0, 0.6, 0.3, 0.2][:players]
    games = Counter(play(chance, truth, seats, ties, chance.sample(names, players)) for _ in range(40))
    size = len(names) + 2 * players - 1
    best = minimize(
        lambda parameters: -likelihood(games, names, parameters), np.zeros(size), method="BFGS", tol=1e-4
    )
    found = fitted(games)
    centred = best.x[:5] - best.x[:5].mean()
    assert [elo(found)[name] for name in names] == pytest.approx(list(ELO * centred), abs=0.2)
    extra = best.x[5 : 5 + players] - best.x[5 : 5 + players].mean()
    assert [seat.elo for seat in found.seats] == pytest.approx(list(ELO * extra), abs=0.2)
    equals = tie_of_two(list(range(players)), [1.0, *np.exp(best.x[5 + players :])])
    assert found.draws == pytest.approx(equals, abs=1e-3)


@pytest.mark.parametrize(("players", "games"), [(2, 120), pytest.param(4, 60, marks=pytest.mark.slow)])
def test_intervals_cover_the_truth_about_95_times_in_100_and_likelihoods_come_true(
    players: int, games: int
) -> None:
    chance = random.Random(42)
    names = list("abcdef")
    seats, ties = [0.2, -0.2, 0.1, -0.1][:players], [1.0, 0.4, 0.1, 0.05][:players]
    covered = asked = 0
    right: list[bool] = []
    expected: list[float] = []
    for _ in range(120):
        truth = {name: chance.gauss(0, 1) for name in names}
        mean = sum(truth.values()) / len(truth)
        played = Counter(
            play(chance, truth, seats, ties, chance.sample(names, players)) for _ in range(games)
        )
        found = fitted(played)
        for strength in found.strengths:
            asked += 1
            covered += abs(strength.elo - ELO * (truth[strength.name] - mean)) <= strength.error
        matrix = found.superiority()
        for (row, one), (column, other) in combinations(enumerate(found.strengths), 2):
            if matrix[row][column] < 0.95:
                expected.append(matrix[row][column])
                right.append(truth[one.name] > truth[other.name])
    assert 0.93 < covered / asked < 0.975
    assert len(right) > 500
    assert sum(right) / len(right) == pytest.approx(sum(expected) / len(expected), abs=0.03)


def test_an_engine_that_has_won_everything_has_a_strength_and_a_wide_interval() -> None:
    found = fitted(Counter({outcome(("a", 1), ("b", 2)): 5, outcome(("b", 2), ("a", 1)): 5}))
    a, b = found.strengths
    assert (a.name, b.name) == ("a", "b")
    assert 150 < a.elo < 600
    assert a.elo == pytest.approx(-b.elo)
    assert a.elo - a.error < 150
    more = fitted(Counter({outcome(("a", 1), ("b", 2)): 500, outcome(("b", 2), ("a", 1)): 500}))
    assert more.strengths[0].elo > a.elo
    one_seat = fitted(Counter({outcome(("a", 1), ("b", 2)): 110}))  # the first step to it is too long
    assert one_seat.strengths[0].name == "a"


def test_the_same_games_give_the_same_numbers_in_any_order() -> None:
    chance = random.Random(9)
    truth = {name: chance.gauss(0, 0.5) for name in "abcdef"}
    played = [
        play(chance, truth, [0.1, 0, 0, 0], [1, 0.5, 0.3, 0.2], chance.sample("abcdef", 4)) for _ in range(80)
    ]
    first = fitted(Counter(played))
    for seed in range(3):
        other = fitted(Counter(random.Random(seed).sample(played, len(played))))
        assert (other.strengths, other.seats, other.draws) == (first.strengths, first.seats, first.draws)
        assert other.superiority() == first.superiority()


def test_a_hundred_million_games_are_fitted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding errors are then larger than the gain of the last steps."""
    steps = []
    derivatives = Choices.derivatives

    def counted(self: Choices, parameters: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        steps.append(parameters)
        assert len(steps) < 100
        return derivatives(self, parameters)

    monkeypatch.setattr(Choices, "derivatives", counted)
    chance = random.Random(3)
    for _ in range(40):
        steps.clear()
        games: GameScoreCounts = Counter()
        for _ in range(20):
            one, other = chance.sample("abcde", 2)
            games[outcome((one, 1), (other, chance.choice((1, 2))))] += chance.randrange(1, 10**9)
        assert all(0 < strength.error < 2000 for strength in fitted(games).strengths)


def test_the_anchor_has_its_elo_for_certain_and_the_others_are_seen_from_it() -> None:
    games = Counter({outcome(("a", 1), ("b", 2)): 30, outcome(("b", 1), ("a", 2)): 10})
    free, tied = fitted(games), fitted(games, Anchor("b", 1500))
    assert elo(tied)["b"] == 1500
    assert elo(tied)["a"] - 1500 == pytest.approx(elo(free)["a"] - elo(free)["b"])
    errors = {strength.name: strength.error for strength in tied.strengths}
    assert errors["b"] == 0
    assert errors["a"] == pytest.approx(2 * free.strengths[0].error)
    assert np.array(tied.superiority()) == pytest.approx(np.array(free.superiority()))


def between(firsts: int, seconds: int) -> GameScoreCounts:
    """Return games of a and b on both seats; each seat wins as often as its argument says."""
    return Counter(
        {
            outcome((first, 1 + won), (second, 2 - won)): count
            for first, second in (("a", "b"), ("b", "a"))
            for won, count in ((0, firsts), (1, seconds))
        }
    )


def test_a_seat_is_ahead_of_the_mean_of_seats_by_half_of_its_lead() -> None:
    first, second = fitted(between(120, 80)).seats
    lead, error = ELO * log(120 / 80), 1.96 * ELO / (400 * 0.6 * 0.4) ** 0.5
    assert (first.elo, second.elo) == pytest.approx((lead / 2, -lead / 2), rel=0.01)
    assert (first.error, second.error) == pytest.approx((error / 2, error / 2), rel=0.01)


def test_one_win_more_in_two_thousand_games_decides_the_order() -> None:
    games = between(500, 500) + Counter([outcome(("a", 2), ("b", 1))])
    assert list(elo(fitted(games))) == ["b", "a"]


def test_games_that_all_depend_on_each_other_show_no_other_error() -> None:
    games = between(30, 20)
    found = fit(games, USUAL, clusters=[games])
    assert found is not None
    assert (found.clustered, found.strengths) == (False, fitted(games).strengths)


def test_each_engine_is_compared_with_the_next_one_that_has_a_fit() -> None:
    wins = (("a", "b"), ("b", "c"))
    found = fitted(Counter({outcome((better, 1), (worse, 2)): 9 for better, worse in wins}))
    first, second = (found.superior.stronger(0, place) for place in (1, 2))
    assert found.ahead(["a", "b", "x", "c"]) == [first, None, None, None]
    assert found.ahead(["a", "c"]) == [second, None]
    assert found.ahead([]) == []


def test_an_anchor_without_a_rated_game_is_refused() -> None:
    with pytest.raises(ArenaError) as caught:
        fit(Counter({outcome(("a", 1), ("b", 2)): 1}), USUAL, Anchor("z", 0))
    assert str(caught.value) == (
        "the anchor 'z' has no rated game; choose one of a, b, or remove the anchor with"
        " `arena ratings --game ID --store anchor=default`"
    )


def test_matrices_take_one_thread_and_engines_do_not_inherit_the_setting() -> None:
    code = (
        "import os, subprocess, arena.ratings.fit, numpy\n"
        "numpy.linalg.solve(numpy.eye(900), numpy.eye(900))\n"
        "print(len(os.listdir('/proc/self/task')), flush=True)\n"
        "subprocess.run(['env'], check=True)"
    )
    environment = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    threads, *inherited = done.stdout.splitlines()
    assert threads == "1"
    assert "NUM_THREADS" not in "".join(inherited)
