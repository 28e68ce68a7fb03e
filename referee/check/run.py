"""Runs the checks: the handshake first, then checks in parallel, then checks that measure time."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

import trio

from referee.check.catalogue import (
    CheckReport,
    CheckResult,
    CheckStatus,
    ConformanceCheck,
    closure,
)
from referee.check.checks import clocks, control, moves, output, queries, starting
from referee.check.conversation import CheckContext, EngineUnderTest, Failure, Skip

_MODULES = (starting, moves, clocks, control, output, queries)
_LONGEST = 300.0  # seconds that one check may take

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
"""All checks, in the order of their numbers."""

_LAST_HANDSHAKE_CHECK = 104
"""The checks up to this number run first, one after another, because all other checks need them."""


async def check_engine(
    subject: EngineUnderTest,
    only: Collection[int] | None = None,
    jobs: int = 1,
    tell: Callable[[CheckResult], object] = lambda _: None,
) -> CheckReport:
    """Run the checks on an engine: only some of them, and those that they need, or all.

    At most ``jobs`` checks run at the same time; those that measure time always run alone. ``tell`` gets each
    result immediately. An ExceptionGroup has an EngineStartError if the engine does not play the game, or a
    HubFault if the machine cannot start processes.
    """
    wanted = {check.number for check in CHECKS} if only is None else closure(only, CHECKS)
    run = _Run(subject, [check for check in CHECKS if check.number in wanted], tell)
    await run.in_turn(check for check in run.checks if check.number <= _LAST_HANDSHAKE_CHECK)
    rest = [check for check in run.checks if check.number > _LAST_HANDSHAKE_CHECK]
    await run.in_parallel([check for check in rest if not check.alone], jobs)
    await run.in_turn(check for check in rest if check.alone)
    return run.report()


class _Run:
    """One run over chosen checks."""

    def __init__(
        self, subject: EngineUnderTest, checks: list[ConformanceCheck], tell: Callable[[CheckResult], object]
    ) -> None:
        self.checks = checks
        self._subject = subject
        self._tell = tell
        self._results: dict[int, CheckResult] = {}
        self._done = {check.number: trio.Event() for check in checks}

    def report(self) -> CheckReport:
        """Return all results so far."""
        session = self._subject.session
        return CheckReport(
            "" if session is None else session.identity.get("name", ""),
            self._subject.spec.command,
            self._subject.game or "",
            None if session is None else session.level,
            () if session is None else session.usable,
            self._subject.seed,
            tuple(self._results[number] for number in sorted(self._results)),
        )

    async def in_turn(self, checks: Iterable[ConformanceCheck]) -> None:
        """Run checks one after another."""
        for check in checks:
            await self._run_check(check)

    async def in_parallel(self, checks: list[ConformanceCheck], jobs: int) -> None:
        """Run checks in parallel, at most ``jobs`` at a time, each after the checks that it needs."""
        limit = trio.CapacityLimiter(jobs)

        async def when_free(check: ConformanceCheck) -> None:
            for number in (*check.needs, *self._explaining(check)):
                await self._done[number].wait()
            async with limit:
                await self._run_check(check)

        async with trio.open_nursery() as nursery:
            for check in checks:
                nursery.start_soon(when_free, check)

    async def _run_check(self, check: ConformanceCheck) -> None:
        start = time.monotonic_ns()
        skipped = CheckResult(check.number, check.name, check.severity, check.level, CheckStatus.SKIPPED)
        blocker = self._failed(check.needs)
        result = skipped if blocker is not None else await self._result(check, skipped)
        if result.status is CheckStatus.FAILED:
            blocker = self._failed(self._explaining(check))
        if blocker is not None:
            result = replace(skipped, text=f"check {blocker} failed", blocker=blocker)
        result = replace(result, milliseconds=(time.monotonic_ns() - start) // 1_000_000)
        self._results[check.number] = result
        self._done[check.number].set()
        self._tell(result)

    def _explaining(self, check: ConformanceCheck) -> list[int]:
        """Return the numbers of the checks in this run that explain a failure of this one."""
        return [number for number in check.explained_by if number in self._done]

    def _failed(self, numbers: Iterable[int]) -> int | None:
        """Return the number of a failed check: one of them, or the blocker of one; None if there is none."""
        for number in numbers:
            result = self._results[number]
            if result.status is CheckStatus.FAILED:
                return number
            if result.blocker is not None:
                return result.blocker
        return None

    async def _result(self, check: ConformanceCheck, skipped: CheckResult) -> CheckResult:
        """Run the body of a check."""
        obstacle = check.obstacle(self._subject)
        if obstacle:
            return replace(skipped, text=obstacle)
        async with trio.open_nursery() as nursery:
            context = CheckContext(self._subject, nursery)
            try:
                with trio.fail_after(_LONGEST) as context.scope:
                    return replace(skipped, status=CheckStatus.PASSED, text=await check.body(context) or "")
            except Skip as skip:
                return replace(skipped, text=str(skip))
            except Failure as failure:
                text, advice = str(failure), check.advice_for(failure)
            except trio.TooSlowError:
                text, advice = "took too long in all", check.advice
            finally:
                nursery.cancel_scope.cancel()
        evidence = () if context.conversation is None else tuple(context.conversation.log)
        return replace(skipped, status=CheckStatus.FAILED, text=text, advice=advice, evidence=evidence)
