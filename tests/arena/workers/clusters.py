"""Clusters on this machine for tests: a scheduler and workers, each a process that a test can kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protocol.process import machine
from tests.processes import wait_for

SCHEDULER = """
import asyncio, signal, sys
from pathlib import Path
from distributed import Scheduler
from arena.workers.security import security_of

async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    host = sys.argv[2]
    address = f"{'tcp' if host == '127.0.0.1' else 'tls'}://{host}"
    security = security_of(address, Path(sys.argv[3]))
    port = int(sys.argv[1])
    async with Scheduler(host=address, port=port, security=security, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await stop.wait()

asyncio.run(main())
"""
"""What `dask scheduler` does, without its log and its page, which another test may have."""


class Cluster:
    """A scheduler and workers.

    Args:
        folder: the folder of their output, and of the certificates if the host is not this machine alone.
        host: the address of the scheduler.
    """

    def __init__(self, folder: Path, host: str = "127.0.0.1") -> None:
        self.folder = folder
        self.host = host
        self.address = ""
        self.scheduler: subprocess.Popen[str] | None = None
        self.workers: dict[str, subprocess.Popen[bytes]] = {}

    def start_scheduler(self, environment: dict[str, str] | None = None) -> None:
        """Start the scheduler, at its former address if it had one, with more environment variables."""
        port = self.address.rpartition(":")[2] or "0"
        self.scheduler = subprocess.Popen(
            [sys.executable, "-c", SCHEDULER, port, self.host, str(self.folder / "certificates")],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | (environment or {}),
        )
        assert self.scheduler.stdout is not None
        self.address = self.scheduler.stdout.readline().strip() or self.address

    def start_worker(
        self,
        name: str,
        *options: str,
        hidden: Path | None = None,
        network: str = "",
        uptime: int = 0,
        environment: dict[str, str] | None = None,
    ) -> None:
        """Start `arena worker`.

        Args:
            name: its name.
            options: its other options.
            hidden: a folder or a program that it does not see, as on another machine; only root can hide one.
            network: the name of its network namespace.
            uptime: seconds by which its monotonic clocks are ahead; only root can set them.
            environment: more environment variables.
        """
        log = self.folder / f"{name}.log"
        cover = "--bind /dev/null" if hidden is not None and hidden.is_file() else "-t tmpfs none"
        hide = f'mount {cover} "{hidden}" && exec "$0" "$@"'
        before = ["ip", "netns", "exec", network] if network else []
        before += ["unshare", "--time", f"--monotonic={uptime}", f"--boottime={uptime}"] if uptime else []
        before += [] if hidden is None else ["unshare", "--mount", "sh", "-c", hide]
        with log.open("ab") as output:
            self.workers[name] = subprocess.Popen(
                [*before, sys.executable, "-m", "arena", "worker", self.address, "--worker", name, *options],
                stdout=output,
                stderr=output,
                env=os.environ | (environment or {}),
            )

    def wait_for_worker(self, name: str) -> None:
        log = self.folder / f"{name}.log"
        wait_for(lambda: "plays games for" in log.read_text(), f"worker {name} does not start")

    def kill_worker(self, name: str) -> None:
        process = self.workers.pop(name)
        process.kill()
        process.wait()

    def kill_scheduler(self) -> None:
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.communicate()

    def close(self) -> None:
        for process in self.workers.values():
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
        for process in self.workers.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.kill_scheduler()
        machine.remove_abandoned_folders()


@contextmanager
def cluster(
    folder: Path, *workers: str, host: str = "127.0.0.1", environment: dict[str, str] | None = None
) -> Iterator[Cluster]:
    """Start a cluster with workers of one core, and end it after the block.

    Args:
        folder, host: see `Cluster`.
        workers: the names of the workers.
        environment: more environment variables of the scheduler.
    """
    made = Cluster(folder, host)
    made.start_scheduler(environment)
    try:
        for name in workers:
            made.start_worker(name, "--cores", "1")
        for name in workers:
            made.wait_for_worker(name)
        yield made
    finally:
        made.close()
