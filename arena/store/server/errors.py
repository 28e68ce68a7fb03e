"""Turn errors of a server and of its rows into sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from sqlalchemy.exc import DBAPIError

from arena.address import ServerAddress
from arena.errors import DamagedDatabase, StoreError, StoreUnavailable
from arena.store.errors import ChangedRow, InvalidRow

__all__ = ["LOCKED", "damaged", "explained", "what_is_damaged"]

LOCKED: Final = "55P03"
"""The code of a lock that was not free in time."""

_GONE: Final = ("08", "53", "57P", "25006")
"""The beginnings of codes of a server that has gone, or lacks memory, disk or connections, or only reads."""

_REFUSED: Final = {
    "28": "the server refuses this user: {text}; a password comes from ~/.pgpass or PGPASSWORD",
    "3D000": "there is no such database on the server: {text}; create it with: createdb",
    "42501": "{text}; ask the owner of the database for the rights to create and change tables in it",
    LOCKED: "another program writes to the database for too long; end that program and start again",
    "54000": "a text is too long for the database: {text}",
}
"""What to say, by the beginning of a code."""


def damaged(address: ServerAddress, what: str) -> DamagedDatabase:
    """Return the error for a damaged database; ``what`` says in one line what is wrong with it."""
    what = " ".join(what.split())
    return DamagedDatabase(
        f"{address}: the database is damaged: {what}; nothing was written to it; list the damage with:"
        f" arena db check '{address}', and restore it from a backup of the server"
    )


def what_is_damaged(address: ServerAddress, error: DamagedDatabase) -> str:
    """Return the middle of the message: what is damaged."""
    beginning, end = str(damaged(address, "\0")).split("\0")
    return str(error).removeprefix(beginning).removesuffix(end)


@contextmanager
def explained(address: ServerAddress) -> Iterator[None]:
    """Turn errors of the server and of rows into `StoreError`; let other exceptions through.

    Raises:
        StoreError: one sentence that names the address and says what to do.
        StoreUnavailable: the server is not there, or can do nothing now.
        DamagedDatabase: a row is damaged.
        KeyboardInterrupt: Ctrl-C has interrupted a statement.
    """
    try:
        yield
    except InvalidRow as error:
        raise damaged(address, f"it holds a value that arena never writes ({error})") from error
    except ChangedRow as error:
        raise damaged(address, f"{error} is not as arena stored it") from error
    except DBAPIError as error:
        known = _known(address, error.orig)
        if known is None:
            raise
        raise known from error
    except psycopg.Error as error:
        known = _known(address, error)
        if known is None:
            raise
        raise known from error


def _known(address: ServerAddress, error: BaseException | None) -> StoreError | None:
    """Return the error for the user; None for an error that only a wrong statement of ours can cause."""
    if not isinstance(error, psycopg.Error):
        return None
    text = " ".join(str(error).split())
    code = error.sqlstate
    if code is None:
        return _without_code(address, error, text)
    text = error.diag.message_primary or text
    if code.startswith(_GONE):
        return StoreUnavailable(f"{address}: the server is not available: {text}")
    if code in ("42P01", "42703"):  # a table or a column is missing
        return damaged(address, text)
    for beginning, sentence in _REFUSED.items():
        if code.startswith(beginning):
            return StoreError(f"{address}: {sentence.format(text=text)}")
    return None


def _without_code(address: ServerAddress, error: psycopg.Error, text: str) -> StoreError | None:
    """Return what `_known` does for an error without a code: no connection is made, or one breaks."""
    if isinstance(error, psycopg.ProgrammingError):  # a wrong address
        return StoreError(f"{address}: libpq does not understand this address: {text}")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnavailable(
            f"{address}: the server cannot be reached: {text}; check the address, that the server runs, and"
            " that the password is in ~/.pgpass or PGPASSWORD if it needs one"
        )
    return None
