"""Build the programs of engines by the commands in their key ``build``."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import trio

from arena.config import EngineEntry, TournamentSpec
from arena.config.executor_keys import speed_engine
from arena.errors import ArenaError
from protocol.errors import EngineStartError
from protocol.printable import printable
from protocol.process import sandbox

__all__ = ["BUILD_SECONDS", "build", "build_engines", "built_here"]

BUILD_SECONDS: Final = 900.0
"""How long the build of an engine may take."""

_LINES: Final = 5
"""How many lines of a failed build's output its error shows."""

_LONGEST_LINE: Final = 300


def built_here(spec: TournamentSpec) -> tuple[EngineEntry, ...]:
    """Return the engines that must be built on this machine, which is the hub if workers play.

    Workers build the engines that are sent to them. The hub needs only the engine whose speed is compared.
    """
    if spec.executor.kind == "local" or not spec.executor.send_engines:
        return spec.engines
    named = None if spec.executor.scale is None else speed_engine(spec.executor.scale)
    return tuple(entry for entry in spec.engines if entry.spec.name == named)


async def build_engines(entries: Iterable[EngineEntry], tell: Callable[[str, str], None]) -> None:
    """Build engines on this machine, one after the other, and check their programs.

    Args:
        entries: the engines; those without the key ``build`` are left alone.
        tell: called with the name of an engine and with what is done, before each build.

    Raises:
        ArenaError: a build failed, or its program cannot be started. It names the engine.
    """
    for entry in entries:
        if not entry.build:
            continue
        spec = entry.spec
        assert spec.cwd is not None
        tell(spec.name, f"building it: {' && '.join(entry.build)}")
        try:
            await build(entry.build, spec.cwd, spec.env)
        except ArenaError as error:
            raise ArenaError(f"engine {spec.name}: {error}") from None
        try:
            sandbox.check(spec)
        except EngineStartError as error:
            raise ArenaError(f"engine {spec.name}: its build ended well, but {error}") from None


async def build(commands: tuple[str, ...], folder: str, environment: Mapping[str, str]) -> None:
    """Run shell commands in a folder; the first that fails ends the build.

    All processes of the build are killed if it takes too long or is cancelled.

    Raises:
        ArenaError: a command failed, or the build took longer than `BUILD_SECONDS`. It shows the last lines
            of the output.
    """
    script = "\n".join(("set -e", *commands))
    with trio.move_on_after(BUILD_SECONDS):
        done = await trio.run_process(
            ["/bin/sh", "-c", script],
            cwd=folder,
            env={**os.environ, **environment},
            check=False,
            capture_stdout=True,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            deliver_cancel=_kill_group,
        )
        if done.returncode:
            how = f"exit code {done.returncode}"
            if done.returncode < 0:
                how = f"a signal ({signal.strsignal(-done.returncode)})"
            raise ArenaError(f"its build failed with {how}{_tail(done.stdout)}")
        return
    raise ArenaError(f"its build did not end within {BUILD_SECONDS:.0f} seconds")


async def _kill_group(process: trio.Process) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has just ended
    await trio.lowlevel.checkpoint()


def _tail(output: bytes) -> str:
    lines = [line for line in output.decode(errors="replace").splitlines() if line.strip()]
    shown = [f"  {printable(line[:_LONGEST_LINE], keep=chr(9))}" for line in lines[-_LINES:]]
    return "\n".join((":", *shown)) if shown else ", and printed nothing"
