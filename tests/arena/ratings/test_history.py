"""How ratings went: samples of TrueSkill's numbers after some of the games."""

import pytest

from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill import RatingSample, history, rate
from arena.scoring import GameScore, SeatScore

MODEL = RatingSettings()


def games(count: int) -> list[GameScore]:
    names = ("a", "b", "c")
    return [
        (SeatScore(names[number % 3], 1, 1.0, None), SeatScore(names[(number + 1) % 3], 2, 0.0, None))
        for number in range(count)
    ]


def test_a_sample_has_the_ratings_of_all_games_up_to_it() -> None:
    played = games(3)
    assert history(played, MODEL) == [RatingSample(count, rate(played[:count], MODEL)) for count in (1, 2, 3)]


@pytest.mark.parametrize(
    ("count", "step", "samples"), [(200, 1, 200), (201, 2, 101), (400, 2, 200), (401, 3, 134)]
)
def test_there_are_200_samples_at_most_and_the_last_is_after_the_last_game(
    count: int, step: int, samples: int
) -> None:
    played = games(count)
    found = history(played, MODEL)
    assert [sample.games for sample in found][:3] == [step, 2 * step, 3 * step]
    assert len(found) == samples
    assert found[-1] == RatingSample(count, rate(played, MODEL))
