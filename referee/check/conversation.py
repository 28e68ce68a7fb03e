"""Conversations with an engine process: `Conversation` exchanges lines, `GameDialogue` those of a whole game.

The checks do not use `protocol.hub.client.EngineClient`, because it ignores many mistakes and never sends
lines that the protocol forbids. A check must see every line, and must send lines that no hub sends. A task
reads the engine's output all the time, so that each line has the right time even when no check waits for it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from signal import SIGKILL
from typing import Literal, NamedTuple, TypeVar

import trio
import trio.lowlevel

from protocol.errors import EngineStartError
from protocol.hub.client import choose_options
from protocol.hub.dialogue import MAX_TURN_OUTPUT
from protocol.hub.ending import ASKED, exit_status, last_sent, left_behind, said_before_its_end, said_instead
from protocol.hub.search import split_legal
from protocol.process.engine_process import EngineProcess
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from protocol.wire.codec import NO_MOVE, RESIGN, Dialect, format_command, parse_reply
from protocol.wire.options import AdvertisedOption, parse_option
from protocol.wire.session import CAPABILITIES, VERSION, LineBuffer
from referee.check.positions import PositionBook, ReachedPosition, only_move, why_illegal
from referee.check.processor import Waits, waited_since, waits_here, waits_of


class Failure(Exception):
    """The engine fails the check. The message is a sentence whose subject, the engine, is left out."""

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(text)
        self.advice = advice


class PlaysIllegally(Failure):
    """The engine answers a position with a move that is illegal, or with none."""

    def __init__(self, text: str, spot: ReachedPosition, move: str) -> None:
        super().__init__(text)
        self.spot = spot
        self.move = move


class EngineEnded(Failure):
    """The engine ended, or closed its output, too early; ``returned``: it ended itself with exit code 0."""

    def __init__(self, text: str, *, returned: bool) -> None:
        super().__init__(text)
        self.returned = returned


class NoAnswer(Failure):
    """The line that begins with ``word`` did not come in time, or came only ``misspelt``."""

    def __init__(self, word: str, text: str, *, misspelt: bool = False) -> None:
        super().__init__(text)
        self.word = word
        self.misspelt = misspelt


class Skip(Exception):
    """The check does not apply to this engine, game or machine. The message says why."""


_QUIET = 0.3  # seconds in which no line may come
_EVIDENCE_LINES = 20
_EVIDENCE_LENGTH = 160  # characters of a line
_STDERR_LINE = 1000  # bytes of a line of standard error to keep until its end
_MAX_UNREAD = 50_000  # lines to keep until they are read; older lines are dropped

_LONGEST = 10  # how many times longer than its limit a wait may last on a busy machine
_NEGLIGIBLE = 0.02  # seconds without a processor that make no difference
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
    """The hub's side of a conversation; limits of waits are seconds, all other times nanoseconds."""

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
        self._stderr_end = b""  # what came after the last LF of standard error

    # --- evidence

    def evidence(self) -> tuple[str, ...]:
        """Return the last lines of both sides, in the form of a transcript."""
        if self._stderr_end:
            self._note("!", self._stderr_end)
            self._stderr_end = b""
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
        *lines, end = (self._stderr_end + data).split(b"\n")
        for line in lines[-_EVIDENCE_LINES:]:
            self._note("!", line.removesuffix(b"\r"))
        self._stderr_end = end[:_STDERR_LINE]

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
        """Return the next line; None if none comes in time. Failure: the engine ended, or flooded."""
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
        """Return the first reply of a kind, and its line, or raise NoAnswer; ``seen`` gets earlier lines."""
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
        """Return whether ``wait`` ends in time, to which waits for a processor are added, up to ten times."""
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

    async def expect_silence(self, problem: str) -> None:
        """Raise a Failure that quotes the first line, if the engine prints one within a moment."""
        lines = await self.listen(_QUIET)
        if lines:
            raise Failure(f"{problem} {lines[0].text[:80]!r}")

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
        exit_text = await exit_status(self.process)
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
        """Send any lines in one write; Failure if the engine ended, or does not read."""
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

    async def expect_exit(self, seconds: float, occasion: str) -> None:
        """Raise a Failure if the process does not end in time."""
        if not await self.exits_within(seconds):
            raise Failure(f"was still running {seconds:g} s after {occasion}")

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


# --- a regular game ---------------------------------------------------------------------------------------

HOUR = 3_600_000
"""An hour in milliseconds, so that a search does not end soon by itself."""

_DEEP = 100  # plies
_MANY_NODES = 10**12

SentForm = Literal["usual", "fen", "fen and moves"]
"""How to send a position: as the hub does, as a position string, or as an earlier string and moves."""


