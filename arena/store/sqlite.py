"""The database file, with two SQLAlchemy engines: one reads, one writes, and neither waits for the other.

The journal is a write-ahead log (WAL). A writing transaction takes the lock before it reads anything (``BEGIN
IMMEDIATE``): at the first write, it could fail without waiting. SQLite does not notice that a process
deletes, moves or replaces a file that is open here, and would write games into a file that has no name; so
every transaction that writes compares the files at the paths with those that were opened.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from arena.address import Address
from arena.errors import MissingDatabase, StoreError
from arena.store.database import (
    ENGINE_OPTIONS,
    Columns,
    Database,
    revision_of,
    run_revisions,
    this_program,
)
from arena.store.errors import NO_LOG, Damage, explained, of_file

APPLICATION_ID: Final = 0x4C46_4152
"""``LFAR`` in the file's header marks a database of arena."""

BUSY_TIMEOUT: Final = 5.0
"""Seconds to wait for another program's transaction."""

_DATABASES_NAMED: Final = 3
"""The most databases that a message names."""

_STEPS: Final = 200_000
"""The number of steps of SQLite's machine, some milliseconds, after which Python may notice Ctrl-C."""

_COLUMNS: Final = """
    SELECT sqlite_master.name, info.name FROM sqlite_master, pragma_table_info(sqlite_master.name) AS info
    WHERE sqlite_master.type = 'table'
"""


class FileDatabase(Database):
    """An open database file of arena."""

    __slots__ = ("_files", "_lost", "_unclaim")

    address: Path
    mark = f"PRAGMA application_id = {APPLICATION_ID}"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._files: dict[Path, tuple[int, int]] = {}  # device and number of the files that were opened
        self._lost = False
        self._unclaim: Callable[[], object] | None = None
        self._reader = make_engine(
            path, begin="BEGIN", connections=4, pragmas=("query_only=ON", "cache_size=-16000")
        )
        self._writer = make_engine(
            path,
            begin="BEGIN IMMEDIATE",
            connections=1,
            # NORMAL: a commit survives the death of every process; only a power cut can undo the last ones.
            pragmas=("synchronous=NORMAL", "foreign_keys=ON"),
            wal=True,
        )

    def prepare(self, *, create: bool) -> None:
        """Make the file, if it may; see `Database.prepare`."""
        if not create and not _exists(self.address):
            raise MissingDatabase(
                f"{self.address}: there is no such database; {others(self.address, 'creates')}"
            )
        with self.explained():
            if create:
                connect(self.address, "rwc").close()
            if (identity := _identity(self.address)) is not None:
                self._files[self.address] = identity
        super().prepare(create=create)

    @staticmethod
    def schema_of(address: Address, connection: Connection) -> tuple[str, Columns]:
        """Return the number of the schema, and the columns of each table; see `Database`."""
        columns: Columns = {}
        try:
            for table, column in connection.exec_driver_sql(_COLUMNS):
                columns.setdefault(str(table), set()).add(str(column))
            application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
            marked = None if application not in (0, APPLICATION_ID) else bool(application)
            return revision_of(address, connection, columns, marked=marked), columns
        except DBAPIError as error:
            if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
                # Each of these statements is right for any file.
                raise Damage(f"SQLite says: {error.orig}") from error
            raise

    def _upgrade(self, revision: str) -> None:
        """Run the revisions after one; see `Database`."""
        # Replacing a table must not delete the rows that refer to it, so references are checked at the end.
        engine = make_engine(
            self.address, begin="BEGIN IMMEDIATE", connections=1, pragmas=("foreign_keys=OFF",)
        )
        try:
            with self.explained(), engine.begin() as connection:
                run_revisions(self.address, revision, connection)
                if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                    raise Damage("some rows refer to missing rows")
        finally:
            engine.dispose()

    def _filled_by(self) -> str:
        return others(self.address, "fills")

    def explained(self) -> AbstractContextManager[None]:
        """Turn errors of the file and of rows into `StoreError`."""
        return explained(of_file, self.address)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Start a transaction that writes; it also fails if the path has another file than was opened."""
        with self.explained():
            with self._transaction(self._writer) as session:
                session.connection()  # take the lock now, and not at the first statement
                self._check_files()
                yield session
            self._check_files()

    def _check_files(self) -> None:
        """Check that the database and its log are the files that were opened. The log must exist."""
        for path in (self.address, log_of(self.address)):
            identity = _identity(path)
            known = self._files.get(path)
            if known is None and identity is not None:
                self._files[path] = identity
            elif identity is None or identity != known:
                self._lost = path == self.address
                name = "the database" if path == self.address else f"its log {path}"
                fate = "deleted or moved" if identity is None else "replaced by another file"
                raise StoreError(
                    f"{self.address}: {name} was {fate} while arena had it open, so arena stores no more"
                    " games; put the database back, or start again with a new one"
                )

    def claim(self, number: int, tournament: str) -> None:
        """Lock the file of the tournament, which is beside the database; see `Database.claim`.

        The system unlocks it however this process ends. The file contains who has locked it.
        """
        place = self.address.resolve()
        path = place.with_name(f"{place.name}-run-{number}")
        while self._unclaim is None:
            with ExitStack() as undo:
                try:
                    file = undo.enter_context(path.open("ab+", buffering=0))
                    owner = _lock(file)
                except OSError as error:
                    raise StoreError(f"{path}: cannot be locked: {error.strerror}") from None
                if owner:
                    raise StoreError(
                        f"{self.address}: the tournament {tournament!a} is being run by {owner};"
                        " let only one program run it"
                    )
                if _identity(path) != _identity(file.fileno()):
                    continue  # who had locked it has just removed it
                undo.callback(_try_to_remove, path)
                with suppress(OSError):
                    file.truncate(0)
                    file.write(this_program().encode())
                self._unclaim = undo.pop_all().close

    @property
    def version(self) -> str:
        """The sizes and times of the file and of its log."""
        parts = []
        for path in (self.address, log_of(self.address)):
            with suppress(OSError):
                status = path.stat()
                parts.append(f"{status.st_mtime_ns:x}.{status.st_size:x}")
        return "-".join(parts)

    def close(self) -> None:
        """Close all connections; the last one writes the log into the file and removes it.

        SQLite does not do that for a file that was moved, so it is done here before.
        """
        if self._lost:
            with suppress(sqlite3.Error, DBAPIError), self._writer.connect() as connection:
                raw = connection.connection.driver_connection
                assert raw is not None
                raw.rollback()
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        super().close()
        if self._unclaim is not None:
            self._unclaim()


def _try_to_remove(path: Path) -> None:
    """Remove the file of a lock. On a disk that cannot be written it stays, and the next run locks it."""
    with suppress(OSError):
        path.unlink()


def _lock(file: FileIO) -> str:
    """Lock a file, or return who has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        return file.read().decode(errors="replace") or "another program"
    return ""


