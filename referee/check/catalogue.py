"""What a check is, and which there are.

Numbers never change: 1xx starting and handshake, 2xx moves, 3xx time, 4xx control and ending, 5xx output,
6xx questions about the rules, 7xx endurance. A number that is no longer used is not given again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from referee.check.check_context import CheckContext, EngineUnderTest
from referee.check.report import Severity

__all__ = ["ConformanceCheck", "check", "closure"]

CheckBody = Callable[[CheckContext], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class ConformanceCheck:
    """One check.

    Attributes:
        number: never changes.
        name: what is checked, in a few words.
        severity: how much a failure matters.
        advice: what to do, in one line.
        body: does it; returns a remark or None, raises `Failure` or `Skip`.
        level: from which level of the protocol on it applies.
        capability: which the engine must have announced, or "".
        without: which the engine must not have announced, or "".
        players: how many seats the game must have at least.
        needs: numbers of checks; when one of them failed, this one tells nothing new and is skipped.
        alone: nothing else runs meanwhile, as it measures time.
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
    alone: bool = False

    def obstacle(self, subject: EngineUnderTest) -> str:
        """Why the check does not apply; "" when it does."""
        greeting = subject.greeting
        if greeting is None or subject.book is None:
            return "" if self.number < 104 else "there was no handshake"
        if greeting.level < self.level:
            return "for level 1: the engine announces nothing, so it gets only what plain UGI has"
        if self.capability and not subject.uses(self.capability):
            return f"the engine does not announce `{self.capability}`"
        if self.without and subject.uses(self.without):
            return f"the engine announces `{self.without}`, so this is never sent"
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
    alone: bool = False,
) -> Callable[[CheckBody], ConformanceCheck]:
    """Make a check of an asynchronous function; the arguments are the attributes of `ConformanceCheck`."""

    def decorate(body: CheckBody) -> ConformanceCheck:
        return ConformanceCheck(
            number, name, severity, advice, body, level, capability, without, players, needs, alone
        )

    return decorate


def closure(chosen: Iterable[int], checks: Iterable[ConformanceCheck]) -> frozenset[int]:
    """The numbers of chosen checks and of all that they need."""
    by_number = {check.number: check for check in checks}
    found: set[int] = set()
    waiting = list(chosen)
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += by_number[number].needs
    return frozenset(found)
