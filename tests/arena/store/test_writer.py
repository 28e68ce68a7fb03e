"""The writer task: no game that was sent is lost, and waiting games share a transaction."""

import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio
import trio.testing

from arena.address import Address
from arena.errors import StoreError, StoreUnavailable
from arena.model import GameRecord
from arena.store import Store
from arena.store.queries import GAMES_AT_ONCE
from arena.store.writer import PATIENCE, GameWriter
from referee import Termination

MakeRecord = Callable[..., GameRecord]


class Watched(Store):
    """A store that lists the number of games in each transaction, and that a test can block."""

    def add_games(self, records: Sequence[GameRecord], *, again: bool = False) -> list[GameRecord]:
        self.entered.set()
        assert self.allowed.wait(10)
        stored = super().add_games(records, again=again)
        self.batches.append(len(records))
        return stored


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Watched]:
    opened = Watched.open(tmp_path / "arena.db", create=True)
    opened.batches = []
    opened.entered, opened.allowed = threading.Event(), threading.Event()
    opened.allowed.set()
    opened.begin_tournament("cup", {})
    yield opened
    opened.close()


async def run_writer(store: Store, games: trio.MemoryReceiveChannel[GameRecord]) -> None:
    await GameWriter(store, list, list).run(games)


async def test_games_that_end_soon_after_another_share_a_transaction(
    store: Watched, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.writer.REST", 60)
    send, receive = trio.open_memory_channel[GameRecord](1000)
    first_stored = trio.Event()
    writer = GameWriter(store, list, lambda _: trio.from_thread.run_sync(first_stored.set))
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery, send:
            nursery.start_soon(writer.run, receive)
            await send.send(record(number=0))
            await first_stored.wait()
            for number in range(1, 4):
                await send.send(record(number=number))
            writer.ending.set()
    assert store.batches == [1, 3]


async def test_what_waits_is_stored_together_up_to_a_limit(store: Watched, record: MakeRecord) -> None:
    send, receive = trio.open_memory_channel[GameRecord](1000)
    for number in range(GAMES_AT_ONCE + 30):
        send.send_nowait(record(number=number))
    send.close()
    await run_writer(store, receive)
    assert store.batches == [GAMES_AT_ONCE, 30]
    assert len(store.finished("cup")) == GAMES_AT_ONCE + 30


async def test_what_was_handed_over_is_stored_when_the_task_is_cancelled(
    store: Watched, record: MakeRecord
) -> None:
    send, receive = trio.open_memory_channel[GameRecord](1000)
    for number in range(GAMES_AT_ONCE + 30):
        send.send_nowait(record(number=number))
    with trio.CancelScope() as scope:
        scope.cancel()
        await run_writer(store, receive)
    assert scope.cancelled_caught
    assert len(store.finished("cup")) == GAMES_AT_ONCE + 30


async def test_a_transaction_under_way_is_finished_when_the_task_is_cancelled(
    store: Watched, record: MakeRecord
) -> None:
    send, receive = trio.open_memory_channel[GameRecord](1000)
    store.allowed.clear()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_writer, store, receive)
        await send.send(record(number=0))
        await trio.to_thread.run_sync(store.entered.wait)
        await send.send(record(number=1))
        nursery.cancel_scope.cancel()
        store.allowed.set()
    assert store.finished("cup") == {"quoridor:0", "quoridor:1"}


async def test_a_fault_reaches_the_caller_and_the_senders(store: Watched, record: MakeRecord) -> None:
    store.add_games([record(key="taken")])
    send, receive = trio.open_memory_channel[GameRecord](1000)
    for key in ("new", "taken"):
        send.send_nowait(record(key=key))
    with pytest.raises(StoreError, match="has a result of this game already"):
        await run_writer(store, receive)
    assert store.finished("cup") == {"taken"}
    with pytest.raises(trio.BrokenResourceError):
        await send.send(record(key="late"))


async def test_a_fault_while_cancelled_is_not_hidden(store: Watched, record: MakeRecord) -> None:
    store.add_games([record(key="taken")])
    send, receive = trio.open_memory_channel[GameRecord](1000)
    send.send_nowait(record(key="taken"))
    with trio.CancelScope() as scope:
        scope.cancel()
        with pytest.raises(StoreError, match="has a result of this game already"):
            await run_writer(store, receive)


async def test_games_are_reported_in_order_and_only_when_they_are_stored(
    store: Watched, record: MakeRecord
) -> None:
    send, receive = trio.open_memory_channel[GameRecord](1000)
    reported: list[str] = []

    def committed(games: Sequence[GameRecord]) -> None:
        keys = [game.result.key for game in games]
        assert store.finished("cup") >= set(keys)
        reported.extend(keys)

    for number in range(GAMES_AT_ONCE + 30):
        send.send_nowait(record(number=number))
    send.close()
    await GameWriter(store, committed, list).run(receive)
    assert reported == [f"quoridor:{number}" for number in range(GAMES_AT_ONCE + 30)]


async def test_after_a_fault_no_game_is_reported_that_is_not_stored(
    store: Watched, record: MakeRecord
) -> None:
    store.add_games([record(key="taken")])
    send, receive = trio.open_memory_channel[GameRecord](1000)
    games = [record(key="taken"), *(record(number=number) for number in range(GAMES_AT_ONCE + 30))]
    for game in games:
        send.send_nowait(game)
    reported: list[GameRecord] = []
    writer = GameWriter(store, reported.extend, list)
    with pytest.raises(StoreError, match="has a result of this game already"):
        await writer.run(receive)
    assert reported == []


