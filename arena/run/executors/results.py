"""The executor for games that were played elsewhere: it has their results, and plays none itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec
import trio

from arena.run.executors.interface import ExecutorEvent, JobDeclined, JobPlayed
from protocol.spec import EngineSpec
from referee.match.job import Job, JobFinished

if TYPE_CHECKING:
    from arena.config import TournamentSpec

__all__ = ["KnownResults"]


class KnownResults:
    """Gives the results of games that were played. It is an `Executor`.

    Args:
        results: the results, by the ids of their orders.
        order_id: returns the id of the order of a game.
        worker: the name of the worker, for the records of the games.

    Attributes:
        events: as in `Executor`.
        many_machines: true.
        count: 1.
        room: how many games are asked for at once.
    """

    many_machines = True
    count = 1
    room = 1000

    def __init__(
        self, results: Mapping[str, JobFinished], order_id: Callable[[Job], str], worker: str
    ) -> None:
        self._results = results
        self._order_id = order_id
        self._worker = worker
        self._send, self.events = trio.open_memory_channel[ExecutorEvent](math.inf)

    async def submit(self, job: Job) -> None:
        """Give the result of a game, or decline it."""
        await trio.lowlevel.checkpoint()
        finished = self._results.get(self._order_id(job))
        if finished is None:
            self._send.send_nowait(JobDeclined(job.id))
        else:
            finished = msgspec.structs.replace(finished, id=job.id)
            self._send.send_nowait(JobPlayed(finished, self._worker, 1.0))

    async def recall(self) -> list[str]:
        """Return no game: each one has its result already."""
        await trio.lowlevel.checkpoint()
        return []

    async def change(self, spec: TournamentSpec) -> None:
        """Do nothing: the results stay the same."""
        await trio.lowlevel.checkpoint()

    async def try_engine(self, engine: EngineSpec, game: str) -> str:
        """Return "": the engines have played."""
        await trio.lowlevel.checkpoint()
        return ""

    async def drop_idle(self) -> None:
        """Do nothing: no engine runs."""
        await trio.lowlevel.checkpoint()

    async def watch(self, watched: bool) -> None:
        """Do nothing: no game runs."""
        await trio.lowlevel.checkpoint()
