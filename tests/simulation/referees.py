"""Referees of a simulated world: the product's own server of games, without a process."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from functools import partial
from itertools import count
from typing import Final

import trio
import trio.abc
import trio.lowlevel
import trio.testing

from protocol.hub.dialogue import Patience
from referee.__main__ import serve
from tests.simulation.engines import Machine

_PIDS: Final = count(4_000_000_000)
"""No process has such a number."""


class _Polls(trio.abc.Instrument):
    """Notes for all referees of a run when trio asks for output: one note does for them."""

    def __init__(self) -> None:
        self.patiences: list[Patience] = []

    def after_io_wait(self, timeout: float) -> None:
        now = time.monotonic_ns()
        for patience in self.patiences:
            patience.polled_at = now


_polls: Final = trio.lowlevel.RunVar[_Polls]("polls")


def polls(patience: Patience) -> trio.abc.Instrument:
    """Return the instrument that notes polls for a referee."""
    try:
        polls = _polls.get()
    except LookupError:
        _polls.set(polls := _Polls())
    polls.patiences.append(patience)
    return polls


class SimulatedReferee:
    """A referee with its pipes; as `arena.run.local_referees.RefereeProcess`."""

    def __init__(self, machine: Machine, running: set[SimulatedReferee], *options: str) -> None:
        keep = int(options[options.index("--keep") + 1]) if "--keep" in options else 8
        self.pid = next(_PIDS)
        self.stdin, source = trio.testing.memory_stream_one_way_pair()
        sink, self.stdout = trio.testing.memory_stream_one_way_pair()
        self.stderr = _NoOutput()
        self.returncode: int | None = None
        self._machine, self._running = machine, running
        self._scope = trio.CancelScope()
        self._ended = trio.Event()
        running.add(self)
        machine.nursery.start_soon(partial(self._serve, source, sink, keep=keep))

    async def _serve(
        self, source: trio.abc.ReceiveStream, sink: trio.testing.MemorySendStream, *, keep: int
    ) -> None:
        try:
            with self._scope:
                await serve(source, sink, keep=keep)
        finally:
            self.returncode = self.returncode or 0
            self._running.discard(self)
            sink.close()
            self._ended.set()

    async def wait(self) -> None:
        await self._ended.wait()

    def kill(self) -> None:
        if self.returncode is None:
            self.returncode = -9
            self._scope.cancel()


class _NoOutput:
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        await trio.lowlevel.checkpoint()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()
