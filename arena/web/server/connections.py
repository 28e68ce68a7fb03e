"""Hypercorn's connections, with the bounds that it does not set itself.

Its WebSockets store all that comes of a message, even after they have refused it. They decompress, so 64 KiB
can become 64 MiB. One that is closed keeps its socket until its client closes it, too. And an error in one
connection ends the server, and one client may have all connections.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from resource import RLIMIT_NOFILE, getrlimit
from typing import Final
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, lowlevel, sleep
from hypercorn.events import Event as ConnectionEvent
from hypercorn.events import RawData
from hypercorn.protocol import h11, ws_stream
from hypercorn.protocol.events import Data, Event, Request, StreamClosed
from hypercorn.trio import run
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.typing import ASGISendEvent

_BYTES_A_TURN: Final = 256
"""After this number of bytes of a WebSocket, which can be 42 frames, others have their turn."""

_REQUESTS_A_TURN: Final = 4
"""As `_BYTES_A_TURN`, of all connections of a client."""

_FAREWELL_SECONDS: Final = 1.0
"""How long a client may take to close a line, too, that was closed here."""


def use(*, behind_proxy: bool) -> None:
    """Let Hypercorn use these connections, which all come from the proxy if there is one."""
    _Connection.bounded = not behind_proxy
    run.TCPServer = _Connection  # type: ignore[attr-defined]  # imported there
    h11.WSStream = _WebSocket  # type: ignore[attr-defined]  # imported there
    ws_stream.server_extensions_handshake = lambda *_: None  # type: ignore[attr-defined]  # nor is it exported
    h11.H11Protocol._check_protocol = _only_http1  # type: ignore[method-assign, assignment]  # noqa: SLF001
    h11.H11Protocol.handle = _handle_in_turn  # type: ignore[method-assign, assignment]


_turns: Final = WeakValueDictionary[str, CapacityLimiter]()  # by the address of a client
_handle = h11.H11Protocol.handle


async def _handle_in_turn(connection: h11.H11Protocol, event: ConnectionEvent) -> None:
    """Take few requests of a client together, however many come: others pass between them."""
    if isinstance(event, RawData) and not isinstance(connection.stream, _WebSocket):
        client = connection.client[0] if connection.client else ""
        async with _turns.setdefault(client, CapacityLimiter(_REQUESTS_A_TURN)):
            pass  # when the next have their turn, all others that can go on have gone on
    await _handle(connection, event)


async def _only_http1(_connection: h11.H11Protocol, _request: object) -> None:
    """Start no HTTP/2 without TLS: a proxy in front would not see the requests that follow."""


class _Connection(TCPServer):
    bounded = True
    _clients: Final[Counter[str]] = Counter()  # the number of open connections by the address of their client

    async def run(self) -> None:
        try:
            with suppress(OSError):  # the client has gone already
                await self._run_as_one_of(self.stream.socket.getpeername()[0])
        except Exception:
            await self.config.log.exception("one connection has failed, the others go on")

    async def _run_as_one_of(self, client: str) -> None:
        """Run, unless the client has a quarter of the connections for which this process has descriptors."""
        self._clients[client] += 1
        try:
            if self.bounded and self._clients[client] > getrlimit(RLIMIT_NOFILE)[0] // 4:
                await self.stream.aclose()
            else:
                await super().run()
        finally:
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]

    async def _close(self) -> None:
        # Hypercorn sends EOF first, and an answer that is sent meanwhile is an error.
        await self.stream.aclose()


class _WebSocket(ws_stream.WSStream):
    async def handle(self, event: Event) -> None:
        if not isinstance(event, Data):
            await super().handle(event)
            if self.closed and isinstance(event, Request):  # for no WebSocket
                await self._cut()
            return
        for start in range(0, len(event.data), _BYTES_A_TURN):
            if self.handshake.accepted:
                await super().handle(Data(event.stream_id, event.data[start : start + _BYTES_A_TURN]))
            if not self.handshake.accepted or self.buffer.length > self.buffer.max_length:
                await self._cut()
                break
            await lowlevel.checkpoint()

    async def app_send(self, message: ASGISendEvent | None) -> None:
        if message is not None and message["type"] == "websocket.close" and not self.closed:
            self.task_group.spawn(self._cut, _FAREWELL_SECONDS)  # sending may wait for the client
        await super().app_send(message)

    async def _cut(self, seconds: float = 0.0) -> None:
        """End the connection, also if its client keeps it open."""
        await sleep(seconds)
        await self.send(StreamClosed(stream_id=self.stream_id))
