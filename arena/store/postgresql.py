"""The database on a PostgreSQL server, with two SQLAlchemy engines: one reads, one writes.

Readers see one state and never wait. Writers first take a lock; another lock is held for each tournament that
is being run. Both are advisory locks, which only arena heeds, and which PostgreSQL gives back when the
transaction or the connection ends, also after ``kill -9``. The tables are in the first schema of the search
path, usually ``public``; a comment marks them as arena's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, select, text
from sqlmodel import Session

from arena.address import Address, ServerAddress
from arena.errors import StoreError, StoreUnavailable
from arena.extras import need_extra
from arena.store.database import (
    ENGINE_OPTIONS,
    Columns,
    Database,
    revision_of,
    run_revisions,
    this_program,
)
from arena.store.errors import DUPLICATE, damaged, explained
from arena.store.rows import GAME

need_extra("postgres", "databases on a PostgreSQL server")
import psycopg  # noqa: E402 - the line before says what to install

# `arena.store.rows` does not declare it, because SQLAlchemy would import PostgreSQL's words for every file.
for index in GAME.indexes:
    index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]


def _engine(opened: Callable[[], psycopg.Connection], connections: int, isolation: str) -> Engine:
    return create_engine(
        "postgresql+psycopg://",
        creator=opened,
        pool_size=connections,
        pool_pre_ping=True,
        isolation_level=isolation,
        use_native_hstore=False,  # to look for this type takes time, and no column has it
        **ENGINE_OPTIONS,
    )


_MARK: Final = "leapfrog-arena"  # the comment on the table ``alembic_version`` of a database of arena


class ServerDatabase(Database):
    """An open database of arena on a server."""

    __slots__ = ("_claim", "_name")

    address: ServerAddress
    mark = f"COMMENT ON TABLE alembic_version IS '{_MARK}'"

    def __init__(self, location: ServerAddress) -> None:
        super().__init__(location)
        program = f"arena: {this_program()}".encode("ascii", "replace").decode()
        self._name = f"{program[:56]} #{secrets.token_hex(2)}"  # of its connections
        self._claim: tuple[int, str] | None = None  # number and name of the tournament that this program runs
        reader = _engine(lambda: _connect(location, self._name), 4, "REPEATABLE READ")
        self._reader = reader.execution_options(postgresql_readonly=True)
        # Each statement sees what was stored before it. Nothing is stored meanwhile, because of the lock.
        self._writer = _engine(self._connect_writer, 1, "READ COMMITTED")

    def _connect_writer(self) -> psycopg.Connection:
        """Connect, and lock the tournament that this program runs: the lock belongs to the connection."""
        connection = _connect(self.address, self._name)
        try:
            if self._claim is not None:
                self._take(connection, *self._claim)
        except BaseException:
            connection.close()
            raise
        return connection

    def _take(self, connection: psycopg.Connection, number: int, tournament: str) -> None:
        """Take the lock of the tournament for the connection; end this program's lost one that has it."""
        deadline = time.monotonic() + _GHOST
        key = (_SPACE, number % 2**31)
        while True:
            row = connection.execute("SELECT pg_try_advisory_lock(%s, %s)", key).fetchone()
            if row is not None and row[0]:
                connection.commit()  # the lock stays until the connection ends
                return
            holder = connection.execute(_HOLDER, key).fetchone()
            connection.commit()
            if holder is not None and (holder[1] != self._name or time.monotonic() > deadline):
                user, name, _ = holder
                program = (name or f"a program of the user {user}").removeprefix("arena: ").split(" #")[0]
                raise StoreError(
                    f"{self.address}: the tournament {tournament!a} is being run by {program};"
                    " let only one program run it"
                )
            if holder is not None:
                connection.execute("SELECT pg_terminate_backend(%s)", (holder[2],))
                connection.commit()
            time.sleep(0.05)

    @staticmethod
    def schema_of(address: Address, connection: Connection) -> tuple[str, Columns]:
        """Return the number of the schema, and the columns of each table; see `Database`."""
        columns: Columns = {}
        for table, column in connection.execute(_COLUMNS):
            columns.setdefault(table, set()).add(column)
        marked = "alembic_version" in columns and connection.execute(_COMMENT).scalar() == _MARK
        return revision_of(address, connection, columns, marked=marked), columns

    def _upgrade(self, revision: str) -> None:
        """Run the revisions after one; see `Database`."""
        with self.writing() as session:
            run_revisions(self.address, revision, session.connection())

    def explained(self) -> AbstractContextManager[None]:
        """Turn errors of the server and of rows into `StoreError`."""
        return explained(of_server, self.address)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Start a transaction that writes; see `Database.writing`."""
        try:
            with self.explained(), self._transaction(self._writer) as session:
                # Only one transaction writes at a time in the whole database, so that numbers ascend.
                longest = _SHORT_WAIT if self._claim else _WAIT  # a run tries again, see `GameWriter`
                connection = session.connection()
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{longest * 1000:.0f}ms'")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_SPACE})")
                yield session
        except StoreUnavailable as error:
            cause = getattr(error.__cause__, "orig", error.__cause__)
            if getattr(cause, "sqlstate", None) == _READS_ONLY:
                self._writer.dispose()  # only new connections notice that they may write again
            raise

    def claim(self, number: int, tournament: str) -> None:
        """Take the lock of the tournament; see `Database.claim`."""
        self._claim = number, tournament
        self._writer.dispose()
        with self.explained(), self._writer.connect():
            pass

    @property
    def version(self) -> str:
        """The transactions that have written to the server; other databases of it count, too."""
        return str(self.value(select(text("pg_current_snapshot()::text"))))


# Connections.

_OLDEST: Final = 13  # the oldest version of the server that arena uses

_DEFAULTS: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
}
"""Parameters of libpq, unless the address sets them. With these values, arena notices within a minute that
the server is gone."""

_WAIT: Final = 30.0
"""Seconds to wait for locks of other programs: each transaction of arena takes a fraction of a second."""

_SHORT_WAIT: Final = 2.0  # the same while a tournament runs

_SETTINGS: Final = (
    f"SET lock_timeout = '{_WAIT * 1000:.0f}ms'",  # also for those who read
    "SET extra_float_digits = 1",  # every digit of a number, also in checksums
    "SET timezone = 'UTC'",
    "SET client_min_messages = 'warning'",
)


def _connect(address: ServerAddress, name: str) -> psycopg.Connection:
    """Open a connection. It waits at most ten seconds, unless the address says otherwise."""
    given = psycopg.conninfo.conninfo_to_dict(address.url)
    more = {key: value for key, value in _DEFAULTS.items() if key not in given}
    more |= {"application_name": name, "client_encoding": "UTF8"}
    connection = psycopg.connect(psycopg.conninfo.make_conninfo(address.url, **more), autocommit=True)
    try:
        _check_server(address, connection)
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.autocommit = False
    except BaseException:
        connection.close()
        raise
    return connection


def _check_server(address: ServerAddress, connection: psycopg.Connection) -> None:
    version = connection.info.server_version // 10000
    if version < _OLDEST:
        raise StoreError(f"{address}: the server is PostgreSQL {version}, and arena needs {_OLDEST} or newer")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"{address}: the texts of this database are {encoding}; create one with the encoding UTF8"
        )


# Locks.

_SPACE: Final = 0x4C46_4152  # ``LFAR``: no other program's locks have this number

_GHOST: Final = 5.0  # seconds to wait until the server has ended a lost connection of this program


_HOLDER: Final = """
    SELECT usename, application_name, pid
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = %s AND objid = %s
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""Who has the lock of a tournament. Only users with the same rights see the name of a program."""


# The schema.

_COLUMNS: Final = text(
    "SELECT table_name::text, column_name::text FROM information_schema.columns"
    " WHERE table_schema = current_schema()"
)


_COMMENT: Final = text("SELECT obj_description('alembic_version'::regclass, 'pg_class')")


# Errors.

_LOCKED: Final = "55P03"  # the code of a lock that was not free in time
_READS_ONLY: Final = "25006"  # the code of a server, a database or a user that may only read now

_PASSING: Final = ("08", "40", "53", "57", "58000", "58030", "25P03", "25P04", _LOCKED, _READS_ONLY)
"""The starts of codes of faults that pass, so that the same transaction can succeed later.

