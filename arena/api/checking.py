"""Check an engine."""

from __future__ import annotations

from collections.abc import Callable, Collection

import trio

from arena.api.calls import blocking, plain_errors
from arena.api.engines import Engine, find_engine
from arena.errors import ArenaError
from protocol.process.machine import usable_cores
from referee import game as find_game
from referee.check import CHECKS, CheckReport, CheckResult, EngineUnderTest
from referee.check import check_engine as run_checks

__all__ = ["check_engine", "check_engine_async"]


async def check_engine_async(
    engine: Engine,
    *,
    game: str | None = None,
    only: Collection[int] | None = None,
    seed: int = 1,
    jobs: int | None = None,
    on_result: Callable[[CheckResult], object] | None = None,
) -> CheckReport:
    """Check whether an engine follows the protocol and the rules.

    If the caller is cancelled, all processes of the engine are killed.

    Args:
        engine: a command, or the keys of ``[[engines]]`` in a tournament file.
        game: the id of the game; None for the game that the engine names.
        only: the numbers of checks, as in ``arena check --list``. The checks that they need run, too.
        seed: the seed of random positions.
        jobs: how many checks may run at the same time; None for one for each processor.
        on_result: called with each result at once.

    Returns:
        The results. An engine that fails is no error: see `CheckReport.conforms`.

    Raises:
        ArenaError: an argument is wrong, or the engine cannot be started.
    """
    with plain_errors():
        if game is not None:
            find_game(game)
        unknown = sorted(set(only or ()) - {check.number for check in CHECKS})
        if unknown:
            raise ArenaError(f"there is no check {unknown[0]}; `arena check --list` lists the checks")
        spec, _ = await trio.to_thread.run_sync(find_engine, engine, "engine")
        subject = EngineUnderTest(spec, seed, game)

        def tell(result: CheckResult) -> None:
            if on_result is not None:
                on_result(result)

        return await run_checks(subject, only, jobs or len(usable_cores()), tell)


check_engine = blocking(check_engine_async)
