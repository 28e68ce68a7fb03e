"""The lines of a door, and the task that notes which bots are connected: it outlasts its database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio
from starlette.websockets import WebSocket

from arena.address import Address, ServerAddress
from arena.door import switchboard
from arena.door.register import DoorRegister, State
from arena.door.switchboard import Switchboard
from arena.door.upload import remote_plan
from arena.store import Store, sqlite
from tests.missing_tools import needs
from tests.postgres import new_server

Away = Callable[[], object]


@contextmanager
def locked_file(folder: Path) -> Iterator[tuple[Address, Away, Away]]:
    """A file, and functions that lock it and free it again."""
    with closing(sqlite3.connect(folder / "arena.db", isolation_level=None)) as other:
        yield (
            folder / "arena.db",
            lambda: other.execute("BEGIN IMMEDIATE"),
            lambda: other.execute("ROLLBACK"),
        )


@contextmanager
def stopped_server(_folder: Path) -> Iterator[tuple[Address, Away, Away]]:
    """A database on a server, and functions that stop it and start it again."""
    with new_server() as server:
        server.start()
        with server.database() as url:
            yield ServerAddress(url), lambda: server.stop("immediate"), server.start


@pytest.mark.parametrize(
    ("database", "reason"),
    [
        (locked_file, "is locked by another program"),
        pytest.param(
            stopped_server, "the server ", marks=(needs("postgresql"), pytest.mark.system), id="server"
        ),
    ],
)
async def test_the_pages_of_a_door_with_bots_at_home_outlast_their_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    database: Callable[[Path], Iterator[tuple[Address, Away, Away]]], reason: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(switchboard, "PING_SECONDS", 0.05)
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT", 0.05)
    told: list[str] = []

    async def until(condition: Callable[[], bool]) -> None:
        with trio.fail_after(60):
            while not condition():  # noqa: ASYNC110 - the product has no event for it
                await trio.sleep(0.05)

    def has_warned() -> bool:
        told.append(capsys.readouterr().err)
        return reason in "".join(told)

    with (
        database(tmp_path) as (address, stop, start),
        closing(Store.open(address, create=True)) as store,
        TemporaryDirectory() as short,  # the path of a socket has at most 107 bytes
    ):
        register = DoorRegister(store, "league")
        ann = register.invite({"ann": "token"})[0]
        bot = register.hand_in(ann.id, "1", "x", asdict(remote_plan("ann")), 9, State.AWAY)
        register.move_on(bot.id, State.PLAYS)

        def note(present: frozenset[str]) -> str:
            register.set_present(present)
            return ""

        board = Switchboard(Path(short, "socket"), 1.0, 1, note)
        stop()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(board.run)
            await until(has_warned)
            start()
            await until(lambda: register.submissions()[0].state is State.AWAY)
            nursery.cancel_scope.cancel()


async def test_a_line_that_is_closed_before_it_is_accepted_ends_quietly_and_frees_its_room(
    tmp_path: Path,
) -> None:
    async def send(_: object) -> None: ...

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    board = Switchboard(tmp_path / "socket", 30, 1, lambda _: "")
    for session in "12":
        socket = WebSocket({"type": "websocket"}, receive, send)
        home = board.enter(socket, "ann", session, "c", again=False)  # one line is all that ann may have
        await socket.receive()
        await home.close()
        await board.carry(home, [])
