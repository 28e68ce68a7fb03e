"""The type of a conformance check, the decorator that makes one from a function, and the argument of a check.

The number of a check never changes: 1xx starting and handshake, 2xx moves, 3xx time, 4xx control and ending,
5xx output, 6xx questions about the rules, 7xx endurance. The number of a removed check is not used again.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from typing import Final, TypeVar, get_args

import trio

from protocol.errors import EngineStartError
from protocol.process.engine_process import EngineProcess
from protocol.spec import EngineSpec, PositionForm
from protocol.wire.messages import Go
from protocol.wire.session import Session
from referee.check.conversation import Conversation, EngineEnded, Failure
from referee.check.positions import PositionBook, ReachedPosition
from referee.check.processor import SHOWS_PROCESSES
from referee.registry import game as find_game

Drawn = TypeVar("Drawn")

FALLBACK_GAME = "quoridor"
"""The game for an engine without the option ``UGI_Game``."""

PATIENCE: Final = 2.5
"""The usual patience: an engine that says nothing for this many seconds has usually made a mistake."""


@dataclass(slots=True)
class EngineUnderTest:
    """The engine under test, and the facts about it so far."""

    spec: EngineSpec
    seed: int = 1  # of the random positions
    game: str | None = None  # an id; None before the first handshake, unless the user names a game
    patience: float = PATIENCE  # seconds to wait for an answer, besides its clock and waits for a processor
    session: Session | None = None  # of the first successful handshake
    book: PositionBook | None = None
    limit: Go | None = None  # of all searches, for an engine that knows no clock
    names_no_game: bool = False  # whether neither the user nor the engine names a game

    def add_session(self, session: Session) -> PositionBook:
        """Store a handshake. The first one also decides the game. Return the game's positions."""
        if self.book is None:
            option = session.options.get("ugi_game")
            default = option.default if option is not None else None
            self.names_no_game = not (self.game or default)
            self.game = self.game or default or FALLBACK_GAME
            self.book = PositionBook(find_game(self.game), self.seed)
        if self.session is None:
            self.session = session
        return self.book

    def uses(self, capability: str) -> bool:
        """Return whether the engine announced a capability."""
        return self.session is not None and capability in self.session.usable


class CheckContext:
    """What one check works with. The last lines of its last conversation are the evidence of a failure."""

    def __init__(self, subject: EngineUnderTest, nursery: trio.Nursery) -> None:
        self.subject = subject
        self.conversation: Conversation | None = None
        self.scope = trio.CancelScope()
        self._nursery = nursery

    async def draw(self, drawing: Callable[[PositionBook], Drawn]) -> Drawn:
        """Call ``drawing`` with the book in a thread, and move the deadline of the check by its time."""
        remaining = self.scope.deadline - trio.current_time()
        self.scope.deadline = math.inf
        try:
            return await trio.to_thread.run_sync(drawing, self.book, abandon_on_cancel=True)
        finally:
            self.scope.deadline = trio.current_time() + remaining

    async def spots(self, name: str, count: int, seat: int = 0) -> tuple[ReachedPosition, ...]:
        """Return the start and up to ``count`` random positions where ``seat`` has several moves."""
        return (self.book.start, *await self.draw(lambda book: book.random(name, count, seat)))

    @property
    def book(self) -> PositionBook:
        """The positions of the game. Only checks that need a handshake can use them."""
        assert self.subject.book is not None, "the check needs a handshake first"
        return self.subject.book

    def evidence(self) -> tuple[str, ...]:
        """Return the last lines of the last conversation, in the form of a transcript."""
        return () if self.conversation is None else self.conversation.evidence()

    @asynccontextmanager
    async def start(self, spec: EngineSpec) -> AsyncIterator[Conversation]:
        """Start a fresh process, send nothing yet, and kill it at the end; Failure if it does not start."""
        try:
            # In a process namespace no check could see the processes that the engine leaves behind.
            process = await EngineProcess.start(spec, own_pids=False)
        except EngineStartError as error:
            raise Failure(str(error)) from None
        dialogue = Conversation(process, spec, self.subject.patience, self.subject.limit)
        self.conversation = dialogue
        self._nursery.start_soon(dialogue.read_stderr)
        try:
            yield dialogue
        finally:
            await dialogue.kill()

    async def shake_hands(self, dialogue: Conversation) -> None:
        """Do the handshake. Raises as `Conversation.greet` and `Conversation.introduce`."""
        await dialogue.greet()
        await dialogue.introduce(self.subject.add_session(dialogue.session))

    @asynccontextmanager
    async def greeted(self) -> AsyncIterator[Conversation]:
        """Start a fresh process and do the handshake. Raises as `start` and `shake_hands`."""
        async with self.start(self.subject.spec) as dialogue:
            await self.shake_hands(dialogue)
            yield dialogue

    @asynccontextmanager
    async def playing(self, seat: int = 0) -> AsyncIterator[Conversation]:
        """Start a fresh process and begin a game. Raises as `greeted`."""
        async with self.greeted() as dialogue:
            await dialogue.new_game(seat)
            yield dialogue


class Severity(StrEnum):
    """How much a failure matters."""

    MUST = "must"
    """The engine breaks the protocol, or will lose games because of this."""
    SHOULD = "should"
    """The hub can handle this, but the engine's author should correct it."""
    INFO = "info"
    """Information only, neither good nor bad."""


