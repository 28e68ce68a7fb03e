"""What the runs of other processes send becomes events."""

import errno
import time
from contextlib import ExitStack, asynccontextmanager, closing
from threading import Event

import anyio
import pytest
import trio

from arena.errors import StoreError, StoreUnavailable
from arena.events import GameVoid, LiveGame, NextGames, RunState
from arena.model import Opening, Pairing
from arena.run.feed import new_socket
from arena.store import Store
from arena.store.database import ENGINE_OPTIONS
from arena.web.server import live as broadcast_module
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast, LiveBoards, _as_data, game_data
from protocol.process import machine
from referee.match.job import encode


@pytest.fixture
def store(tmp_path):
    with closing(Store.open(tmp_path / "arena.db", create=True)) as opened:
        yield opened


@asynccontextmanager
async def run_of(store, tournament, *games, **values):
    """A run that sends its state to every listener, and ends with the context."""
    running = {game.pairing.key: game for game in games}
    state = RunState(tournament, str(store.address.resolve()), games=running, **values)
    path = new_socket()

    async def tell(stream):
        async with stream:
            await stream.send_all(encode(state))
            await trio.sleep_forever()

    with ExitStack() as stack:  # a later test would find the socket, also if this one is cancelled here
        stack.callback(machine.remove_folder, str(path.parent))
        listener = stack.enter_context(trio.socket.socket(trio.socket.AF_UNIX, trio.socket.SOCK_STREAM))
        await listener.bind(str(path))
        listener.listen()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, tell, [trio.SocketListener(listener)])
            yield
            nursery.cancel_scope.cancel()


async def next_event(stream):
    """Return the kind of the next event."""
    while b"event: " not in (event := await anext(stream)):
        pass
    return event.decode().partition("event: ")[2].partition("\n")[0]


async def until(condition):
    """Wait for what another task or process does."""
    with trio.fail_after(60):
        while not condition():  # noqa: ASYNC110 - the product has no event for it
            await trio.sleep(0.01)


async def test_a_run_that_ends_before_its_tournament_was_looked_for_reaches_browsers(store, monkeypatch):
    """A page can be open before the server looks into the databases again."""
    looked = anyio.Event()
    broadcast = Broadcast(databases := Databases([store]))
    tournaments = databases.tournaments
    monkeypatch.setattr(broadcast_module, "_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(databases, "tournaments", lambda: tournaments() if looked.is_set() else [])
    async with trio.open_nursery() as nursery:
        async with run_of(store, "t"):
            nursery.start_soon(broadcast.run)
            await until(lambda: broadcast._runs[str(store.address.resolve()), "t"].state)
            store.begin_tournament("t", {})
            (served,) = tournaments()
            stream = broadcast.log(served).stream("", lambda: broadcast.state(served))
            assert await next_event(stream) == "state"
        await until(lambda: broadcast.run_of(served) is None)
        looked.set()
        with trio.fail_after(60):
            assert await next_event(stream) == "state"
        await stream.aclose()
        nursery.cancel_scope.cancel()


FAULTS = [
    StoreUnavailable("another program locks a table"),
    StoreError("the disk reports an error"),
    OSError(errno.EMFILE, "Too many open files"),
    RuntimeError("can't start new thread"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
async def test_a_database_that_cannot_be_read_for_a_while_does_not_end_the_server(store, monkeypatch, fault):
    monkeypatch.setattr(broadcast_module, "_LOOK_SECONDS", 0.05)
    broadcast = Broadcast(databases := Databases([store]))
    store.begin_tournament("t", {})
    (served,) = (tournaments := databases.tournaments)()
    faults = [fault] * 3

    def look():
        if faults:
            raise faults.pop()
        return tournaments()

    monkeypatch.setattr(databases, "tournaments", look)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broadcast.run)
        await until(lambda: not faults)
        await until(lambda: served.run_key in broadcast._known)
        nursery.cancel_scope.cancel()


async def test_readers_who_take_all_connections_end_no_server(store, monkeypatch, capsys):
    monkeypatch.setattr(broadcast_module, "_LOOK_SECONDS", 0.05)
    monkeypatch.setitem(ENGINE_OPTIONS, "pool_timeout", 0.05)
    store.begin_tournament("t", {})
    busy = Store.open(store.address, create=False)
    broadcast = Broadcast(Databases([busy]))
    told = []

    def is_busy():
        told.append(capsys.readouterr().err)
        return "too many tasks of this program use the database" in "".join(told)

    async with trio.open_nursery() as nursery:
        with ExitStack() as readers:
            for _ in range(4):
                readers.enter_context(busy.database.reading()).connection()
            nursery.start_soon(broadcast.run)
            await until(is_busy)
        await until(lambda: broadcast._known)
        nursery.cancel_scope.cancel()
    busy.close()


async def test_pages_learn_of_tables_that_took_long(store, monkeypatch):
    monkeypatch.setattr(broadcast_module, "_LOOK_SECONDS", 0.05)
    store.begin_tournament("t", {})
    databases = Databases([store])
    broadcast = Broadcast(databases)
    (served,) = databases.tournaments()
    streams = [
        broadcast.log(served).stream("", lambda: broadcast.state(served)),
        broadcast.home.stream("", broadcast.running),
    ]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broadcast.run)
        for stream in streams:
            assert await next_event(stream) == "state"
        go = Event()
        assert served.database.soon("x", lambda _: go.wait(), until=0) is None
        go.set()
        with trio.fail_after(60):
            assert [await next_event(stream) for stream in streams] == ["tables", "tables"]
        for stream in streams:
            await stream.aclose()
        nursery.cancel_scope.cancel()


async def test_runs_of_databases_that_are_not_served_are_not_kept(store, tmp_path):
    with closing(Store.open(tmp_path / "other.db", create=True)) as other:
        broadcast = Broadcast(Databases([store]))
        async with trio.open_nursery() as nursery, run_of(other, "t"):
            nursery.start_soon(broadcast.run)
            run = broadcast._runs[str(other.address.resolve()), "t"]
            await until(lambda: run.state)
            assert not run.others
            nursery.cancel_scope.cancel()


async def test_the_running_games_of_all_tournaments_are_counted(store):
    for name in ("t", "u"):
        store.begin_tournament(name, {})
    game = LiveGame(Pairing(0, "quoridor:a|b:0", "quoridor", ("a", "b")))
    broadcast = Broadcast(databases := Databases([store]))
    pages = {tournament.name: f"/tournaments/{tournament.id}/" for tournament in databases.tournaments()}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broadcast.run)
        assert broadcast.live() == {"games": 0, "url": "/"}
        async with run_of(store, "t", game):
            await until(lambda: broadcast.live() == {"games": 1, "url": pages["t"]})
            async with run_of(store, "u", game):
                await until(lambda: broadcast.live() == {"games": 2, "url": "/"})
            await until(lambda: broadcast.live() == {"games": 1, "url": pages["t"]})
        nursery.cancel_scope.cancel()


