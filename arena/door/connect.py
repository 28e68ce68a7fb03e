"""Let a bot on this machine play at a door: a line that waits for a game, and a process for each game.

The line is a WebSocket. The clients of websockets and httpx-ws are made for asyncio.
trio-websocket joins trio with wsproto, which Hypercorn uses for the other end.
"""

from __future__ import annotations

import secrets
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import h11
import trio
import trio_websocket as ws
import wsproto.utilities

from arena.door.client import Door, sentence
from arena.errors import ArenaError, leaves
from arena.run.engines import program_hash
from protocol.errors import EngineError, RemoteProtocolError
from protocol.hub.ending import exit_status, kill
from protocol.process.engine_process import EngineProcess
from protocol.remote import line as wire
from protocol.remote.line import PONG, SILENT_SECONDS, Frame, Line
from protocol.spec import EngineSpec
from protocol.words import printable

_UNREACHABLE: Final = (
    OSError, ValueError, ws.HandshakeError, trio.BrokenResourceError, trio.TooSlowError,
)  # fmt: skip
_PAUSES: Final = (0.0, 0.5, 1.0, 2.0)  # seconds before each try to connect
_LONGEST_PAUSE: Final = 3.0
_LOOK_SECONDS: Final = 1.0  # between two questions for results
_RESULT_SECONDS: Final = 10.0  # after this time no result of a game is awaited
_MOST_NOTED: Final = 1 << 16  # the most bytes of standard error that are shown of one game
_MOVED: Final = range(300, 400)  # the statuses of an answer that names another address
_UNREADABLE: Final = "0" * 16  # instead of the hash of files that cannot be read


@dataclass(slots=True, eq=False)
class _Game:
    """A game, or the wait for one."""

    session: str = field(default_factory=lambda: secrets.token_hex(16))
    line: Line = field(default_factory=Line)
    number: int = 0  # 0 before it has started


