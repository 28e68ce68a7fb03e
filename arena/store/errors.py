"""Turn errors of SQLite, the machine and the rows into sentences that say what to do."""

from __future__ import annotations

import os
import shlex
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DBAPIError

from arena.errors import DamagedDatabase, StoreError
from arena.store.file.disk import FULL, disk_fault

__all__ = ["UNREADABLE", "ChangedRow", "InvalidRow", "damaged", "explained"]

_SQLITE_FILES: Final = 8
"""More files than SQLite opens for one database."""


class InvalidRow(Exception):
    """A row holds a value that arena never writes; the message shows the value."""


class ChangedRow(Exception):
    """A row is not as arena wrote it; the message names the row."""


def damaged(path: Path, what: str) -> DamagedDatabase:
    """Return the error for a damaged file; ``what`` says in one line what is wrong with it."""
    what = " ".join(what.split())
    return DamagedDatabase(
        f"{path}: the database is damaged: {what}; nothing was written to it;"
        f" save all games that can be read with: arena db rescue {shlex.quote(str(path))} -o NEW.db"
    )


UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
"""The errors of a plain connection to a damaged file. Even the text of SQLite's error may not be UTF-8."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the machine, the file and its rows into `StoreError`; let other exceptions through.

    Raises:
        StoreError: one sentence that names ``path`` and says what to do; `DamagedDatabase` if the file or a
            row is damaged.
        KeyboardInterrupt: Ctrl-C has interrupted a statement.
    """
    try:
        yield
    except InvalidRow as error:
        raise damaged(path, f"it holds a value that arena never writes ({error})") from error
    except ChangedRow as error:
        raise damaged(path, f"{error} is not as arena stored it") from error
    except UnicodeDecodeError as error:
        raise damaged(path, f"it holds a text that is not UTF-8 ({error.reason})") from error
    except DBAPIError as error:
        if _primary_code(error.orig) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from error  # nothing but Ctrl-C interrupts a statement
        known = _known(path, error.orig)
        if known is None:
            raise
        raise known from error
    except sqlite3.Error as error:
        known = _known(path, error)
        if known is None:
            raise
        raise known from error


def _known(path: Path, error: BaseException | None) -> StoreError | None:
    """Return the error for the user; None for an error that only a wrong statement of ours can cause."""
    text = str(error)
    if any(text.startswith(beginning) for beginning in _DAMAGED_VALUES):
        return damaged(path, f"it holds a value that arena never writes ({text[:80]})")
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    primary = _primary_code(error)
    if primary == sqlite3.SQLITE_CORRUPT:
        return damaged(path, f"SQLite says: {text}")
    if primary == sqlite3.SQLITE_ERROR and text.startswith(("no such table", "no such column")):
        # The schema was complete when the file was opened, or this is a mistake of ours.
        from arena.store.schema.shape import missing_part

        missing = missing_part(path)
        return damaged(path, f"it has no {missing}") if missing else None
    if primary == sqlite3.SQLITE_IOERR:
        return StoreError(f"{path}: {disk_fault(path, getattr(error, 'sqlite_errorname', text))}")
    if code in _DUPLICATES:
        return damaged(path, f"two rows have the same key ({text})")
    if code == sqlite3.SQLITE_READONLY and _is_writable(path):
        return damaged(path, "its header does not allow changes")
    explain = _EXPLANATIONS.get(primary)
    return None if explain is None else StoreError(f"{path}: {explain(path)}")


_DAMAGED_VALUES: Final = (
    "Could not decode to UTF-8",  # Python, for a text that is not UTF-8
    "user-defined function raised exception",  # a checksum of a value that is neither a number nor a text
    "integer overflow",  # in a sum of checksums
)
"""The beginnings of errors about a value in a row."""


_DUPLICATES: Final = frozenset(
    (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID, sqlite3.SQLITE_CONSTRAINT_UNIQUE)
)
"""Errors of a new row: arena reads in the same transaction that its key is free, so an index is damaged."""


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


def _is_writable(path: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    return all(os.access(place, os.W_OK, effective_ids=effective) for place in (path, path.parent))


def _is_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


_EXPLANATIONS: Final[dict[int, Callable[[Path], str]]] = {
    sqlite3.SQLITE_NOTADB: lambda _: "is not a database; choose another file name (the file was not changed)",
    sqlite3.SQLITE_BUSY: _locked,
    sqlite3.SQLITE_LOCKED: _locked,
    sqlite3.SQLITE_READONLY: lambda path: (
        "cannot be written; get the permission to write the file and its directory"
        f" {path.parent}, or copy it to a directory of your own"
    ),
    sqlite3.SQLITE_PERM: _cannot_open,
    sqlite3.SQLITE_CANTOPEN: _cannot_open,
    sqlite3.SQLITE_FULL: lambda _: FULL,
    sqlite3.SQLITE_PROTOCOL: _locked,
    sqlite3.SQLITE_TOOBIG: lambda _: "a game is too large for the database",
}