# Connections.

_Mode = Literal["ro", "rw", "rwc"]  # read only; write; write, and create the file if there is none


def connect(path: Path, mode: _Mode, *, immutable: bool = False) -> sqlite3.Connection:
    """Open a plain connection; ``immutable`` if SQLite needs no files beside it, because nobody writes."""
    address = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}{'&immutable=1' if immutable else ''}"
    # The pool gives a connection to one thread at a time, so sqlite3 need not check that.
    return sqlite3.connect(
        address, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, uri=True
    )


def make_engine(
    path: Path,
    *,
    begin: str,
    connections: int,
    pragmas: tuple[str, ...] = (),
    wal: bool = False,
    opened: Callable[[], sqlite3.Connection] | None = None,
) -> Engine:
    """Make a SQLAlchemy engine for the file. It connects at its first use."""

    def creator() -> sqlite3.Connection:
        connection = connect(path, "rw") if opened is None else opened()
        try:
            connection.set_progress_handler(lambda: False, _STEPS)
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}")
            if wal:
                _keep_log(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite://", creator=creator, pool_size=connections, **ENGINE_OPTIONS)

    @event.listens_for(engine, "begin")
    def start_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _keep_log(connection: sqlite3.Connection, path: Path) -> None:
    """Switch the file to a write-ahead log permanently; do nothing if it has one."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    mode = None
    while mode is None:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        except sqlite3.OperationalError as error:
            # SQLite does not wait while another program switches the file, so try again.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    if mode != "wal":
        raise StoreError(f"{path}: {NO_LOG}")


def log_of(path: Path) -> Path:
    """Return the path of the write-ahead log of a file."""
    return path.with_name(f"{path.name}-wal")


def _identity(path: Path | int) -> tuple[int, int] | None:
    """Return device and number of the file at the path, or of an open file; None if there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - it also takes a descriptor
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass  # opening the file reports the reason
    return True


def is_database(path: Path) -> bool:
    """Whether a file is a database of arena. It is not changed, and nobody is waited for."""
    try:
        if not path.is_file():
            return False
        with closing(connect(path, "ro", immutable=not log_of(path).exists())) as connection:
            connection.execute("PRAGMA busy_timeout = 0")
            (application,) = connection.execute("PRAGMA application_id").fetchone()
    except (OSError, ValueError, sqlite3.Error):
        return False
    return bool(application == APPLICATION_ID)


def others(path: Path, what_run_does: str) -> str:
    """Return what to do when a database is not there: use another one of its folder, or `arena run`."""
    files = (file for file in sorted(path.parent.glob("*.db")) if file != path)
    names = [shlex.quote(str(file)) for file in islice(filter(is_database, files), _DATABASES_NAMED)]
    if not names:
        return f"`arena run` {what_run_does} one"
    here = " here" if path.parent == Path() else ""
    return f"there {'is' if len(names) == 1 else 'are'} {', '.join(names)}{here}: add --db {names[0]}"
