"""A conversation with one engine process, which records every line with its time.

The checks do not use `protocol.hub.client.EngineClient`, because it ignores many mistakes and never sends
lines that the protocol forbids. A check must see every line, and must send lines that no hub sends. A task
reads the engine's output all the time, so that each line has the right time even when no check waits for it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from signal import SIGKILL
from typing import NamedTuple, TypeVar

import trio
import trio.lowlevel

from protocol.hub.dialogue import MAX_TURN_OUTPUT
from protocol.hub.last_words import ASKED, last_sent, left_behind, said_before_its_end, said_instead
from protocol.hub.transport import how_it_ended
from protocol.process.engine_process import EngineProcess
from protocol.wire import messages as m
from protocol.wire.codec import Dialect, format_command, parse_reply
from protocol.wire.session import LineBuffer
from referee.check.processor import Waits, waited_since, waits_here, waits_of


class Failure(Exception):
    """The engine fails the check.

    The message is one sentence whose subject, the engine, is left out. ``advice`` says how to correct the
    engine, if the check's own advice does not.
    """

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(text)
        self.advice = advice


class EngineEnded(Failure):
    """The engine ended, or closed its output, while more lines were expected.

    ``returned``: whether the program ended itself with exit code 0.
    """

    def __init__(self, text: str, *, returned: bool) -> None:
        super().__init__(text)
        self.returned = returned


class NoAnswer(Failure):
    """The engine did not print the line that begins with ``word`` in time.

    ``misspelt``: whether it printed a wrong form of this line.
    """

    def __init__(self, word: str, text: str, *, misspelt: bool = False) -> None:
        super().__init__(text)
        self.word = word
        self.misspelt = misspelt


class Skip(Exception):
    """The check does not apply to this engine, game or machine. The message says why."""


_EVIDENCE_LINES = 20
_EVIDENCE_LENGTH = 160  # characters of a line
_MAX_UNREAD = 50_000  # lines to keep until they are read; older lines are dropped

_LONGEST = 10
"""How many times longer than its limit a wait may last on a busy machine."""

_NEGLIGIBLE = 0.02
"""Seconds without a processor that make no difference."""

_BEGINS = frozenset({"ugi", "uci", "uginewgame", "ucinewgame", "position", "moves"})
"""First words of lines after which an engine gets and does something new."""

R = TypeVar("R", bound=m.Reply)


class OutputLine(NamedTuple):
    """One line of the engine. A named tuple, because there can be very many."""

    raw: bytes  # without the LF
    at: int  # when its LF was read, in nanoseconds of the monotonic clock

    @property
    def text(self) -> str:
        """The line as text. Bytes that are not UTF-8 are replaced."""
        return self.raw.decode(errors="replace")


class Conversation:
    """The hub's side of a conversation with one engine.

    Times are nanoseconds of the monotonic clock; the limits of waits are seconds.
    """

    def __init__(self, process: EngineProcess, dialect: Dialect, write_limit: float) -> None:
        self.process = process
        self.sent_at = 0
        self.turn_bytes = 0
        self.stderr_bytes = 0
        self._dialect: Dialect = dialect
        self._write_limit = write_limit
        self._buffer = LineBuffer()
        self._lines: deque[OutputLine] = deque(maxlen=_MAX_UNREAD)
        self._ended = False
        self._changed = trio.Event()
        self._reader_scope = trio.CancelScope()
        self._reader_done = trio.Event()
        self._begin = time.monotonic_ns()
        self._waits_before = waits_here()
        self._log: deque[tuple[int, str, bytes]] = deque(maxlen=_EVIDENCE_LINES)

    # --- evidence

    def evidence(self) -> tuple[str, ...]:
        """Return the last lines of both sides, in the form of a transcript."""
        return tuple(
            f"{(at - self._begin) / 1e9:9.4f} {direction} {_quote(raw)}" for at, direction, raw in self._log
        )

    def _note(self, direction: str, raw: bytes) -> None:
        self._log.append((time.monotonic_ns(), direction, raw))

    @property
    def dropped(self) -> int:
        """The number of the engine's lines that were longer than the limit."""
        return self._buffer.dropped

    # --- reading

    async def run_reader(self) -> None:
        """Read the engine's output until its end or a flood. Run this in a task of its own."""
        try:
            with self._reader_scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self.process.drain_stderr, self._take_stderr)
                    while not self.flooded and (data := await self.process.read()):
                        self._take(data, time.monotonic_ns())
                        self._wake()
                    self._ended = True
                    self._wake()
        finally:
            self._reader_done.set()

    def _take(self, data: bytes, now: int) -> None:
        self.turn_bytes += len(data)
        self._buffer.feed(data)
        while (raw := self._buffer.next_line()) is not None:
            self._lines.append(OutputLine(raw, now))
            self._log.append((now, "<", raw))

    def _take_stderr(self, data: bytes) -> None:
        self.stderr_bytes += len(data)
        for line in data.splitlines()[-_EVIDENCE_LINES:]:
            self._note("!", line)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    @property
    def unfinished(self) -> str:
        """The text after the engine's last LF."""
        return self._buffer.tail.decode(errors="replace")

    @property
    def flooded(self) -> bool:
        """Whether the engine printed more in this turn than the limit."""
        return self.turn_bytes > MAX_TURN_OUTPUT

    def new_turn(self) -> None:
        """Drop all unread lines, and count the output of a new turn."""
        self._lines.clear()
        self.turn_bytes = 0

    async def line(self, seconds: float) -> OutputLine | None:
        """Return the next line; None if none comes in time.

        A Failure: the engine ended, or printed too much.
        """
        await self._within(seconds, self._wait_for_line)
        return self._lines.popleft() if self._lines else None

    async def _wait_for_line(self) -> None:
        while not self._lines:
            if self._ended:
                raise await self.ended()
            await self._changed.wait()

    async def until(
        self, kind: type[R], word: str, seconds: float, seen: Callable[[OutputLine], None] | None = None
    ) -> tuple[R, OutputLine]:
        """Return the first reply of a kind, and its line; ``seen`` gets the lines before it.

        NoAnswer: it did not come within ``seconds``. Failure: the engine ended, or printed too much.
        """
        found: list[tuple[R, OutputLine]] = []

        async def find() -> None:
            while not found:
                await self._wait_for_line()
                line = self._lines.popleft()
                reply = parse_reply(line.text, self._dialect)
                if isinstance(reply, kind):
                    found.append((reply, line))
                elif seen is not None:
                    seen(line)

        if await self._within(seconds, find):
            return found[0]
        said = said_instead(word, self._odd_lines(word)) if word in ASKED else ""
        text = f"did not say `{word}` within {seconds:g} s{said}{self._diagnosis()}"
        raise NoAnswer(word, text, misspelt=said.startswith("; it said "))

    def waits(self) -> Waits:
        """Return how long the engine and the checker have waited for a processor so far."""
        return waits_of(self.process.pid)

    def withheld(self, earlier: Waits | None = None) -> float:
        """Return the seconds, since `waits` or the start, in which engine or checker got no processor."""
        return waited_since(self._waits_before if earlier is None else earlier, self.waits())

    async def _within(self, seconds: float, wait: Callable[[], Awaitable[None]]) -> bool:
        """Return whether ``wait`` ends within some seconds. It can be called again after it was cancelled.

        The time in which the machine gave the engine no processor does not count, up to ten times the limit.
        """
        seconds = max(0.0, seconds)
        begin = limited = trio.current_time()
        deadline = begin + seconds
        waits = self._waits_before
        while True:
            with trio.CancelScope(deadline=deadline):
                await wait()
                return True
            now, waits_now = trio.current_time(), self.waits()
            more = min(waited_since(waits, waits_now), now - limited)
            waits, limited = waits_now, now
            deadline = min(now + more, begin + _LONGEST * seconds)
            if more < _NEGLIGIBLE or deadline <= now:
                return False

    async def listen(self, seconds: float) -> list[OutputLine]:
        """Return all lines that come within ``seconds``, or until the engine ends."""
        with trio.move_on_after(seconds):
            while not self._ended:
                await self._changed.wait()
        lines = list(self._lines)
        self._lines.clear()
        return lines

    def _diagnosis(self) -> str:
        return left_behind(self.unfinished, self.process.stderr_tail)

    def _odd_lines(self, word: str = "") -> list[str]:
        """Return the last lines of the engine that are no answers, or a move before ``go``."""
        odd: list[str] = []
        for _, direction, raw in reversed(self._log):
            text = raw.decode(errors="replace")
            if direction == ">" and text.split(" ")[0] in _BEGINS:
                break
            reply = parse_reply(text, self._dialect)
            early = word == "bestmove" and isinstance(reply, m.BestMove)
            if direction == "<" and (early or isinstance(reply, m.Unknown)):
                odd.append(text)
        return odd[::-1]

    async def ended(self) -> Failure:
        """Return the failure of an engine from which no more lines come."""
        if self.flooded:
            return Failure(f"printed more than {MAX_TURN_OUTPUT >> 20} MiB in one turn")
        exit_text = await how_it_ended(self.process)
        event = f"ended with {exit_text}" if exit_text else "closed its standard output"
        sent = b"\n".join(raw for _, direction, raw in self._log if direction == ">")
        after = f" after {last_sent(sent)}" if sent else ""
        text = f"{event}{after}{said_before_its_end(self._odd_lines())}{self._diagnosis()}"
        return EngineEnded(text, returned=exit_text == "exit code 0")

    # --- writing

    async def say(self, *messages: m.Command) -> None:
        """Send messages in one write. Raises as `send`."""
        await self.send(*(format_command(message, self._dialect) for message in messages))

    async def send(self, *lines: str) -> None:
        """Send lines without a check of their content, in one write.

        A Failure: the engine ended, or does not read.
        """
        for line in lines:
            self._note(">", line.encode())
        data = "".join(f"{line}\n" for line in lines).encode()
        try:
            with trio.move_on_after(self._write_limit):
                while data := data[self.process.write_now(data) :]:
                    await self.process.wait_writable()
                self.sent_at = time.monotonic_ns()
                return
        except BrokenPipeError:
            raise await self.ended() from None
        raise Failure(f"did not read its input for {self._write_limit:g} s{self._diagnosis()}")

    # --- the end

    async def exits_within(self, seconds: float) -> bool:
        """Return whether the process ends in time."""
        return await self._within(seconds, self.process.wait_exit)

    async def kill(self) -> None:
        """Kill the process and its group, and wait for its end. Cancellation does not interrupt this."""
        with trio.CancelScope(shield=True):
            self.process.signal_group(SIGKILL)
            await self.exits_within(10)
            self._reader_scope.cancel()
            await self._reader_done.wait()
            self.process.dispose()


def _quote(raw: bytes) -> str:
    """Return a line for the evidence, cut if it is long."""
    text = raw.decode(errors="replace")
    return text if len(text) <= _EVIDENCE_LENGTH else f"{text[:_EVIDENCE_LENGTH]}… ({len(text)} characters)"
