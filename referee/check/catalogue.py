"""The type of a conformance check, and the decorator that makes one from a function.

The number of a check never changes: 1xx starting and handshake, 2xx moves, 3xx time, 4xx control and ending,
5xx output, 6xx questions about the rules, 7xx endurance. The number of a removed check is not used again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from referee.check.check_context import CheckContext, EngineUnderTest
from referee.check.failures import EngineEnded, Failure, NoAnswer
from referee.check.report import Severity

__all__ = ["ConformanceCheck", "check", "closure"]

_ENDED = (
    "correct the error in the program that the message names; `arena check --json` has the last lines of both"
    " sides, to send them by hand"
)

_RETURNED = "the program ended itself: read lines in a loop, until `quit` or the end of the input"
_LATE = "answer every `go` within its time: correct the engine until checks 301 and 302 pass, and check again"
_OUTPUT = 500
"""The checks from this number on are about what the engine prints and knows, not about its clock."""

CheckBody = Callable[[CheckContext], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class ConformanceCheck:
    """One check.

    Attributes:
        number: the check's number, which never changes.
        name: the checked behaviour, in a few words.
        severity: how much a failure matters.
        advice: how to correct the engine, in one line.
        body: the function. It returns a remark or None, and raises `Failure` or `Skip`.
        level: the lowest level of the protocol to which the check applies.
        capability: a capability that the engine must have announced, or "".
        without: a capability that the engine must not have announced, or "".
        players: the smallest number of seats of the game.
        needs: the numbers of other checks. If one of them fails, this check is skipped.
        explained_by: the numbers of other checks. If one of them and this one fail, it is the same fault.
        plain: whether the check sends only lines that every engine must understand. Then its own advice
            cannot explain why an engine ended, and the advice for an ended engine is shown.
        alone: whether no other check may run at the same time, because this one, or one that it needs,
            measures time.
    """

    number: int
    name: str
    severity: Severity
    advice: str
    body: CheckBody
    level: int = 0
    capability: str = ""
    without: str = ""
    players: int = 2
    needs: tuple[int, ...] = (104,)
    explained_by: tuple[int, ...] = ()
    plain: bool = False
    alone: bool = False

    def advice_for(self, failure: Failure) -> str:
        """Return how to correct the engine."""
        if self.plain and isinstance(failure, EngineEnded):
            return failure.advice or (_RETURNED if failure.returned else _ENDED)
        if self.number >= _OUTPUT and isinstance(failure, NoAnswer) and failure.word == "bestmove":
            return _LATE
        return failure.advice or self.advice

    def obstacle(self, subject: EngineUnderTest) -> str:
        """Return the reason why the check does not apply to this engine; "" if it applies."""
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


def check(
    number: int,
    name: str,
    severity: Severity,
    advice: str,
    *,
    level: int = 0,
    capability: str = "",
    without: str = "",
    players: int = 2,
    needs: tuple[int, ...] = (104,),
    explained_by: tuple[int, ...] = (),
    plain: bool = False,
    alone: bool = False,
) -> Callable[[CheckBody], ConformanceCheck]:
    """Make a check from an asynchronous function. The arguments are the attributes of `ConformanceCheck`."""

    def decorate(body: CheckBody) -> ConformanceCheck:
        return ConformanceCheck(
            number,
            name,
            severity,
            advice,
            body,
            level,
            capability,
            without,
            players,
            needs,
            explained_by,
            plain,
            alone,
        )

    return decorate


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
