"""The connection to a Dask scheduler."""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import dask
import msgspec
import trio
from distributed import Client, Future

from arena.errors import ArenaError
from arena.workers import worker as at_worker
from arena.workers.batch_process import EVENTS, BatchEvents, BatchTask
from arena.workers.security import quiet_dask, security_of
from referee.match.job import decode_with, encode

CONNECT_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 2.0

ANSWER_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.1  # between two looks whether a worker has answered


class SchedulerLost(Exception):
    """The scheduler does not answer any more, or has lost the worker."""


@dataclass(frozen=True, slots=True)
class SeenWorker:
    """A worker, as the scheduler knows it. No later worker has its address."""

    address: str
    name: str
    silent: float  # seconds since it gave a sign of life


class Scheduler:
    """A connected scheduler, from `connect`.

    Each method may raise a `SchedulerLost`, or an ArenaError that says why a worker cannot do something.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._token = trio.lowlevel.current_trio_token()
        self._topic = f"arena-{uuid.uuid4().hex}"
        self._numbers = count(1)
        self._mail: dict[str, trio.MemorySendChannel[BatchEvents]] = {}  # by the names of batches
        # By address: the last sign of life, and when it came.
        self._signs: dict[str, tuple[float, float]] = {}
        self.sending = trio.Lock()  # files are sent to one worker after the other

    async def open(self, address: str) -> None:
        """Check that it talks to nobody without encryption if its address has that; listen to batches."""
        if address.startswith("tls://"):
            listeners = await _call(self._client.run_on_scheduler, _listeners)
            if unsafe := [address for address in listeners if not address.startswith("tls://")]:
                raise ArenaError(
                    f"{address}: the scheduler also listens on {unsafe[0]} without encryption; start it"
                    " with --protocol tls"
                )
        await _call(self._client.subscribe_topic, self._topic, self._take_message)

    async def workers(self) -> list[SeenWorker]:
        """Return the workers."""
        if self._client.status != "running":
            raise SchedulerLost(f"the connection is {self._client.status}")
        workers: Mapping[str, Any] = (await _call(self._client.scheduler_info, n_workers=-1))["workers"]
        now = time.monotonic()
        for address, info in workers.items():
            # The scheduler notes the times by its clock, which may be wrong, or be set.
            if address not in self._signs or self._signs[address][0] != info["last_seen"]:
                self._signs[address] = info["last_seen"], now
        return [
            SeenWorker(address, str(info["name"]), now - self._signs[address][1])
            for address, info in workers.items()
        ]

    async def ask(
        self,
        function: Callable[..., Any],
        worker: str,
        *arguments: bytes,
        seconds: float = ANSWER_SECONDS,
    ) -> Any:  # noqa: ANN401 - what the function returns
        """Let a worker call a function of `arena.workers.worker`, and return its result."""
        future = await self._submit(function, worker, *arguments)
        end = time.monotonic() + seconds
        try:
            while not future.done():
                if worker not in {seen.address for seen in await self.workers()}:
                    raise SchedulerLost("the worker has gone")
                if time.monotonic() > end:
                    raise ArenaError(f"it did not answer for {seconds:.0f} s")
                await trio.sleep(_POLL_SECONDS)
            return await _call(future.result, timeout=CONNECT_SECONDS)
        finally:
            future.release()

    @asynccontextmanager
    async def play(
        self, worker: str, task: BatchTask
    ) -> AsyncIterator[trio.MemoryReceiveChannel[BatchEvents]]:
        """Let a worker play a batch during the block, and receive its messages, the last with its end.

        If the worker cannot play it, the messages end without that.
        """
        name = str(next(self._numbers))
        self._mail[name], messages = trio.open_memory_channel[BatchEvents](math.inf)
        task = msgspec.structs.replace(task, batch=name, topic=self._topic)
        try:
            future = await self._submit(at_worker.play, worker, encode(task))
            # Dask keeps the order of what a worker sends: the task ends after its messages.
            future.add_done_callback(lambda _: self._soon(self._end_mail, name))
            try:
                yield messages
            finally:
                future.release()
        finally:
            self._end_mail(name)

    async def _submit(self, function: Callable[..., Any], worker: str, *arguments: bytes) -> Future[Any]:
        where = {"workers": [worker], "allow_other_workers": False}
        future: Future[Any] = await _call(
            self._client.submit, function, *arguments, pure=False, retries=0, **where
        )
        return future

    def _soon(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the loop of this run. Any thread may call this."""
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(function, *arguments)

    def _take_message(self, message: tuple[float, bytes]) -> None:
        """Take a message of a worker, in a thread of Dask."""
        self._soon(self._deliver, message[1])

    def _deliver(self, message: bytes) -> None:
        events = decode_with(EVENTS, message)
        if (mail := self._mail.get(events.batch)) is not None:
            mail.send_nowait(events)

    def _end_mail(self, name: str) -> None:
        if (mail := self._mail.pop(name, None)) is not None:
            mail.close()

    async def close(self) -> None:
        """End the connection and all batches. The scheduler then cancels the tasks of this connection."""
        for name in list(self._mail):
            self._end_mail(name)
        # Dask raises many kinds of errors when the scheduler has gone.
        with trio.CancelScope(shield=True), suppress(Exception):
            await trio.to_thread.run_sync(partial(self._client.close, timeout=CLOSE_SECONDS))


async def connect(address: str, certificates: Path) -> Scheduler:
    """Connect to a scheduler; an ArenaError says that it is not safe, or that a certificate is missing."""
    quiet_dask()
    dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s"})
    security = security_of(address, certificates)
    options = {"set_as_default": False, "timeout": CONNECT_SECONDS, "name": "arena"}
    scheduler = Scheduler(await _call(Client, address, security=security, **options))
    try:
        await scheduler.open(address)
    except BaseException:
        await scheduler.close()
        raise
    return scheduler


async def _call(function: Callable[..., Any], *arguments: object, **named: object) -> Any:  # noqa: ANN401 - what the function returns
    """Call a function of Dask in a thread; an ArenaError is for one worker, `SchedulerLost` for all."""
    try:
        return await trio.to_thread.run_sync(partial(function, *arguments, **named), abandon_on_cancel=True)
    except (OSError, TimeoutError, asyncio.CancelledError) as error:
        raise SchedulerLost(str(error) or type(error).__name__) from error
    except ArenaError:
        raise
    except Exception as error:
        raise ArenaError(f"{type(error).__name__}: {error}") from error


def _listeners(dask_scheduler: Any) -> list[str]:  # noqa: ANN401 - Dask's Scheduler, which has no public type
    """Return the addresses on which a scheduler listens. Dask fills in the argument because of its name."""
    return [listener.listen_address for listener in dask_scheduler.listeners]
