"""The check of the fit warns of results that strengths on one scale cannot explain, and of no others."""

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from math import exp, log
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.special import chdtrc

from arena.cli import main
from arena.model import GameRecord
from arena.ratings.fit import fit
from arena.ratings.fit_check import FitCheck, check_fit
from arena.ratings.settings import RatingSettings
from arena.scoring import GameScoreCounts, SeatScore
from arena.store import Store
from arena.tables.ratings import check_note
from referee import Termination

USUAL = RatingSettings()


def result(one: str, other: str, first: int = 1, second: int = 2) -> tuple[SeatScore, ...]:
    return SeatScore(one, first, 0.0, None), SeatScore(other, second, 0.0, None)


def checked(games: GameScoreCounts, settings: RatingSettings = USUAL) -> FitCheck:
    found = fit(games, settings)
    assert found is not None
    return check_fit(games, settings, found)


def circle(games: int) -> GameScoreCounts:
    """Return games in which a beats b, b beats c, and c beats a, three times of four."""
    played: GameScoreCounts = Counter()
    for one, other in ("ab", "bc", "ca"):
        for turn in range(2):
            for wins, (winner, loser) in ((3, (one, other)), (1, (other, one))):
                pair = result(winner, loser) if turn else result(loser, winner, 2, 1)
                played[pair] += wins * games // 8
    return played


def test_engines_that_beat_each_other_in_a_circle_are_seen() -> None:
    found = checked(circle(40))
    assert (found.freedom, found.pairs, found.explains) == (1, 3, False)
    assert found.worst is not None
    assert (found.worst.games, found.worst.points) == (40, 30.0)
    assert found.worst.expected == pytest.approx(20)
    assert found.worst.deviation == pytest.approx(10**0.5, rel=1e-3)
    assert found.chi_square == pytest.approx(3 * 10, rel=1e-2)
    assert check_note(found) == (
        "Warning: the strengths do not explain the results of the pairs, worst for a against b:"
        " 30 of 40 points, expected 20.0; some engines may beat stronger ones regularly,"
        " so look at the crosstable"
    )


@pytest.mark.parametrize(("square", "freedom"), [(1.0, 1), (12.0, 3), (150.0, 171), (260.0, 171)])
def test_the_probability_of_a_chi_square_is_that_of_scipy(square: float, freedom: int) -> None:
    found = FitCheck((), freedom + 1, None, square, freedom)
    assert found.probability == pytest.approx(chdtrc(freedom, square), abs=0.004)


def test_games_of_the_model_are_explained_and_the_parts_have_all_games() -> None:
    chance = random.Random(4)
    elo = {name: chance.gauss(0, 150) for name in "abcdefgh"}
    games: GameScoreCounts = Counter()
    for one, other in combinations(elo, 2):
        half = (elo[one] - elo[other]) * log(10) / 800
        for first, second in chance.choices(((1, 2), (1, 1), (2, 1)), (exp(half), 0.5, exp(-half)), k=30):
            games[result(one, other, first, second)] += 1
    found = checked(games)
    assert found.explains
    assert 0.01 < found.probability < 0.999
    assert found.freedom == 28 - 7
    assert sum(part.games for part in found.differences) == games.total()
    assert len(found.differences) == 8
    for part in found.differences:
        assert sum(part.observed) == pytest.approx(1)
        assert sum(part.expected) == pytest.approx(1)
        assert abs(part.points - part.expected_points) < 2 * part.error
    means = [part.difference for part in found.differences]
    assert means == sorted(means)
    assert check_note(found).endswith("; chance explains the differences")


def test_the_order_of_the_games_changes_no_digit() -> None:
    games = circle(40) + Counter({result("a", "d"): 7, result("d", "c", 1, 1): 3, result("d", "b"): 5})
    assert checked(Counter(dict(reversed(games.items())))) == checked(games)


@pytest.mark.parametrize(
    "games",
    [
        Counter({result("a", "b"): 10}),
        Counter({result("a", "b", 1, 1): 10**6}),
        Counter({result("a", "b"): 10**6, result("b", "a", 2, 1): 10**6}),
    ],
    ids=["all won", "only draws", "a million won"],
)
def test_two_engines_have_nothing_to_check(games: GameScoreCounts) -> None:
    found = checked(games)
    assert found.freedom == 0
    assert found.explains
    assert check_note(found) == ""