class HomeBot:
    """A bot of this machine, and the door where it plays; ``tell`` gets sentences for its author.

    Before each game it waits for ``ready``, if there is one.
    """

    def __init__(
        self,
        door: Door,
        spec: EngineSpec,
        tell: Callable[[str], None],
        ready: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint,
    ) -> None:
        self._door = door
        self._spec = spec
        self._tell = tell
        self._ready = ready
        self._client = secrets.token_hex(16)  # tells the door which lines are of one command
        self._started = self._running = 0  # games
        self._last_told: int | None = None  # the number of a game; None before the door has answered
        self._untold = 0  # how many results of games that have ended are not told yet
        self._patience = 0.0  # until when they are awaited, as trio.current_time()
        self._greeted = trio.Event()  # the door has answered
        self._title = ""  # what the door calls the bot; "" before it has answered
        self._problem = ""  # why the door cannot be reached now
        self._waiting = trio.CancelScope()

    async def run(self) -> None:
        """Play game after game until the user stops it; an ArenaError says why the door lets nobody in."""
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._obey, signals)
                nursery.start_soon(self._tell_results)
                refused: BaseException | None = None
                async with trio.open_nursery() as games:
                    with self._waiting:
                        try:
                            while True:
                                await self._ready()
                                await games.start(self._play)
                        except* ArenaError as group:  # the running games go on
                            refused = next(leaves(group))
                while self._awaits_results():  # noqa: ASYNC110 - time ends it, too
                    await trio.sleep(_LOOK_SECONDS)
                nursery.cancel_scope.cancel()
        if refused is not None:
            raise refused

    async def _obey(self, signals: AsyncIterator[int]) -> None:
        await anext(signals)
        self._waiting.cancel()
        if self._running and not self._problem:
            self._tell("it starts no new game; Ctrl-C again ends the games that are played now, too")
        if not (self._running and self._problem):  # else nobody would end the games
            await anext(signals)
        raise KeyboardInterrupt

    async def _play(self, task_status: trio.TaskStatus[None]) -> None:
        """Wait for a game, and play it to its end."""
        game = _Game()
        async with trio.open_nursery() as nursery:

            def start() -> None:
                self._started += 1
                self._running += 1
                game.number = self._started
                self._tell(f"game {game.number} starts")
                nursery.start_soon(self._run_bot, game)
                task_status.started()

            try:
                while await self._visit(game, start):
                    if game.number:
                        self._tell(f"game {game.number}: the line is gone; the bot plays on meanwhile")
            finally:
                self._running -= bool(game.number)
            nursery.cancel_scope.cancel()
        self._tell(f"game {game.number} is over")
        self._untold += 1
        self._patience = trio.current_time() + _RESULT_SECONDS

    def _awaits_results(self) -> bool:
        return self._untold > 0 and trio.current_time() < self._patience

    async def _tell_results(self) -> None:
        """Tell the bot's results soon after the door has stored them; never ends."""
        await self._greeted.wait()
        while True:
            if self._last_told is None or self._awaits_results():
                await self._look_for_results()
            await trio.sleep(_LOOK_SECONDS)

    async def _look_for_results(self) -> None:
        try:
            state = await trio.to_thread.run_sync(self._door.state, abandon_on_cancel=True)
        except ArenaError:
            return  # it is asked again
        games = [game for game in state["games"] if game["number"] > (self._last_told or 0)]
        if self._last_told is not None:  # else all of them are older than this command
            for game in games:
                self._tell(_result(game, state["places"]))
            self._untold = max(0, self._untold - len(games))
        self._last_told = max((game["number"] for game in games), default=self._last_told or 0)

    # --- the line

    async def _visit(self, game: _Game, start: Callable[[], None]) -> bool:
        """Connect, and carry frames until the line ends; return whether to come again."""
        stamp = program_hash(self._spec, _stamp)
        files = await trio.to_thread.run_sync(program_hash, self._spec) or _UNREADABLE

        def changed() -> bool:
            return program_hash(self._spec, _stamp) not in ("", stamp)  # "" in the middle of a change

        again = "&again=1" if game.number else "" if self._title else "&first=1"
        target = f"/door/connect?session={game.session}&client={self._client}&files={files}{again}"
        headers = [(b"authorization", f"Bearer {self._door.token}".encode())]
        for pause in chain(_PAUSES, repeat(_LONGEST_PAUSE)):
            await trio.sleep(pause)
            if pause == _LONGEST_PAUSE and self._waiting.cancel_called:
                raise KeyboardInterrupt  # who wants to stop does not wait for a door that stays away
            try:
                async with open_line(self._door.address, target, headers) as socket:
                    self._greet(dict(socket.handshake_headers).get(b"x-arena-bot", b"").decode())
                    over = await _carry(socket, game, start, changed)
                    return not (game.number and over)
            except ws.ConnectionRejected as error:
                if wire.REFUSES.encode() in dict(error.headers):
                    raise ArenaError(f"the door at {self._door.address} answers: {_answer(error)}") from None
                self._retry(_answer(error))
            except _UNREACHABLE as error:
                cause = next(leaves(error.__cause__ or error))
                self._retry(getattr(cause, "strerror", None) or str(cause) or "it does not answer")
        raise AssertionError("it tries without end")

    def _greet(self, title: str) -> None:
        title = printable(unquote(title))
        if not self._greeted.is_set():
            self._greeted.set()
            self._tell(f"your page, with your place and your games: {self._door.link}")
        if title != self._title or self._problem:
            self._tell(f"connected as {title}")
        self._title, self._problem = title, ""

    def _retry(self, problem: str) -> None:
        """Say why the door cannot be reached, if this is news."""
        if problem != self._problem:
            self._tell(f"{self._door.address} cannot be reached ({printable(problem)}); trying again")
        self._problem = problem

    # --- the bot

    async def _run_bot(self, game: _Game) -> None:
        """Run the bot until its game is over, and report how it ends."""
        line, notes = game.line, _Notes(game.number)

        def note(data: bytes) -> None:
            notes.add(data)
            if not line.full:
                line.say(wire.ERROR, data)

        try:
            engine = await EngineProcess.start(self._spec)
        except EngineError as error:
            line.say(wire.EXIT, str(error).encode())
            return
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(engine.drain_stderr, note)
                nursery.start_soon(_feed, line, engine)
                while data := await engine.read():
                    line.say(wire.DATA, data)
                    while line.full:
                        await line.changed.park()
                line.say(wire.EXIT, (await exit_status(engine) or "its output closed").encode())
                nursery.cancel_scope.cancel()
        finally:
            await kill(engine)
            notes.end()


class _Notes:
    """What a bot writes to standard error in a game: whole lines with the game's number, and not too many."""

    def __init__(self, game: int) -> None:
        self._game = game
        self._left = _MOST_NOTED
        self._unfinished = b""

    def add(self, data: bytes) -> None:
        """Show the lines that are whole now."""
        data, self._left = data[: self._left], max(0, self._left - len(data))
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            self._show(line.decode(errors="replace"))
        if data and not self._left:
            self.end()
            self._show(
                f"(what else it writes to standard error, after {_MOST_NOTED >> 10} KiB, is not shown)"
            )

    def end(self) -> None:
        """Show a last line that no newline ended."""
        line, self._unfinished = self._unfinished, b""
        if line:
            self._show(line.decode(errors="replace"))

    def _show(self, line: str) -> None:
        sys.stderr.write(f"game {self._game}: {printable(line)}\n")


