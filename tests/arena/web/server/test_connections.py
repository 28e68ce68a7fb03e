"""What one client can do to the connections of the others."""

from __future__ import annotations

import logging
import resource
import socket
from contextlib import ExitStack, closing
from functools import partial
from http.client import BadStatusLine, HTTPConnection, HTTPResponse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from hypercorn.config import Config
from hypercorn.events import RawData
from hypercorn.protocol.events import Data
from hypercorn.trio.tcp_server import TCPServer
from wsproto.connection import Connection, ConnectionType

from arena.web.server import connections
from arena.web.server.app import LOOPBACK, _listen, application
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from tests.arena.web.server.test_serve import served
from tests.missing_tools import needs
from tests.processes import wait_for


async def test_others_have_their_turn_while_a_client_sends_frames_without_end() -> None:
    arguments: list[Any] = [None, Config(), None, None, False, None, None, None, 1]
    line = connections._WebSocket(*arguments)
    line.handshake = SimpleNamespace(accepted=True)  # type: ignore[assignment]  # all that is asked of it
    line.connection = Connection(ConnectionType.SERVER)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    empty = bytes([0, 0x80, 0, 0, 0, 0])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(others)
        await line.handle(Data(1, b"\x02" + empty[1:] + empty * 10_000))
        nursery.cancel_scope.cancel()
    assert turns > 10_000 / 50


async def test_others_have_their_turn_while_a_client_sends_many_requests_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns, handled = 0, 0

    async def handle(*_: Any) -> None:
        nonlocal handled
        handled += 1

    async def others() -> None:
        nonlocal turns
        while handled < 1000:
            await trio.lowlevel.checkpoint()
            turns += 1

    monkeypatch.setattr(connections, "_handle", handle)
    connection: Any = SimpleNamespace(stream=None, client=("192.0.2.1", 1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(others)
        for _ in range(1000):
            nursery.start_soon(connections._handle_in_turn, connection, RawData(b"GET"))
    assert turns > 1000 / 10


async def test_an_error_in_one_connection_ends_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(_: TCPServer) -> None:
        raise RuntimeError("of the library")

    monkeypatch.setattr(TCPServer, "run", fail)
    config = Config()
    config.errorlog = logging.getLogger("arena.serve")
    stream = SimpleNamespace(socket=SimpleNamespace(getpeername=lambda: ("::1", 1)))
    arguments: list[Any] = [None, config, None, None, stream]
    await connections._Connection(*arguments).run()
    assert "of the library" in capsys.readouterr().err


@needs("linux")
def test_one_client_holds_a_quarter_of_the_connections_and_others_get_pages(tmp_path: Path) -> None:
    with served(tmp_path) as (process, port), ExitStack() as stack:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (160, 160))

        def asked(client: str, path: str) -> HTTPResponse | None:
            """The answer to a request; None if the server closes the connection."""
            connection = HTTPConnection("127.0.0.1", port, timeout=60, source_address=(client, 0))
            stack.callback(connection.close)
            try:
                connection.request("GET", path)
                return stack.enter_context(connection.getresponse())
            except (ConnectionError, BadStatusLine):
                return None

        streams = [asked("127.0.0.1", "/api/events") for _ in range(60)]
        assert len([answer for answer in streams if answer is not None]) == 160 // 4
        answer = asked("127.0.0.2", "/")
        assert answer is not None
        assert answer.status == 200
        for _ in range(60):  # those that have ended do not count
            with closing(socket.create_connection(("127.0.0.1", port), 60, ("127.0.0.3", 0))) as client:
                client.sendall(b"GET /words HTTP/1.0\r\nHost: localhost\r\n\r\n")
                assert client.recv(100).startswith(b"HTTP/1.1 200")


def test_a_connection_without_a_whole_request_is_closed_however_slowly_it_comes(tmp_path: Path) -> None:
    begun = (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"GET / HTTP/1.1\r\nX: ")
    with served(tmp_path) as (_, port), ExitStack() as stack:
        clients = [stack.enter_context(closing(socket.create_connection(("127.0.0.1", port)))) for _ in begun]
        for client, begin in zip(clients, begun, strict=True):
            client.setblocking(False)
            client.sendall(begin)

        def closed(client: socket.socket, begin: bytes) -> bool:
            try:
                client.sendall(b"x" if begin else b"")
                return not client.recv(1000)
            except BlockingIOError:
                return False
            except ConnectionError:
                return True

        for client, begin in zip(clients, begun, strict=True):
            wait_for(partial(closed, client, begin), "the server waits for ever")


def test_headers_have_at_most_32_kib(tmp_path: Path) -> None:
    with served(tmp_path) as (_, port):
        for size, status in ((30_000, 200), (70_000, 431)):
            with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                connection.request("GET", "/words", headers={"x": "y" * size})
                assert connection.getresponse().status == status


@pytest.mark.parametrize("chunk", [b"", b"{"])
async def test_a_body_that_does_not_end_is_refused(
    autojump_clock: trio.testing.MockClock, chunk: bytes
) -> None:
    told: list[Any] = []

    async def receive() -> dict[str, Any]:
        await trio.sleep(19)
        return {"type": "http.request", "body": chunk, "more_body": True}

    async def send(message: Any) -> None:
        told.append(message)

    databases = Databases([])
    club: Any = SimpleNamespace(offer=None)
    app = application(databases, Broadcast(databases), LOOPBACK, club)
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/play/games",
        "query_string": b"",
        "headers": headers,
    }
    begun = trio.current_time()
    await app({**scope, "scheme": "http"}, receive, send)
    assert told[0]["status"] == 400
    assert trio.current_time() - begun == 20


@needs("linux")
def test_a_client_that_takes_nothing_for_twenty_seconds_is_cut_off_by_the_system() -> None:
    with (
        closing(_listen("127.0.0.1", 0)) as listener,
        closing(socket.create_connection(listener.getsockname())),
        closing(listener.accept()[0]) as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 20_000
