"""A row of the table of checks, the decorators of what a check does, and the results.

The number of a check never changes: 1xx starting and handshake, 2xx moves, 3xx time, 4xx control and ending,
5xx output, 6xx questions about the rules, 7xx endurance. The number of a removed check is not used again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final, get_args

from protocol.spec import PositionForm
from referee.check.conversation import CheckContext, Conversation, EngineEnded, EngineUnderTest, Failure
from referee.check.processor import SHOWS_PROCESSES


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
    """The results of a whole run. The engine is empty if no handshake succeeded."""

    engine: str  # the name in its `id name` line
    command: tuple[str, ...]
    game: str  # "" if no handshake succeeded and the user names no game
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

_BEHIND_A_BRIDGE: Final = "correct the bot, or the options of its bridge; `arena docs bridges` explains them"
"""The advice for a bridge that says what its bot did."""

CheckBody = Callable[[CheckContext], Awaitable[str | None]]
"""What a check does with fresh processes: it returns a remark or None, or raises `Failure` or `Skip`."""

EngineBody = Callable[[Conversation], Awaitable[str | None]]
"""What a check does with one process of the engine."""


async def _no_body(_: CheckContext) -> str | None:
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ConformanceCheck:
    """A row of the table of checks: a number, a name, and what to do."""

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
    limit: str = ""  # the time control must have this: clock, movetime, depth or nodes
    players: int = 2  # the fewest seats of the game
    needs: tuple[int, ...] = (104,)  # if one of these checks fails, this one is skipped
    explained_by: tuple[int, ...] = ()  # if one of these checks fails too, it is the same fault
    else_set: str = (
        ""  # advice for an engine that cannot do this: the setting with which it plays nevertheless
    )
    proc: bool = False  # needs /proc, which only Linux has
    plain: bool = False  # sends what every engine understands: its advice cannot explain an early end
    alone: bool = False  # measures time, or needs a check that does: no other may run meanwhile

    @property
    def level(self) -> int:
        """The lowest level of the protocol to which it applies."""
        return int(self.announces or bool(self.capability))

    def advice_for(self, failure: Failure) -> str:
        """Return how to correct the engine."""
        if "standard error says: bridge: " in str(failure):
            return _BEHIND_A_BRIDGE
        if failure.advice:
            return failure.advice
        ended = self.plain and isinstance(failure, EngineEnded)
        return "; ".join(filter(None, (_ENDED if ended else self.advice, self.else_set)))

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
        if self.limit and subject.limit is not None and not getattr(subject.limit, self.limit, None):
            return f"the time control of this check has no {self.limit}"
        info = subject.book.game.info
        if info.players < self.players:
            return f"{info.id} is for {info.players} players"
        return ""


class check(ConformanceCheck):  # noqa: N801 - like the next two, it is a decorator
    """Decorates the body of a check that starts processes itself."""

    def __call__(self, body: CheckBody) -> ConformanceCheck:
        """Return this check with a body."""
        return replace(self, body=body)


class greeted(ConformanceCheck):  # noqa: N801
    """Decorates the body of a check that gets a fresh process of the engine after its handshake."""

    def __call__(self, body: EngineBody) -> ConformanceCheck:
        """Return this check with a body."""
        return replace(self, body=partial(_talk, CheckContext.greeted, body))


class in_game(ConformanceCheck):  # noqa: N801
    """Decorates the body of a check that gets a fresh process of the engine in a new game."""

    def __call__(self, body: EngineBody) -> ConformanceCheck:
        """Return this check with a body."""
        return replace(self, body=partial(_talk, CheckContext.playing, body))


async def _talk(
    start: Callable[[CheckContext], AbstractAsyncContextManager[Conversation]],
    body: EngineBody,
    context: CheckContext,
) -> str | None:
    async with start(context) as engine:
        return await body(engine)


def closure(numbers: Iterable[int], checks: Iterable[ConformanceCheck]) -> frozenset[int]:
    """Return the numbers of the chosen checks and of all checks that they need."""
    by_number = {check.number: check for check in checks}
    needed: set[int] = set()
    queue = list(numbers)
    while queue:
        number = queue.pop()
        if number not in needed:
            needed.add(number)
            queue += by_number[number].needs
    return frozenset(needed)
