"""A database that is deleted, moved or replaced while it is open, and disks with a fault."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.model import GameRecord
from arena.store import Store, errors, mapping

MakeRecord = Callable[..., GameRecord]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


@pytest.fixture
def store(path: Path, record: MakeRecord) -> Iterator[Store]:
    with closing(Store.open(path, create=True)) as opened:
        opened.begin_tournament("cup", {})
        opened.add_games([record()])
        yield opened


def delete(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def replace(path: Path) -> None:
    copy = Path(shutil.copy(path, path.with_name("copy.db")))
    copy.replace(path)


def delete_the_log(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def replace_the_log(path: Path) -> None:
    copy = Path(shutil.copy(f"{path}-wal", path.with_name("copy")))
    copy.replace(f"{path}-wal")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (delete, "the database was deleted or moved"),
        (move, "the database was deleted or moved"),
        (replace, "the database was replaced by another file"),
        (delete_the_log, r"its log \S+arena\.db-wal was deleted or moved"),
        (replace_the_log, r"its log \S+arena\.db-wal was replaced by another file"),
    ],
)
def test_the_next_game_is_refused_when_the_file_is_not_the_one_that_was_opened(
    store: Store, path: Path, record: MakeRecord, change: Callable[[Path], None], message: str
) -> None:
    change(path)
    with pytest.raises(StoreError, match=rf"arena\.db: {message} while arena had it open"):
        store.add_games([record(number=1)])


def test_a_file_that_is_deleted_during_a_transaction_is_noticed_at_its_end(
    store: Store, path: Path, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deleting(*arguments: object) -> int:
        path.unlink()
        return 0

    monkeypatch.setattr(mapping, "checksum", deleting)
    with pytest.raises(StoreError, match="was deleted or moved"):
        store.add_games([record(number=1)])


def test_a_database_that_was_moved_has_all_games_that_were_stored(path: Path, record: MakeRecord) -> None:
    moved = path.with_name("moved.db")
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("cup", {})
        for number in range(3):
            store.add_games([record(number=number)])
        path.rename(moved)
        with pytest.raises(StoreError):
            store.add_games([record(number=3)])
    with closing(sqlite3.connect(moved)) as connection:
        assert connection.execute("SELECT count(*) FROM game").fetchone() == (3,)


def test_an_error_of_the_disk_is_a_sentence(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR_READ, "SQLITE_IOERR_READ"
    message = r"the disk reports an error \(SQLITE_IOERR_READ\): it is full"
    with pytest.raises(StoreError, match=message), errors.explained(errors.of_file, tmp_path / "arena.db"):
        raise error


def test_too_little_memory_is_a_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match="there is too little memory"),
        errors.explained(errors.of_file, tmp_path / "arena.db"),
    ):
        raise MemoryError
