"""Running the checks: first the handshake, then what may run side by side, then what measures time."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable

import trio

from referee.check.catalogue import ConformanceCheck, closure
from referee.check.check_context import CheckContext, EngineUnderTest
from referee.check.checks import clocks, control, ending, endurance, moves, output, queries, starting, wording
from referee.check.failures import Failure, Skip
from referee.check.report import CheckReport, CheckResult, CheckStatus

__all__ = ["CHECKS", "check_engine"]

_MODULES = (starting, wording, moves, clocks, control, ending, output, queries, endurance)
_PATIENCE = 30  # times the patience for one answer is the most that one check may take

CHECKS: tuple[ConformanceCheck, ...] = tuple(
    sorted(
        (
            value
            for module in _MODULES
            for value in vars(module).values()
            if isinstance(value, ConformanceCheck)
        ),
        key=lambda check: check.number,
    )
)
"""The catalogue, in the order of the numbers."""

_GATE = 104
"""Up to this number the checks run one after the other: each of the others needs what they find out."""


def _ignore(_: CheckResult) -> None:
    pass


async def check_engine(
    subject: EngineUnderTest,
    only: Collection[int] | None = None,
    jobs: int = 1,
    tell: Callable[[CheckResult], None] = _ignore,
) -> CheckReport:
    """Run the checks and say what came of them.

    Args:
        subject: the engine.
        only: numbers of checks; what they need is run, too. None for all.
        jobs: how many checks run at the same time, as far as they do not measure time.
        tell: is called with each result as soon as it is known.

    Raises:
        EngineStartError: the engine does not play the game.
        HubFault: the machine cannot start processes.
    """
    wanted = {check.number for check in CHECKS} if only is None else closure(only, CHECKS)
    run = _Run(subject, [check for check in CHECKS if check.number in wanted], tell)
    await run.in_turn(check for check in run.checks if check.number <= _GATE)
    rest = [check for check in run.checks if check.number > _GATE]
    await run.side_by_side([check for check in rest if not check.alone], jobs)
    await run.in_turn(check for check in rest if check.alone)
    return run.report()


class _Run:
    """One run over chosen checks."""

    def __init__(
        self, subject: EngineUnderTest, checks: list[ConformanceCheck], tell: Callable[[CheckResult], None]
    ) -> None:
        self.checks = checks
        self._subject = subject
        self._tell = tell
        self._results: dict[int, CheckResult] = {}
        self._done = {check.number: trio.Event() for check in checks}

    def report(self) -> CheckReport:
        """All results so far."""
        greeting, book = self._subject.greeting, self._subject.book
        return CheckReport(
            "" if greeting is None else greeting.identity.get("name", ""),
            self._subject.spec.command,
            "" if book is None else book.game.info.id,
            None if greeting is None else greeting.level,
            () if greeting is None else greeting.used,
            self._subject.seed,
            tuple(self._results[number] for number in sorted(self._results)),
        )

    async def in_turn(self, checks: Iterable[ConformanceCheck]) -> None:
        """One after the other."""
        for check in checks:
            await self._one(check)

    async def side_by_side(self, checks: list[ConformanceCheck], jobs: int) -> None:
        """At most ``jobs`` at once, each after those that it needs."""
        limit = trio.CapacityLimiter(jobs)

        async def when_free(check: ConformanceCheck) -> None:
            for number in check.needs:
                await self._done[number].wait()
            async with limit:
                await self._one(check)

        async with trio.open_nursery() as nursery:
            for check in checks:
                nursery.start_soon(when_free, check)

    async def _one(self, check: ConformanceCheck) -> None:
        began = time.monotonic_ns()
        blocker = self._blocker(check)
        if blocker is None:
            status, text, evidence = await self._outcome(check)
        else:
            status, text, evidence = CheckStatus.SKIPPED, f"check {blocker} failed", ()
        result = CheckResult(
            check.number,
            check.name,
            check.severity,
            check.level,
            status,
            text,
            check.advice if status is CheckStatus.FAILED else "",
            (time.monotonic_ns() - began) // 1_000_000,
            evidence,
            blocker,
        )
        self._results[check.number] = result
        self._done[check.number].set()
        self._tell(result)

    def _blocker(self, check: ConformanceCheck) -> int | None:
        """Which check failed without which this one tells nothing new."""
        for number in check.needs:
            need = self._results[number]
            if need.status is CheckStatus.FAILED:
                return number
            if need.blocker is not None:
                return need.blocker
        return None

    async def _outcome(self, check: ConformanceCheck) -> tuple[CheckStatus, str, tuple[str, ...]]:
        """Status, text and evidence."""
        obstacle = check.obstacle(self._subject)
        if obstacle:
            return CheckStatus.SKIPPED, obstacle, ()
        async with trio.open_nursery() as nursery:
            bench = CheckContext(self._subject, nursery)
            try:
                with trio.fail_after(_PATIENCE * self._subject.patience.answer) as bench.scope:
                    return CheckStatus.PASSED, await check.body(bench) or "", ()
            except Skip as skip:
                return CheckStatus.SKIPPED, str(skip), ()
            except Failure as failure:
                return CheckStatus.FAILED, str(failure), bench.evidence()
            except trio.TooSlowError:
                return CheckStatus.FAILED, "took too long in all", bench.evidence()
            finally:
                nursery.cancel_scope.cancel()
        raise AssertionError("the block above always returns")