MUST, SHOULD, INFO = Severity


class CheckStatus(StrEnum):
    """The status of one check after a run."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check."""

    number: int  # as name, severity and level: see `ConformanceCheck`
    name: str
    severity: Severity
    level: int
    status: CheckStatus
    text: str = ""  # the reason why it failed or was skipped, or a remark
    advice: str = ""  # how to correct the engine, in one line, if it failed
    milliseconds: int = 0
    evidence: tuple[str, ...] = ()  # the last lines of the conversation, as in a transcript, if it failed
    blocker: int | None = None  # the failed check that this one needs, if it was skipped for that


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of a whole run. Engine and game are empty if no handshake succeeded."""

    engine: str  # the name in its `id name` line
    command: tuple[str, ...]
    game: str
    level: int | None  # of the protocol, 0 or 1; None if no handshake succeeded
    capabilities: tuple[str, ...]  # that the engine announced and the hub uses
    seed: int  # of the random positions
    results: tuple[CheckResult, ...]  # in the order of the checks' numbers

    def count(self, status: CheckStatus, severity: Severity | None = None) -> int:
        """Return the number of checks with this status, of one severity or of all."""
        return sum(result.status is status and severity in {None, result.severity} for result in self.results)

    @property
    def conforms(self) -> bool:
        """Whether no check of the severity ``must`` failed."""
        return self.count(CheckStatus.FAILED, Severity.MUST) == 0


_ENDED: Final = (
    "correct the error that the message names, and read lines in a loop, until `quit` or the end of the"
    " input; an engine that needs the library of arena is started with the Python of arena: arena check --"
    " {python} engine.py; `arena check --json` has the last lines of both sides"
)
"""The advice for a program that ends before it should."""

CheckBody = Callable[[CheckContext], Awaitable[str | None]]
Explain = Callable[[CheckContext], Awaitable[Failure | None]]


async def _no_body(_: CheckContext) -> str | None:
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ConformanceCheck:
    """A check, as a decorator of its body, which returns a remark or None, or raises `Failure` or `Skip`."""

    number: int  # never changes
    name: str  # the checked behaviour, in a few words
    severity: Severity
    advice: str  # how to correct the engine, in one line
    body: CheckBody = _no_body
    _: KW_ONLY
    announces: bool = False  # the engine must announce capabilities, whichever they are
    capability: str = ""  # the engine must have announced this one
    without: str = ""  # the engine must not have announced it
    forms: tuple[PositionForm, ...] = get_args(PositionForm)  # it must get positions in one of these forms
    players: int = 2  # the fewest seats of the game
    needs: tuple[int, ...] = (104,)  # if one of these checks fails, this one is skipped
    explained_by: tuple[int, ...] = ()  # if one of these checks fails too, it is the same fault
    explain: Explain | None = None  # after a failure, tries another setting, and may say more
    proc: bool = False  # needs /proc, which only Linux has
    plain: bool = False  # sends what every engine understands: its advice cannot explain an early end
    alone: bool = False  # measures time, or needs a check that does: no other may run meanwhile

    @property
    def level(self) -> int:
        """The lowest level of the protocol to which it applies."""
        return int(self.announces or bool(self.capability))

    def __call__(self, body: CheckBody) -> ConformanceCheck:
        """Return this check with a body, as a decorator."""
        return replace(self, body=body)

    async def run(self, context: CheckContext) -> str | None:
        """Run the body, and explain a failure."""
        try:
            return await self.body(context)
        except Failure as failure:
            if self.explain is None:
                raise
            conversation = context.conversation  # its last lines are the evidence
            better = await self.explain(context)
            context.conversation = conversation
            raise better or failure from None

    def advice_for(self, failure: Failure) -> str:
        """Return how to correct the engine."""
        ended = self.plain and isinstance(failure, EngineEnded)
        return failure.advice or (_ENDED if ended else self.advice)

    def obstacle(self, subject: EngineUnderTest) -> str:
        """Return the reason why the check does not apply to this engine; "" if it applies."""
        if self.proc and not SHOWS_PROCESSES:
            return "needs /proc, which only Linux has"
        session = subject.session
        if session is None or subject.book is None:
            return "" if self.number < 104 else "there was no handshake"
        if session.level < self.level:
            return "for level 1; this engine announces no capabilities and gets only lines of plain UGI"
        if self.capability and not subject.uses(self.capability):
            return f"the engine does not announce `{self.capability}`"
        if self.without and subject.uses(self.without):
            return f"the hub never sends this to an engine that announces `{self.without}`"
        form = subject.spec.position
        if form not in self.forms and not subject.uses("delta"):
            return f"the hub seldom sends this to an engine with the position form {form}"
        if subject.book.game.info.players < self.players:
            return f"{subject.book.game.info.id} is for {subject.book.game.info.players} players"
        return ""


check = ConformanceCheck
"""Decorates the body of a check."""


def closure(chosen: Iterable[int], checks: Iterable[ConformanceCheck]) -> frozenset[int]:
    """Return the numbers of the chosen checks and of all checks that they need."""
    by_number = {check.number: check for check in checks}
    needed: set[int] = set()
    queue = list(chosen)
    while queue:
        number = queue.pop()
        if number not in needed:
            needed.add(number)
            queue += by_number[number].needs
    return frozenset(needed)
