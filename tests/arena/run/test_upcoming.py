"""The next games of the schedule, as a run takes them: its stages, its end, and bad openings."""

from collections.abc import Iterator

import pytest

from arena.config import TournamentSpec
from arena.errors import OpeningError
from arena.formats.contest import Next, ScheduleState
from arena.model import Pairing
from arena.ratings.sprt import Sprt
from arena.run.upcoming import Upcoming
from tests.arena.formats.playing import by_strength, ended, names, tournament

TEST = Sprt(0, 50)


async def refuse(games: Iterator[Next]) -> Next:
    raise OpeningError("no opening")


def match(sprt: Sprt | None = None, max_games: int | None = None, **keys: object) -> TournamentSpec:
    return tournament(names(2), "match", sprt=sprt, max_games=max_games, **keys)


async def play_all(upcoming: Upcoming, state: ScheduleState) -> list[Pairing]:
    """Take all games; the first engine is mostly the better one."""
    judge, games = by_strength({"e0": 0.5}), []
    while (pairing := await upcoming.next()) is not None:
        state.results[pairing.key] = ended(pairing, judge(pairing))
        games.append(pairing)
    return games


async def test_a_schedule_that_waits_for_running_games_has_not_ended() -> None:
    state = ScheduleState()
    upcoming = Upcoming(tournament(names(2), "knockout"), state, lambda stage: None)
    while (pairing := await upcoming.next()) is not None:
        state.running[pairing.key] = pairing
    assert state.running
    assert not upcoming.decided


async def test_a_bad_opening_ends_the_schedule_until_the_tournament_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.run.upcoming.next_item", refuse)
    upcoming = Upcoming(match(max_games=2), ScheduleState(), lambda stage: None)
    assert await upcoming.next() is None
    assert str(upcoming.refused) == "no opening"
    upcoming.change(match(max_games=2))
    assert upcoming.refused is None


@pytest.mark.parametrize("most", [None, 1000])
async def test_a_test_that_ends_a_match_before_its_last_game_has_decided_it(most: int | None) -> None:
    state = ScheduleState()
    upcoming = Upcoming(match(TEST, most), state, lambda stage: None)
    assert await upcoming.next() is not None
    assert not upcoming.decided
    upcoming.change(match(TEST, most))
    assert 0 < len(await play_all(upcoming, state)) < 1000
    assert upcoming.decided
    upcoming.change(match(TEST, most))
    assert not upcoming.decided


@pytest.mark.parametrize("sprt", [None, TEST])
async def test_a_match_with_all_its_games_was_not_decided_by_a_test(sprt: Sprt | None) -> None:
    state = ScheduleState()
    upcoming = Upcoming(match(sprt, 2), state, lambda stage: None)
    assert len(await play_all(upcoming, state)) == 2
    assert not upcoming.decided


async def test_running_games_and_the_games_of_every_id_count_as_games_of_a_decided_match() -> None:
    state = ScheduleState()
    spec = match(TEST, 2, games=("quoridor", "hops"))
    upcoming = Upcoming(spec, state, lambda stage: None)
    games = await play_all(upcoming, state)
    assert len(games) == 4
    assert not upcoming.decided
    last = games[-1]
    del state.results[last.key]
    assert upcoming.decided
    state.running[last.key] = last
    assert not upcoming.decided
