"""A Dask worker that plays games."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import dask
import dask.system
from distributed import Worker

from arena.config.executor_keys import is_loopback
from arena.errors import ArenaError
from arena.run.executors.dask.capabilities import usable_cores
from arena.run.executors.dask.cluster import security_of, silence_logs
from protocol.plurals import counted
from protocol.process import folders

__all__ = ["run_worker"]

_RETRY_SECONDS: Final = 2.0

_SETTINGS: Final = {
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.profile.enabled": False,
    "distributed.comm.require-encryption": None,
}
"""Dask's own settings that a worker does not need. Measuring the interpreter takes processor time."""

_MOST_NAMES: Final = 1000


def run_worker(
    address: str, name: str | None, cores: int | None, certificates: Path, tell: Callable[[str], None]
) -> None:
    """Play games for a scheduler, until SIGINT or SIGTERM. Wait for it when it goes away.

    Args:
        address: the address of the scheduler.
        name: the worker's name; None for the name of the machine.
        cores: how many cores it offers; None for all that this process may use, and that
            the limit of its container allows.
        certificates: the folder of certificates, for an address with ``tls://``.
        tell: called with sentences for the user.

    Raises:
        ArenaError: a certificate is missing, another worker has the name, or there are fewer cores than
            ``cores``.
    """
    usable = usable_cores()
    if cores is not None and cores > len(usable):
        raise ArenaError(f"this process may use only {counted(len(usable), 'core')}, not {cores}")
    offered = cores or dask.system.cpu_count()  # heeds the limit of a container, too
    security = security_of(address, certificates)
    silence_logs()
    dask.config.set(_SETTINGS)
    folders.remove_abandoned()
    folder = folders.make_folder()
    settings = {
        "scheduler_ip": address,
        "nthreads": offered,
        "security": security,
        "local_directory": folder,
        "memory_limit": 0,
        "host": "127.0.0.1" if is_loopback(address) else None,
    }
    try:
        asyncio.run(_serve(settings, name, tell))
    finally:
        folders.remove_folder(folder)


async def _serve(settings: dict[str, Any], name: str | None, tell: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    stopping = asyncio.create_task(stop.wait())
    address, waiting = settings["scheduler_ip"], False
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
    """Start a worker; None if the scheduler does not answer, or the user stops it.

    Raises:
        ArenaError: another worker has the name.
    """
    host = socket.gethostname()
    names = [name] if name is not None else [host, *(f"{host}-{n}" for n in range(2, _MOST_NAMES))]
    for own in names:
        worker = Worker(**settings, name=own, death_timeout=_RETRY_SECONDS)
        starting = asyncio.ensure_future(worker.start())
        await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            return None
        error = starting.exception()
        if error is None:
            return worker
        if "name taken" not in _texts(error):
            return None
    raise ArenaError(f"another worker of this scheduler has the name {names[0]}; choose another one: --name")


def _texts(error: BaseException | None) -> str:
    """Return the messages of an error and of its causes."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return " ".join(texts)
