"""Fake referees for tests of the game loop: they start no processes."""

import trio

from arena.formats.contest import ScheduleState
from arena.run import upcoming
from arena.run.game_loop import GameLoop
from referee.match.job import JobFinished, JobStarted, RunningGame, SeatResult, Snapshot
from referee.outcome import Termination


def finished(job, ranks=(1, 2), termination=Termination.NORMAL, guilty=None):
    seats = tuple(
        SeatResult("", "", rank, termination if seat == guilty else None, 5, 5)
        for seat, rank in enumerate(ranks)
    )
    return JobFinished(job.id, termination, termination.value, "", seats, (), "x", 0.0, 1)


class Referees:
    """Plays jobs in some seconds of trio's clock, usually one.

    `answer(job, names)` returns the event of the end.
    """

    many_machines = False

    def __init__(self, nursery, answer, seconds=lambda job: 1):
        self._nursery = nursery
        self._answer = answer
        self._seconds = seconds
        self._send, self.events = trio.open_memory_channel(100)
        self.running = 0
        self.most = 0
        self.count = 4

    async def recall(self):
        await trio.lowlevel.checkpoint()
        return []

    async def submit(self, job):
        self.running += 1
        self.most = max(self.most, self.running)
        self._nursery.start_soon(self._play, job)

    async def _play(self, job):
        await self._send.send(JobStarted(job.id))
        await trio.sleep(self._seconds(job) / 2)
        await self._send.send(Snapshot((RunningGame(job.id, 3, 0, (1, 2)),)))
        await trio.sleep(self._seconds(job) / 2)
        self.running -= 1
        await self._send.send(self._answer(job, [seat.engine.name for seat in job.seats]))


async def next_item(games):
    """Do the same as `arena.run.upcoming.next_item`, without a thread."""
    await trio.lowlevel.checkpoint()
    return next(games, upcoming._END)


async def run(spec, answer, stored=(), reread=None, **timing):
    """Run a tournament; return the summary, the stored records, the events and the referees."""
    seen = []
    send, receive = trio.open_memory_channel(1000)
    async with trio.open_nursery() as nursery:
        referees = Referees(nursery, answer, **timing)
        summary = await GameLoop(spec, ScheduleState.of(stored), referees, send, seen.append, reread).run()
    records = [record async for record in receive]
    return summary, records, seen, referees


def crash_of(bad):
    def answer(job, names):
        if bad not in names:
            return finished(job)
        guilty = names.index(bad)
        return finished(job, (2, 1) if guilty == 0 else (1, 2), Termination.CRASH, guilty)

    return answer
