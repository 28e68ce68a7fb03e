"""Games by files: `arena worker` plays the orders in one, and a tournament writes orders and takes results.

So machines that do not reach each other can play one tournament, and a batch needs no database and no
tournament file. The id of a tournament's order has the number of its game and a hash of the order. So arena
does not accept the results of another tournament, or of an earlier version of this one.
"""

from __future__ import annotations

import hashlib
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec
import trio

from arena.errors import ConfigError
from arena.run.cores import unpinned
from arena.run.executor import Executor, ExecutorEvent, JobDeclined, JobLost, decode_batch_event
from arena.run.local_referees import open_referees
from protocol.spec import EngineSpec
from referee.match.job import EngineTried, Job, JobFinished, OrderRefused, TryOrder, decode_order, encode
from referee.outcome import Termination

if TYPE_CHECKING:
    from arena.config import TournamentSpec

BatchOrder = Job | TryOrder  # an order of a batch: to play a game, or to try an engine
_RESULTS = (JobFinished, JobLost, OrderRefused)  # the events that end a game


def engines_of(order: BatchOrder) -> Iterator[EngineSpec]:
    """Yield the engines that an order starts."""
    if isinstance(order, Job):
        yield from (seat.engine for seat in order.seats)
    else:
        yield order.engine


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

    Events that end an order are written when they come; with ``every_event`` all others are, too.
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


# --- the orders and results of a tournament

MOST_ORDERS: Final = 100_000  # the most orders in a file: some tournaments have no end


def order_id(job: Job, tournament: str) -> str:
    """Return the id of an order to play a game of a tournament: its number, and a hash of the whole order."""
    content = encode(job) + tournament.encode(errors="surrogateescape")
    return f"{job.id}-{hashlib.sha256(content).hexdigest()[:12]}"


def write_orders(spec: TournamentSpec, write: Callable[[bytes], object]) -> int:
    """Write the games that can be played now, at most `MOST_ORDERS`, and return their number."""
    from arena.run.upcoming import new_job, next_games, stored_before

    before = stored_before(spec)
    spec, state = before.spec, before.state
    entries = {entry.spec.name: entry for entry in spec.engines}
    number = 0
    for number, pairing in enumerate(islice(next_games(spec, state), MOST_ORDERS), 1):  # noqa: B007 - it is returned
        job = new_job(spec, pairing, [entries[name] for name in pairing.seats])
        write(encode(msgspec.structs.replace(job, id=order_id(job, spec.name))))
    return number


def read_results(name: str, lines: Iterable[bytes]) -> dict[str, JobFinished]:
    """Return the results in a file that `arena worker` has written, by the ids of their orders.

    The first result of an order counts. Void and lost games are left out: they are played again.
    """
    results: dict[str, JobFinished] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = decode_batch_event(line)
        except (msgspec.MsgspecError, ValueError) as error:
            raise ConfigError(
                f"{name}, line {number}: this is not a line of `arena worker`: {error}"
            ) from None
        if isinstance(event, JobFinished) and event.termination is not Termination.VOID:
            results.setdefault(event.id, event)
    return results


class KnownResults(Executor):
    """Gives the results of games that were played elsewhere, by ``order_id``, and plays none itself."""

    many_machines = True
    count = 1000

    def __init__(
        self, results: Mapping[str, JobFinished], order_id: Callable[[Job], str], worker: str
    ) -> None:
        self._results = results
        self._order_id = order_id
        self._worker = worker
        self._send, self.events = trio.open_memory_channel[ExecutorEvent](math.inf)

    async def submit(self, job: Job) -> None:
        """Give the result of a game, or decline it."""
        await trio.lowlevel.checkpoint()
        finished = self._results.get(self._order_id(job))
        if finished is None:
            self._send.send_nowait(JobDeclined(job.id))
        else:
            self._send.send_nowait(msgspec.structs.replace(finished, id=job.id, worker=self._worker))