@dataclass(slots=True)
class Greeting:
    """The engine's part of a handshake."""

    milliseconds: int = 0  # from `ugi` to `ugiok`
    level: int = 0
    lines: list[OutputLine] = field(default_factory=list)  # all before `ugiok`
    used: tuple[str, ...] = ()  # the capabilities that both sides know
    options: dict[str, AdvertisedOption] = field(default_factory=dict)  # as advertised, by lower-case name
    identity: dict[str, str] = field(default_factory=dict)

    def take(self, line: OutputLine, dialect: Dialect) -> None:
        """Add one line."""
        self.lines.append(line)
        match parse_reply(line.text, dialect):
            case m.Id(key, text):
                self.identity.setdefault(key, text)
            case m.OptionLine(text):
                try:
                    option = parse_option(text)
                except ValueError:
                    return  # check 107 reports it
                self.options.setdefault(option.name.lower(), option)
            case m.Announce(version, words) if version >= 1 and dialect == "ugi":
                self.level = VERSION
                self.used = tuple(word for word in CAPABILITIES if word in words)


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The answer to one ``go``."""

    move: str  # the word after `bestmove`; "" if there is none
    milliseconds: float  # since the end of the write; if time is measured, less waits for a processor
    line: OutputLine
    before: tuple[OutputLine, ...]


class GameDialogue:
    """Sends the lines of a regular game to an engine, as a hub does.

    ``patience`` is how many seconds to wait for an answer outside a search. ``unasked`` has the lines that
    came before ``readyok`` since the last ``go``. ``limit`` is that of all searches, for an engine that knows
    no clock.
    """

    def __init__(
        self, conversation: Conversation, spec: EngineSpec, patience: float, limit: m.Go | None
    ) -> None:
        self.conversation = conversation
        self.greeting = Greeting()
        self.unasked: list[OutputLine] = []
        self.limit = limit
        self._spec = spec
        self._patience = patience
        self._book: PositionBook | None = None
        self._ready_before = False
        self._position_sent = False  # whether a position of this game was sent

    # --- outside a search

    async def greet(self) -> None:
        """Greet the engine, and wait for its ``ugiok``. Raises as `Conversation.until`."""
        hello = format_command(m.Hello(), self._spec.dialect)
        await self.conversation.send(hello)
        greeting = self.greeting
        _, ok = await self.conversation.until(
            m.HelloOk, f"{hello}ok", self._patience, lambda line: greeting.take(line, self._spec.dialect)
        )
        greeting.milliseconds = (ok.at - self.conversation.sent_at) // 1_000_000

    async def introduce(self, book: PositionBook) -> None:
        """Acknowledge the capabilities, choose the game and set the options as a hub does.

        EngineStartError: the engine does not play the game, or does not take its options.
        """
        self._book = book
        info, greeting = book.game.info, self.greeting
        if greeting.level > 0:
            await self.conversation.say(m.Acknowledge(VERSION, greeting.used))
        elif info.players > 2:
            raise EngineStartError(
                "the engine announces no capabilities, so it can play only games for two players;"
                f" {info.id} is for {info.players}: name another game with --game"
            )
        spec = self._spec
        needed = dict(info.uci_options) if spec.dialect == "uci" else {}
        try:
            chosen = choose_options(
                greeting.options, info.id, needed | spec.options, force=spec.force_options
            )
        except EngineStartError as error:
            raise EngineStartError(f"the engine {error}") from None
        for option in chosen:
            await self.conversation.say(option)

    async def ready(self) -> None:
        """Send ``isready`` and wait for ``readyok``. Raises as `Conversation.until`."""
        self._ready_before = True
        await self.conversation.say(m.IsReady())
        await self.conversation.until(m.ReadyOk, "readyok", self._patience, self.unasked.append)

    async def new_game(self, seat: int = 0) -> None:
        """Begin a game in which the engine has ``seat`` (0-based). Raises as `Conversation.until`."""
        info = self.book.game.info
        if not self._ready_before:
            await self.ready()
        await self.conversation.say(m.NewGame())
        if self.uses("seat"):
            words = {"id": "check", "game": info.id, "players": info.players, "seat": seat + 1}
            words |= {"base": 1000, "inc": 0, "margin": self._spec.margin}
            await self.conversation.say(
                m.GameInfoLine(tuple((key, str(value)) for key, value in words.items()))
            )
        self._position_sent = False
        await self.ready()

    @property
    def book(self) -> PositionBook:
        """The positions of the game, after `introduce`."""
        assert self._book is not None, "call introduce first"
        return self._book

    def uses(self, capability: str) -> bool:
        """Return whether both sides know a capability."""
        return capability in self.greeting.used

    # --- a search

    def clocks(self, milliseconds: int, increment: int = 0, moves_to_go: int | None = None) -> m.Go:
        """Return a ``go`` with the same clock for every seat, or with the engine's own limit."""
        if self.limit is not None:
            return self.limit
        players = self.book.game.info.players
        return m.Go((milliseconds,) * players, (increment,) * players, moves_to_go)

    def movetime(self, milliseconds: int) -> m.Go:
        """Return a ``go`` with a time per move, or with the limit of an engine that knows no time."""
        limit = self.limit
        return m.Go(movetime=milliseconds) if limit is None or limit.movetime is not None else limit

    def long(self, milliseconds: int) -> m.Go:
        """Return a ``go`` for a search that does not end soon by itself, with clocks or a larger limit."""
        if self.limit is None:
            return self.clocks(milliseconds)
        if self.limit.movetime is not None:
            return m.Go(movetime=milliseconds)
        return m.Go(depth=_DEEP) if self.limit.depth is not None else m.Go(nodes=_MANY_NODES)

    async def send_position(
        self, spot: ReachedPosition, form: SentForm = "usual", legal: Sequence[str] | None = None
    ) -> None:
        """Send a position, up to the line before ``go``. Raises as `Conversation.until`."""
        if self._position_sent and self.uses("delta"):
            await self.new_game(spot.position.turn)  # only the first position of a game is complete
        self._position_sent = True
        if self.greeting.level == 0:
            await self._sync()
        await self.conversation.say(self.position_message(spot, form))
        if self.greeting.level > 0:
            await self._send_legal(spot.legal() if legal is None else legal)
            await self._sync()

    async def _sync(self) -> None:
        """Wait before a search as the hub does for this engine."""
        if self._spec.sync == "move":
            await self.ready()

    async def _send_legal(self, legal: Sequence[str]) -> None:
        """Send ``legal``, and ``legal+`` if the list needs more lines."""
        if not self.uses("legal"):
            return
        for message in split_legal(legal):
            await self.conversation.say(message)

    async def send_moves(self, spot: ReachedPosition, new_moves: Sequence[str]) -> None:
        """Send the new moves to an engine with the capability ``delta``. Raises as `Conversation.until`."""
        await self.conversation.say(m.Moves(" ".join(new_moves)))
        await self._send_legal(spot.legal())
        await self._sync()

    def position_message(self, spot: ReachedPosition, form: SentForm = "usual") -> m.SetPosition:
        """Return the message that sends a position."""
        moves = " ".join(spot.moves)
        strings = self.uses("fen") or (self._spec.position == "fen" and not self.uses("delta"))
        if form == "fen" or (form == "usual" and strings):
            return m.SetPosition(str(spot.position))
        if form == "usual":
            return m.SetPosition(spot.start, moves)
        return m.SetPosition(spot.start or str(self.book.start.position), moves)

    async def begin_search(self, milliseconds: int = HOUR) -> None:
        """Let the engine search the start position, with ``milliseconds`` on every clock."""
        await self.send_position(self.book.start)
        self.conversation.new_turn()
        await self.conversation.say(self.long(milliseconds))

    async def think(self, go: m.Go, *, later: float | None = None) -> EngineAnswer:
        """Send ``go`` and wait for the move, up to ``later`` seconds after its time if time is measured."""
        self.conversation.new_turn()
        self.unasked.clear()
        waits = None if later is None else self.conversation.waits()
        await self.conversation.say(go)
        before: list[OutputLine] = []
        seconds = max((*go.times, go.movetime or 0)) / 1000
        seconds += self._patience if later is None else later
        best, line = await self.conversation.until(m.BestMove, "bestmove", seconds, before.append)
        taken = (line.at - self.conversation.sent_at) / 1e6
        if waits is not None:
            taken = max(0.0, taken - 1000 * self.conversation.withheld(waits))
        return EngineAnswer(best.move, taken, line, tuple(before))

    async def finish(self, seconds: float) -> None:
        """Wait for the move of a running search. Raises as `Conversation.until`."""
        await self.conversation.until(m.BestMove, "bestmove", seconds)

    async def search(
        self,
        spot: ReachedPosition,
        go: m.Go | None = None,
        form: SentForm = "usual",
        *,
        later: float | None = None,
    ) -> EngineAnswer:
        """Send a position, and `think` for a second of the clock, or as ``go`` says."""
        await self.send_position(spot, form)
        return await self.think(go or self.clocks(1000), later=later)

    async def move(
        self,
        spot: ReachedPosition,
        go: m.Go | None = None,
        form: SentForm = "usual",
        *,
        later: float | None = None,
    ) -> EngineAnswer:
        """Do the same as `search`, and `judge` the move."""
        answer = await self.search(spot, go, form, later=later)
        self.judge(answer, spot)
        return answer

    def judge(self, answer: EngineAnswer, spot: ReachedPosition) -> None:
        """Raise a Failure if the move is not legal, unless the engine resigns and has this capability."""
        reason = why_illegal(spot.position, answer.move)
        if not reason or (answer.move == RESIGN and self.uses("resign")):
            return
        if answer.move in NO_MOVE:
            only = only_move(spot)
            forced = f"; the only legal move is `{only}`" if only else ""
            text = f"has no move at {spot}: it said `{answer.line.text[:80]}`{forced}"
            raise PlaysIllegally(text, spot, answer.move)
        raise PlaysIllegally(f"played {answer.move[:60]!r} at {spot}: {reason}", spot, answer.move)
