"""What one client can do to the connections of the others."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from hypercorn.config import Config
from hypercorn.protocol.events import Data
from hypercorn.trio.tcp_server import TCPServer
from wsproto.connection import Connection, ConnectionType

from arena.web.server import connections


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


async def test_an_error_in_one_connection_ends_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(_: TCPServer) -> None:
        raise RuntimeError("of the library")

    monkeypatch.setattr(TCPServer, "run", fail)
    config = Config()
    config.errorlog = logging.getLogger("arena.serve")
    arguments: list[Any] = [None, config, None, None, trio.testing.memory_stream_pair()[0]]
    await connections._Connection(*arguments).run()
    assert "of the library" in capsys.readouterr().err
