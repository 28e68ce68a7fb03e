"""The games of a club, with a referee that only notes its orders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from arena.config import load
from arena.run.local_referees import LocalReferees
from arena.web.casual_game import Offer, Status, Unplayable
from arena.web.server import club as module
from arena.web.server.club import Club, TooMany
from referee.match.job import Job
from tests.arena.web.play.play_browser import tournament_file

WISH = {"game": "quoridor", "seats": [None, "mate-1"]}


class Referees:
    """Takes orders, and does nothing."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.abandoned: list[str] = []

    async def submit(self, job: Job) -> None:
        self.jobs[job.id] = job

    async def abandon(self, job: str) -> None:
        self.abandoned.append(job)


@pytest.fixture
def referees() -> Referees:
    return Referees()


@pytest.fixture
def club_of(tmp_path: Path, referees: Referees) -> Callable[[int], Club]:
    offer = Offer(load(tournament_file(tmp_path, ["quoridor"])))
    found = cast("LocalReferees", referees)
    return lambda most: Club(offer, found, most, lambda name, text: pytest.fail(f"{name}: {text}"))


async def over(club: Club) -> str:
    """Play a game that ends without a result, and return its id."""
    found = await club.begin(WISH)
    await club.end(found, "enough")
    assert found.game.status is Status.OVER
    return found.game.id


async def test_two_hundred_games_that_are_over_can_still_be_looked_at_and_the_oldest_are_forgotten(
    club_of: Callable[[int], Club],
) -> None:
    club = club_of(2)
    running = await club.begin(WISH)
    ids = [await over(club) for _ in range(module._MOST_KEPT)]
    assert module._MOST_KEPT == 200
    assert all(club.find(id_) for id_ in ids)
    newest = [await over(club), await over(club)]  # the first of them makes no room, because 200 were over
    assert club.find(ids[0]) is None
    assert all(club.find(id_) for id_ in (*ids[1:], *newest))
    assert club.find(running.game.id) is running  # however old it is


async def test_a_game_that_is_over_makes_room_for_another_and_one_that_runs_does_not(
    club_of: Callable[[int], Club],
) -> None:
    club = club_of(1)
    found = await club.begin(WISH)
    with pytest.raises(TooMany, match=r"^1 games are being played, which is the most; try again later$"):
        await club.begin(WISH)
    await club.end(found, "enough")
    await over(club)


async def test_the_job_of_a_game_that_ends_is_abandoned_once(
    club_of: Callable[[int], Club], referees: Referees
) -> None:
    club = club_of(3)
    first, second = await club.begin(WISH), await club.begin(WISH)
    jobs = [first.game.job, second.game.job]
    assert [*referees.jobs] == jobs
    await club.end(first, "enough")
    await club.end(first, "enough")
    assert referees.abandoned == jobs[:1]
    await club.close()
    assert referees.abandoned == jobs


async def test_there_is_no_hint_while_the_game_does_not_wait_for_a_person(
    club_of: Callable[[int], Club],
) -> None:
    club = club_of(1)
    found = await club.begin(WISH)
    with pytest.raises(Unplayable, match=r"^it is not your turn$"):
        await club.hint(found, "mate-1")
