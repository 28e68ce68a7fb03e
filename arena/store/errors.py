"""Turn errors of SQLite, the machine and the rows into sentences that say what to do."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DBAPIError

from arena.errors import StoreError

__all__ = ["InvalidRow", "explained"]

_SQLITE_FILES: Final = 8
"""A number of files that SQLite never needs for one database."""


class InvalidRow(Exception):
    """A row holds a value that arena never writes; the message shows the value."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the machine, the file and its rows into `StoreError`; let other exceptions through.

    Raises:
        StoreError: one sentence that names ``path`` and says what to do.
        KeyboardInterrupt: Ctrl-C has interrupted a statement.
    """
    try:
        yield
    except InvalidRow as error:
        raise StoreError(
            f"{path}: holds a value that arena never writes ({error}); restore a copy of it"
        ) from error
    except DBAPIError as error:
        if _primary_code(error.orig) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from error  # nothing but Ctrl-C interrupts a statement
        message = _message(path, error.orig)
        if message is None:
            raise
        raise StoreError(message) from error
    except sqlite3.Error as error:
        message = _message(path, error)
        if message is None:
            raise
        raise StoreError(message) from error


def _message(path: Path, error: BaseException | None) -> str | None:
    """Return the sentence for an error; None for an error that only a wrong statement of ours can cause."""
    explain = _EXPLANATIONS.get(_primary_code(error))
    return None if explain is None else f"{path}: {explain(path)}"


def _primary_code(error: BaseException | None) -> int:
    """Return SQLite's code without the details in its higher bytes; 0 if the error has none."""
    code = getattr(error, "sqlite_errorcode", None)
    return 0 if code is None else int(code) & 0xFF


def _cannot_open(path: Path) -> str:
    if shortage := _shortage():
        return f"cannot be opened: {shortage}; close other programs and start again"
    if _is_directory(path):
        return "is a directory; name a file in it"
    if not _is_directory(path.parent):
        return f"there is no directory {path.parent}; create it, or choose another place for the database"
    return (
        f"cannot be opened, or no file can be created beside it in {path.parent};"
        " get the permissions to read and write there, or copy the database to a directory of your own"
    )


def _locked(_: Path) -> str:
    return (
        "is locked by another program; close that program (another arena, a database browser) and start again"
    )


def _shortage() -> str:
    """Return why no more files can be opened now; "" if they can. SQLite reports all causes with one code."""
    try:
        with ExitStack() as opened:
            for _ in range(_SQLITE_FILES):
                opened.enter_context(Path(os.devnull).open("rb"))
    except OSError as error:
        return str(error.strerror)
    return ""


def _is_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


_EXPLANATIONS: Final[dict[int, Callable[[Path], str]]] = {
    sqlite3.SQLITE_NOTADB: lambda _: "is not a database; choose another file name (the file was not changed)",
    sqlite3.SQLITE_CORRUPT: lambda path: (
        "the database is damaged; restore a copy, or save the readable rows"
        f" with: sqlite3 '{path}' .recover | sqlite3 saved.db"
    ),
    sqlite3.SQLITE_BUSY: _locked,
    sqlite3.SQLITE_LOCKED: _locked,
    sqlite3.SQLITE_READONLY: lambda path: (
        "cannot be written; get the permission to write the file and its directory"
        f" {path.parent}, or copy it to a directory of your own"
    ),
    sqlite3.SQLITE_PERM: _cannot_open,
    sqlite3.SQLITE_CANTOPEN: _cannot_open,
    sqlite3.SQLITE_FULL: lambda _: "the disk is full; make room and start again, all stored games are safe",
    sqlite3.SQLITE_IOERR: lambda _: (
        "the disk reports an error, or the file is on a network drive, which SQLite cannot use;"
        " put the database on a local disk"
    ),
    sqlite3.SQLITE_PROTOCOL: _locked,
    sqlite3.SQLITE_TOOBIG: lambda _: "a game is too large for the database",
}
