"""What a Dask worker does for a hub. The hub submits these functions; they run in threads of the worker."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from distributed import Status, get_worker

from arena.run.batch import BatchOrder
from arena.run.executors.dask import capabilities, engine_files, worker_builds
from arena.run.executors.dask.batch_process import run_batch
from arena.run.executors.dask.cores import leased_cores
from arena.run.executors.dask.engine_files import EngineFiles, FileHashes
from arena.run.executors.dask.messages import BatchEnd, BatchEvents, BatchTask, decode_task
from arena.run.executors.interface import BatchEvent
from protocol.spec import EngineSpec
from referee.match.job import Job, JobFinished
from referee.match.job_lines import encode

__all__ = ["announce", "build", "install", "measure", "play", "watch"]

_HASHES: Final = FileHashes()

_WATCHED: Final[dict[str, bool]] = {}
"""Whether anybody watches the games, by the topic of a run."""

_FOLDER: Final = "leapfrog-arena/engines"


def _cache() -> Path:
    """Return the folder of the engines that were sent to this machine."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / (
        "Library/Caches" if sys.platform == "darwin" else ".cache"
    )
    return Path(root, _FOLDER)


def announce(needs: bytes) -> bytes:
    """Return the `Capabilities` of this machine; ``needs`` is a `Needs`. Both are JSON."""
    asked = msgspec.json.decode(needs, type=capabilities.Needs)
    worker = get_worker()
    folder, offered = Path(worker.local_directory), worker.state.nthreads
    return msgspec.json.encode(capabilities.announce(asked, _HASHES, folder, offered))


def install(files: bytes, archive: bytes) -> None:
    """Unpack the files of an engine.

    Raises:
        ArenaError, OSError: they cannot be written.
    """
    engine_files.unpack(msgspec.json.decode(files, type=EngineFiles), archive, _cache())


def build(files: bytes) -> str:
    """Build an engine from the files of `install`, unless that was done before.

    Returns:
        Why it cannot be built; "" if it was.
    """
    return worker_builds.build(msgspec.json.decode(files, type=EngineFiles), _cache())


def play(task: bytes) -> bytes:
    """Play a batch: ``task`` is a `BatchTask`, and the result a `BatchEnd`. The events come by Dask's log.

    Raises:
        OSError: this machine cannot start processes.
    """
    batch = decode_task(task)
    _WATCHED[batch.topic] = batch.watched
    worker = get_worker()
    key = worker.get_current_task()

    def cancelled() -> bool:
        state = worker.state.tasks.get(key)
        return state is None or state.state != "executing" or worker.status is not Status.running

    def send(events: tuple[BatchEvent, ...]) -> None:
        worker.log_event(batch.topic, encode(BatchEvents(batch.batch, events)))

    return encode(_play(batch, send, cancelled, lambda: _WATCHED[batch.topic]))


def watch(topic: str, watched: bool) -> None:
    """Note whether anybody watches the games of a run: only then are their plies sent."""
    _WATCHED[topic] = watched


def measure(task: bytes) -> bytes:
    """Play the game in which the speed of an engine is measured; return the event of its end, or b""."""
    batch = decode_task(task)
    found: list[BatchEvent] = []
    _play(batch, found.extend, lambda: False)
    return next((encode(event) for event in found if isinstance(event, JobFinished)), b"")


def _play(
    batch: BatchTask,
    send: Callable[[tuple[BatchEvent, ...]], None],
    cancelled: Callable[[], bool],
    watched: Callable[[], bool] = lambda: False,
) -> BatchEnd:
    files = {each.engine: each for each in batch.engines}
    roots = {
        name: _cache() / each.digest if each.build or engine_files.missing(each, _HASHES) else None
        for name, each in files.items()
    }

    def here(engine: EngineSpec) -> EngineSpec:
        spare = _cache() / f"{files[engine.name].digest}.cwd"
        return engine_files.adapted(engine, files[engine.name], roots[engine.name], spare)

    def adapted(order: BatchOrder) -> BatchOrder:
        if isinstance(order, Job):
            seats = tuple(msgspec.structs.replace(seat, engine=here(seat.engine)) for seat in order.seats)
            return msgspec.structs.replace(order, seats=seats)
        return msgspec.structs.replace(order, engine=here(order.engine))

    orders = [adapted(order) for order in batch.orders]
    with leased_cores(batch.cores, capabilities.usable_cores(), cancelled) as cores:
        if cancelled():
            return BatchEnd(0, "")
        return run_batch(orders, cores, send, cancelled, watched)
