"""A Dask worker that plays games."""

from __future__ import annotations

import asyncio
import signal
import socket
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import dask
import msgspec
from distributed import Status, Worker, get_worker

from arena.config.tournament_keys import is_loopback
from arena.errors import ArenaError
from arena.run.batch import BatchOrder
from arena.run.cores import leased_cores
from arena.run.executor import BatchEvent
from arena.workers import capabilities, engine_files
from arena.workers.batch_process import TASKS, BatchEnd, BatchEvents, BatchTask, SendEvents, run_batch
from arena.workers.engine_files import EngineFiles
from arena.workers.security import quiet_dask, security_of
from protocol.process import machine
from protocol.process.machine import cache_folder, usable_cores
from protocol.spec import EngineSpec
from protocol.words import counted
from referee.match.job import Job, decode_with, encode

_RETRY_SECONDS: Final = 2.0

_NAMES_TRIED: Final = 1000


def run_worker(
    address: str, name: str | None, cores: int | None, certificates: Path, tell: Callable[[str], None]
) -> None:
    """Play games for a scheduler, until SIGINT or SIGTERM. Wait for it when it goes away."""
    usable = usable_cores()
    if cores is not None and cores > len(usable):
        raise ArenaError(f"this process may use only {counted(len(usable), 'core')}, not {cores}")
    offered = cores or len(usable)
    security = security_of(address, certificates)
    quiet_dask()
    dask.config.set({"distributed.comm.require-encryption": None})
    machine.remove_abandoned_folders()
    folder = machine.make_folder()
    settings = {
        "scheduler_ip": address,
        "nthreads": offered,
        "security": security,
        "local_directory": folder,
        "memory_limit": 0,
        "host": "127.0.0.1" if is_loopback(urlsplit(address).hostname or "") else None,
    }
    try:
        asyncio.run(_serve(settings, name, tell))
    finally:
        machine.remove_folder(folder)


async def _serve(settings: dict[str, Any], name: str | None, tell: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    stopping = asyncio.create_task(stop.wait())
    address, waiting = settings["scheduler_ip"], False  # whether the user knows that the scheduler is away
    try:
        while not stop.is_set():
            worker = await _start(settings, name, stopping)
            if worker is None:
                if not waiting and not stop.is_set():
                    tell(f"the scheduler {address} does not answer; the worker waits for it")
                waiting = True
                await asyncio.wait([stopping], timeout=_RETRY_SECONDS)
                continue
            waiting = False
            threads = counted(settings["nthreads"], "core")
            tell(f"worker {worker.name}: {threads}, plays games for {address}; Ctrl-C ends it")
            finished = asyncio.create_task(worker.finished())
            await asyncio.wait([stopping, finished], return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                await worker.close(timeout=_RETRY_SECONDS)
            else:
                tell(f"the scheduler {address} has gone; the worker waits for it")
                waiting = True
            await finished
    finally:
        stopping.cancel()


async def _start(settings: dict[str, Any], name: str | None, stopping: asyncio.Task[bool]) -> Worker | None:
    """Start a worker; None if the scheduler does not answer, or the user stops it."""
    host = socket.gethostname()
    names = [name] if name is not None else [host, *(f"{host}-{n}" for n in range(2, _NAMES_TRIED))]
    for candidate in names:
        worker = Worker(**settings, name=candidate, death_timeout=_RETRY_SECONDS)
        starting = asyncio.ensure_future(worker.start())
        await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            return None
        error = starting.exception()
        if error is None:
            return worker
        if "name taken" not in "".join(traceback.format_exception(error)):
            return None
    raise ArenaError(f"another worker of this scheduler has the name {names[0]}; choose another: --worker")


def _cache() -> Path:
    """Return the folder of the engines that were sent to this machine."""
    return cache_folder() / "engines"


def announce(needs: bytes) -> bytes:
    """Return the `Capabilities` of this machine; ``needs`` is a `Needs`. Both are JSON."""
    asked = msgspec.json.decode(needs, type=capabilities.Needs)
    return msgspec.json.encode(capabilities.announce(asked, get_worker().state.nthreads))


def install(files: bytes, archive: bytes) -> None:
    """Unpack the files of an engine, and remove the files of engines that are not used any more."""
    engine = msgspec.json.decode(files, type=EngineFiles)
    engine_files.mark_used(engine, _cache())
    engine_files.remove_unused(_cache())
    engine_files.unpack(engine, archive, _cache())


def build(files: bytes) -> str:
    """Build an engine from the files of `install`; return as `engine_files.build`."""
    return engine_files.build(msgspec.json.decode(files, type=EngineFiles), _cache())


def play(task: bytes) -> None:
    """Play a batch: ``task`` is a `BatchTask`. The events and the end come by Dask's log."""
    batch = decode_with(TASKS, task)
    worker = get_worker()
    key = worker.get_current_task()

    def cancelled() -> bool:
        state = worker.state.tasks.get(key)
        return state is None or state.state != "executing" or worker.status is not Status.running

    def send(events: tuple[BatchEvent, ...], end: BatchEnd | None = None) -> None:
        worker.log_event(batch.topic, encode(BatchEvents(batch.batch, events, end)))

    send((), _play(batch, send, cancelled))


def _play(batch: BatchTask, send: SendEvents, cancelled: Callable[[], bool]) -> BatchEnd:
    files = {each.engine: each for each in batch.engines}
    for each in files.values():
        engine_files.mark_used(each, _cache())
    roots = {
        name: _cache() / each.digest if each.build or engine_files.missing(each) else None
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
    with leased_cores(batch.cores, usable_cores(), cancelled) as cores:
        if cancelled():
            return BatchEnd(0, "")
        return run_batch(orders, cores, send, cancelled)
