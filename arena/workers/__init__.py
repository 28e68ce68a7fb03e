"""Plays games on the workers of a Dask scheduler.

The hub is the process of `arena run`. It decides which worker plays which games, and Dask carries its orders
to that worker. There a child process plays them (`arena.run.batch`), so that no clock of a game shares an
interpreter with Dask. Dask itself is imported when a tournament needs it.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from arena.extras import need_extra

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.run.executor import Executor


def cluster_of(spec: TournamentSpec) -> AbstractAsyncContextManager[Executor] | None:
    """Return the cluster of the scheduler that a tournament names; None if it names no scheduler."""
    if spec.executor.scheduler is None:
        return None
    need_extra("dask", "games on many machines")
    from arena.workers.cluster import open_cluster

    return open_cluster(spec)
