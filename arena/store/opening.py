"""Choose by its address how a database is opened. Nothing else asks whether it is a file or on a server."""

from __future__ import annotations

from pathlib import Path

from arena.address import Address
from arena.errors import StoreError
from arena.store.database import Database
from arena.store.values import Health

__all__ = ["check_database", "database_at", "file_of"]


def database_at(address: Address) -> Database:
    """Return the database of an address, which is not open yet.

    Raises:
        StoreError: it is on a server, and psycopg is not installed.
    """
    if isinstance(address, Path):
        from arena.store.file.database import FileDatabase

        return FileDatabase(address)
    from arena.store.server.database import ServerDatabase

    return ServerDatabase(address)


def check_database(address: Address) -> Health:
    """Read a whole database, and change nothing.

    Raises:
        StoreError: there is no database of arena, or the machine or the server has a fault.
    """
    if isinstance(address, Path):
        from arena.store.damage.health import check_file

        return check_file(address)
    from arena.store.server.health import check_server

    return check_server(address)


def file_of(address: Address, what: str) -> Path:
    """Return the file of a database.

    Raises:
        StoreError: it is on a server; the message says that ``what`` needs a file.
    """
    if isinstance(address, Path):
        return address
    raise StoreError(
        f"{address}: {what} needs the file of a database; a server repairs its own files, and"
        f" `arena db copy {address} NEW.db` makes a file of this database"
    )
