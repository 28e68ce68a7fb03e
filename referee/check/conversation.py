"""A conversation with one engine process, line by line, timed and remembered.

`protocol.hub.client.EngineClient` judges nothing, forgives much, and refuses to say what the protocol
forbids. A checker has to see every line as it came, and to send lines that no hub sends, so it has a
conversation of its own. A task beside it reads all the time: it notices what an engine says out of turn when
the engine says it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from signal import SIGKILL
from typing import NamedTuple, TypeVar

import trio
import trio.lowlevel

from protocol.hub.client import MAX_TURN_OUTPUT
from protocol.hub.process_exit import how_it_ended
from protocol.printable import left_behind
from protocol.process.engine_process import EngineProcess
from protocol.wire import messages as m
from protocol.wire.codec import Dialect, format_command, parse_reply
from protocol.wire.lines import LineBuffer
from referee.check.failures import Failure, NoAnswer

__all__ = ["Conversation", "OutputLine"]

_EVIDENCE = 20  # lines
_SHOWN = 160  # characters of a line
_KEPT = 50_000  # lines that nobody has taken yet: the last ones

R = TypeVar("R", bound=m.Reply)


class OutputLine(NamedTuple):
    """One line of the engine (a tuple, as there may be very many).

    Attributes:
        raw: its bytes, without the LF.
        at: when its LF was read, nanoseconds of the monotonic clock.
    """

    raw: bytes
    at: int

    @property
    def text(self) -> str:
        """As text; what is no UTF-8 is replaced."""
        return self.raw.decode(errors="replace")


class Conversation:
    """The hub's side of one conversation.

    Attributes:
        process: the engine.
        sent_at: when the last write was complete, nanoseconds of the monotonic clock.
        turn_bytes: printed since `new_turn`.
        stderr_bytes: written to standard error in all.
    """

    def __init__(self, process: EngineProcess, dialect: Dialect, write_limit: float) -> None:
        self.process = process
        self.sent_at = 0
        self.turn_bytes = 0
        self.stderr_bytes = 0
        self._dialect: Dialect = dialect
        self._write_limit = write_limit
        self._buffer = LineBuffer()
        self._lines: deque[OutputLine] = deque(maxlen=_KEPT)
        self._ended = False
        self._news = trio.Event()
        self._attending = trio.CancelScope()
        self._unattended = trio.Event()
        self._begin = time.monotonic_ns()
        self._said: deque[tuple[int, str, bytes]] = deque(maxlen=_EVIDENCE)

    # --- what was said

    def evidence(self) -> tuple[str, ...]:
        """The last lines of both sides, as in a transcript."""
        return tuple(
            f"{(at - self._begin) / 1e9:9.4f} {direction} {_shown(raw)}" for at, direction, raw in self._said
        )

    def _note(self, direction: str, raw: bytes) -> None:
        self._said.append((time.monotonic_ns(), direction, raw))

    @property
    def dropped(self) -> int:
        """Lines of the engine that were longer than the limit."""
        return self._buffer.dropped

    # --- reading

    async def attend(self) -> None:
        """Run this beside the conversation: reads until the end, or until there is too much."""
        try:
            with self._attending:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self.process.drain_stderr, self._take_stderr)
                    while not self.flooded and (data := await self.process.read()):
                        self._take(data, time.monotonic_ns())
                        self._wake()
                    self._ended = True
                    self._wake()
        finally:
            self._unattended.set()

    def _take(self, data: bytes, now: int) -> None:
        self.turn_bytes += len(data)
        self._buffer.feed(data)
        while (raw := self._buffer.next_line()) is not None:
            self._lines.append(OutputLine(raw, now))
            self._said.append((now, "<", raw))

    def _take_stderr(self, data: bytes) -> None:
        self.stderr_bytes += len(data)
        for line in data.splitlines()[-_EVIDENCE:]:
            self._note("!", line)

    def _wake(self) -> None:
        self._news.set()
        self._news = trio.Event()

    @property
    def flooded(self) -> bool:
        """Whether it printed more in this turn than is allowed."""
        return self.turn_bytes > MAX_TURN_OUTPUT

    def new_turn(self) -> None:
        """Forget what came so far: the engine is asked something new."""
        self._lines.clear()
        self.turn_bytes = 0

    async def line(self, seconds: float) -> OutputLine | None:
        """The next line; None when none came in time.

        Raises:
            Failure: it ended, or printed too much.
        """
        with trio.move_on_after(max(0, seconds)):
            await self._wait_for_line()
        return self._lines.popleft() if self._lines else None

    async def _wait_for_line(self) -> None:
        while not self._lines:
            if self._ended:
                raise Failure(await self.end_text())
            await self._news.wait()

    async def until(
        self, kind: type[R], word: str, seconds: float, seen: Callable[[OutputLine], None] | None = None
    ) -> tuple[R, OutputLine]:
        """Read up to a reply of one kind, at most ``seconds`` in total; ``seen`` gets every line before it.

        Raises:
            NoAnswer: it did not come; ``word`` is what it is called.
            Failure: the engine ended, or printed too much.
        """
        with trio.move_on_after(max(0, seconds)):  # one for all: an engine may print thousands of lines
            while True:
                await self._wait_for_line()
                line = self._lines.popleft()
                reply = parse_reply(line.text, self._dialect)
                if isinstance(reply, kind):
                    return reply, line
                if seen is not None:
                    seen(line)
        raise NoAnswer(word, f"did not say `{word}` within {seconds:g} s{self._diagnosis()}")

    async def listen(self, seconds: float) -> list[OutputLine]:
        """Whatever comes in so many seconds, or until the engine ends."""
        with trio.move_on_after(seconds):
            while not self._ended:
                await self._news.wait()
        heard = list(self._lines)
        self._lines.clear()
        return heard

    def _diagnosis(self) -> str:
        return left_behind(self._buffer.tail.decode(errors="replace"), self.process.stderr_tail)

    async def end_text(self) -> str:
        """How an engine that says no more came to that, for people."""
        if self.flooded:
            return f"printed more than {MAX_TURN_OUTPUT >> 20} MiB in one turn"
        how = await how_it_ended(self.process)
        return (f"ended with {how}" if how else "closed its standard output") + self._diagnosis()

    # --- writing

    async def say(self, *messages: m.Command) -> None:
        """Send messages in one write. Raises as `send`."""
        await self.send(*(format_command(message, self._dialect) for message in messages))

    async def send(self, *lines: str) -> None:
        """Send lines as they are, in one write.

        Raises:
            Failure: it ended, or does not read.
        """
        for line in lines:
            self._note(">", line.encode())
        data = "".join(f"{line}\n" for line in lines).encode()
        with trio.move_on_after(self._write_limit):
            try:
                while data := data[self.process.write_now(data) :]:
                    await self.process.wait_writable()
            except BrokenPipeError:
                raise Failure(await self.end_text()) from None
            self.sent_at = time.monotonic_ns()
            return
        raise Failure(f"did not read its input for {self._write_limit:g} s{self._diagnosis()}")

    # --- the end

    async def exits_within(self, seconds: float) -> bool:
        """Whether the process ends in time."""
        with trio.move_on_after(seconds):
            await self.process.wait_exit()
            return True
        return False

    async def kill(self) -> None:
        """End the process and its group for certain; not to be cancelled."""
        with trio.CancelScope(shield=True):
            self.process.signal_group(SIGKILL)
            await self.exits_within(10)
            self._attending.cancel()
            await self._unattended.wait()
            self.process.dispose()


def _shown(raw: bytes) -> str:
    """A line as the evidence shows it: long ones are cut."""
    text = raw.decode(errors="replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
