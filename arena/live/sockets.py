"""The folder with the sockets of running tournaments, one for each run.

Only the user who started the runs can enter the folder, so nobody else can read what they tell. A socket is
named after the process that made it: ``PID-NUMBER.socket``. A killed run leaves its socket. The next program
that looks for sockets removes it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from itertools import count
from pathlib import Path
from typing import Final

from protocol.process.machine import running

__all__ = ["new_socket", "socket_folder", "sockets"]

_SUFFIX: Final = ".socket"


def socket_folder() -> Path:
    """Return the folder of this user's sockets. It may not exist yet."""
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if runtime.is_absolute() and runtime.is_dir():
        return runtime / "leapfrog-arena"
    return Path(tempfile.gettempdir(), f"arena-live-{os.getuid()}")


def new_socket() -> Path:
    """Return a path for a new socket of this process; make the folder, and remove what killed runs left.

    Raises:
        OSError: the folder cannot be made, or other users can enter it.
    """
    folder = socket_folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _private(folder):
        raise PermissionError(f"{folder} belongs to another user, or others may enter it")
    taken = set(sockets())
    return next(
        path for number in count(1) if (path := folder / f"{os.getpid()}-{number}{_SUFFIX}") not in taken
    )


def sockets() -> list[Path]:
    """Return the sockets of the running tournaments of this user; remove those of killed runs."""
    folder = socket_folder()
    try:
        paths = sorted(folder.glob("[0-9]*-*")) if _private(folder) else []
    except OSError:  # there is no folder, so nothing runs
        return []
    alive = []
    for path in paths:
        number = path.name.partition("-")[0]
        if not number.isdigit() or not running(int(number)):
            path.unlink(missing_ok=True)
        elif path.suffix == _SUFFIX:
            alive.append(path)
    return alive


def _private(folder: Path) -> bool:
    """Whether this is a folder of this user that nobody else can enter.

    Raises:
        OSError: it does not exist.
    """
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
