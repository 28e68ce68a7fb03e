"""The game loop with an executor for many machines, whose workers are fake."""

from dataclasses import replace

import msgspec
import pytest
import trio

from arena import events as ev
from arena.formats.contest import ScheduleState
from arena.run.executor import JobDeclined, JobLost
from arena.run.game_loop import GameLoop
from referee.match.job import JobStarted, OrderRefused, Snapshot, VoidCause
from tests.arena.run.referees import finished, next_item
from tests.arena.run.test_game_loop import tournament
from tests.arena.workers.jobs import finished as void_of

pytestmark = pytest.mark.usefixtures("schedule_without_thread")


class Machines:
    """Takes `room` games, and plays those that `starts` chooses: `answer` returns the event of the end."""

    many_machines = True
    count = 2

    def __init__(self, answer, room=8, starts=lambda job: True):
        self._send, self.events = trio.open_memory_channel(1000)
        self._answer = answer
        self._starts = starts
        self.room = room
        self.taken = []
        self.waiting = []
        self.most = 0

    async def submit(self, job):
        self.taken.append(job.id)
        if not self._starts(job):
            self.waiting.append(job.id)
            return
        self._send.send_nowait(JobStarted(job.id, "lab"))
        self._send.send_nowait(self._answer(job))

    async def recall(self):
        ids, self.waiting = self.waiting, []
        self._send.send_nowait(Snapshot(()))
        return ids


async def run(spec, machines, reread=None):
    seen, records = [], []
    send, receive = trio.open_memory_channel(1000)
    machines.runner = GameLoop(spec, ScheduleState(), machines, send, seen.append, reread)
    summary = await machines.runner.run()
    records = [record async for record in receive]
    return summary, records, seen


async def test_a_game_starts_when_its_worker_starts_it_and_its_record_has_the_worker(tmp_path):
    machines = Machines(lambda job: msgspec.structs.replace(finished(job), worker="lab"))
    summary, records, seen = await run(tournament(tmp_path, "abc", games=2, concurrency=1), machines)
    assert summary.played == 6
    assert {record.worker for record in records} == {"lab"}
    assert {event.game.worker for event in seen if isinstance(event, ev.GameBegan)} == {"lab"}
    assert sum(isinstance(event, ev.GameBegan) for event in seen) == 6


async def test_as_many_games_are_taken_as_the_machines_have_room_for(tmp_path, monkeypatch):
    machines = Machines(finished, room=4)
    taken = []

    async def count(games):
        taken.append(len(machines.taken))
        return await next_item(games)

    monkeypatch.setattr("arena.run.upcoming.next_item", count)
    await run(tournament(tmp_path, "ab", games=10, concurrency=1), machines)
    assert taken[:5] == [0, 1, 2, 3, 4]
    assert len(machines.taken) == 10


async def test_a_fault_of_one_machine_holds_up_no_other_game_and_ends_no_run(tmp_path):
    faults = iter([VoidCause.MACHINE] * 4)

    def answer(job):
        void = next(faults, None)
        return void_of(int(job.id), void=void) if void else finished(job)

    summary, records, _ = await run(tournament(tmp_path, "ab", games=4), Machines(answer))
    assert summary.played == 4
    assert len(records) == 8


async def test_a_game_that_a_machine_could_not_play_is_not_played_again_if_its_engine_was_removed(tmp_path):
    spec = tournament(tmp_path, "abc", games=2)
    few = replace(spec, engines=spec.engines[1:])
    machines = Machines(
        finished,
        starts=lambda job: "a" not in [seat.engine.name for seat in job.seats],
    )
    changes = [few]

    async def reread():
        await trio.lowlevel.checkpoint()
        if changes:
            return changes.pop()
        for id_ in machines.waiting:
            machines._send.send_nowait(void_of(int(id_), void=VoidCause.MACHINE))
        return None

    with trio.fail_after(10):
        summary, records, _ = await run(spec, machines, reread=reread)
    assert (summary.played, summary.void, len(records), len(machines.taken)) == (2, 0, 6, 6)


async def test_after_ctrl_c_the_games_that_nobody_has_started_are_left_to_the_next_run(tmp_path, monkeypatch):
    first = iter([True, True])
    machines = Machines(finished, room=4, starts=lambda job: next(first, False))

    async def interrupt(games):
        if len(machines.taken) == 4:
            await machines.runner.stop()
        return await next_item(games)

    monkeypatch.setattr("arena.run.upcoming.next_item", interrupt)
    with trio.fail_after(60):
        summary, records, _ = await run(tournament(tmp_path, "ab", games=10), machines)
    assert summary.stopped
    assert len(records) == 2


@pytest.mark.parametrize(
    "late",
    [
        lambda job: JobStarted(job.id, "lab"),
        lambda job: JobLost(job.id, "its worker has gone"),
        lambda job: JobDeclined(job.id),
        lambda job: OrderRefused(job.id, "why"),
        finished,
    ],
)
async def test_events_of_games_that_were_taken_back_are_ignored(tmp_path, late, monkeypatch):
    """A worker starts a game and goes away just before the user stops the run: the game waits again."""
    jobs = []
    machines = Machines(finished, room=4, starts=lambda job: job.id != "2")

    async def interrupt(games):
        if len(machines.taken) == 4:
            await machines.runner.stop()
            machines._send.send_nowait(late(jobs[1]))
        return await next_item(games)

    monkeypatch.setattr("arena.run.upcoming.next_item", interrupt)

    submit = machines.submit

    async def noting(job):
        jobs.append(job)
        await submit(job)

    machines.submit = noting
    with trio.fail_after(60):
        summary, records, seen = await run(tournament(tmp_path, "ab", games=10), machines)
    assert summary.stopped
    assert sorted(record.result.number for record in records) == [0, 2, 3]
    assert not any(isinstance(event, ev.GameVoid) for event in seen)


async def test_when_a_test_has_decided_the_games_that_nobody_has_started_are_not_played(tmp_path):
    spec = tournament(tmp_path, "ab")
    text = spec.path.read_text().replace("games_per_pairing = 2", 'format = "match"\nmax_games = 1000')
    spec.path.write_text(text + "[sprt]\nelo0 = 0\nelo1 = 400\n")
    from arena.config import load

    def answer(job):
        first = job.seats[0].engine.name == "a"
        return finished(job, (1, 2) if first else (2, 1))

    machines = Machines(answer, room=200, starts=lambda job: int(job.id) <= 60)
    with trio.fail_after(60):
        summary, records, _ = await run(load(spec.path), machines)
    assert not summary.stopped
    assert 0 < len(records) <= 60
    assert len(machines.taken) > 60
