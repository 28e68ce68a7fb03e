"""Engines that stop or kill their referees are found, with fake referees; the others lose nothing."""

import random
from collections import Counter
from itertools import combinations

import pytest

from arena.formats.contest import ScheduleState
from arena.formats.schedule import schedule
from arena.run import events as ev
from arena.run.executors.interface import JobLost
from arena.run.failures.blame import MAX_LOST, Suspects
from referee.match.job import VoidCause
from referee.outcome import Termination
from tests.arena.run.referees import finished, run
from tests.arena.run.test_runner import tournament

LOST = "the referee process died"


def losing(*bad, lost=lambda job: JobLost(job.id, LOST, True)):
    """Return the answers of referees that any of these engines kills in every game."""

    def answer(job, names):
        return finished(job) if set(bad).isdisjoint(names) else lost(job)

    return answer


def void(cause):
    def lost(job):
        end = finished(job, (None, None), Termination.VOID)
        return type(end)(**{name: getattr(end, name) for name in end.__struct_fields__} | {"void": cause})

    return lost


def forfeits(records):
    """Count the games that each engine lost as a crash."""
    players = [player for record in records for player in record.result.players]
    return Counter(player.name for player in players if player.forfeit == "crash")


def assert_complete(spec, records):
    keys = Counter(record.result.key for record in records if record.result.counts)
    assert keys == Counter(pairing.key for pairing in schedule(spec).pending(ScheduleState()))


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("games", [1, 2])
@pytest.mark.parametrize(("names", "hostile"), [("abc", 1), ("abcd", 1), ("abcdef", 2), ("abcdefgh", 3)])
async def test_the_engines_that_kill_their_referees_are_found_and_no_other_loses_by_it(
    tmp_path, autojump_clock, monkeypatch, names, hostile, games, concurrency
):
    # Trio runs ready tasks in a random order. In about one order of 3,600, three hostile engines of eight let
    # an innocent one lose the games that it has not played yet.
    monkeypatch.setattr("trio._core._run._r", random.Random(0))
    spec = tournament(tmp_path, names, games, concurrency)
    for bad in list(combinations(names, hostile))[::9]:
        summary, records, seen, _ = await run(spec, losing(*bad))
        assert forfeits(records).keys() == set(bad)
        assert set(summary.disabled) <= set(bad)
        assert_complete(spec, records)
        replays = [event for event in seen if isinstance(event, ev.GameReplayed)]
        assert all(set(event.pairing.seats) & set(bad) for event in replays)
        assert len(replays) <= 20 * hostile


async def test_of_two_engines_both_lose_because_nothing_tells_them_apart(tmp_path, autojump_clock):
    spec = tournament(tmp_path, "ab", 1)
    _, records, seen, _ = await run(spec, losing("b"))
    assert forfeits(records) == {"a": 1, "b": 1}
    (blamed,) = [event for event in seen if isinstance(event, ev.EnginesBlamed)]
    each = "the referee was stopped or killed 3 times in a row while a and b played"
    assert (blamed.engines, blamed.games) == (("a", "b"), 1)
    assert blamed.text == f'{each}; no engine with `sandbox = "bwrap"` can do that; the last time: {LOST}'
    assert records[0].result.detail == each


async def test_an_engine_that_played_well_before_is_not_blamed_for_its_opponent(tmp_path, autojump_clock):
    spec = tournament(tmp_path, "abc", 2, concurrency=1)
    _, records, _, _ = await run(spec, losing("c"))
    assert forfeits(records).keys() == {"c"}


async def test_a_game_that_ends_well_wipes_out_the_lost_ones(tmp_path, autojump_clock):
    turns = iter(range(1000))

    def answer(job, names):
        return finished(job) if next(turns) % 3 == 2 else JobLost(job.id, LOST, True)

    spec = tournament(tmp_path, "ab", 9, concurrency=1)
    _, records, _, _ = await run(spec, answer)
    assert not forfeits(records)
    assert_complete(spec, records)


async def test_a_referee_that_dies_before_it_is_ready_blames_nobody(tmp_path, autojump_clock):
    deaths = iter(range(8))

    def answer(job, names):
        return finished(job) if next(deaths, None) is None else JobLost(job.id, LOST, False)

    spec = tournament(tmp_path, "ab", 2)
    _, records, seen, _ = await run(spec, answer)
    assert not forfeits(records)
    assert sum(isinstance(event, ev.GameReplayed) for event in seen) == 8


@pytest.mark.parametrize("arena_stopped", [False, True])
async def test_a_stopped_referee_accuses_its_engines_unless_arena_was_stopped_too(
    tmp_path, autojump_clock, monkeypatch, arena_stopped
):
    monkeypatch.setattr("arena.run.runner.Heartbeat.stopped_since", lambda *_: arena_stopped)
    stops = iter(range(6))
    stopped = void(VoidCause.STOPPED)

    def answer(job, names):
        return stopped(job) if "c" in names and next(stops, None) is not None else finished(job)

    spec = tournament(tmp_path, "abc", 4, concurrency=1)
    _, records, _, _ = await run(spec, answer)
    assert forfeits(records).keys() == (set() if arena_stopped else {"c"})
    assert_complete(spec, records)


@pytest.mark.parametrize("spare", [True, False])
async def test_an_engine_is_blamed_for_missing_processes_only_if_the_machine_has_some_without_it(
    tmp_path, autojump_clock, monkeypatch, spare
):
    async def spare_processes():
        return spare

    monkeypatch.setattr("arena.run.failures.void_games.spare_processes", spare_processes)
    spec = tournament(tmp_path, "abc", 2, concurrency=1)
    answer = losing("a", "b", "c", lost=void(VoidCause.PROCESSES))
    if spare:
        _, records, _, _ = await run(spec, losing("c", lost=void(VoidCause.PROCESSES)))
        assert forfeits(records).keys() == {"c"}
        assert_complete(spec, records)
        return
    with pytest.RaisesGroup(
        pytest.RaisesExc(match="^3 games in a row could not be played"), flatten_subgroups=True
    ):
        await run(spec, answer)


def test_games_that_were_lost_at_the_same_time_count_once_for_an_engine():
    suspects = Suspects()
    for _ in range(MAX_LOST - 1):
        for key in ("1", "2", "3"):
            suspects.start(key)
        assert not any(suspects.lose(key, ("a", f"b{key}")) for key in ("1", "2", "3"))
    suspects.start("4")
    assert suspects.lose("4", ("a", "c")) == {"a": {"1", "2", "3", "4"}}
    assert not suspects.include(("b1",))
