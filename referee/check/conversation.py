"""What a check works with: the engine under test, fresh processes of it, and conversations with them.

The lines go through the `Dialogue` of the referee. But a check sees every line, also those that a referee
skips, and can send lines that no hub sends: these do not change the state of the session.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeVar

import trio

from protocol.errors import EngineCrashed, EngineFlooded, EngineStalled, EngineStartError
from protocol.hub.client import introduction
from protocol.hub.dialogue import Dialogue, OutputLine, Patience
from protocol.hub.ending import kill
from protocol.hub.search import SearchRequest, SearchWriter, split_legal
from protocol.hub.transcript import Transcript
from protocol.process.engine_process import EngineProcess
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from protocol.wire.codec import NO_MOVE, RESIGN
from protocol.wire.session import Role, Session
from protocol.wire.states import State
from referee.check.positions import PositionBook, ReachedPosition, only_move, why_illegal
from referee.check.processor import Waits, waited_since, waits_here, waits_of
from referee.game import GameInfo
from referee.match.clock import Clock
from referee.match.seats import check_seatable, for_game, gameinfo
from referee.match.time_control import TimeControl
from referee.registry import game as find_game

FALLBACK_GAME = "quoridor"
"""The game for an engine without the option ``UGI_Game``."""

PATIENCE: Final = 2.5
"""The usual patience: an engine that says nothing for this many seconds has usually made a mistake."""


class Failure(Exception):
    """The engine fails the check. The message is a sentence whose subject, the engine, is left out."""

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(text)
        self.advice = advice


class EngineEnded(Failure):
    """The engine ended, or closed its output, too early."""


class NoAnswer(Failure):
    """The line that starts with ``word`` did not come in time."""

    def __init__(self, word: str, text: str) -> None:
        super().__init__(text)
        self.word = word


class Skip(Exception):
    """The check does not apply to this engine, game or machine. The message says why."""


@dataclass(slots=True)
class EngineUnderTest:
    """The engine under test, and the facts about it so far."""

    spec: EngineSpec
    seed: int = 1  # of the random positions
    game: str | None = None  # an id; None before the first handshake, unless the user names a game
    patience: float = PATIENCE  # seconds to wait for an answer, apart from clock and waits for a processor
    session: Session | None = None  # of the first successful handshake
    book: PositionBook | None = None
    limit: m.Go | None = None  # of all searches, for an engine that knows no clock
    names_no_game: bool = False  # whether neither the user nor the engine names a game

    def add_session(self, session: Session) -> None:
        """Store a handshake. The first one also decides the game."""
        if self.book is None:
            option = session.options.get("ugi_game")
            default = option.default if option is not None else None
            self.names_no_game = not (self.game or default)
            self.game = self.game or default or FALLBACK_GAME
            self.book = PositionBook(find_game(self.game), self.seed)
        if self.session is None:
            self.session = session

    def uses(self, capability: str) -> bool:
        """Return whether the engine announced a capability."""
        return self.session is not None and capability in self.session.usable


Drawn = TypeVar("Drawn")


class CheckContext:
    """Starts processes for one check. The end of the last conversation is the evidence of a failure."""

    def __init__(self, subject: EngineUnderTest, nursery: trio.Nursery) -> None:
        self.subject = subject
        self.conversation: Conversation | None = None
        self.scope = trio.CancelScope()
        self._nursery = nursery

    @property
    def book(self) -> PositionBook:
        """The positions of the game. Only checks that need a handshake can use them."""
        assert self.subject.book is not None, "the check needs a handshake first"
        return self.subject.book

    @property
    def info(self) -> GameInfo:
        """The facts about the game."""
        return self.book.game.info

    async def draw(self, drawing: Callable[[PositionBook], Drawn]) -> Drawn:
        """Call ``drawing`` with the book in a thread, and move the deadline of the check by its time."""
        remaining = self.scope.deadline - trio.current_time()
        self.scope.deadline = math.inf
        try:
            return await trio.to_thread.run_sync(drawing, self.book, abandon_on_cancel=True)
        finally:
            self.scope.deadline = trio.current_time() + remaining

    @asynccontextmanager
    async def start(self, spec: EngineSpec) -> AsyncIterator[Conversation]:
        """Start a fresh process, send nothing yet, and kill it at the end; Failure if it does not start."""
        try:
            # In a process namespace no check could see the processes that the engine leaves behind.
            process = await EngineProcess.start(spec, own_pids=False)
        except EngineStartError as error:
            raise Failure(str(error)) from None
        engine = self.conversation = Conversation(process, spec, self)
        self._nursery.start_soon(engine.read_stderr)
        try:
            yield engine
        finally:
            await engine.kill()

    @asynccontextmanager
    async def greeted(self) -> AsyncIterator[Conversation]:
        """Start a fresh process and do the handshake. Raises as `start` and `Conversation.shake_hands`."""
        async with self.start(self.subject.spec) as engine:
            await engine.shake_hands()
            yield engine

    @asynccontextmanager
    async def playing(self, seat: int = 0) -> AsyncIterator[Conversation]:
        """Start a fresh process and a game. Raises as `greeted`."""
        async with self.greeted() as engine:
            await engine.new_game(seat)
            yield engine


QUIET = 0.3  # seconds in which no line may come
_EVIDENCE_LINES = 20
_EVIDENCE_LENGTH = 160  # characters of a line
_QUOTED_LINES = 3  # sent lines that the failure of an engine that ended quotes

_LONGEST = 10  # how many times longer than its limit a wait may last on a busy machine
_NEGLIGIBLE = 0.02  # seconds without a processor that make no difference
_NEW_TASKS = (m.Hello, m.NewGame, m.SetPosition, m.Moves)
"""The messages with which an engine gets something new to do."""

R = TypeVar("R", bound=m.Reply)

HOUR = 3_600_000
"""An hour in milliseconds, so that a search does not end soon by itself."""

_DEEP = 100  # plies
_MANY_NODES = 10**12


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The answer to one ``go``."""

    move: str  # the word after `bestmove`; "" if there is none
    milliseconds: float  # since the end of the write; if time is measured, less waits for a processor
    line: OutputLine
    before: tuple[OutputLine, ...]


