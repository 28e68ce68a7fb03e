"""A process that makes or changes the tables of a database is killed at each statement in turn."""

import itertools
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from arena.address import Address, ServerAddress
from arena.errors import MissingDatabase
from arena.model import GameRecord
from arena.store import Store
from arena.store import database as opening
from arena.store.database import HEAD
from tests.arena import forked
from tests.arena.store.test_migrations import next_revision
from tests.postgres import address

__all__ = ["address"]

TIMEOUT = 60.0  # seconds until a process that should have ended counts as hanging


def _open(database: Address, last: int, newer: Path | None) -> None:
    """Open a database, and be killed before the statement or commit with this number, counted from 0.

    ``newer``: a folder of migrations with a revision "next".
    """
    if newer is not None:
        # This process stands for the next version of arena.
        opening.REVISIONS = newer  # type: ignore[misc]
        opening.HEAD = "next"  # type: ignore[misc]
    steps = itertools.count()

    def step(*_: object) -> None:
        if next(steps) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", step)
    event.listen(Engine, "commit", step)
    Store.open(database, create=True).close()


def killed_at_each_statement(database: Address, newer: Path | None = None) -> Iterator[None]:
    """Let processes open the database and die at their first, second, … statement; the last one lives."""
    for last in itertools.count():
        process = forked.CONTEXT.Process(target=_open, args=(database, last, newer))
        process.start()
        process.join(TIMEOUT)
        code = process.exitcode
        process.kill()
        assert code in (0, -signal.SIGKILL)
        yield
        if code == 0:
            return


def execute(database: Address, *statements: str) -> list[tuple[object, ...]]:
    """Execute statements as another program; return the rows of the last one."""
    rows: list[tuple[object, ...]] = []
    if isinstance(database, ServerAddress):
        with psycopg.connect(database.url) as server:
            for statement in statements:
                answer = server.execute(statement)  # type: ignore[call-overload]  # constants
                rows = answer.fetchall() if answer.description else []
    else:
        with closing(sqlite3.connect(database)) as file, file:
            for statement in statements:
                rows = file.execute(statement).fetchall()
    return rows


@pytest.mark.slow
def test_an_upgrade_that_is_killed_at_any_statement_leaves_the_old_or_the_new_schema(
    address: Address, record: Callable[..., GameRecord], tmp_path: Path
) -> None:
    with closing(Store.open(address, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record(number=0), record(number=1)])
    games = execute(address, "SELECT id, key, reason, checksum FROM game ORDER BY id")
    schemas = []
    for _ in killed_at_each_statement(address, next_revision(tmp_path / "newer")):
        schemas += execute(address, "SELECT version_num FROM alembic_version")
        assert execute(address, "SELECT id, key, reason, checksum FROM game ORDER BY id") == games
    assert (schemas[0], schemas[-1]) == ((HEAD,), ("next",))
    assert schemas == sorted(schemas)
    assert len(execute(address, "SELECT event FROM game")) == 2


@pytest.mark.slow
def test_making_tables_that_is_killed_at_any_statement_leaves_none_or_all(address: Address) -> None:
    whole = []
    for _ in killed_at_each_statement(address):
        try:
            Store.open(address, create=False).close()
            whole.append(True)
        except MissingDatabase:
            whole.append(False)
    assert (whole[0], whole[-1]) == (False, True)
    assert whole == sorted(whole)
