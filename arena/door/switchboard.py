"""Joins the lines of remote bots with the referees that play them. It knows no game and stores nothing.

A bot's machine holds a WebSocket, its *home line*, and waits for a game on it. A referee that needs the bot
comes by a Unix socket, which only this user can open, and takes the newest line that waits. The server sends
the referee a frame ``back``; from then on every frame passes through unchanged (`protocol.remote.line`). If a
home line breaks, its machine comes again with the number of its session and gets the same referee, also after
this server was started again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import trio
from starlette.exceptions import HTTPException
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.errors import ArenaError, Outlasting
from protocol.errors import RemoteProtocolError
from protocol.remote.line import (
    BACK,
    GONE,
    OVER,
    PING,
    PING_SECONDS,
    PONG,
    SILENT_SECONDS,
    Frame,
    packed_frames,
    send_packed,
    unpacked,
)

_BROKEN_RULES: Final = 1008
_SERVERS_OWN: Final = (b"back ", b"gone ")  # frames that only this server sends
_GONE_ERRORS: Final = (
    WebSocketDisconnect, RuntimeError, OSError, trio.BrokenResourceError, trio.BusyResourceError,
)  # fmt: skip


@dataclass(slots=True, eq=False)
class _Referee:
    """A referee that plays with a bot, and the bot's line while it is there."""

    stream: trio.SocketStream
    name: str
    session: str  # "" until it has taken a line
    home: _Home | None = None
    sending: trio.Lock = field(default_factory=trio.Lock)

    async def send(self, data: bytes) -> None:
        try:
            async with self.sending:
                await send_packed(self.stream, data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # `Switchboard.referee` ends


@dataclass(slots=True, eq=False)
class _Home:
    """The line of a bot."""

    socket: WebSocket
    name: str
    session: str
    client: str  # the same for all lines of one `arena connect`
    again: bool  # it belongs to a game already
    waits: bool = False  # for a referee
    closed: bool = False
    unanswered: int = 0  # pings
    since: float = field(default_factory=trio.current_time)
    heard: float = field(default_factory=trio.current_time)
    referee: _Referee | None = None

    async def send(self, data: bytes) -> None:
        try:
            await self.socket.send_bytes(data)
        except _GONE_ERRORS:
            pass  # `Switchboard.carry` ends

    async def close(self, code: int = OVER) -> None:
        """Close it. The server cuts it soon, even if its client does not, and `Switchboard.carry` ends."""
        if self.closed:
            return
        self.closed, self.waits = True, False
        try:
            await self.socket.close(code)
        except _GONE_ERRORS:
            pass  # it is closed


class Switchboard:
    """The lines of one door.

    ``note`` is called in a thread with the names of the bots that are there. When it returns another text
    than before, lines that wait for a game are closed, so that their machines come again and get the text.
    """

    def __init__(self, socket: Path, grace: float, most: int, note: Callable[[frozenset[str]], str]) -> None:
        self._socket = socket
        self._grace = grace
        self._most = most
        self._note = note
        self._noted = ""
        self._homes: list[_Home] = []
        self._referees: list[_Referee] = []
        self._seen: dict[str, float] = {}

    def enter(self, socket: WebSocket, name: str, session: str, client: str, *, again: bool) -> _Home:
        """Make room for a line, which `carry` frees; HTTPException: the bot has too many others."""
        sessions = [home.session for home in self._homes if home.name == name]
        # Each may have a second line for a moment, when it comes again after a break.
        if len({*sessions, session}) > self._most or len(sessions) >= 2 * self._most:
            raise HTTPException(429, f"your bot has {self._most} lines already; end another `arena connect`")
        self._homes.append(home := _Home(socket, name, session, client, again))
        return home

    def others(self, home: _Home) -> list[_Home]:
        """Return the lines of a bot that are of another `arena connect`."""
        return [other for other in self._homes if other.name == home.name and other.client != home.client]

    async def tell_others(self, home: _Home) -> None:
        """Close the lines of others that wait, so that they come again and get another greeting."""
        for other in self.others(home):
            if other.waits:
                await other.close()

    async def carry(self, home: _Home, headers: list[tuple[bytes, bytes]]) -> None:
        """Accept a bot's line, and carry frames from it to its referee until it ends."""
        socket = home.socket
        try:
            try:
                await socket.accept(headers=headers)
            except _GONE_ERRORS:
                return  # it has gone, or a newer line has replaced it
            for old in self._homes[: self._homes.index(home)]:
                if (old.name, old.session) == (home.name, home.session):
                    await _part(old)
                    await old.close()
            home.waits = True
            waiting = (referee for referee in self._referees if _fit(home, referee))
            if (oldest := next(waiting, None)) is not None:
                await _join(home, oldest)
            # To the end, also after it was closed here: else the closing handshake is cut off.
            while (message := await socket.receive())["type"] == "websocket.receive":
                try:
                    await self._take(home, message.get("bytes") or b"")
                except RemoteProtocolError:
                    await home.close(_BROKEN_RULES)
        finally:
            self._homes.remove(home)
            await _part(home)

    async def _take(self, home: _Home, data: bytes) -> None:
        """Pass on a frame from a bot's machine. RemoteProtocolError: it does not keep to the rules."""
        home.heard = trio.current_time()
        if home.closed:
            return
        if data.startswith(_SERVERS_OWN):
            raise RemoteProtocolError
        if home.unanswered and unpacked(data) == Frame(PONG):
            home.unanswered -= 1
        elif home.referee is not None:
            await home.referee.send(data)
        elif home.waits:
            raise RemoteProtocolError

    async def referee(self, stream: trio.SocketStream) -> None:
        """Carry frames from a referee to the line of its bot until the referee ends."""
        async with stream:
            frames = packed_frames(stream)
            wanted = await anext(frames, b"")
            if not wanted:
                return
            session, _, name = unpacked(wanted).payload.decode().partition("\n")
            referee = _Referee(stream, name, session)
            self._referees.append(referee)
            try:
                waiting = (home for home in reversed(self._homes) if _fit(home, referee))
                if (newest := next(waiting, None)) is not None:
                    await _join(newest, referee)
                async for data in frames:
                    if referee.home is not None:
                        await referee.home.send(data)
            except trio.BrokenResourceError:
                pass  # it was killed
            finally:
                self._referees.remove(referee)
                if referee.home is not None:
                    referee.home.referee = None
                    await referee.home.close()

    async def _ping(self, home: _Home) -> None:
        if home.waits:  # still
            home.unanswered += 1
            await home.send(Frame(PING).packed())

    async def run(self) -> None:
        """Listen for referees, ping the lines that wait, and tell which bots are there; never ends."""
        listener = trio.socket.socket(trio.socket.AF_UNIX, trio.socket.SOCK_STREAM)
        try:
            self._socket.unlink(missing_ok=True)
            await listener.bind(str(self._socket))
            self._socket.chmod(0o600)
        except OSError as error:
            raise ArenaError(f"{self._socket}: {error.strerror or error}; a shorter path may help") from error
        listener.listen()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, self.referee, [trio.SocketListener(listener)])
            nursery.start_soon(self._note_present, nursery)
            while True:
                await trio.sleep(PING_SECONDS)
                now = trio.current_time()
                for home in self._homes:
                    if home.referee is not None or home.closed:
                        continue
                    quiet = now - (home.heard if home.waits else home.since)
                    if quiet > SILENT_SECONDS or (home.again and now - home.since > self._grace):
                        nursery.start_soon(home.close)
                    else:
                        nursery.start_soon(self._ping, home)

    async def _note_present(self, nursery: trio.Nursery) -> None:
        """Note which bots are there, apart from the pings, which wait for no database."""
        outlasting = Outlasting("noting which bots are connected")
        while True:
            await trio.sleep(PING_SECONDS)
            now = trio.current_time()
            self._seen |= {home.name: now for home in self._homes}
            there = frozenset(name for name, seen in self._seen.items() if now - seen < SILENT_SECONDS)
            with outlasting:
                before, self._noted = self._noted, await trio.to_thread.run_sync(self._note, there)
                for home in self._homes if self._noted != before else ():
                    if home.waits:
                        nursery.start_soon(home.close)


def _fit(home: _Home, referee: _Referee) -> bool:
    """Whether a line and a referee wait for each other."""
    same_game = home.session == referee.session if referee.session else not home.again
    return home.waits and referee.home is None and home.name == referee.name and same_game


async def _join(home: _Home, referee: _Referee) -> None:
    """Give a line to a referee, and tell the referee."""
    home.referee, home.waits = referee, False
    referee.home, referee.session = home, home.session
    await referee.send(Frame(BACK, payload=home.session.encode()).packed())


async def _part(home: _Home) -> None:
    """Part a line from its referee, and tell the referee."""
    referee, home.referee = home.referee, None
    if referee is not None:
        referee.home = None
        await referee.send(Frame(GONE).packed())