def test_forfeits_that_are_not_rated_are_not_checked() -> None:
    lost = (SeatScore("a", 1, 1.0, None), SeatScore("b", 2, 0.0, Termination.CRASH))
    games = circle(40) + Counter({lost: 40})
    skipped = checked(games, RatingSettings(forfeits=False))
    assert sum(part.games for part in skipped.differences) == 120
    assert sum(part.games for part in checked(games).differences) == 160


def test_games_of_four_have_a_worst_pair_and_no_verdict() -> None:
    games: GameScoreCounts = Counter()
    for first in range(4):
        names = "abcd"[first:] + "abcd"[:first]
        games[tuple(SeatScore(name, 1 + "abcd".index(name), 0.0, None) for name in names)] = 5
        games[tuple(SeatScore(name, 4 - "abcd".index(name), 0.0, None) for name in names)] = 4
    found = checked(games)
    assert (found.pairs, found.freedom, found.explains) == (6, 0, True)
    assert check_note(found).startswith("Check of the fit: worst for ")
    assert "chance" not in check_note(found)


def test_the_command_shows_the_line_and_has_the_check_in_json(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    database = tmp_path / "arena.db"
    winners = ["ab", "bc", "ca"] * 30 + ["ba", "cb", "ac"] * 5
    with closing(Store.open(database, create=True)) as store:
        store.begin_tournament("cup", {})
        seated = [
            ((one, 1), (two, 2))[:: 1 if number // 3 % 2 else -1] for number, (one, two) in enumerate(winners)
        ]
        store.add_games([record(*seats, number=number) for number, seats in enumerate(seated)])
    shown = CliRunner().invoke(main, ["ratings", "--db", str(database)]).stdout
    assert "Warning: the strengths do not explain the results of the pairs, worst for " in shown
    (table,) = json.loads(CliRunner().invoke(main, ["ratings", "--json", "--db", str(database)]).stdout)
    check = table["fit"]["check"]
    assert check["worst"]["games"] == 35
    assert check["probability"] < 0.001
    assert sum(part["games"] for part in check["differences"]) == 105


def test_draws_seats_and_strengths_are_expected_as_the_model_has_them() -> None:
    # Davidson's model with 120 Elo between the engines, 50 for the first seat, and a tie parameter of 0.8.
    games: GameScoreCounts = Counter()
    for names, difference in ((("a", "b"), 170), (("b", "a"), -70)):
        odds = (10 ** (difference / 800), 0.8, 10 ** (-difference / 800))
        for ranks, share in zip(((1, 2), (1, 1), (2, 1)), odds, strict=True):
            seats = tuple(SeatScore(name, rank, 0.0, None) for name, rank in zip(names, ranks, strict=True))
            games[seats] = round(100_000 * share / sum(odds))
    fitted = fit(games, RatingSettings())
    assert fitted is not None
    found = check_fit(games, RatingSettings(), fitted)
    # Each result of a difference is a part of its own here: the lost games, the drawn ones, the won ones.
    assert [round(one.difference) for one in found.differences] == [70] * 3 + [170] * 3
    for alike in (found.differences[:3], found.differences[3:]):
        observed = tuple(one.games / 100_000 for one in reversed(alike))
        assert alike[0].expected == pytest.approx(observed, abs=0.001)
    assert found.worst is not None
    assert found.worst.expected == pytest.approx(found.worst.points, rel=0.001)
    variance = sum(
        one.games * (one.expected[0] + one.expected[1] / 4 - one.expected_points**2)
        for one in found.differences
    )
    assert found.worst.deviation == pytest.approx(variance**0.5, rel=1e-6)


def test_games_that_are_not_rated_are_not_checked() -> None:
    lost = SeatScore("a", 1, 0.0, None), SeatScore("b", 2, 0.0, Termination.CRASH)
    games = Counter({lost: 10, result("a", "b"): 20, result("b", "a"): 20})
    settings = RatingSettings(forfeits=False)
    fitted = fit(games, settings)
    assert fitted is not None
    found = check_fit(games, settings, fitted)
    assert sum(one.games for one in found.differences) == 40
    assert found.worst is not None
    assert found.worst.games == 40
