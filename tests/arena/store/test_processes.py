"""Several threads and processes that use one database file, and a process that is killed."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from arena.address import Address
from arena.errors import StoreError
from arena.model import GameRecord
from arena.store import Store
from tests.missing_tools import needs

ENDLESS = """
import itertools, pathlib, sys
from arena.model import GameRecord, Opening, PlayerRecord, GameResult
from arena.store import Store
from referee import Termination
from referee.ply import Ply

players = tuple(PlayerRecord(name, "", 1, 0.5, None, "10", 100, 1) for name in "ab")
plies = tuple(Ply(number % 2, "e2", number) for number in range(200))
store = Store.open(pathlib.Path(sys.argv[1]), create=True)
store.begin_tournament("cup", {})
for number in itertools.count(0, 3):
    results = [
        GameResult(None, "cup", place, f"k{place}", "quoridor", Termination.NORMAL, "goal", "", 200, players)
        for place in range(number, number + 3)
    ]
    store.add_games([GameRecord(result, Opening(), plies, "", 0.0, 1) for result in results])
    print(number + 2, flush=True)
"""


def test_several_writers_get_all_their_games_stored(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    path = tmp_path / "arena.db"
    failures: list[Exception] = []
    start = threading.Barrier(4)

    def write(tournament: str) -> None:
        try:
            start.wait()
            with closing(Store.open(path, create=True)) as store:
                store.begin_tournament(tournament, {})
                for number in range(15):
                    store.add_games([record(number=number, tournament=tournament, version=str(number))])
                    store.results(tournament=tournament)
        except Exception as failure:
            failures.append(failure)

    writers = [threading.Thread(target=write, args=(f"cup {number}",)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    with closing(Store.open(path, create=False)) as store:
        assert sorted((info.name, info.games) for info in store.tournaments()) == [
            (f"cup {number}", 15) for number in range(4)
        ]
        assert sorted(result.id or 0 for result in store.results()) == list(range(1, 61))


def test_a_transaction_that_writes_has_the_file_for_itself_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    with (
        closing(Store.open(path, create=True)) as store,
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other,
    ):
        with store.database.writing(), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")


def test_after_kill_9_every_committed_game_is_there_and_every_game_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    with subprocess.Popen([sys.executable, "-c", ENDLESS, path], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        committed = [int(writer.stdout.readline()) for _ in range(10)]
        writer.send_signal(signal.SIGKILL)
        committed += [int(line) for line in writer.stdout if line.endswith("\n")]
    with closing(Store.open(path, create=False)) as store:
        results = store.results(tournament="cup")
        assert {f"k{number}" for number in range(committed[-1] + 1)} <= store.finished("cup")
        assert len(results) % 3 == 0, "a transaction of three games was cut in two"
        for result in results:
            assert result.id is not None
            game = store.game(result.id)
            assert game is not None
            assert len(game.record) == 200
            assert [player.name for player in game.result.players] == ["a", "b"]


def test_other_programs_read_and_copy_the_file_while_a_game_is_being_stored(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    path = tmp_path / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record(number=0)])
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as writer,
            closing(sqlite3.connect(path, timeout=0)) as reader,
            closing(sqlite3.connect(tmp_path / "copy.db")) as copy,
        ):
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("DELETE FROM record")
            assert reader.execute("SELECT count(*) FROM record").fetchone() == (1,)
            reader.backup(copy)
    with closing(Store.open(tmp_path / "copy.db", create=False)) as copied:
        assert copied.game(1) is not None


def test_only_one_program_at_a_time_runs_a_tournament(address: Address) -> None:
    with (
        closing(Store.open(address, create=True)) as first,
        closing(Store.open(address, create=True)) as other,
    ):
        for name in ("cup", "league"):
            first.begin_tournament(name, {})
        first.claim("cup")
        other.claim("league")
        with (
            closing(Store.open(address, create=True)) as second,
            pytest.raises(StoreError, match=rf"'cup' is being run by .*process {os.getpid()}.* only one"),
        ):
            second.claim("cup")
        first.close()
        with closing(Store.open(address, create=True)) as third:
            third.claim("cup")


CLAIMS = """
import os, pathlib, sys
from arena.store import Store

store = Store.open(pathlib.Path(sys.argv[1]), create=True)
store.begin_tournament("cup", {})
store.claim("cup")
print("claimed", flush=True)
store.begin_tournament(sys.stdin.readline().strip(), {})
os.kill(os.getpid(), 9)
"""


@needs("bwrap")
def test_only_one_container_at_a_time_runs_a_tournament_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    Store.open(path, create=True).close()
    path.chmod(0o666)
    (link := tmp_path / "link.db").symlink_to(path)
    walls = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--unshare-net", "--unshare-pid"]
    with subprocess.Popen(
        [*walls, "--proc", "/proc", sys.executable, "-c", CLAIMS, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "claimed\n"
        for name in (path, link):
            with (
                closing(Store.open(name, create=False)) as store,
                pytest.raises(StoreError, match=r"'cup' is being run by .*, process \d+; let only one"),
            ):
                store.claim("cup")
        other.stdin.write("league\n")  # it writes as before, and kills itself
    left = tmp_path / "arena.db-run-1"
    assert left.exists()
    with closing(Store.open(path, create=False)) as store:
        assert {info.name for info in store.tournaments()} == {"cup", "league"}
        store.claim("cup")
    assert not left.exists()


def test_a_store_closes_although_its_lock_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arena.db"

    def refuse(self: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(self))

    for _ in range(2):  # the second takes the file that the first has left
        with closing(Store.open(path, create=True)) as store, monkeypatch.context() as disk:
            store.begin_tournament("t", {})
            store.claim("t")
            disk.setattr(Path, "unlink", refuse)
            store.close()
        assert (tmp_path / "arena.db-run-1").exists()


def test_a_tournament_whose_lock_cannot_be_made_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "arena.db-run-1").mkdir()
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("cup", {})
        with pytest.raises(StoreError, match=r"arena\.db-run-1: cannot be locked: Is a directory"):
            store.claim("cup")
