"""The dialogue with one engine: bytes out, messages in, and what to say when the engine fails.

A dialogue reads only while it waits for an answer, and it reads the pipe directly. A second task or a queue
would take more time per move than the rules of the game take. Output that an engine prints at another time
stays in its pipe, and counts towards the output of its next turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

import trio
import trio.lowlevel
from trio.lowlevel import ParkingLot

from protocol.errors import EngineCrashed, EngineFlooded, EngineStalled, EngineTimedOut, RemoteProtocolError
from protocol.hub.ending import exit_status, last_sent, left_behind, wrong_answers
from protocol.hub.transcript import Transcript
from protocol.hub.transport import Transport
from protocol.wire import messages as m
from protocol.wire.session import Session
from protocol.wire.states import State


@dataclass(frozen=True, slots=True)
class Pause:
    """The limits of a dialogue that waits for answers without trio."""

    wait_ns: int  # the longest wait for one answer
    slice_ns: int  # when answers have come in a row for this long, the other tasks run once
    misses: int  # after a miss, this many answers of its type are awaited with trio


SHARED: Final = Pause(wait_ns=100_000, slice_ns=500_000, misses=32)
"""The limits if a few other games run in this process: their clocks must not wait long."""

CROWDED: Final = Pause(wait_ns=0, slice_ns=500_000, misses=1_000)
"""The limits if many other games run in this process: some answer has always come, so none is waited for."""

ALONE: Final = Pause(wait_ns=3_000_000, slice_ns=5_000_000, misses=0)
"""The limits if no other game runs in this process: only reports and orders wait."""


@dataclass(slots=True)
class Patience:
    """The limits of all dialogues of one process, which its owner changes, and their turns.

    ``polled_at`` is when trio last asked the kernel which pipes have output, in nanoseconds; 0 if nobody
    notes it. Then a clock stops at that time, and not when the answer is read: other games may come first.
    """

    pause: Pause = SHARED
    polled_at: int = 0
    _waiting: ParkingLot = field(default_factory=ParkingLot)
    _wanted: trio.Event = field(default_factory=trio.Event)

    @property
    def must_wait(self) -> bool:
        """Whether a game whose clock is stopped must take a turn before it works on."""
        return bool(self.polled_at and (self._waiting or time.monotonic_ns() - self.polled_at > TURN_NS))

    async def take_turn(self) -> None:
        """Wait for a turn."""
        self._wanted.set()
        await self._waiting.park()

    async def give_turns(self) -> None:
        """Give turns, in the order in which they were wanted, one each time that trio asks the kernel."""
        while True:
            await self._wanted.wait()
            while self._waiting:
                self._waiting.unpark()
                await trio.lowlevel.checkpoint()
            self._wanted = trio.Event()


TURN_NS: Final = 300_000
"""For how long the games of a process work until trio asks the kernel again for answers of others."""

MAX_TURN_OUTPUT = 8 * 1024 * 1024
"""The most bytes that an engine may print in one turn (docs/reference/protocol.md, Limits)."""

HASTY_SECONDS = 0.05
"""How long to wait for the next early answer of an engine that has answered before it was asked."""

WRITE_SECONDS = 5.0
"""How long an engine may take to read what is sent to it."""

R = TypeVar("R", bound=m.Reply)


class OutputLine(NamedTuple):
    """One line of an engine. A named tuple, because there can be very many."""

    raw: bytes  # without its line end
    reply: m.Reply  # what it says, allowed now or not
    at: int  # when it was read, in nanoseconds

    @property
    def text(self) -> str:
        """The line as text. Bytes that are not UTF-8 are replaced."""
        return self.raw.decode(errors="replace")


class Dialogue:
    """Carries messages between a session and a transport.

    The owner may exchange its transcript. ``read_at`` is when output was last read (or was ready, if that is
    known), in nanoseconds; ``turn_bytes`` is how much came in this turn.
    """

    def __init__(
        self,
        session: Session,
        transport: Transport,
        now: Callable[[], int],
        transcript: Transcript | None,
        patience: Patience,
    ) -> None:
        self.session = session
        self.transcript = transcript
        self.read_at = 0
        self.turn_bytes = 0
        self._transport = transport
        self._now = now
        self._patience = patience
        self._dropped = 0
        self._sent = b""
        self._misses: dict[type, int] = {}
        self._paused_at = 0

    def begin_turn(self) -> None:
        """Forget what the engine printed in earlier turns."""
        self.turn_bytes = 0
        self._dropped = self.session.dropped
        if self.session.odd_lines:
            self.session.odd_lines.clear()

    # --- out

    async def send(self, message: m.Command) -> None:
        """Write a message."""
        await self.write(self.session.send(message))

    async def write(self, data: bytes, alarm: trio.CancelScope | None = None) -> None:
        """Write all of ``data``.

        If the pipe is full, the write limit replaces the alarm's deadline. An engine that does not read it
        raises EngineStalled, EngineCrashed or EngineFlooded.
        """
        if self.transcript is not None:
            self.transcript.note(">", data)
        self._sent = data
        try:
            count = self._transport.write_now(data)
            if count == len(data):
                return
            if alarm is not None:
                alarm.deadline = math.inf
            with trio.move_on_after(WRITE_SECONDS):
                await self._write_rest(data[count:])
                return
        except BrokenPipeError:
            raise await self.ended(self._sent) from None
        raise EngineStalled(f"did not read its input for {WRITE_SECONDS:g} s{self.diagnosis()}")

    async def _write_rest(self, data: bytes) -> None:
        """Write and read at the same time: an engine whose output pipe is full does not read its input."""
        errors: list[BrokenPipeError | EngineFlooded] = []  # a nursery would raise a group of them

        async def read_on(scope: trio.CancelScope) -> None:
            try:
                while chunk := await self._transport.read():
                    self._take(chunk)
            except EngineFlooded as error:
                errors.append(error)
                scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_on, nursery.cancel_scope)
            try:
                while data:
                    await self._transport.wait_writable()
                    data = data[self._transport.write_now(data) :]
            except BrokenPipeError as error:
                errors.append(error)
            nursery.cancel_scope.cancel()
        if errors:
            raise errors[0]

    # --- in

    async def drop_output(self, alarm: trio.CancelScope) -> None:
        """Read all that the engine has printed, and drop it: before a ``go`` it cannot be the answer."""
        if self.session.hasty:
            alarm.deadline = math.inf
            await trio.sleep(HASTY_SECONDS)
        while data := self._transport.read_soon(0):
            self._take(data)
        self.session.forget_lines()

    async def expect(self, kind: type[R], asked: str, limit: float) -> R:
        """Return the first message of ``kind``, the answer to ``asked``, or raise an `EngineError`."""
        with trio.CancelScope() as scope:
            self._transport.set_alarm(scope, limit)
            return await self.answer(kind)
        raise self.stalled(asked, limit)

    async def answer_by(self, kind: type[R], alarm: trio.CancelScope, seconds: float) -> R:
        """Return the first message of ``kind``, and skip all others; set the alarm for the time that is left.

        An answer that comes soon needs neither trio nor the alarm: together they take three times as long as
        the exchange of the lines itself. So the first wait is short, and no other task runs meanwhile.
        Stockfish writes five lines for 100 nodes, and each of them would wake trio.
        """
        misses = self._misses.get(kind, 0)
        if misses:
            self._misses[kind] = misses - 1
        elif (event := self._answer_soon(kind)) is not None:
            if self.read_at - self._paused_at > self._patience.pause.slice_ns:
                alarm.deadline = math.inf
                await trio.lowlevel.checkpoint()
                self._paused_at = self._now()
            return event
        self._transport.set_alarm(alarm, seconds)
        event = await self.answer(kind)
        if self._patience.must_wait:
            alarm.deadline = math.inf  # if it has passed since trio asked for output, that must not count
            if alarm.cancel_called:  # then the answer must be late, and there must be no checkpoint
                self.read_at = self._now()
            else:
                await self._patience.take_turn()
        self._paused_at = self._now()
        return event

    def _answer_soon(self, kind: type[R]) -> R | None:
        """Return an answer that comes soon; None if none does."""
        pause = self._patience.pause
        now = self._now()
        end = now + pause.wait_ns
        while now < end:
            data = self._transport.read_soon((end - now) / 1e9)
            if not data:
                break
            self.read_at = now = self._now()
            self._count(data)
            answer = self.session.receive_answer(data)
            event = answer if type(answer) is kind else self._skip_to(kind)
            if event is not None:
                return event
        self._misses[kind] = pause.misses
        return None

    async def answer(self, kind: type[R]) -> R:
        """Return the first message of ``kind``, however long it takes, and skip all others."""
        while (event := self._skip_to(kind)) is None:
            data = await self._transport.read()
            self.read_at = self._patience.polled_at or self._now()
            if not data:
                raise await self.ended(self._sent)
            self._take(data)
        return event

    async def next_line(self) -> OutputLine | None:
        """Return the next line, even if `answer` would skip it; None at the end of the output."""
        while (line := self.session.next_line()) is None:
            data = await self._transport.read()
            if not data:
                return None
            self.read_at = self._now()
            self._take(data)
        return OutputLine(*line, self.read_at)

    def _skip_to(self, kind: type[R]) -> R | None:
        """Return the first message of ``kind`` that was read; None if there is none."""
        while True:
            try:
                event = self.session.next_event()
            except RemoteProtocolError as error:
                if self.transcript is not None:
                    self.transcript.note("#", f"ignored: {error}")
                continue
            if event is None or type(event) is kind:
                return event

    def _take(self, data: bytes) -> None:
        """Receive output."""
        self._count(data)
        self.session.receive_data(data)

    def _count(self, data: bytes) -> None:
        """Record output, and check that it is not too much."""
        if self.transcript is not None:
            self.transcript.note("<", data)
        self.turn_bytes += len(data)
        if self.turn_bytes > MAX_TURN_OUTPUT:
            raise EngineFlooded(f"printed more than {MAX_TURN_OUTPUT >> 20} MiB in one turn")

    # --- failures

    def stalled(self, asked: str, limit: float) -> EngineStalled:
        """Return the error for a line that was not answered in time."""
        return EngineStalled(f"did not answer '{asked}' within {limit:g} s{self.diagnosis()}")

    def timed_out(self) -> EngineTimedOut:
        """Return the error for a move that did not come in time."""
        return EngineTimedOut(f"did not answer before its time was up{self.diagnosis()}")

    def diagnosis(self) -> str:
        """Quote what the engine said and left behind, for an error."""
        session = self.session
        dropped = session.dropped > self._dropped
        left = left_behind(session.unfinished, self._transport.stderr_tail, dropped=dropped)
        return wrong_answers(session.odd_lines) + left

    async def ended(self, sent: bytes) -> EngineCrashed:
        """Return the error for an engine that closed its input or output, with its exit status.

        The error quotes the end of ``sent``. HubFault, EngineGone: this machine or the line is the cause.
        """
        exit_text = await exit_status(self._transport)
        greeted = self.session.state not in (State.START, State.HANDSHAKE)
        if shortage := self._transport.shortage(greeted=greeted):
            raise shortage
        event = f"ended with {exit_text}" if exit_text else "closed its input or output"
        after = f" after {last_sent(sent)}" if sent else ""
        return EngineCrashed(f"{event}{after}{self.diagnosis()}")

    def note_stderr(self, data: bytes) -> None:
        """Record standard error in the transcript."""
        if self.transcript is not None:
            self.transcript.note("!", data)
