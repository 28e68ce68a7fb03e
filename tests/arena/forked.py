"""Run `arena` in a process that is forked from one in which all packages are imported.

A short command spends most of its time on imports, a second for `arena run`. Here the imports happen once.
Otherwise it is an ordinary process, with its own signals, exit code, working directory and children. Start
`python -m arena` instead to test the start itself.
"""

from __future__ import annotations

import atexit
import multiprocessing
import multiprocessing.forkserver
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import connection, resource_tracker
from pathlib import Path
from typing import Any

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload([__name__, "tests.arena.imported", "tests.forked_referee"])
_SERVER = multiprocessing.forkserver._forkserver
SHARED = "TEST_FORK_SERVER"
"""The environment variable with the address of a fork server that another process has started."""
# Wait for the fork server at the end, so that its processor time counts as time of the tests.
atexit.register(_SERVER._stop)
if SHARED in os.environ:
    _SERVER._forkserver_address = os.environ[SHARED]
    _SERVER._forkserver_alive_fd = os.open(os.devnull, os.O_WRONLY)  # it lives as long as who started it
    _SERVER.ensure_running = resource_tracker.ensure_running


def share() -> None:
    """Start the fork server now, for this process and for all that it starts: the imports take seconds."""
    _SERVER.ensure_running()
    os.environ[SHARED] = _SERVER._forkserver_address


_ASKING = threading.Lock()
"""An exit code can be read once, and each start of a process asks all others for theirs."""

CLOSED = Path("(closed)")
"""The path of a standard stream that is closed (``>&-`` in a shell)."""


class Forked:
    """A running command. It has the methods of `subprocess.Popen` that tests use.

    The output is available when the process has ended.
    """

    def __init__(
        self,
        *arguments: object,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: Path = Path(os.devnull),
        stdout: Path | None = None,
        stderr: Path | None = None,
        limits: Mapping[int, int] | None = None,
        settings: Mapping[str, float] | None = None,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._out, self._err = (Path(self._folder.name, name) for name in ("out", "err"))
        words = [str(argument) for argument in arguments]
        environment = dict(os.environ if env is None else env)
        streams = (stdin, stdout or self._out, stderr or self._err)
        call = (words, cwd, environment, streams, dict(limits or {}), dict(settings or {}))
        self._process = CONTEXT.Process(target=_main, args=call)
        with _ASKING:
            self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid
        self._returncode: int | None = None

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        if self._returncode is None:
            with _ASKING:
                self._returncode = self._process.exitcode
        return self._returncode

    def wait(self, timeout: float | None = None) -> int:
        connection.wait([self._process.sentinel], timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("arena", timeout or 0.0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self.wait(timeout)
        return self.stdout, self.stderr

    @property
    def stdout(self) -> str:
        """The output so far."""
        return self._out.read_text(encoding="utf-8") if self._out.exists() else ""

    @property
    def stderr(self) -> str:
        """The error output so far."""
        return self._err.read_text(encoding="utf-8") if self._err.exists() else ""

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            # The server of forks may have asked for the end of a process that it has not told yet.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        self.kill()
        self.wait()
        self._process.close()
        self._folder.cleanup()


@contextmanager
def forked(*arguments: object, cwd: Path, **options: Any) -> Iterator[Forked]:
    """Run a command, and kill it at the end of the block if it still runs.

    Args:
        arguments: the command's words.
        cwd: the working folder.
        options: ``env``, all environment variables; ``stdin``, ``stdout`` and ``stderr``, paths of files
            or `CLOSED`; ``limits`` by kind, for `resource.setrlimit`; ``settings``, new values of constants
            by their names, such as ``arena.run.local_referees.SILENT_SECONDS``.
    """
    process = Forked(*arguments, cwd=cwd, **options)
    try:
        yield process
    finally:
        process.close()


def arena(
    *arguments: object, cwd: Path, timeout: float = 120, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, as `subprocess.run` does. It takes the options of `forked`."""
    with forked(*arguments, cwd=cwd, **options) as process:
        out, err = process.communicate(timeout)
        return subprocess.CompletedProcess(["arena", *map(str, arguments)], process.wait(), out, err)


def _main(
    words: list[str],
    cwd: Path,
    environment: dict[str, str],
    streams: tuple[Path, Path, Path],
    limits: dict[int, int],
    settings: dict[str, float],
) -> None:
    """Run the command, and fork its referees. This is the main function of the new process."""
    from arena.cli import main
    from tests.forked_referee import Popen, standard_streams

    subprocess.Popen = Popen  # type: ignore[misc]

    for descriptor, path in enumerate(streams):
        if path == CLOSED:
            os.close(descriptor)
            continue
        file = os.open(path, os.O_NOCTTY | (os.O_WRONLY | os.O_CREAT if descriptor else os.O_RDONLY))
        os.dup2(file, descriptor)
        os.close(file)
    standard_streams()
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the environment may name another one
    # A thread that looks for it holds a lock, which a referee that is forked meanwhile would wait for.
    place = Path(tempfile.gettempdir())
    vars(sys.modules["arena.run.feed"])["_PLACE"] = place
    vars(sys.modules["arena.run.cores"])["_LEASE"] = f"\0{place.name}"
    if limits:
        os.closerange(3, 256)
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, limit))
    for name, value in settings.items():
        module, _, constant = name.rpartition(".")
        setattr(sys.modules[module], constant, value)
    os.chdir(cwd)
    main(words)