They are: no connection; a conflict with another transaction; no memory, disk or connections; a transaction
or a server that somebody ended; an error of the disk; a timeout; a lock; no right to write.
"""

_DAMAGED: Final = ("42P01", "42703", "XX001", "XX002")  # no table, no column, a bad page, a bad index

_SENTENCES: Final = {
    _LOCKED: "another program locks the database or a table of it ({text})",
    _READS_ONLY: "the database can only be read now ({text})",
    "08": "the server is not available: {text}",
    "53": "the server is not available: {text}",
    "57P": "the server is not available: {text}",
    "28": "the server refuses this user: {text}; a password comes from ~/.pgpass or PGPASSWORD",
    "3D000": "there is no such database on the server: {text}; create it with: createdb",
    "42501": "{text}; ask the owner of the database for the rights to create and change tables in it",
    "23505": DUPLICATE,
    "54000": "a text is too long for the database: {text}",
    "": "the server says: {text} (code {code})",
}
"""What to say, by the start of a code; the last sentence is for all other codes."""


def of_server(address: ServerAddress, error: BaseException | None) -> StoreError | None:
    """Return the error for the user; None for an error that only a wrong call of ours can cause."""
    if not isinstance(error, psycopg.Error):
        return None
    text = " ".join(str(error).split())
    code = error.sqlstate
    if code is None:
        return _without_code(address, error, text)
    text = " ".join((error.diag.message_primary or text).split())
    if place := " ".join((error.diag.context or "").split()):  # a function of somebody else's trigger
        text = f"{text}, in {place[:200]}"
    elif code in _DAMAGED:
        return damaged(address, text)
    sentence = next(sentence for start, sentence in _SENTENCES.items() if code.startswith(start))
    kind = StoreUnavailable if code.startswith(_PASSING) else StoreError
    return kind(f"{address}: {sentence.format(text=text, code=code)}")


def _without_code(address: ServerAddress, error: psycopg.Error, text: str) -> StoreError | None:
    """Return what `of_server` does for an error without a code: no connection is made, or it breaks."""
    if isinstance(error, psycopg.ProgrammingError):  # a wrong address
        return StoreError(f"{address}: libpq does not understand this address: {text}")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnavailable(
            f"{address}: the server cannot be reached: {text}; check the address, that the server runs, and"
            " that the password is in ~/.pgpass or PGPASSWORD if it needs one"
        )
    return None
