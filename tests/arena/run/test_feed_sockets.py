"""Tests that a server finds what the runs of its user tell, and that killed runs leave nothing for good."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from arena.run import feed
from arena.run.feed import new_socket, sockets
from protocol.process import machine

RUN = """
import os, pathlib, sys
from arena.run import feed

if len(sys.argv) > 1:
    feed._PLACE = pathlib.Path(sys.argv[1])
path = feed.new_socket()
path.touch()
print(path, flush=True)
sys.stdin.read()
os.kill(os.getpid(), 9)
"""


@contextmanager
def run(*arguments: object, **environment: object) -> Iterator[Path]:
    """Yield the socket of a process, and kill the process."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, *map(str, arguments)],
        env=os.environ | {name: str(value) for name, value in environment.items()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield Path(process.stdout.readline().strip())


def test_a_server_finds_a_run_although_their_environments_name_other_folders(tmp_path: Path) -> None:
    with run(XDG_RUNTIME_DIR=tmp_path, TMPDIR=tmp_path, HOME=tmp_path) as path:
        assert not path.is_relative_to(tmp_path)
        look = subprocess.run(
            [sys.executable, "-c", "from arena.run.feed import sockets; print(*sockets())"],
            env={name: value for name, value in os.environ.items() if name not in ("TMPDIR", "HOME")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert str(path) in look.stdout.split()


def test_nobody_else_can_enter_the_folder_of_a_socket_or_pretend_to_be_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sockets() == []
    path = new_socket()
    path.touch()
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert sockets() == [path]
    (link := path.parent.with_name(f"{path.parent.name}-link")).symlink_to(path.parent)
    with monkeypatch.context() as patch:
        user = os.geteuid() + 1
        patch.setattr(os, "geteuid", lambda: user)
        assert sockets() == []
    link.unlink()
    machine.remove_folder(str(path.parent))


def test_the_sockets_of_killed_runs_are_removed_and_the_sockets_of_running_runs_stay() -> None:
    with run(feed._PLACE) as running:
        with run(feed._PLACE) as killed:
            assert sockets() == sorted([killed, running])
        unready = mkdtemp(dir=feed._PLACE, prefix=feed._NAMES)
        assert sockets() == [running]
        assert not killed.parent.exists()
        assert not Path(unready).exists()
    assert sockets() == []
