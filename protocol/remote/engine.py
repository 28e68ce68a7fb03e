"""The transport to an engine on its author's machine, over a line that the door's server holds.

The clock of such an engine does not count the lag of the line, up to a bound, nor the time while the line is
gone. The engine's machine answers each frame immediately, so the time until the answer to ``go`` is the lag
of this move. All gaps of one game together may last as long as the grace; then the engine is gone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from signal import SIGKILL, Signals
from typing import Final

import trio

from protocol.errors import (
    EngineAbsent,
    EngineCrashed,
    EngineError,
    EngineFlooded,
    EngineGone,
    HubFault,
    RemoteProtocolError,
)
from protocol.process.engine_process import STDERR_TAIL
from protocol.remote import line as wire
from protocol.remote.line import Frame, Line, packed_frames, send_packed
from protocol.spec import EngineSpec
from protocol.words import printable

_LOOK_SECONDS: Final = 0.25
_PING_SECONDS: Final = 0.75
_QUIET_SECONDS: Final = 2.0
"""In a game the line is gone when nothing has come for this time. Its other ends are more patient."""

_UNREACHED_SECONDS: Final = 60.0
"""How long the server may be away in one game. This time does not count for the grace."""

_MOST_UNREAD: Final = 1 << 19
"""An engine that prints more bytes while no answer is awaited floods."""

_LONGEST_END: Final = 200  # the most characters of the text that says how the engine's process has ended


class RemoteEngine:
    """A running engine, as a `Transport`. It starts when its author's machine gets the first bytes."""

    def __init__(self, spec: EngineSpec) -> None:
        """Prepare the line. It is made in `drain_stderr`, which must run in a task of its own."""
        assert spec.remote is not None
        self._remote = spec.remote
        self._line = Line()
        self._session = ""
        self._scope = trio.CancelScope()
        self._tail = bytearray()
        self._note: Callable[[bytes], None] = lambda _: None
        self._fault: EngineError | None = None
        self.exit_text = ""
        # Times in nanoseconds of the monotonic clock:
        self._heard = self._pinged = time.monotonic_ns()  # when something came last, and when a ping was sent
        self._written = 0  # when the frame with the highest number was written
        self._lag = 0
        self._gap: int | None = self._heard  # when the line went; None while it is there
        self._gone = self._gone_in_turn = 0  # how long earlier gaps were: all, and since the last write
        self._alarm: tuple[trio.CancelScope, int, int] | None = None  # since when, and how long
        self._unreached = 0  # at how many looks the server was not there
        self._reached = False  # whether the server is there

    # --- bytes

    def write_now(self, data: bytes) -> int:
        """Send all bytes, and return their number."""
        if self.exit_text:
            raise BrokenPipeError
        self._alarm = None
        self._line.say(wire.DATA, data)
        self._written, self._gone_in_turn = time.monotonic_ns(), 0
        return len(data)

    async def wait_writable(self) -> None:
        """Wait for nothing: more bytes can always be written."""
        await trio.lowlevel.checkpoint()

    async def read(self) -> bytes:
        """Wait for output and return it; b"" when the engine has ended, or is gone."""
        await trio.lowlevel.checkpoint()
        while not self._line.unread and not self.exit_text:
            self._move_alarm()
            await self._line.changed.park()
        return self._line.read()

    def read_soon(self, seconds: float) -> bytes | None:
        """Return output that has come; None if none has. This never waits."""
        return self._line.read() or None

    @property
    def stderr_tail(self) -> str:
        """The last part of the engine's standard error."""
        return self._tail.decode(errors="replace")

    # --- time

    def set_alarm(self, alarm: trio.CancelScope, seconds: float) -> None:
        """Set a deadline, which moves with the gaps of the line until more is written.

        It has passed when something comes later: before that, the line may be gone, and the answer with it.
        """
        self._alarm = alarm, time.monotonic_ns(), round(seconds * 1e9)
        self._move_alarm()

    def _move_alarm(self) -> None:
        if self._alarm is not None:
            alarm, since, length = self._alarm
            end = since + length + self._remote.lag * 1_000_000 + self._gone_in_turn
            late = self._gap is None and self._heard > end
            alarm.deadline = trio.current_time() if late else math.inf

    def excused(self) -> int:
        """Return the nanoseconds since the last write that are the line's: its lag, and its gaps."""
        lag = min(self._lag, self._remote.lag * 1_000_000)
        return lag + self._gone_in_turn + self._gap_since(self._written)

    def _gap_since(self, moment: int) -> int:
        return 0 if self._gap is None else time.monotonic_ns() - max(self._gap, moment)

    def _lose(self) -> None:
        """Note that the line is gone."""
        if self._gap is None:
            self._gap = self._heard
            self._line.changed.unpark_all()

    def _hear(self) -> None:
        """Note that something has come from the engine's machine."""
        self._heard = time.monotonic_ns()
        if self._gap is not None:
            self._gone += self._gap_since(0)
            self._gone_in_turn += self._gap_since(self._written)
            self._gap = None
            self._end_after_grace()

    def _end_after_grace(self) -> None:
        """End an engine whose gaps, without the server's, are longer than the grace."""
        grace = self._remote.grace
        if self._gone + self._gap_since(0) > (grace + self._unreached * _LOOK_SECONDS) * 1e9:
            gone = EngineGone(f"was gone: it was not connected for {grace} s in this game")
            absent = EngineAbsent(f"it was away: it did not come within {grace} s")
            self._end("a broken line", gone if self._session else absent)

    # --- the line

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """Keep the line until the engine has ended, and call ``note`` with what it says on standard error."""
        self._note = note
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._watch)
                while True:
                    try:
                        await self._carry()
                    except* (OSError, trio.BrokenResourceError):
                        pass
                    self._reached = False
                    self._lose()
                    await trio.sleep(_LOOK_SECONDS)

    async def _carry(self) -> None:
        """Exchange frames with the server until it ends the stream."""
        async with await trio.open_unix_socket(self._remote.socket) as stream:
            wanted = f"{self._session}\n{self._remote.name}"
            await send_packed(stream, Frame(wire.TAKE, payload=wanted.encode()).packed())
            self._reached = True
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._send, stream)
                async for data in packed_frames(stream):
                    self._take(data)
                nursery.cancel_scope.cancel()

    async def _send(self, stream: trio.SocketStream) -> None:
        while True:
            await send_packed(stream, await self._line.next_out())

    def _take(self, data: bytes) -> None:
        if data.startswith(b"back "):
            self._end_after_grace()
            self._session = data.partition(b"\n")[2].decode()
            self._line.begin_again(wire.BACK)  # the gap ends with the answer
        elif data.startswith(b"gone "):
            self._lose()
        else:
            self._hear()
            if self.exit_text:
                return
            try:
                self._obey(data)
            except RemoteProtocolError as error:
                self._end("a broken line", EngineCrashed(f"does not keep to the rules of its line: {error}"))

    def _obey(self, data: bytes) -> None:
        """Receive a frame of the engine's machine."""
        waited = not self._line.all_came
        frame = self._line.take(data)
        if waited and self._line.all_came:
            self._lag = self._heard - self._written
        match frame:
            case Frame(wire.ERROR):
                self._tail += frame.payload
                del self._tail[:-STDERR_TAIL]
                self._note(frame.payload)
            case Frame(wire.EXIT):
                self._end(printable(frame.payload.decode(errors="replace"))[:_LONGEST_END])
            case Frame(wire.DATA):
                if len(self._line.unread) > _MOST_UNREAD:
                    text = f"printed more than {_MOST_UNREAD >> 10} KiB while no answer was awaited"
                    self._end("a flood", EngineFlooded(text))
            case Frame(kind) if kind != wire.PONG:
                raise RemoteProtocolError(f"a frame {kind[:20]!a} has no place here")

    async def _watch(self) -> None:
        """Ping, and end an engine that is gone for too long."""
        while True:
            await trio.sleep(_LOOK_SECONDS)
            now = time.monotonic_ns()
            if now - self._heard > _QUIET_SECONDS * 1e9:
                self._lose()
            if now - self._pinged > _PING_SECONDS * 1e9 and self._gap is None:
                self._pinged = now
                self._line.send(Frame(wire.PING))
            self._unreached += not self._reached
            if self._unreached * _LOOK_SECONDS > _UNREACHED_SECONDS:
                away = HubFault("the pages of the door, which hold the lines, do not answer")
                self._end("a broken line", away)
            self._end_after_grace()

    # --- the end

    def _end(self, text: str, fault: EngineError | None = None) -> None:
        if not self.exit_text:
            self.exit_text, self._fault = text or "no word", fault
            self._line.changed.unpark_all()
            self._scope.cancel()

    def shortage(self, *, greeted: bool) -> EngineError | None:
        """Return the error if it was not the engine that ended."""
        return self._fault

    async def wait_exit(self) -> None:
        """Wait until the engine has ended, or is gone."""
        while not self.exit_text:
            await self._line.changed.park()

    def close_stdin(self) -> None:
        """Do nothing: the end of the line closes it."""

    def signal_group(self, number: Signals) -> None:
        """End the line at SIGKILL: then the author's machine kills the engine."""
        if number is SIGKILL:
            self._end("signal SIGKILL")

    def dispose(self) -> None:
        """End the line."""
        self._scope.cancel()
