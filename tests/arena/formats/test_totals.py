"""Tests of how many games a plan has before the first one is played."""

from __future__ import annotations

import pytest

from arena.formats.format import Setting, check_round
from arena.formats.plan import Plan
from arena.ratings.sprt import Sprt
from protocol.keys import WrongKey
from tests.arena.formats.playing import plan

FIVE = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    ("made", "games"),
    [
        (plan("round-robin", {"quoridor": FIVE}, games_per_pairing=4), 40),
        (plan("round-robin", {"quoridor": FIVE, "hops": FIVE[:2]}, games_per_pairing=2), 22),
        (plan("round-robin", {"quoridor4": FIVE[:4]}, games_per_pairing=1), 4),
        (plan("gauntlet", {"quoridor": FIVE}, games_per_pairing=2, seeds=("a", "d")), 12),
        (plan("gauntlet", {"quoridor": FIVE[:3]}, games_per_pairing=2, seeds=("a", "d")), 4),
        (plan("swiss", {"quoridor": FIVE}, games_per_pairing=2, rounds=3), 12),
        (plan("match", {"quoridor": FIVE[:2]}, max_games=50), 50),
        (plan("match", {"quoridor": FIVE[:2], "hops": FIVE[:2]}, max_games=50), 100),
        (plan("ladder", {"quoridor": FIVE}, max_games=7), 7),
        (plan("ladder", {"quoridor": FIVE}), None),
        (plan("knockout", {"quoridor": FIVE}), None),
        (plan("match", {"quoridor": FIVE[:2]}, max_games=50, sprt=Sprt(0, 5)), None),
        (plan("round-robin", {"quoridor": FIVE, "no-such-game": FIVE}), None),
    ],
)
def test_the_number_of_games_follows_from_the_plan_unless_results_decide_it(
    made: Plan, games: int | None
) -> None:
    assert made.total == games


@pytest.mark.parametrize(("engines", "most"), [(4, 50_000), (7, 28_571), (300_000, 1)])
def test_a_round_has_at_most_a_hundred_thousand_games(engines: int, most: int) -> None:
    setting = Setting({"quoridor": tuple(f"e{number}" for number in range(engines))})
    check_round("round", "games_per_pairing", most, setting)
    with pytest.raises(WrongKey) as caught:
        check_round("round", "games_per_pairing", most + 1, setting)
    assert caught.value.names == ("games_per_pairing",)
    problem = f"with {engines} engines in quoridor this must be at most {most} in a round, not {most + 1}"
    assert str(caught.value) == problem