@contextmanager
def _failures() -> Iterator[None]:
    """Raise the error of an engine that printed too much, or did not read, as a Failure."""
    try:
        yield
    except (EngineFlooded, EngineStalled) as error:
        raise Failure(str(error)) from None


class Conversation:
    """The hub's side of a conversation; limits of waits are seconds, all other times nanoseconds.

    ``patience`` is how many seconds to wait for an answer outside a search. ``unasked`` has the lines that
    came before ``readyok`` since the last ``go``, and ``greeting`` those before ``ugiok``, which came after
    ``greeting_ms``. ``log`` has the last lines of both sides, as in a transcript. ``limit`` is the limit of
    all searches, for an engine that knows no clock.
    """

    def __init__(self, process: EngineProcess, spec: EngineSpec, context: CheckContext) -> None:
        self.process = process
        self.spec = spec
        self.patience = context.subject.patience
        self.limit = context.subject.limit
        self.greeting: list[OutputLine] = []
        self.greeting_ms = 0
        self.unasked: list[OutputLine] = []
        self.draw = context.draw
        self._context = context
        self._ready_before = False
        self._position_sent = False  # whether a position of this game was sent
        self.session = Session(Role.HUB, spec.dialect, any_option=spec.force_options)
        self.sent_at = 0
        self.stderr_bytes = 0
        self.log: deque[str] = deque(maxlen=_EVIDENCE_LINES)
        self._sent: deque[bytes] = deque(maxlen=_QUOTED_LINES)
        self._transcript = Transcript(watch=self._note)
        self._dialogue = Dialogue(self.session, process, time.monotonic_ns, self._transcript, Patience())
        self._waits_before = waits_here()

    def _note(self, seconds: float, direction: str, text: str) -> None:
        if len(text) > _EVIDENCE_LENGTH:
            text = f"{text[:_EVIDENCE_LENGTH]}… ({len(text)} characters)"
        self.log.append(f"{seconds:9.4f} {direction} {text}")

    # --- positions of the game

    @property
    def book(self) -> PositionBook:
        """The positions of the game. Only checks that need a handshake can use them."""
        return self._context.book

    @property
    def info(self) -> GameInfo:
        """The facts about the game."""
        return self._context.info

    async def spots(self, name: str, count: int, seat: int = 0) -> tuple[ReachedPosition, ...]:
        """Return the start and up to ``count`` random positions where ``seat`` has several moves."""
        return (self.book.start, *await self.draw(lambda book: book.random(name, count, seat)))

    # --- reading

    async def read_stderr(self) -> None:
        """Read standard error until its end. Run this in a task of its own."""
        await self.process.drain_stderr(self._note_stderr)

    def _note_stderr(self, data: bytes) -> None:
        self.stderr_bytes += len(data)
        self._dialogue.note_stderr(data)

    @property
    def turn_bytes(self) -> int:
        """How much the engine has printed since it got something new to do."""
        return self._dialogue.turn_bytes

    async def drop_output(self) -> None:
        """Drop what the engine has printed so far, as the hub does before a ``go``."""
        with _failures():
            await self._dialogue.drop_output(trio.CancelScope())

    async def line(self, seconds: float) -> OutputLine | None:
        """Return the next line; None if none comes in time. Failure: the engine ended, or flooded."""
        lines = await self._lines_to(lambda _: True, seconds)
        return lines[0] if lines else None

    async def until(self, kind: type[R], word: str, seconds: float) -> tuple[R, list[OutputLine]]:
        """Return the first reply of a kind, and all lines up to it, or raise NoAnswer. Raises as `line`."""
        lines = await self._lines_to(lambda line: isinstance(line.reply, kind), seconds)
        if lines is not None:
            reply = lines[-1].reply
            assert isinstance(reply, kind)
            return reply, lines
        raise NoAnswer(word, f"did not say `{word}` within {seconds:g} s{self._dialogue.diagnosis()}")

    async def _lines_to(
        self, wanted: Callable[[OutputLine], bool], seconds: float
    ) -> list[OutputLine] | None:
        """Return the lines up to the first wanted one; None if it does not come in time."""
        lines: list[OutputLine] = []

        async def read() -> None:
            while not (lines and wanted(lines[-1])):
                lines.append(await self._next_line())

        return lines if await self._within(seconds, read) else None

    async def listen(self, seconds: float) -> list[OutputLine]:
        """Return all lines that come within ``seconds``, or until the engine ends."""
        lines: list[OutputLine] = []
        with trio.move_on_after(seconds), suppress(Failure):
            while True:
                lines.append(await self._next_line())
        return lines

    async def expect_silence(self, problem: str) -> None:
        """Raise a Failure that quotes the first line, if the engine prints one within a moment."""
        lines = await self.listen(QUIET)
        if lines:
            raise Failure(f"{problem} {lines[0].text[:80]!r}")

    async def _next_line(self) -> OutputLine:
        with _failures():
            line = await self._dialogue.next_line()
        if line is None:
            raise await self._ended()
        return line

    async def _ended(self) -> Failure:
        return EngineEnded(str(await self._dialogue.ended(b"".join(self._sent))))

    # --- waiting

    def waits(self) -> Waits:
        """Return how long the engine and the checker have waited for a processor so far."""
        return waits_of(self.process.pid)

    def withheld(self, earlier: Waits | None = None) -> float:
        """Return the seconds, since `waits` or the start, in which engine or checker got no processor."""
        return waited_since(self._waits_before if earlier is None else earlier, self.waits())

    async def _within(self, seconds: float, wait: Callable[[], Awaitable[None]]) -> bool:
        """Return whether ``wait`` ends in time, to which waits for a processor are added, up to ten times."""
        seconds = max(0.0, seconds)
        start = limited = trio.current_time()
        deadline = start + seconds
        waits = self._waits_before
        while True:
            with trio.CancelScope(deadline=deadline):
                await wait()
                return True
            now, waits_now = trio.current_time(), self.waits()
            more = min(waited_since(waits, waits_now), now - limited)
            waits, limited = waits_now, now
            deadline = min(now + more, start + _LONGEST * seconds)
            if more < _NEGLIGIBLE or deadline <= now:
                return False

    # --- writing

    async def say(self, *messages: m.Command, odd: Callable[[str], str] = str) -> None:
        """Send messages that the session allows now, in one write, in an ``odd`` form. Raises as `send`."""
        if isinstance(messages[0], _NEW_TASKS):
            self._dialogue.begin_turn()
        await self.send(
            *(odd(self.session.send(message).decode().removesuffix("\n")) for message in messages)
        )

    async def send(self, *lines: str) -> None:
        """Send any lines in one write; Failure if the engine ended, or does not read."""
        data = "".join(f"{line}\n" for line in lines).encode()
        self._sent.extend(data.splitlines(keepends=True))
        try:
            with _failures():
                await self._dialogue.write(data)
        except EngineCrashed:
            raise await self._ended() from None
        self.sent_at = time.monotonic_ns()

    # --- the end

    async def exits_within(self, seconds: float) -> bool:
        """Return whether the process ends in time. Its output is read, so that no full pipe blocks it."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.listen, math.inf)
            ended = await self._within(seconds, self.process.wait_exit)
            nursery.cancel_scope.cancel()
        return ended

    async def expect_exit(self, seconds: float, occasion: str) -> None:
        """Raise a Failure if the process does not end in time."""
        if not await self.exits_within(seconds):
            raise Failure(f"was still running {seconds:g} s after {occasion}")

    async def kill(self) -> None:
        """Kill the process and its group, and wait for its end. Cancellation does not interrupt this."""
        await kill(self.process)
        self._transcript.close()

    # --- outside a search

    async def greet(self) -> None:
        """Greet the engine, and wait for its ``ugiok``. Raises as `until`."""
        await self.say(m.Hello())
        _, lines = await self.until(m.HelloOk, f"{self.spec.dialect}ok", self.patience)
        self.greeting = lines[:-1]
        self.greeting_ms = (lines[-1].at - self.sent_at) // 1_000_000

    async def shake_hands(self) -> None:
        """Greet the engine, choose the game and set the options as a hub does. Raises as `until`.

        EngineStartError: the engine does not play the game, or does not take its options.
        """
        await self.greet()
        self._context.subject.add_session(self.session)
        info, session = self.info, self.session
        try:
            check_seatable(session, info.players)
            for message in introduction(session, for_game(self.spec, info), info.id):
                await self.say(message)
        except EngineStartError as error:
            raise EngineStartError(f"the engine {error}") from None

    async def ready(self) -> None:
        """Send ``isready`` and wait for ``readyok``. Raises as `until`."""
        self._ready_before = True
        await self.say(m.IsReady())
        _, lines = await self.until(m.ReadyOk, "readyok", self.patience)
        self.unasked += lines[:-1]

    async def new_game(self, seat: int = 0) -> None:
        """Start a game in which the engine has ``seat`` (0-based). Raises as `until`."""
        if not self._ready_before:
            await self.ready()
        await self.say(m.NewGame())
        if self.uses("seat"):
            controls = [TimeControl.parse("1")] * self.info.players
            clock = Clock(controls, [0] * self.info.players)
            items = gameinfo("check", self.info.id, clock, controls, self.spec.margin, seat)
            await self.say(m.GameInfoLine(tuple(items)))
        self._position_sent = False
        await self.ready()

    def uses(self, capability: str) -> bool:
        """Return whether both sides know a capability."""
        return capability in self.session.capabilities

    # --- a search

    def clocks(self, milliseconds: int, increment: int = 0, moves_to_go: int | None = None) -> m.Go:
        """Return a ``go`` with the same clock for every seat, or with the engine's own limit."""
        players = self.info.players
        return self.limit or m.Go((milliseconds,) * players, (increment,) * players, moves_to_go)

    def movetime(self, milliseconds: int) -> m.Go:
        """Return a ``go`` with a time per move, or with the limit of an engine that knows no time."""
        limit = self.limit
        return m.Go(movetime=milliseconds) if limit is None or limit.movetime is not None else limit

    def long(self, milliseconds: int = HOUR) -> m.Go:
        """Return a ``go`` for a search that does not end soon by itself, with clocks or a larger limit."""
        if self.limit is None:
            return self.clocks(milliseconds)
        if self.limit.movetime is not None:
            return m.Go(movetime=milliseconds)
        return m.Go(depth=_DEEP) if self.limit.depth is not None else m.Go(nodes=_MANY_NODES)

    async def send_position(self, spot: ReachedPosition, legal: Sequence[str] | None = None) -> None:
        """Send a position, up to the line before ``go``. Raises as `until`."""
        if self._position_sent and self.uses("delta"):
            await self.new_game(spot.position.turn)  # only the first position of a game is complete
        self._position_sent = True
        if self.session.level == 0 and self.session.state is not State.POSITIONED:
            await self._announce_search(())
        await self.set_position(spot)
        if self.session.level > 0:
            await self._announce_search(spot.legal() if legal is None else legal)

    async def _announce_search(self, legal: Sequence[str]) -> None:
        """Send ``legal``, and wait before a search, as the hub does for this engine."""
        for message in split_legal(legal) if self.uses("legal") else ():
            await self.say(message)
        if self.spec.sync == "move":
            await self.ready()

    async def send_moves(self, spot: ReachedPosition, new_moves: Sequence[str]) -> None:
        """Send the new moves to an engine with the capability ``delta``. Raises as `until`."""
        await self.say(m.Moves(" ".join(new_moves)))
        await self._announce_search(spot.legal())

    async def set_position(self, spot: ReachedPosition) -> None:
        """Send the line of a position alone, in the form in which the hub sends it, or as a string."""
        start, moves = (str(spot.position), ()) if spot.as_string else (spot.start, spot.moves)
        turn = SearchRequest(start, moves, lambda: None, lambda: str(spot.position), spot.legal)
        await self.say(m.SetPosition(*SearchWriter(self.session, self.spec.position).whole(turn)))

    async def think(self, go: m.Go, *, later: float | None = None) -> EngineAnswer:
        """Send ``go`` and wait for the move, up to ``later`` seconds after its time if time is measured."""
        await self.drop_output()
        self.unasked.clear()
        waits = None if later is None else self.waits()
        await self.say(go)
        seconds = max((*go.times, go.movetime or 0)) / 1000
        seconds += self.patience if later is None else later
        best, lines = await self.until(m.BestMove, "bestmove", seconds)
        taken = (lines[-1].at - self.sent_at) / 1e6
        if waits is not None:
            taken -= 1000 * self.withheld(waits)
        return EngineAnswer(best.move, max(0.0, taken), lines[-1], tuple(lines[:-1]))

    async def search(
        self, spot: ReachedPosition, go: m.Go | None = None, *, later: float | None = None
    ) -> EngineAnswer:
        """Send a position, and `think` for a second of the clock, or as ``go`` says."""
        await self.send_position(spot)
        return await self.think(go or self.clocks(1000), later=later)

    async def move(
        self, spot: ReachedPosition, go: m.Go | None = None, *, later: float | None = None
    ) -> EngineAnswer:
        """Do the same as `search`, and `judge` the move."""
        answer = await self.search(spot, go, later=later)
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
            raise Failure(f"has no move at {spot}: it said `{answer.line.text[:80]}`{forced}")
        raise Failure(f"played {answer.move[:60]!r} at {spot}: {reason}")
