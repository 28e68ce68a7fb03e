"""Build engines on a worker, in the folder in which their sources were unpacked."""

from __future__ import annotations

import fcntl
from pathlib import Path

import trio

from arena.errors import ArenaError
from arena.run import building
from arena.run.executors.dask.engine_files import EngineFiles

__all__ = ["build"]


def build(files: EngineFiles, cache: Path) -> str:
    """Build an engine once for each content of its sources; the workers of a machine wait for each other.

    Args:
        files: the sources; `engine_files.unpack` has unpacked them.
        cache: the folder of all engines that were sent to this machine.

    Returns:
        Why it cannot be built, as the end of a sentence; "" if it is built.
    """
    done = cache / f"{files.digest}.built"
    with (cache / f"{files.digest}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            return ""
        folder = cache / files.digest / files.folder.lstrip("/")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            trio.run(building.build, files.build, str(folder), files.environment)
        except ArenaError as error:
            return str(error)
        except OSError as error:
            return f"it cannot be built: {error}"
        done.touch()
        return ""
