"""The results of a file are verified while a transaction reads them."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from arena.model import GameRecord
from arena.store import Store
from arena.store.errors import ChangedRow
from arena.store.file import verification
from arena.store.file.engine import make_engine
from arena.store.file.verification import verifying

MakeRecord = Callable[..., GameRecord]


@pytest.fixture
def path(tmp_path: Path, record: MakeRecord) -> Path:
    path = tmp_path / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record()])
    return path


@pytest.fixture
def changed(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE player SET points = 0.25")
    return path


def test_a_changed_row_is_an_error_at_the_end(changed: Path) -> None:
    read = []
    with pytest.raises(ChangedRow, match="game 1"), verifying(changed):
        read.append("the body")
    assert read == ["the body"]


def test_a_changed_row_explains_an_error_of_the_body(changed: Path) -> None:
    with pytest.raises(ChangedRow, match="game 1"), verifying(changed):
        raise KeyError("a value that arena never writes")


def test_without_a_changed_row_an_error_of_the_body_stays(path: Path) -> None:
    with pytest.raises(KeyError, match="a mistake"), verifying(path):
        raise KeyError("a mistake")


COUNT = text(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000000) SELECT count(*) FROM n"
)
"""A statement that takes half a minute or longer."""


def ctrl_c_outside_of_a_statement(path: Path) -> None:
    raise KeyboardInterrupt


def ctrl_c_in_a_statement(path: Path) -> None:
    engine = make_engine(path, begin="BEGIN", connections=1, pragmas=(), interrupted=lambda: True)
    try:
        with engine.begin() as connection:
            connection.execute(COUNT)
    finally:
        engine.dispose()


@pytest.mark.parametrize("ctrl_c", [ctrl_c_outside_of_a_statement, ctrl_c_in_a_statement])
def test_ctrl_c_does_not_wait_for_the_verification(
    path: Path, monkeypatch: pytest.MonkeyPatch, ctrl_c: Callable[[Path], None]
) -> None:
    verified = []

    def verify(connection: Connection) -> None:
        connection.execute(COUNT)
        verified.append("to the end")

    monkeypatch.setattr(verification, "verify_results", verify)
    with pytest.raises(KeyboardInterrupt), verifying(path):
        ctrl_c(path)
    assert not verified
