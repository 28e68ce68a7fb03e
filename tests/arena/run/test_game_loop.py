"""The game loop with fake referees: the games that it starts and stores, and the errors that end a run."""

import re
import sys
from collections import Counter
from dataclasses import replace

import msgspec
import pytest
import trio

from arena import events as ev
from arena.config import load
from arena.errors import ArenaError
from arena.formats.contest import ScheduleState
from arena.run.executor import JobLost
from arena.run.game_loop import GameLoop
from referee.match.job import EngineWarning, OrderRefused, VoidCause
from referee.outcome import Termination
from tests.arena.run.referees import Referees, crash_of, finished, run

FILE = """
game = "quoridor"
games_per_pairing = {games}
concurrency = {concurrency}
disabled = "{disabled}"
"""

LOST = "the referee process died"

pytestmark = pytest.mark.usefixtures("schedule_without_thread")


def tournament(tmp_path, names="abcd", games=2, concurrency=2, disabled="lose"):
    file = tmp_path / "t.toml"
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]\n' for name in names)
    file.write_text(FILE.format(games=games, concurrency=concurrency, disabled=disabled) + engines)
    return load(file)


async def test_every_game_is_played_once_and_as_many_run_together_as_may(tmp_path, autojump_clock):
    spec = tournament(tmp_path, concurrency=3)
    summary, records, seen, referees = await run(spec, lambda job, names: finished(job))
    assert Counter(record.result.key for record in records) == Counter(
        p.key for p in spec.schedule().pending(ScheduleState())
    )
    assert summary.played == 12
    assert referees.most == 3
    assert trio.current_time() == pytest.approx(4)
    assert sum(isinstance(event, ev.GameEnded) for event in seen) == 12
    assert any(isinstance(event, ev.Moved) for event in seen)


async def test_a_game_that_starts_takes_the_lowest_slot_of_the_games_that_run(tmp_path, autojump_clock):
    spec = tournament(tmp_path, "ab", games=6, concurrency=3)
    seconds = {"1": 5, "2": 2, "3": 9, "4": 1, "5": 9, "6": 9}
    _, _, seen, _ = await run(spec, lambda job, names: finished(job), seconds=lambda job: seconds[job.id])
    slots = [
        (event.game.pairing.number, event.game.slot) for event in seen if isinstance(event, ev.GameBegan)
    ]
    assert sorted(slots[:3]) == [(0, 0), (1, 1), (2, 2)]
    assert slots[3:] == [(3, 1), (4, 1), (5, 0)]


async def test_what_is_stored_already_is_not_played_again(tmp_path, autojump_clock):
    spec = tournament(tmp_path)
    _, records, _, _ = await run(spec, lambda job, names: finished(job))
    stored = [record.result for record in records]
    _, again, _, _ = await run(spec, lambda job, names: finished(job), stored[:7])
    assert {record.result.key for record in again} == {result.key for result in stored[7:]}


async def test_a_lost_referee_costs_nothing_and_its_game_is_played_again(tmp_path, autojump_clock):
    lost = iter([True, False])

    def answer(job, names):
        return JobLost(job.id, LOST) if next(lost, False) else finished(job)

    summary, records, seen, _ = await run(tournament(tmp_path, "ab"), answer)
    assert (summary.played, summary.void, len(records)) == (2, 0, 2)
    assert [event.again for event in seen if isinstance(event, ev.GameVoid)] == [True]


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("games", [1, 2])
@pytest.mark.parametrize(("names", "hostile"), [("ab", "b"), ("abc", "b"), ("abcdef", "ce")])
async def test_the_games_of_engines_that_kill_their_referees_are_void_and_all_others_are_played(
    tmp_path, autojump_clock, names, hostile, games, concurrency
):
    spec = tournament(tmp_path, names, games, concurrency)

    def answer(job, names):
        return finished(job) if set(hostile).isdisjoint(names) else JobLost(job.id, LOST)

    summary, records, seen, _ = await run(spec, answer)
    pairings = list(spec.schedule().pending(ScheduleState()))
    void = [pairing for pairing in pairings if not set(hostile).isdisjoint(pairing.seats)]
    assert {record.result.key for record in records} == {p.key for p in pairings if p not in void}
    assert (summary.played, summary.void) == (len(pairings) - len(void), len(void))
    assert summary.disabled == ()
    tries = Counter((event.pairing.key, event.again) for event in seen if isinstance(event, ev.GameVoid))
    assert tries == Counter((pairing.key, again) for pairing in void for again in (True, False))
    again, _, _, _ = await run(spec, lambda job, names: finished(job), [record.result for record in records])
    assert (again.played, again.void) == (len(void), 0)


