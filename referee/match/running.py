"""A job that a referee process plays: its game, the people in it, and the events about it."""

from __future__ import annotations

import trio

from referee.match.heartbeat import Heartbeat
from referee.match.job import Job, JobFinished, JobStarted, RefereeEvent, TurnBegan
from referee.match.person import RemotePerson
from referee.match.play import RefereedGame
from referee.match.pool import EnginePool

__all__ = ["RunningJob"]


class RunningJob:
    """A game that is being played, and the people in it.

    Args:
        job: the game to play.
        pool: provides the engines.
        outbox: receives the events.
        heartbeat: as in `RefereedGame`.

    Attributes:
        game: the game.
        people: the people, by seat.
        scope: ends the game without a result when it is cancelled.

    Raises:
        RefereeError, ValueError: the job is invalid.
    """

    def __init__(
        self,
        job: Job,
        pool: EnginePool,
        outbox: trio.MemorySendChannel[RefereeEvent],
        heartbeat: Heartbeat,
    ) -> None:
        if any(not 0 <= seat < len(job.seats) for seat in job.people):
            raise ValueError(f"a person has a seat from 0 to {len(job.seats) - 1}")
        self.people = {seat: RemotePerson(job.seats[seat].engine.name) for seat in job.people}
        self.scope = trio.CancelScope()
        self._outbox = outbox
        self._said = [""] * len(job.seats)
        self.game = RefereedGame(
            job,
            pool,
            self._started,
            people=self.people,
            observe=(lambda _: self._tell_turn()) if job.people else None,
            trace=self._listen if job.people else None,
            heartbeat=heartbeat,
        )

    async def play(self) -> JobFinished:
        """Play the game to its end, or until `scope` is cancelled."""
        with self.scope:
            return await self.game.play()
        return self.game.abandoned()

    def _started(self) -> None:
        self._outbox.send_nowait(JobStarted(self.game.job.id))
        if self.people:
            self._tell_turn()

    def _tell_turn(self) -> None:
        """Send the state of the game to people, who wait for each ply."""
        self._outbox.send_nowait(TurnBegan(self.game.running(watched=True), tuple(self._said)))
        self._said = [""] * len(self._said)

    def _listen(self, seat: int, _when: float, _mark: str, line: str) -> None:
        if line.startswith("info "):
            self._said[seat] = line
