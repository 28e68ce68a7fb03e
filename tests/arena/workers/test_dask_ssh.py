"""Workers that are started by SSH, as docs/howto/many-machines.md shows it: a real server on loopback."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.forked import arena
from tests.arena.workers.clusters import cluster
from tests.arena.workers.test_dask import assert_complete, games, words, write
from tests.missing_tools import needs
from tests.processes import wait_for, with_argument
from tests.tools import find


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[list[str]]:
    """Start a server that lets in who has a new key; the value are the words of `ssh` before the machine."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    port = free_port()
    server = tmp_path / "sshd_config"
    server.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host\nPidFile none\n"
        f"AuthorizedKeysFile {tmp_path}/user.pub\nStrictModes no\nUsePAM no\n"
        "PermitRootLogin prohibit-password\n"
    )
    client = tmp_path / "ssh_config"
    client.write_text(
        f"Host lab1 lab2\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {tmp_path}/user\n"
        "  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n"
        "  LogLevel ERROR\n"
    )
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # the server does not start without it
    with (tmp_path / "sshd.log").open("w") as log:
        process = subprocess.Popen([find("sshd") or "", "-D", "-e", "-f", server], stderr=log)
    try:
        wait_for(lambda: "listening" in (tmp_path / "sshd.log").read_text(), "sshd does not start")
        yield ["ssh", "-F", str(client)]
    finally:
        process.kill()
        process.wait()


@needs("sshd", "root")
@pytest.mark.slow  # a server and two workers start
def test_workers_that_are_started_by_ssh_play_and_outlive_the_connection(
    tmp_path: Path, ssh: list[str]
) -> None:
    file = write(tmp_path, "honest", "honest", openings='{kind = "random", plies = 2}')
    with cluster(tmp_path) as made:
        started = f"{shlex.quote(sys.executable)} -m arena worker {made.address}"
        try:
            for machine in ("lab1", "lab2"):
                command = f"{started} --worker {machine} --cores 1 2> {tmp_path}/{machine}.log"
                subprocess.run([*ssh, "-f", machine, command], check=True)
            for machine in ("lab1", "lab2"):
                wait_for((tmp_path / f"{machine}.log").exists, f"{machine} does not start")
                made.wait_for_worker(machine)
            done = arena(*words(made), cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert_complete(file)
            assert {game.worker for game in games(tmp_path)} <= {"lab1", "lab2"}
        finally:
            for pid in with_argument(f"arena worker {made.address}"):
                os.kill(pid, signal.SIGTERM)
            wait_for(lambda: not with_argument(f"arena worker {made.address}"), "workers are left")
