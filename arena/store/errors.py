"""Turn errors of SQLite, its disk and the rows into sentences that say what to do."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from arena.address import Address
from arena.errors import DamagedDatabase, StoreError, StoreUnavailable

_BUSY: Final = "too many tasks of this program use the database at the same time; try again in a moment"
DUPLICATE: Final = (
    "has a result of this game already ({text}); let only one arena play a tournament, and look for damage"
    " with `arena db check`"
)
_NO_MEMORY: Final = "there is too little memory; close other programs, or raise the limit (ulimit -v)"


class Damage(Exception):
    """A database is damaged; the message says what is wrong with it."""


class InvalidRow(Damage):
    """A row holds a value that arena never writes: ``value``, or what is wrong with it."""

    def __init__(self, value: str) -> None:
        super().__init__(f"it holds a value that arena never writes ({value})")


def damaged(address: Address, what: str) -> DamagedDatabase:
    """Return the error for a damaged database; ``what`` says in one line what is wrong with it."""
    remedy = (
        f"save all games that can be read with: arena db copy --damaged {shlex.quote(str(address))} NEW.db"
        if isinstance(address, Path)
        else f"list the damage with: arena db check '{address}', and restore it from a backup of the server"
    )
    return DamagedDatabase(f"{address}: the database is damaged: {' '.join(what.split())}; {remedy}")


_Place = TypeVar("_Place", bound=Address)


@contextmanager
def explained(
    known: Callable[[_Place, BaseException | None], StoreError | None], address: _Place
) -> Iterator[None]:
    """Turn errors of the machine, a database and its rows into `StoreError`; let other exceptions through.

    ``known`` returns the error for the user; None for an error that only a wrong call of ours can cause.
    """
    try:
        yield
    except Damage as error:
        raise damaged(address, str(error)) from error
    except MemoryError as error:
        raise StoreError(f"{address}: {_NO_MEMORY}") from error
    except PoolTimeout as error:
        raise StoreUnavailable(f"{address}: {_BUSY}") from error
    except UnicodeDecodeError as error:
        raise damaged(address, f"it holds a text that is not UTF-8 ({error.reason})") from error
    except Exception as error:
        explanation = known(address, error.orig if isinstance(error, DBAPIError) else error)
        if explanation is None:
            raise
        raise explanation from error


def of_file(path: Path, error: BaseException | None) -> StoreError | None:
    """Return the error of a file for the user; an interrupted statement is Ctrl-C."""
    if _primary_code(error) == sqlite3.SQLITE_INTERRUPT:
        raise KeyboardInterrupt from error  # nothing but Ctrl-C interrupts a statement
    text = " ".join(str(error).split())
    if text.startswith(_DAMAGED_VALUES):
        return damaged(path, f"it holds a value that arena never writes ({text[:80]})")
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    primary = _primary_code(error)
    if primary == sqlite3.SQLITE_CORRUPT:
        return damaged(path, f"SQLite says: {text}")
    if primary == sqlite3.SQLITE_IOERR:
        name = getattr(error, "sqlite_errorname", text)
        return StoreError(f"{path}: {_DISK_FAULT.format(name=name)}")
    if code in _DUPLICATES:
        return StoreError(f"{path}: {DUPLICATE.format(text=text)}")
    if primary in LOCKED:
        return StoreUnavailable(
            f"{path}: is locked by another program; close that program (another arena, a database browser)"
        )
    if primary in _EXPLANATIONS:
        return StoreError(f"{path}: {_EXPLANATIONS[primary](path)}")
    # For example a trigger that another program has made.
    return StoreError(f"{path}: SQLite says: {text} ({getattr(error, 'sqlite_errorname', code)})")


_DAMAGED_VALUES: Final = (
    "Could not decode to UTF-8",  # Python, for a text that is not UTF-8
    "integer overflow",  # in a sum of numbers
)
"""How errors about a value in a row start."""


_DUPLICATES: Final = frozenset(
    (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID, sqlite3.SQLITE_CONSTRAINT_UNIQUE)
)
"""Errors of a new row that has the key of another one."""


def _primary_code(error: BaseException | None) -> int:
    """Return SQLite's code without the details in its higher bytes; 0 if the error has none."""
    code = getattr(error, "sqlite_errorcode", None)
    return 0 if code is None else int(code) & 0xFF


def _cannot_open(path: Path) -> str:
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises without permissions
        return "is a directory; name a file in it"
    if not os.path.isdir(path.parent):  # noqa: PTH112 - as above
        return f"there is no directory {path.parent}; create it, or choose another place for the database"
    return (
        f"cannot be opened, or no file can be created beside it in {path.parent};"
        " get the permissions to read and write there, copy the database to a directory of your own, or close"
        " other programs if too many files are open"
    )


def _other_kind(path: Path) -> str:
    if path.suffix == ".toml":
        return "is a tournament file, not a database; name the database of its key `database`, or arena.db"
    return "is not a database; choose another file name"


LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)

_EXPLANATIONS: Final[dict[int, Callable[[Path], str]]] = {
    sqlite3.SQLITE_NOTADB: lambda path: f"{_other_kind(path)} (the file was not changed)",
    sqlite3.SQLITE_READONLY: lambda path: (
        "cannot be written; get the permission to write the file and its directory"
        f" {path.parent}, or copy it to a directory of your own"
    ),
    sqlite3.SQLITE_PERM: _cannot_open,
    sqlite3.SQLITE_CANTOPEN: _cannot_open,
    sqlite3.SQLITE_FULL: lambda _: _FULL,
    sqlite3.SQLITE_TOOBIG: lambda _: "a game is too large for the database",
}

_FULL: Final = "the disk is full; make room and start again, all stored games are safe"

NO_LOG: Final = (
    "SQLite cannot keep a write-ahead log on this drive; make room if it is full, or put the database on a"
    " local disk"
)

_DISK_FAULT: Final = (
    "the disk reports an error ({name}): it is full, faulty, or on the network, or files have a limit of size"
    " (ulimit -f); make room and start again, or put the database on a local disk; all stored games are safe"
)
