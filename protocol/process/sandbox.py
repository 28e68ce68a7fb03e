"""Builds the command line and environment with which an engine runs under its limits and in its sandbox.

The engine's command comes after several other programs. `setpriv`, `choom` and `prlimit` change settings of
their own process and then run the engine in it. Only bubblewrap, or the first processes of a process
namespace, keep running beside the engine. A limit that this machine cannot set is an error before the first
game; it is never ignored.
"""

from __future__ import annotations

import os
import resource
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from protocol.errors import EngineStartError
from protocol.process import bubblewrap, machine
from protocol.process.lifetime import death_signal
from protocol.process.program import argument_files, check_script, program_of
from protocol.spec import EngineSpec, ResourceLimits

_KEPT_VARIABLES: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")


def environment(spec: EngineSpec, folder: str | None) -> dict[str, str]:
    """Return the environment variables of an engine, with few others if it has a ``folder`` of its own."""
    if folder is None:
        return {**os.environ, "PYTHONUNBUFFERED": "1", **spec.env}
    minimal = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**minimal, "HOME": folder, "TMPDIR": folder, "PYTHONUNBUFFERED": "1", **spec.env}


def command_line(
    spec: EngineSpec,
    status: int | None = None,
    contained: Sequence[str] = (),
    size: int = bubblewrap.FOLDER_SIZE,
) -> list[str]:
    """Return the programs for limits and sandbox, the path of the engine, and its arguments.

    ``status``: the descriptor to which bubblewrap writes its status reports. ``contained``: the words that
    start the engine in its process namespace. ``size``: the most bytes in its own folder under
    bubblewrap. If this machine lacks a program, EngineStartError says what to do.
    """
    program = program_of(spec)
    box: list[str] = []
    if spec.sandbox == "bwrap":
        visible = {path: spec.shown(path) for path in _visible_paths(spec, program)}
        box = bubblewrap.words(visible, status, size)
    words = map(spec.shown, (program, *spec.command[1:]))
    return [*death_signal(), *_oom_score(), *contained, *box, *_limits(spec), *words]


def check(spec: EngineSpec) -> None:
    """Check that an engine can be started and would find its files, or raise EngineStartError."""
    command_line(spec)
    check_script(spec.command, spec.cwd)
    if spec.sandbox != "none":
        for word, file in argument_files(spec):
            _check_found(spec, word, file)
    if spec.sandbox == "bwrap":
        trouble = bubblewrap.trouble()
        if trouble:
            raise EngineStartError(f'sandbox = "bwrap" does not work on this machine: {trouble}')
        if bubblewrap.user() is not None:
            _check_readable(spec)


def runs_as_root(spec: EngineSpec) -> bool:
    """Return whether an engine has the rights of root on this machine."""
    return os.geteuid() == 0 and spec.sandbox != "bwrap" and spec.remote is None


def warnings(spec: EngineSpec) -> list[str]:
    """Return a sentence for each setting that has no effect here."""
    if spec.limits.processes is not None and runs_as_root(spec):
        return ["the limit on processes has no effect because arena runs as root; run arena as another user"]
    return []


# --- the programs before the engine's command

_USEFUL_FILES: Final = 65_536
_LARGEST_FILE: Final = 1 << 30

_usual_files: list[int] = []
"""The limit of open files that engines have, if this process has raised its own."""


def raise_limit_of_files() -> None:
    """Let this process open more files: it has four for each engine. Engines keep the usual limit.

    A program that waits by `select`, or closes all files that it could have, needs a low limit.
    """
    usual, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _USEFUL_FILES if allowed == resource.RLIM_INFINITY else min(allowed, _USEFUL_FILES)
    if machine.which("prlimit") and usual != resource.RLIM_INFINITY and usual < wanted:
        _usual_files[:] = [usual]
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, allowed))


def _oom_score() -> tuple[str, ...]:
    """Make the kernel kill engines first when memory runs out: no limit counts their shared memory."""
    command = (machine.tool("choom"), "-n", "1000", "--")
    return () if machine.complaint(*command, "true") else command


def _limits(spec: EngineSpec) -> list[str]:
    limits = spec.limits
    prlimit = machine.which("prlimit")
    if prlimit is None:
        if limits == ResourceLimits():
            return []
        raise EngineStartError(
            "its limits need the program prlimit; install util-linux, or remove the limits"
        )
    options = ["--core=0", *(f"--nofile={usual}:" for usual in _usual_files)]
    if spec.sandbox != "bwrap":  # its folders in memory have a limit of their own
        options.append(f"--fsize={_largest_file()}")
    if limits.memory is not None:
        options.append(f"--data={limits.memory}")
    if limits.processes is not None:
        options.append(f"--nproc={_other_tasks(spec) + limits.processes}")
    return [prlimit, *options, "--"]


def _largest_file() -> int:
    """Return the most bytes of a file that an engine may write: nobody can raise a limit of this process."""
    _, allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    return _LARGEST_FILE if allowed == resource.RLIM_INFINITY else min(allowed, _LARGEST_FILE)


def _other_tasks(spec: EngineSpec) -> int:
    """Return the number of processes and threads that the kernel will add to the processes of the engine."""
    if spec.sandbox != "bwrap":
        return _tasks_of(os.getuid())
    return 0 if bubblewrap.counts_own_processes() else _tasks_of(bubblewrap.user())


def _tasks_of(user: int | None) -> int:
    """Count the processes and threads of a user, as the kernel does."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if entry.stat().st_uid == user:
                count += len(list((entry / "task").iterdir()))
        except OSError:
            pass  # it has just ended
    return count


def _visible_paths(spec: EngineSpec, program: str) -> dict[str, str]:
    """Return the files and folders that an engine sees under bubblewrap, in addition to the system's."""
    return {path: path for path in (_folder(program), _folder(os.path.realpath(program)), *spec.readable)}


def _check_found(spec: EngineSpec, word: str, file: Path) -> None:
    """Check that the engine can find a file of its command from the folder where it starts."""
    if not Path(word).is_absolute():
        raise EngineStartError(
            f'sandbox = "{spec.sandbox}" starts the engine in an empty folder, where there is no {word};'
            f" write {{cwd}}/{word}"
        )
    visible = (*bubblewrap.SYSTEM_FOLDERS, *_visible_paths(spec, program_of(spec)))
    if spec.sandbox == "bwrap" and not any(map(file.is_relative_to, visible)):
        raise EngineStartError(
            f'sandbox = "bwrap" hides {file} from the engine; give the engine a folder of its own as cwd, or'
            " name the file in readable"
        )


def _folder(file: str) -> str:
    return str(Path(file).parent)


def _check_readable(spec: EngineSpec) -> None:
    """Check that the user as whom an engine of root runs may read the files of the command."""
    program = program_of(spec)
    paths = _visible_paths(spec, program)
    rights = {program: "x"} | {str(file): "r" for _, file in argument_files(spec)}
    for file, right in rights.items():
        if not bubblewrap.may_read(paths, file, right):
            verb, folder = "run" if right == "x" else "read", shlex.quote(_folder(file))
            raise EngineStartError(
                "arena runs as root, so engines in the sandbox run as the user nobody, who may not"
                f" {verb} {file}; run: chmod -R o+rX {folder}"
            )