def test_a_game_that_starts_again_from_another_position_has_its_own_board():
    boards = LiveBoards()
    first, second = (
        LiveGame(Pairing(0, "k", "quoridor", ("a", "b"), Opening(position)))
        for position in (None, "/ / e4 e5 / 10 10 / 1")
    )
    assert boards.draw(first) == LiveBoards().draw(first)
    assert boards.draw(second) == LiveBoards().draw(second) != boards.draw(first)


def test_events_of_a_running_game_and_its_end_have_all_that_pages_show():
    pairing = Pairing(6, "k", "quoridor", ("a", "b"))
    game = game_data(LiveGame(pairing, "lab3", ("10+0.1", "5+0")), LiveBoards(), "t-123456")
    assert (game["key"], game["place"], game["worker"]) == ("k", 7, "lab3")
    assert ["#ring" in game["signs"][0], "#diamond" in game["signs"][1]] == [True, True]
    assert (game["time_controls"], game["url"]) == (["10+0.1", "5+0"], "/tournaments/t-123456/running/7")
    assert _as_data(GameVoid(pairing, "why", again=True)) == (
        "over",
        {"key": "k", "stored": False, "text": "why", "says": "a – b: why; it is played again"},
    )
    assert _as_data(NextGames((pairing,))) == (
        "next",
        {"games": [{"place": 7, "game": "quoridor", "seats": ["a", "b"]}]},
    )


async def test_a_reader_who_comes_late_can_estimate_the_end_of_the_run(store):
    store.begin_tournament("t", {})
    broadcast = Broadcast(databases := Databases([store]))
    (served,) = databases.tournaments()
    async with (
        trio.open_nursery() as nursery,
        run_of(store, "t", total=30, stored=5, played=10, began=time.monotonic() - 1000),
    ):
        nursery.start_soon(broadcast.run)
        await until(lambda: broadcast.state(served)["running"])
        state = broadcast.state(served)
        assert (state["total"], state["new"]) == (30, 10)
        assert 1000 <= state["lasted"] < 1060  # however the clocks of the machines are set
        nursery.cancel_scope.cancel()
