"""Tests of how many games a plan has before the first one is played."""

from __future__ import annotations

import pytest

from arena.config import PairingPlan, Sprt
from arena.formats.schedule import planned_games

FIVE = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    ("plan", "games"),
    [
        (PairingPlan("round-robin", {"quoridor": FIVE}, 4), 40),
        (PairingPlan("round-robin", {"quoridor": FIVE, "hops": FIVE[:2]}, 2), 22),
        (PairingPlan("gauntlet", {"quoridor": FIVE}, 2, seeds=("a", "d")), 12),
        (PairingPlan("gauntlet", {"quoridor": FIVE[:3]}, 2, seeds=("a", "d")), 4),
        (PairingPlan("swiss", {"quoridor": FIVE}, 2, rounds=3), 12),
        (PairingPlan("match", {"quoridor": FIVE[:2]}, max_games=50), 50),
        (PairingPlan("match", {"quoridor": FIVE[:2], "hops": FIVE[:2]}, max_games=50), 100),
        (PairingPlan("ladder", {"quoridor": FIVE}, max_games=7), 7),
        (PairingPlan("ladder", {"quoridor": FIVE}), None),
        (PairingPlan("knockout", {"quoridor": FIVE}), None),
        (PairingPlan("match", {"quoridor": FIVE[:2]}, max_games=50, sprt=Sprt(0, 5)), None),
        (PairingPlan("round-robin", {"quoridor": FIVE, "no-such-game": FIVE}), None),
    ],
)
def test_the_number_of_games_follows_from_the_plan_unless_results_decide_it(
    plan: PairingPlan, games: int | None
) -> None:
    assert planned_games(plan) == games


def test_four_at_a_board_play_a_game_from_each_seat() -> None:
    assert planned_games(PairingPlan("round-robin", {"quoridor4": FIVE[:4]}, 1)) == 4
