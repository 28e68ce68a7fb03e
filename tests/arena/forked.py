"""`arena` as a process of its own that is forked from one which has imported it already.

Most of what a short command costs is its imports, a second for `arena run`. Here they are paid once. The
rest is as in any process: signals, exit code, working directory, children. A test of what happens before the
imports are done starts `python -m arena` instead.
"""

from __future__ import annotations

import atexit
import multiprocessing
import multiprocessing.forkserver
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__, "tests.arena.imported", "tests.forked_referee"])
# It would end by itself; waited for, its processor time and its children's is that of the tests.
atexit.register(multiprocessing.forkserver._forkserver._stop)


class Forked:
    """As much of `subprocess.Popen` as tests need; the output is there when the process has ended."""

    def __init__(self, *arguments: object, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._streams = [Path(self._folder.name, name) for name in ("out", "err")]
        words = [str(argument) for argument in arguments]
        environment = dict(os.environ if env is None else env)
        call = (words, str(cwd), environment, *map(str, self._streams))
        self._process = _CONTEXT.Process(target=_main, args=call)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid
        self._returncode: int | None = None

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        if self._returncode is None:
            self._returncode = self._process.exitcode
        return self._returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("arena", timeout or 0.0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self.wait(timeout)
        out, err = (stream.read_text(encoding="utf-8") for stream in self._streams)
        return out, err

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        self.kill()
        self.wait()
        self._process.close()
        self._folder.cleanup()


@contextmanager
def forked(*arguments: object, cwd: Path, env: Mapping[str, str] | None = None) -> Iterator[Forked]:
    """A process that is killed at the end, if it still runs."""
    process = Forked(*arguments, cwd=cwd, env=env)
    try:
        yield process
    finally:
        process.close()


def arena(
    *arguments: object, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """What `subprocess.run` of `python -m arena` gives."""
    with forked(*arguments, cwd=cwd, env=env) as process:
        out, err = process.communicate(timeout)
        return subprocess.CompletedProcess(["arena", *map(str, arguments)], process.wait(), out, err)


def _main(words: list[str], cwd: str, environment: dict[str, str], *streams: str) -> None:
    """In the new process: run the command, and fork its referees."""
    from arena.cli import main
    from tests.forked_referee import Popen

    subprocess.Popen = Popen  # type: ignore[misc]

    for descriptor, path in enumerate(streams, 1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
        os.close(file)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    main(words)
