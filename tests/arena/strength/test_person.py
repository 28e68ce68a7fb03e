"""Where a person stands among levels, after five games and more."""

from collections import Counter
from random import Random

import pytest

from arena.strength.interval import expected_score
from arena.strength.levels import Scale
from arena.strength.person import PersonPlace, person_place

SCALE = Scale((0.0, 300.0, 600.0, 900.0), 0.1)


def place(*games: tuple[int, float]) -> PersonPlace:
    found = person_place(SCALE, Counter(games))
    assert found is not None
    return found


def test_four_games_say_nothing_yet() -> None:
    assert person_place(SCALE, Counter({(2, 1.0): 4})) is None


def test_as_many_wins_as_losses_are_worth_the_level_and_the_next_one_is_stronger() -> None:
    even = place(*[(2, 1.0)] * 4, *[(2, 0.0)] * 4)
    assert (even.nearest, even.next) == (2, 3)
    assert even.elo == pytest.approx(300, abs=25)
    assert (even.low, even.high) == (0, 600)  # twice the error, which is about 150
    assert place(*[(2, 0.5)] * 8).elo == pytest.approx(even.elo)


def test_who_wins_or_loses_everything_stands_beyond_the_levels_with_a_wide_interval() -> None:
    best, last = place(*[(4, 1.0)] * 9), place(*[(1, 0.0)] * 9)
    assert (best.nearest, best.next) == (4, 4)
    assert (last.nearest, last.next) == (1, 1)
    assert last.elo < 0 < 900 < best.elo < best.high <= 1400


@pytest.mark.parametrize("number", [5, 20])
def test_the_interval_holds_for_95_of_100_people_who_play_the_levels_that_are_offered(number: int) -> None:
    chance, inside = Random(1), 0
    for _ in range(300):
        strength, level = chance.uniform(-200, 1100), 2
        games: Counter[tuple[int, float]] = Counter()
        for _ in range(number):
            won = chance.random() < expected_score(strength - SCALE.elo[level - 1], SCALE.draws)
            games[level, float(won)] += 1
            stands = person_place(SCALE, games)
            level = level if stands is None else stands.next
        assert stands is not None
        inside += stands.low <= strength <= stands.high
    assert inside >= 0.92 * 300
