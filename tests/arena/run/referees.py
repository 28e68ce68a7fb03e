"""Referees that are no processes, for tests of the runner."""

import trio

from arena.run.runner import Runner
from arena.schedule import ScheduleState
from referee.match.job import JobFinished, RunningGame, SeatResult, Snapshot
from referee.outcome import Termination


def finished(job, ranks=(1, 2), termination=Termination.NORMAL, guilty=None):
    seats = tuple(
        SeatResult("", "", rank, termination if seat == guilty else None, 5, 5)
        for seat, rank in enumerate(ranks)
    )
    return JobFinished(job.id, termination, termination.value, "", seats, (), "x", 0.0, 1)


class Referees:
    """Plays every job in a second of trio's time; `answer` makes the event, given the job and its names."""

    def __init__(self, nursery, answer):
        self._nursery = nursery
        self._answer = answer
        self._send, self.events = trio.open_memory_channel(100)
        self.running = 0
        self.most = 0

    async def submit(self, job):
        self.running += 1
        self.most = max(self.most, self.running)
        self._nursery.start_soon(self._play, job)

    async def _play(self, job):
        await trio.sleep(0.5)
        await self._send.send(Snapshot((RunningGame(job.id, 3, 0, (1, 2)),)))
        await trio.sleep(0.5)
        self.running -= 1
        await self._send.send(self._answer(job, [seat.engine.name for seat in job.seats]))


async def at_once(draw):
    """Asks the schedule without a thread: a clock that jumps would not wait for it."""
    await trio.lowlevel.checkpoint()
    return draw()


async def run(spec, answer, stored=(), reread=None):
    """The summary, the stored records, the events and the referees of one run."""
    seen = []
    send, receive = trio.open_memory_channel(1000)
    async with trio.open_nursery() as nursery:
        referees = Referees(nursery, answer)
        summary = await Runner(
            spec, ScheduleState.of(stored), referees, send, seen.append, reread, at_once
        ).run()
    records = [record async for record in receive]
    return summary, records, seen, referees


def crash_of(bad):
    def answer(job, names):
        if bad not in names:
            return finished(job)
        guilty = names.index(bad)
        return finished(job, (2, 1) if guilty == 0 else (1, 2), Termination.CRASH, guilty)

    return answer
