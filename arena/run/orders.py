"""A tournament by files: its games as orders for `arena batch`, and the results that come back.

So machines that do not reach each other can play one tournament. The id of an order has the number of its
game and a hash of the order. So arena does not accept the results of another tournament, or of an earlier
version of this one.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Final

import msgspec
import trio

from arena.config import TournamentSpec
from arena.errors import ConfigError
from arena.run.executor import Executor, ExecutorEvent, JobDeclined, JobPlayed, decode_batch_event
from arena.run.upcoming import new_job, next_games, stored_before
from referee.match.job import Job, JobFinished, encode
from referee.outcome import Termination

MOST_ORDERS: Final = 100_000  # the most orders that are written at once: some tournaments have no end


def order_id(job: Job, tournament: str) -> str:
    """Return the id of an order to play a game of a tournament: its number, and a hash of the whole order."""
    content = encode(job) + tournament.encode(errors="surrogateescape")
    return f"{job.id}-{hashlib.sha256(content).hexdigest()[:12]}"


def write_orders(spec: TournamentSpec, write: Callable[[bytes], object]) -> int:
    """Write the games that can be played now, at most `MOST_ORDERS`, and return their number."""
    before = stored_before(spec)
    spec, state = before.spec, before.state
    entries = {entry.spec.name: entry for entry in spec.engines}
    number = 0
    for number, pairing in enumerate(islice(next_games(spec, state), MOST_ORDERS), 1):  # noqa: B007 - it is returned
        job = new_job(spec, pairing, [entries[name] for name in pairing.seats])
        write(encode(msgspec.structs.replace(job, id=order_id(job, spec.name))))
    return number


def read_results(name: str, lines: Iterable[bytes]) -> dict[str, JobFinished]:
    """Return the results in a file that `arena batch` has written, by the ids of their orders.

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
                f"{name}, line {number}: this is not a line of `arena batch`: {error}"
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
            finished = msgspec.structs.replace(finished, id=job.id)
            self._send.send_nowait(JobPlayed(finished, self._worker, 1.0))
