"""The type of a conformance check, and the decorator that makes one from a function.

The number of a check never changes: 1xx starting and handshake, 2xx moves, 3xx time, 4xx control and ending,
5xx output, 6xx questions about the rules, 7xx endurance. The number of a removed check is not used again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum

from referee.check.check_context import CheckContext, EngineUnderTest
from referee.check.conversation import EngineEnded, Failure, NoAnswer
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
    """The result of one check.

    Attributes:
        number: the check's number, which never changes.
        name: the checked behaviour.
        severity: how much a failure matters.
        level: the lowest level of the protocol to which the check applies.
        status: passed, failed or skipped.
        text: the reason why it failed or was skipped, or a remark; may be empty.
        advice: how to correct the engine, in one line; empty unless the check failed.
        milliseconds: how long the check took.
        evidence: the last lines of the conversation, as in a transcript; empty unless the check failed.
        blocker: the number of the failed check that this one needs, if it was skipped for that; else None.
    """

    number: int
    name: str
    severity: Severity
    level: int
    status: CheckStatus
    text: str = ""
    advice: str = ""
    milliseconds: int = 0
    evidence: tuple[str, ...] = ()
    blocker: int | None = None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of a whole run.

    Attributes:
        engine: the name in the engine's ``id name`` line; empty if no handshake succeeded.
        command: program and arguments.
        game: the id of the game; empty if no handshake succeeded.
        level: the level of the protocol, 0 or 1; None if no handshake succeeded.
        capabilities: the capabilities that the engine announced and the hub uses.
        seed: the seed of the random positions.
        results: the results, in the order of the checks' numbers.
    """

    engine: str
    command: tuple[str, ...]
    game: str
    level: int | None
    capabilities: tuple[str, ...]
    seed: int
    results: tuple[CheckResult, ...]

    def count(self, status: CheckStatus, severity: Severity | None = None) -> int:
        """Return the number of checks with this status, of one severity or of all."""
        return sum(result.status is status and severity in {None, result.severity} for result in self.results)

    @property
    def conforms(self) -> bool:
        """Whether no check of the severity ``must`` failed."""
        return self.count(CheckStatus.FAILED, Severity.MUST) == 0


_ENDED = (
    "correct the error in the program that the message names; `arena check --json` has the last lines of both"
    " sides, to send them by hand"
)

_RETURNED = "the program ended itself: read lines in a loop, until `quit` or the end of the input"
_LATE = "answer every `go` within its time: correct the engine until checks 301 and 302 pass, and check again"
_OUTPUT = 500
"""The checks from this number on are about what the engine prints and knows, not about its clock."""

CheckBody = Callable[[CheckContext], Awaitable[str | None]]
Explain = Callable[[CheckContext, Failure], Awaitable[Failure | None]]


async def _no_body(_: CheckContext) -> str | None:
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ConformanceCheck:
    """One check, as a decorator of its body.

    The body returns a remark or None, and raises `Failure` or `Skip`.
    """

    number: int  # never changes
    name: str  # the checked behaviour, in a few words
    severity: Severity
    advice: str  # how to correct the engine, in one line
    body: CheckBody = _no_body
    _: KW_ONLY
    level: int = 0  # the lowest level of the protocol to which it applies
    capability: str = ""  # the engine must have announced it
    without: str = ""  # the engine must not have announced it
    players: int = 2  # the fewest seats of the game
    needs: tuple[int, ...] = (104,)  # if one of these checks fails, this one is skipped
    explained_by: tuple[int, ...] = ()  # if one of these checks fails too, it is the same fault
    explain: Explain | None = None  # after a failure, tries other settings, and may say more
    proc: bool = False  # needs /proc, which only Linux has
    plain: bool = False  # sends what every engine understands: its advice cannot explain an early end
    alone: bool = False  # measures time, or needs a check that does: no other may run meanwhile

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
            better = await self.explain(context, failure)
            context.conversation = conversation
            raise better or failure from None

    def advice_for(self, failure: Failure) -> str:
        """Return how to correct the engine."""
        if self.plain and isinstance(failure, EngineEnded):
            return failure.advice or (_RETURNED if failure.returned else _ENDED)
        if self.number >= _OUTPUT and isinstance(failure, NoAnswer) and failure.word == "bestmove":
            return _LATE
        return failure.advice or self.advice

    def obstacle(self, subject: EngineUnderTest) -> str:
        """Return the reason why the check does not apply to this engine; "" if it applies."""
        if self.proc and not SHOWS_PROCESSES:
            return "needs /proc, which only Linux has"
        greeting = subject.greeting
        if greeting is None or subject.book is None:
            return "" if self.number < 104 else "there was no handshake"
        if greeting.level < self.level:
            return "for level 1; this engine announces no capabilities and gets only lines of plain UGI"
        if self.capability and not subject.uses(self.capability):
            return f"the engine does not announce `{self.capability}`"
        if self.without and subject.uses(self.without):
            return f"the hub never sends this to an engine that announces `{self.without}`"
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