async def test_a_game_that_is_played_once_more_is_alone(tmp_path, autojump_clock):
    lost = iter([True, True])
    spec = tournament(tmp_path, "abcd", games=4, concurrency=3)
    alone = []

    def answer(job, names):
        if next(lost, False):
            return JobLost(job.id, LOST)
        if job.id in ("1", "2"):
            alone.append(referees.running)
        return finished(job)

    send, receive = trio.open_memory_channel(1000)
    async with trio.open_nursery() as nursery:
        referees = Referees(nursery, answer)
        await GameLoop(spec, ScheduleState(), referees, send, lambda _: None, None).run()
    assert len([record async for record in receive]) == 24
    assert alone == [0, 0]  # others
    assert referees.most == 3


@pytest.mark.parametrize("cause", [VoidCause.STOPPED, VoidCause.ABSENT])
async def test_a_game_of_a_stopped_referee_or_an_absent_bot_is_stored_as_void_and_played_once_more(
    tmp_path, autojump_clock, cause
):
    stops = iter([True, True])

    def answer(job, names):
        end = finished(job, (None, None), Termination.VOID)
        stopped = msgspec.structs.replace(end, void=cause)
        return stopped if job.id == "1" and next(stops, False) else finished(job)

    spec = tournament(tmp_path, "ab", games=2, concurrency=1)
    summary, records, _, _ = await run(spec, answer)
    assert (summary.played, summary.void) == (1, 1)
    assert [record.result.termination for record in records] == ["void", "void", "normal"]


async def test_a_void_game_is_stored_reported_and_played_again(tmp_path, autojump_clock):
    void = iter([True])

    def answer(job, names):
        if next(void, False):
            return finished(job, (None, None), Termination.VOID)
        return finished(job)

    _, records, _, _ = await run(tournament(tmp_path, "ab"), answer)
    assert [record.result.termination for record in records].count("void") == 1
    assert sum(record.result.counts for record in records) == 2
    assert all(
        player.points == 0 for record in records for player in record.result.players if player.rank is None
    )


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_three_games_in_a_row_that_the_machine_cannot_play_end_the_run(
    tmp_path, autojump_clock, concurrency
):
    started = []

    def answer(job, names):
        started.append(job.id)
        return finished(job, (None, None), Termination.VOID)

    text = r"^3 games in a row could not be played, and no engine is at fault; the last one is "
    with pytest.RaisesGroup(pytest.RaisesExc(ArenaError, match=text), flatten_subgroups=True):
        await run(tournament(tmp_path, "abc", games=2, concurrency=concurrency), answer)
    assert len(started) == concurrency + 2


async def test_a_game_that_is_played_sets_back_the_faults_of_the_machine(tmp_path, autojump_clock):
    def answer(job, names):
        return finished(job, (None, None), Termination.VOID) if job.id in "13" else finished(job)

    summary, records, _, _ = await run(tournament(tmp_path, "ab", games=4, concurrency=1), answer)
    assert (summary.played, summary.void, len(records)) == (2, 2, 6)


async def test_three_crashes_in_a_row_disable_and_the_rest_is_lost(tmp_path, autojump_clock):
    spec = tournament(tmp_path, games=4, concurrency=1)
    summary, records, seen, _ = await run(spec, crash_of("c"))
    assert summary.disabled == ("c",)
    lost = [record.result for record in records if record.result.termination == "disabled"]
    assert len(lost) == 9
    assert len(records) == 24
    for result in lost:
        mine = next(player for player in result.players if player.name == "c")
        other = next(player for player in result.players if player.name != "c")
        assert (mine.rank, mine.points, mine.forfeit) == (2, 0, "disabled")
        assert (other.rank, other.points, other.forfeit) == (1, 1, None)
    assert sum(isinstance(event, ev.EngineDisabled) for event in seen) == 1


async def test_a_disabled_engine_is_reported_with_its_failure_and_not_with_its_opponents(
    tmp_path, autojump_clock
):
    def both_fail(job, names):
        game = finished(job, (1, 1), Termination.CRASH)
        seats = tuple(msgspec.structs.replace(seat, forfeit=Termination.CRASH) for seat in game.seats)
        return msgspec.structs.replace(game, detail="seat 1 fell; seat 2 hung", seats=seats)

    *_, seen, _ = await run(tournament(tmp_path, "ab", games=4, concurrency=1), both_fail)
    told = {event.engine: event.text for event in seen if isinstance(event, ev.EngineDisabled)}
    last = [event.result for event in seen if isinstance(event, ev.GameEnded)][2]
    first, second = (player.name for player in last.players)
    assert told == {first: "seat 1 fell", second: "seat 2 hung"}