class Lost(Watched):
    """A store whose server goes away at the end of transactions: nobody knows whether they are complete."""

    stored_before = (True, False, True)

    def add_games(self, records: Sequence[GameRecord], *, again: bool = False) -> list[GameRecord]:
        attempt = len(self.batches)
        self.batches.append(len(records))
        stored: list[GameRecord] = []
        if attempt >= len(self.stored_before) or self.stored_before[attempt]:
            stored = super(Watched, self).add_games(records, again=again)
        if attempt < len(self.stored_before):
            raise StoreUnavailable("the server cannot be reached")
        return stored


@pytest.fixture
def lost(address: Address) -> Iterator[Lost]:
    opened = Lost.open(address, create=True)
    opened.batches = []
    opened.begin_tournament("cup", {})
    yield opened
    opened.close()


async def test_games_are_stored_once_whenever_the_server_goes_away(
    lost: Lost, record: MakeRecord, autojump_clock: trio.testing.MockClock
) -> None:
    send, receive = trio.open_memory_channel[GameRecord](1000)
    void = record(("a", None), ("b", None), key="void", termination=Termination.VOID)
    for game in (record(number=0), void, void, record(number=1)):
        send.send_nowait(game)
    send.close()
    told: list[str] = []
    await GameWriter(lost, list, list, tell=told.append).run(receive)
    assert lost.batches == [4, 4, 4, 4]
    assert [result.key for result in lost.results()] == ["quoridor:0", "void", "void", "quoridor:1"]
    assert [text.partition(".")[0] for text in told] == [
        "the server cannot be reached",
        "the database is back, and all games that waited are being stored",
    ]


async def test_no_more_games_are_taken_while_the_server_is_lost_and_the_user_learns_it(
    lost: Lost, record: MakeRecord, autojump_clock: trio.testing.MockClock
) -> None:
    lost.stored_before = (False,) * 5
    send, receive = trio.open_memory_channel[GameRecord](2)
    told: list[str] = []
    async with trio.open_nursery() as nursery, send:
        nursery.start_soon(GameWriter(lost, list, list, tell=told.append).run, receive)
        for number in range(6):
            await send.send(record(number=number))
    assert re.search(r"Games go on, and [3-5] of them can wait", told[0])
    assert len(told) == 2
    assert len(lost.finished("cup")) == 6


@pytest.mark.parametrize("way", ["cancelled", "no more games"])
async def test_a_server_that_stays_away_ends_the_run(
    lost: Lost, record: MakeRecord, autojump_clock: trio.testing.MockClock, way: str
) -> None:
    lost.stored_before = (False,) * 10_000
    send, receive = trio.open_memory_channel[GameRecord](1000)
    writer = GameWriter(lost, list, list)
    games = [record(number=0), record(number=1)]
    await send.send(games[0])
    with pytest.RaisesGroup(StoreUnavailable):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(writer.run, receive)
            await trio.sleep(600)  # it waits while more games may come
            await send.send(games[1])
            if way == "cancelled":
                nursery.cancel_scope.cancel()
            else:
                writer.ending.set()
    assert (way == "no more games") == (trio.current_time() >= 600 + PATIENCE)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "SELECT RAISE(ABORT, 'no games today')",
            r"SQLite says: no games today \(SQLITE_CONSTRAINT_TRIGGER\)",
        ),
        ("SELECT RAISE(ROLLBACK, 'no games today')", "SQLite says: no games today"),
        ("SELECT RAISE(FAIL, 'no games today')", "SQLite says: no games today"),
        ("INSERT INTO absent VALUES (1)", "SQLite says: no such table: main.absent"),
        ("INSERT INTO tournament (name) VALUES (NULL)", "SQLite says: NOT NULL constraint failed"),
        ("SELECT abs(-9223372036854775808)", "it holds a value that arena never writes"),
    ],
)
async def test_a_trigger_of_another_program_that_refuses_a_game_ends_the_run(
    store: Watched, record: MakeRecord, body: str, words: str
) -> None:
    with closing(sqlite3.connect(store.address)) as other:
        other.execute(f"CREATE TRIGGER other AFTER INSERT ON game BEGIN {body}; END")
    send, receive = trio.open_memory_channel[GameRecord](1000)
    games = [record(number=number) for number in range(3)]
    for game in games:
        send.send_nowait(game)
    with pytest.raises(StoreError, match=words):
        await GameWriter(store, list, list).run(receive)
    assert store.finished("cup") == frozenset()


async def test_a_file_that_another_program_locks_gets_the_games_later(
    store: Watched, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.writer._PAUSES", (0.01,))
    monkeypatch.setattr("arena.store.sqlite.BUSY_TIMEOUT", 0.01)
    send, receive = trio.open_memory_channel[GameRecord](1000)
    told: list[str] = []
    with closing(sqlite3.connect(store.address, isolation_level=None)) as other:

        def tell(text: str) -> None:
            told.append(text)
            if len(told) == 1:
                other.execute("ROLLBACK")

        other.execute("BEGIN EXCLUSIVE")
        send.send_nowait(record(number=0))
        send.close()
        with trio.fail_after(30):
            await GameWriter(store, list, list, tell=tell).run(receive)
    assert store.finished("cup") == {"quoridor:0"}
    assert [text.partition("arena.db: ")[2][:12] for text in told] == ["is locked by", ""]
