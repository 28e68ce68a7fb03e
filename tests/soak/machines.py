"""The cluster and the database server of a round, which its faults kill and stop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.arena.workers.clusters import Cluster, cluster
from tests.postgres import Postgres, new_server
from tests.soak.plan import Plan

__all__ = ["DATABASE", "Machines"]

DATABASE = "soak"
"""The name of the database on the server."""


class Machines:
    """What plays and stores the games of a round, apart from arena; nothing in most rounds.

    Args:
        plan: what the round has.
        folder: an empty folder for the output of workers.
        environment: more environment variables of workers.

    Attributes:
        cluster: the cluster, if the plan has one.
        server: the server, if the plan has one.
    """

    def __init__(self, plan: Plan, folder: Path, environment: Mapping[str, str]) -> None:
        self.cluster: Cluster | None = None
        self.server: Postgres | None = None
        self._plan = plan
        self._folder = folder
        self._environment = dict(environment)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start them, and end them after the block."""
        with ExitStack() as stack:
            if self._plan.server:
                self.server = stack.enter_context(new_server())
                self.server.start()
                self.server.execute(f"CREATE DATABASE {DATABASE}")
            if self._plan.workers:
                self.cluster = stack.enter_context(cluster(self._folder))
                names = [f"w{number}" for number in range(1, self._plan.workers + 1)]
                for name in names:
                    self.start_worker(name)
                for name in names:
                    self.cluster.wait_for_worker(name)
            yield

    def start_worker(self, name: str) -> None:
        """Start a worker with one core."""
        assert self.cluster is not None
        self.cluster.start_worker(name, "--cores", "1", environment=self._environment)

    @property
    def database(self) -> str:
        """Where the games are stored."""
        return "arena.db" if self.server is None else self.server.url(DATABASE)

    @property
    def scheduler(self) -> str:
        """The address of the scheduler; "" if there is none."""
        return "" if self.cluster is None else self.cluster.address

    @property
    def pids(self) -> list[int]:
        """The processes of the workers, without what they have started."""
        return [] if self.cluster is None else [worker.pid for worker in self.cluster.workers.values()]
