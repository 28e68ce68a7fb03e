"""The connection to a Dask scheduler. All methods block, so call them in a thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import dask
from distributed import Client, Future

from arena.errors import ArenaError
from arena.workers import worker as at_worker
from arena.workers.security import quiet_dask, security_of

CONNECT_SECONDS: Final = 10.0

ANSWER_SECONDS: Final = 120.0
_PAUSE: Final = 0.1


class ClusterLost(Exception):
    """The scheduler does not answer any more."""


@dataclass(frozen=True, slots=True)
class SeenWorker:
    """A worker, as the scheduler knows it. No later worker has its address."""

    address: str
    name: str
    silent: float  # seconds since it gave a sign of life


class Cluster:
    """A connected scheduler; ``event`` is called in another thread with every message of a topic.

    A `ClusterLost` says that it does not answer, an ArenaError that it is not safe, or lacks a certificate.
    """

    def __init__(self, address: str, certificates: Path, topic: str, event: Callable[[bytes], None]) -> None:
        self._signs: dict[
            str, tuple[float, float]
        ] = {}  # by address: the last sign of life, and when it came
        quiet_dask()
        dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s"})
        security = security_of(address, certificates)
        try:
            self._client = Client(
                address, security=security, set_as_default=False, timeout=CONNECT_SECONDS, name="arena"
            )
        except (OSError, TimeoutError) as error:
            raise ClusterLost(str(error)) from error
        try:
            if security is not None:
                self._check_encryption(address)
            self._client.subscribe_topic(topic, lambda message: event(message[1]))
        except BaseException:
            self.close()
            raise

    def _check_encryption(self, address: str) -> None:
        """Check that the scheduler talks to nobody without encryption."""
        listeners = self._call(lambda: self._client.run_on_scheduler(_listeners))
        if open_ones := [one for one in listeners if not one.startswith("tls://")]:
            raise ArenaError(
                f"{address}: the scheduler also listens on {open_ones[0]} without encryption; start it with"
                " --protocol tls"
            )

    def workers(self) -> list[SeenWorker]:
        """Return the workers."""
        if self._client.status != "running":
            raise ClusterLost(f"the connection is {self._client.status}")
        found: Mapping[str, Any] = self._call(lambda: self._client.scheduler_info(n_workers=-1)["workers"])
        now = time.monotonic()
        for address, info in found.items():
            # The scheduler notes the times by its own clock, which may be wrong, or be set.
            if address not in self._signs or self._signs[address][0] != info["last_seen"]:
                self._signs[address] = info["last_seen"], now
        return [
            SeenWorker(address, str(info["name"]), now - self._signs[address][1])
            for address, info in found.items()
        ]

    def watch(self, topic: str, watched: bool) -> None:
        """Tell all workers whether anybody watches; a worker that does not answer is not told."""
        self._call(lambda: self._client.run(at_worker.watch, topic, watched, on_error="ignore"))

    def ask(
        self,
        function: Callable[..., Any],
        worker: str,
        *arguments: bytes,
        seconds: float = ANSWER_SECONDS,
    ) -> Any:  # noqa: ANN401 - what the function returns
        """Let a worker call a function of `arena.workers.worker`; an ArenaError says why it cannot."""
        future = self._submit(function, worker, *arguments)
        end = time.monotonic() + seconds
        try:
            while not future.done():
                if worker not in {seen.address for seen in self.workers()}:
                    raise ClusterLost("the worker has gone")
                if time.monotonic() > end:
                    raise ArenaError(f"it did not answer for {seconds:.0f} s")
                time.sleep(_PAUSE)
            return self._call(lambda: future.result(timeout=CONNECT_SECONDS))
        finally:
            future.release()

    def _submit(self, function: Callable[..., Any], worker: str, *arguments: bytes) -> Future[Any]:
        future: Future[Any] = self._call(
            lambda: self._client.submit(
                function, *arguments, pure=False, workers=[worker], allow_other_workers=False, retries=0
            )
        )
        return future

    def play(self, worker: str, task: bytes, done: Callable[[Future[Any]], None]) -> Future[Any]:
        """Let a worker play a batch; ``done`` is called in another thread at its end."""
        future = self._submit(at_worker.play, worker, task)
        future.add_done_callback(done)
        return future

    def _call(self, function: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the function returns
        """Call a function of Dask; an ArenaError is for one worker, `ClusterLost` for the scheduler."""
        try:
            return function()
        except (OSError, TimeoutError, asyncio.CancelledError) as error:
            raise ClusterLost(str(error) or type(error).__name__) from error
        except ArenaError:
            raise
        except Exception as error:
            raise ArenaError(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """End the connection. The scheduler then cancels the tasks of this connection."""
        try:
            self._client.close(timeout=2)
        except Exception:  # noqa: S110 - Dask raises many kinds of errors when the scheduler has gone
            pass


def _listeners(dask_scheduler: Any) -> list[str]:  # noqa: ANN401 - Dask's Scheduler, which has no public type
    """Return the addresses on which a scheduler listens. Dask fills in the argument because of its name."""
    return [listener.listen_address for listener in dask_scheduler.listeners]