async def test_a_refused_game_ends_the_run_and_names_the_file(tmp_path, autojump_clock):
    with pytest.raises(ExceptionGroup) as caught:
        await run(tournament(tmp_path, "ab"), lambda job, names: OrderRefused(job.id, "no such game"))
    assert caught.group_contains(ArenaError, match=r"t\.toml: the referee refuses a game: no such game")


async def test_a_bad_line_of_a_long_book_ends_the_run_after_all_games_before_it(tmp_path, autojump_clock):
    (tmp_path / "book.txt").write_text("e2 e8\n" * 102 + "e2 e5\n" + "e2 e8\n")
    spec = tournament(tmp_path, "ab", games=300, concurrency=3)
    with spec.path.open("a") as file:
        file.write('[openings]\nkind = "list"\nfile = "book.txt"\n')
    spec = load(spec.path)
    summary, records, _, _ = await run(spec, lambda job, names: finished(job))
    assert (summary.played, len(records)) == (204, 204)
    message = f"{tmp_path / 'book.txt'}, line 103: quoridor refuses it: opening 'e2 e5': "
    assert str(summary.refused).startswith(message)
    again, _, _, _ = await run(spec, lambda job, names: finished(job), [record.result for record in records])
    assert (again.played, str(again.refused)) == (0, str(summary.refused))


@pytest.mark.parametrize("computing", [True, False])
async def test_the_first_ctrl_c_is_obeyed_while_the_schedule_is_asked_for_the_next_game(
    tmp_path, computing, monkeypatch
):
    async def compute(games):
        await runner.stop()
        if computing:
            await trio.sleep_forever()
        return next(games)

    monkeypatch.setattr("arena.run.upcoming.next_item", compute)

    send, _receive = trio.open_memory_channel(1000)
    seen = []
    async with trio.open_nursery() as nursery:
        referees = Referees(nursery, lambda job, names: finished(job))
        runner = GameLoop(tournament(tmp_path), ScheduleState(), referees, send, seen.append)
        with trio.fail_after(60):
            summary = await runner.run()
    assert summary.stopped
    assert seen == [ev.Stopping(0)]
    assert referees.most == 0


async def test_ctrl_c_while_the_options_of_engines_are_checked_starts_no_game(tmp_path, autojump_clock):
    send, _receive = trio.open_memory_channel(1000)
    spec, checks = tournament(tmp_path), []

    async def check():
        checks.append(True)
        await trio.sleep(100)

    async with trio.open_nursery() as nursery:
        referees = Referees(nursery, lambda job, names: finished(job))
        runner = GameLoop(spec, ScheduleState(), referees, send, lambda _: None, None, before_first=check)
        nursery.start_soon(runner.run)
        await trio.sleep(1)
        await runner.stop()
    assert (checks, referees.most, trio.current_time()) == ([True], 0, 1)


async def test_warnings_reach_the_user(tmp_path, autojump_clock):
    spec = tournament(tmp_path, "ab")
    events = []
    send, _receive = trio.open_memory_channel(1000)
    async with trio.open_nursery() as nursery:
        referees = Referees(nursery, lambda job, names: finished(job))
        await referees._send.send(EngineWarning("a", "it has no option 'x'"))
        await GameLoop(spec, ScheduleState(), referees, send, events.append).run()
    assert ev.Notice("a", "it has no option 'x'") in events


MISTAKEN = EngineWarning("a", "does not answer 'ugi'", speaks="uci")


async def test_an_engine_of_another_dialect_ends_the_run_before_its_first_game(tmp_path, autojump_clock):
    spec = tournament(tmp_path, "ab")
    send, receive = trio.open_memory_channel(1000)
    text = f"^{re.escape(str(spec.path))}: engine a does not answer 'ugi'$"
    with pytest.RaisesGroup(pytest.RaisesExc(ArenaError, match=text), flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            referees = Referees(nursery, lambda job, names: MISTAKEN)
            runner = GameLoop(spec, ScheduleState(), referees, send, lambda _: None, None)
            await runner.run()
    with pytest.raises(trio.WouldBlock):
        receive.receive_nowait()


async def test_an_engine_of_another_dialect_does_not_end_the_games_of_others_behind_a_door(
    tmp_path, autojump_clock
):
    spec = replace(tournament(tmp_path, "ab"), door=object())
    events = []
    send, _receive = trio.open_memory_channel(1000)
    async with trio.open_nursery() as nursery:
        seconds = {"a": 1, "b": 50}  # of the games in which they move first
        referees = Referees(
            nursery, lambda job, names: finished(job), lambda job: seconds[job.seats[0].engine.name]
        )
        runner = GameLoop(spec, ScheduleState(), referees, send, events.append)
        nursery.start_soon(runner.run)
        await referees._send.send(MISTAKEN)
        await trio.sleep(100)
        assert ev.Notice("a", MISTAKEN.text) in events
        nursery.cancel_scope.cancel()