@asynccontextmanager
async def open_line(
    address: str, target: str, headers: list[tuple[bytes, bytes]]
) -> AsyncIterator[ws.WebSocketConnection]:
    """Open a WebSocket for the block. At its end the connection is cut, which tells the server enough."""
    url = urlsplit(address)
    host, secure = url.hostname or "", url.scheme == "https"
    port = url.port or (443 if secure else 80)
    stream: trio.abc.Stream
    with trio.fail_after(SILENT_SECONDS):
        if secure:
            stream = await trio.open_ssl_over_tcp_stream(host, port, https_compatible=True)
        else:
            stream = await trio.open_tcp_stream(host, port)
    problem: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            with trio.fail_after(SILENT_SECONDS):
                if isinstance(stream, trio.SSLStream):
                    await stream.do_handshake()  # trio-websocket would wait on after an error of TLS
                socket = await ws.wrap_client_stream(
                    nursery,
                    stream,
                    url.netloc,
                    target,
                    extra_headers=headers,
                    max_message_size=wire.LARGEST_MESSAGE,
                )
            yield socket
            nursery.cancel_scope.cancel()
    except* (ws.HandshakeError, trio.BrokenResourceError, trio.TooSlowError) as group:
        problem = next(leaves(group))
    except* (h11.ProtocolError, wsproto.utilities.ProtocolError):  # trio-websocket lets them pass
        problem = ValueError("what answers speaks another protocol")
    finally:
        await trio.aclose_forcefully(stream)
    if problem is not None:
        raise problem


async def _carry(
    socket: ws.WebSocketConnection, game: _Game, start: Callable[[], None], changed: Callable[[], bool]
) -> bool:
    """Carry the frames of a game in both directions until the line ends; return whether the game is over.

    A line that waits ends, too, when the bot's files have ``changed``: the next line tells the door.
    """
    try:
        async with trio.open_nursery() as nursery:
            joined = False
            while True:
                with trio.fail_after(SILENT_SECONDS):
                    data = await socket.get_message()
                if not isinstance(data, bytes):
                    break
                if data.startswith(b"back ") and not joined:
                    if not game.number:
                        start()
                    joined = True
                    game.line.take(data)
                    game.line.begin_again(PONG)
                    nursery.start_soon(_send, socket, game.line)
                elif joined:
                    if game.line.take(data) is not None:
                        game.line.send(Frame(PONG))
                elif data.startswith(b"ping "):
                    if not game.number and changed():
                        break
                    await socket.send_message(Frame(PONG).packed())
            nursery.cancel_scope.cancel()
    except* (ws.ConnectionClosed, RemoteProtocolError, trio.TooSlowError):
        pass
    return socket.closed is not None and socket.closed.code == wire.OVER


def _stamp(path: Path) -> bytes:
    """Return what changes with a file, for a look every two seconds."""
    status = path.stat()
    return b"%d %d" % (status.st_mtime_ns, status.st_size)


async def _send(socket: ws.WebSocketConnection, line: Line) -> None:
    while True:
        await socket.send_message(await line.next_out())


async def _feed(line: Line, engine: EngineProcess) -> None:
    """Write what comes over the line to the bot."""
    try:
        while True:
            while not line.unread:
                await line.changed.park()
            data = line.read()
            while data := data[engine.write_now(data) :]:
                await engine.wait_writable()
    except BrokenPipeError:
        pass  # it has ended, or reads no more


def _result(game: dict[str, Any], places: dict[str, Any]) -> str:
    """Return the line about a result of the bot; ``places`` are its places in the games of the event."""
    words = f"stored as game {game['number']} against {', '.join(game['opponents'])}"
    place = places.get(game["game"])
    now = f"; place {place['place']} of {place['engines']}" if place else ""
    return printable(f"{words}, as player {game['seat']}: {game['ending']} ({game['reason']}){now}")


def _answer(error: ws.ConnectionRejected) -> str:
    address = dict(error.headers).get(b"location", b"").decode("ascii", "replace").partition("/door/")[0]
    moved = f"; it has moved to {address}" if address and error.status_code in _MOVED else ""
    return printable(sentence(error.body or b"", f"HTTP {error.status_code}") + moved)
