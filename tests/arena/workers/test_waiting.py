"""The games that wait for a worker are taken in whole groups, in their order."""

from __future__ import annotations

from arena.workers.waiting import MOST_GAMES, GameTimes, WaitingJobs, batch_size
from tests.arena.workers.jobs import job


def anything(_: object) -> bool:
    return True


def ids(jobs: list[object]) -> list[str]:
    return [game.id for game in jobs]  # type: ignore[attr-defined]


def waiting(*jobs: object) -> WaitingJobs:
    made = WaitingJobs()
    for game in jobs:
        made.add(game)  # type: ignore[arg-type]
    return made


PAIRS = job(1, "ab", "e2"), job(2, "ac"), job(3, "ba", "e2"), job(4, "ca"), job(5, "ab", "e3")


def test_both_games_of_an_opening_are_taken_together_in_the_order_of_the_first() -> None:
    games = waiting(*PAIRS)
    assert ids(games.take(1, anything, more_come=True)) == ["1", "3"]
    assert ids(games.take(1, anything, more_come=True)) == ["2", "4"]
    assert len(games) == 1


def test_half_a_pair_waits_for_the_other_half_while_more_may_come() -> None:
    games = waiting(PAIRS[4])
    assert games.take(9, anything, more_come=True) == []
    assert ids(games.take(9, anything, more_come=False)) == ["5"]


def test_games_without_an_opening_are_paired_two_by_two() -> None:
    games = waiting(*(job(n, "ab" if n % 2 else "ba") for n in range(6)))
    assert [ids(games.take(1, anything, more_come=False)) for _ in range(3)] == [
        ["0", "1"],
        ["2", "3"],
        ["4", "5"],
    ]


def test_games_of_four_are_taken_in_groups_of_four() -> None:
    games = waiting(*(job(n, "abcd") for n in range(5)))
    assert ids(games.take(1, anything, more_come=True)) == ["0", "1", "2", "3"]
    assert games.take(1, anything, more_come=True) == []


def test_a_worker_gets_no_game_that_it_cannot_play() -> None:
    games = waiting(*PAIRS)
    with_c = games.take(9, lambda job: any(seat.engine.name == "c" for seat in job.seats), more_come=False)
    assert ids(with_c) == ["2", "4"]
    assert len(games) == 3


def test_lost_games_come_first_and_stay_together() -> None:
    games = waiting(*PAIRS)
    lost = games.take(1, anything, more_come=True)
    games.put_back(lost)
    assert ids(games.take(1, anything, more_come=True)) == ["1", "3"]


def test_all_can_be_given_back() -> None:
    games = waiting(*PAIRS)
    assert ids(games.take(1, anything, more_come=True)) == ["1", "3"]
    assert games.clear() == ["2", "4", "5"]
    assert len(games) == 0


def test_a_batch_takes_half_a_minute_and_the_last_games_are_spread_over_all_workers() -> None:
    times = GameTimes()
    assert batch_size(times, waiting=100, slots=4) == 1  # nothing is known yet
    times.add(3.0)
    assert batch_size(times, waiting=1000, slots=4) == 10
    assert batch_size(times, waiting=8, slots=4) == 2
    assert batch_size(times, waiting=0, slots=0) == 1
    for _ in range(200):
        times.add(120.0)
    assert batch_size(times, waiting=1000, slots=4) == 1
    for _ in range(200):
        times.add(0.001)
    assert batch_size(times, waiting=10_000, slots=4) == MOST_GAMES
