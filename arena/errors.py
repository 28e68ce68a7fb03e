"""Errors that a user of arena can correct. The message says what to do.

ArenaError
├── ConfigError        a tournament file
│   └── OpeningError   an opening that the rules refuse
└── StoreError         a database
    ├── ChangedSettings   a tournament that was started with other settings
    ├── DamagedDatabase   a database with a damaged page or row
    ├── MissingDatabase   a file that is not there, or a database without tables
    └── StoreUnavailable  a database that cannot be used now: its server is not there, or it is locked
"""

from __future__ import annotations

import errno
import logging
import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType


class ArenaError(Exception):
    """The base of all errors about bad input. The command line prints the message and exits with 2."""


class ConfigError(ArenaError):
    """A tournament file cannot be used. The message names the file and the key."""


class OpeningError(ConfigError):
    """The rules refuse an opening, or no random opening was found."""


class StoreError(ArenaError):
    """A database cannot be used. The message names the file, or the address on a server."""


class ChangedSettings(StoreError):
    """A tournament was started with other settings. The message shows both values of one of them."""


class DamagedDatabase(StoreError):
    """A database has a page or a row that is not as arena wrote it."""


class MissingDatabase(StoreError):
    """There is no database yet: no file, or no table in it."""


class StoreUnavailable(StoreError):
    """A database cannot be used now: no server, or a lock. What was not stored can be stored later."""


def _nearest_file(path: Path) -> str:
    """The end of a message about a missing file: the file in the same folder that is meant; "" if none is."""
    from difflib import get_close_matches  # imported late, because most files exist

    try:
        names = [file.name for file in path.parent.iterdir() if file.suffix in (path.suffix, ".toml")]
    except OSError:
        return ""
    near = get_close_matches(path.name, names, n=1, cutoff=0.7) or [
        name for name in names if name == f"{path.name}.toml"
    ]
    return f"; did you mean {near[0]}?" if near else ""


@contextmanager
def explaining_unreadable(path: Path) -> Iterator[None]:
    """Turn the system's errors, while a file that the user names is read, into a `ConfigError`."""
    try:
        yield
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file{_nearest_file(path)}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a folder; name a file in it") from None
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}: this cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None


def not_utf8(path: Path, data: bytes, line: int, wanted: str) -> ConfigError:
    """Return the error for a file that should be ``wanted``, but has no UTF-8 in a line of ``data``.

    To save a file of another kind as UTF-8 would destroy it.
    """
    if data.startswith(b"SQLite format 3\0"):
        return ConfigError(f"{path}: this is a database, not {wanted}")
    if not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and _BINARY.search(data):
        return ConfigError(f"{path}: this is a binary file, not {wanted}")
    return ConfigError(f"{path}, line {line}: this is not UTF-8; save the file as UTF-8")


_BINARY: Final = re.compile(rb"[\0-\b\x0e-\x1a\x1c-\x1f]")
"""A control character that no text has."""


def check_is_file(path: Path) -> None:
    """Raise an OSError if there is no file, but a folder, or a pipe or a device, which may never end."""
    mode = path.stat().st_mode
    if S_ISDIR(mode):
        raise IsADirectoryError
    if not S_ISREG(mode):
        raise OSError("it is a pipe or a device, and no file")


def leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors in a group, and in the groups in it; an error that is no group yields itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def user_errors() -> tuple[type[Exception], ...]:
    """Return the exception classes whose messages are for users. They are imported only after a failure."""
    from protocol.errors import EngineError, RemoteProtocolError
    from referee.errors import RefereeError

    return ArenaError, RefereeError, EngineError, RemoteProtocolError


def user_message(error: BaseException) -> str:
    """Return the message of an error for users; "" for a programming error.

    The system's error at a file is one for users: it has the name of the file.
    """
    if message := exhausted(error):  # without memory, the modules of the other errors cannot be imported
        return message
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) if isinstance(error, user_errors()) else ""


class Outlasting:
    """A context in which a task of a server outlasts what a request outlasts: errors for users, logged once.

    A programming error, and what is not ``only`` an error of this class, ends it.
    """

    def __init__(self, task: str, only: type[BaseException] = BaseException) -> None:
        self._task = task
        self._only = only
        self._logged = ""

    def __enter__(self) -> None:
        """Start a try."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: TracebackType | None) -> bool:
        """Log why the try has failed, if the last one has not failed for the same reason."""
        errors = [] if error is None else list(leaves(error))
        if not all(isinstance(leaf, self._only) and user_message(leaf) for leaf in errors):
            return False
        problem = user_message(errors[0]) if errors else ""
        if problem not in ("", self._logged):
            logging.getLogger("arena.serve").warning("%s: %s; it is tried again", self._task, problem)
        self._logged = problem
        return True


_EXHAUSTED: Final = frozenset(
    {errno.EAGAIN, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)
_NO_MEMORY: Final = os.strerror(errno.ENOMEM)
_EXHAUSTED_TEXTS: Final = {
    text: text for text in (*map(os.strerror, _EXHAUSTED), "can't start new thread")
} | {
    "failed to map segment from shared object": _NO_MEMORY,
    "error return without exception set": _NO_MEMORY,
}
"""What the last words of errors about an exhausted machine mean that have no ``errno``.

They come from the import of a library and from a thread that cannot start.
"""


def exhausted(error: BaseException) -> str:
    """Return a message that names the exhausted resource of this machine, or ``""`` for any other error."""
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        reason = str(error.strerror)
    elif isinstance(error, ArenaError):
        return ""
    elif isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):  # trio wraps it
        reason = _NO_MEMORY
    elif isinstance(error, ImportError | RuntimeError | SystemError) and (
        last := next(filter(str(error).rstrip().endswith, _EXHAUSTED_TEXTS), "")
    ):
        reason = _EXHAUSTED_TEXTS[last]
    else:
        return ""
    return (
        f"this machine has run out of a resource: {reason}; free some and start again; stored games are safe"
    )
