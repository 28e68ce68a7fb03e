"""One tournament from its file's values to its last stored game: referees, store and runner put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import trio

from arena.config import TournamentSpec
from arena.events import Event
from arena.executors.local import open_referees, processors
from arena.model import GameRecord, Result
from arena.runner import Runner, Summary
from arena.schedule import Schedule, schedule

if TYPE_CHECKING:
    from arena.store import Store

__all__ = ["run_tournament"]

_QUEUE = 1000
"""Finished games that may wait for the disk."""


async def run_tournament(
    spec: TournamentSpec, begin: Callable[[Schedule, list[Result]], None], observe: Callable[[Event], None]
) -> Summary:
    """Play what is missing of a tournament.

    Args:
        spec: the tournament.
        begin: is told, once, the schedule and the results that are stored already.
        observe: is told what happens, as it happens.

    Raises:
        ArenaError: the database cannot be used, or the run cannot go on; what was played is stored.
    """
    plan = schedule(spec)
    cpus = processors(spec.concurrency, pinned=spec.affinity)
    # The referees start while the database's libraries are still being imported: half a second saved.
    async with open_referees(cpus) as referees:
        store, results = await trio.to_thread.run_sync(_open, spec)
        try:
            begin(plan, results)
            done = frozenset(result.key for result in results if result.counts)
            send, receive = trio.open_memory_channel[GameRecord](_QUEUE)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_write, store, receive)
                return await Runner(spec, plan, done, referees, send, observe).run()
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(store.close)


def _open(spec: TournamentSpec) -> tuple[Store, list[Result]]:
    from arena.store import Store

    store = Store.open(spec.database, create=True)
    try:
        store.begin_tournament(spec.name, spec.settings())
        return store, store.results(tournament=spec.name)
    except BaseException:
        store.close()
        raise


async def _write(store: Store, games: trio.MemoryReceiveChannel[GameRecord]) -> None:
    from arena.store.writer import run_writer

    await run_writer(store, games)
