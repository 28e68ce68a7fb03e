"""Play the orders of a batch, outside a tournament, and report each game as soon as it has ended.

A batch needs no database and no tournament file. So a job of a cluster or a shell script can play a part of a
tournament on another machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import msgspec

from arena.errors import ConfigError
from arena.run.cores import unpinned
from arena.run.executor import ExecutorEvent, JobLost
from arena.run.local_referees import open_referees
from referee.match.job import EngineTried, Job, JobFinished, OrderRefused, TryOrder, decode_order
from referee.outcome import Termination

BatchOrder = Job | TryOrder  # an order of a batch: to play a game, or to try an engine
_RESULTS = (JobFinished, JobLost, OrderRefused)  # the events that end a game


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """What became of the orders: those with a result, and those that are void, lost or refused."""

    played: int
    failed: int


def read_orders(name: str, lines: Iterable[bytes]) -> list[BatchOrder]:
    """Parse the orders of a batch, whose ids must differ; empty lines do not count."""
    orders: dict[str, BatchOrder] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            order = decode_order(line)
        except (msgspec.MsgspecError, ValueError) as error:
            raise ConfigError(f"{name}, line {number}: this is not an order: {error}") from None
        if not isinstance(order, BatchOrder):
            raise ConfigError(f'{name}, line {number}: a batch has only the orders "game" and "try"')
        if isinstance(order, Job) and order.people:
            raise ConfigError(
                f"{name}, line {number}: game {order.id} has people, who cannot play in a batch"
            )
        if order.id in orders:
            raise ConfigError(f"{name}, line {number}: an earlier order has the id {order.id!a}, too")
        orders[order.id] = order
    return list(orders.values())


async def play_batch(
    orders: Iterable[BatchOrder],
    write: Callable[[ExecutorEvent], None],
    *,
    concurrency: int,
    every_event: bool = False,
) -> BatchSummary:
    """Try the engines of a batch, and play its games in their order.

    Events that end an order are written at once; with ``every_event`` all others are, too.
    """
    played = failed = 0
    async with open_referees(unpinned(concurrency)) as referees:
        if every_event:
            await referees.watch(watched=True)
        waiting: deque[Job] = deque()
        for order in orders:
            if isinstance(order, Job):
                waiting.append(order)
            else:
                write(EngineTried(order.id, await referees.try_engine(order.engine, order.game)))
                played += 1
        running = 0
        while waiting or running:
            while waiting and running < concurrency:
                await referees.submit(waiting.popleft())
                running += 1
            event = await referees.events.receive()
            if isinstance(event, _RESULTS):
                running -= 1
                good = isinstance(event, JobFinished) and event.termination is not Termination.VOID
                played, failed = played + good, failed + (not good)
                write(event)
            elif every_event:
                write(event)
    return BatchSummary(played, failed)
