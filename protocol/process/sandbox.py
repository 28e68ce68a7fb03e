"""Builds the command line and environment with which an engine runs under its limits and in its sandbox.

The engine's command comes after up to four other programs. `choom`, `setpriv` and `prlimit` change settings
of their own process and then run the engine in it. Only bubblewrap keeps running beside the engine. A limit
that this machine cannot set is an error before the first game; it is never ignored.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from protocol.errors import EngineStartError
from protocol.process.machine import Machine
from protocol.process.program import argument_files, find_program
from protocol.spec import EngineSpec, ResourceLimits

__all__ = [
    "OWN_FOLDER",
    "check",
    "command_line",
    "environment",
    "make_folder",
    "remove_abandoned",
    "remove_folder",
    "warnings",
]

OWN_FOLDER: Final = "/home/engine"
"""The home folder and working directory of an engine under bubblewrap: empty and in memory."""

FOLDER_SIZE: Final = 64 << 20
"""The most bytes that an engine under bubblewrap may store in one of its folders in memory."""

MACHINE = Machine()
"""The facts about this machine, which all functions of this module share."""

_KEPT_VARIABLES: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
_SYSTEM_FOLDERS: Final = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
)
_PREFIX: Final = "leapfrog-"


def environment(spec: EngineSpec, folder: str | None) -> dict[str, str]:
    """Return the environment variables of an engine.

    An engine with a folder of its own gets only the few variables that programs need. Another engine gets the
    variables of this process. The ``env`` of the spec is added to both.

    Args:
        spec: the engine's configuration.
        folder: the engine's own folder; None if it has none.
    """
    if folder is None:
        return {**os.environ, "PYTHONUNBUFFERED": "1", **spec.env}
    minimal = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**minimal, "HOME": folder, "TMPDIR": folder, "PYTHONUNBUFFERED": "1", **spec.env}


def command_line(spec: EngineSpec, status: int | None = None) -> list[str]:
    """Return the whole command: the programs for limits and sandbox, the path of the engine, its arguments.

    Args:
        spec: the engine's configuration.
        status: the descriptor to which bubblewrap writes its status reports, in JSON.

    Raises:
        EngineStartError: the program cannot be started, or this machine lacks a program for a limit or for
            the sandbox.
    """
    program = find_program(spec.command, spec.cwd, spec.env.get("PATH"))
    return [
        *_oom_score(),
        *_parent_death_signal(),
        *_bubblewrap(spec, program, status),
        *_limits(spec),
        program,
        *spec.command[1:],
    ]


def check(spec: EngineSpec) -> None:
    """Check that an engine can be started as it is configured.

    Raises:
        EngineStartError: it cannot be started, or would not find a file of its command; the message says what
            to do.
    """
    command_line(spec)
    if spec.sandbox != "none":
        for word, file in argument_files(spec.command, spec.cwd):
            _check_found(spec, word, file)
    if spec.sandbox == "bwrap":
        trouble = _bwrap_trouble()
        if trouble:
            raise EngineStartError(f'sandbox = "bwrap" does not work on this machine: {trouble}')


def warnings(spec: EngineSpec) -> list[str]:
    """Return a sentence for each setting that has no effect here."""
    if spec.limits.processes is not None and os.geteuid() == 0:
        return ["the limit on processes has no effect because arena runs as root; run it as another user"]
    return []


# --- the programs before the engine's command


def _oom_score() -> tuple[str, ...]:
    """Make the kernel kill engines first when memory runs out: no limit counts their shared memory."""
    command = (MACHINE.which("choom") or "choom", "-n", "1000", "--")
    return () if MACHINE.complaint(*command, "true") else command


def _parent_death_signal() -> list[str]:
    """Make the kernel kill the engine when this process dies, if util-linux is installed."""
    setpriv = MACHINE.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []


def _limits(spec: EngineSpec) -> list[str]:
    limits = spec.limits
    prlimit = MACHINE.which("prlimit")
    if prlimit is None:
        if limits == ResourceLimits():
            return []
        raise EngineStartError(
            "its limits need the program prlimit; install util-linux, or remove the limits"
        )
    options = []
    for option, value in (
        ("core", limits.core),
        ("data", limits.memory),
        ("as", limits.address_space),
        ("fsize", limits.file_size),
        ("cpu", limits.cpu),
    ):
        if value is not None:
            options.append(f"--{option}={value}")
    if limits.processes is not None:
        # Under bubblewrap the kernel counts only the processes of the engine, otherwise all of this user.
        others = 0 if spec.sandbox == "bwrap" else _tasks_of_user()
        options.append(f"--nproc={others + limits.processes}")
    return [prlimit, *options, "--"]


def _tasks_of_user() -> int:
    """Count the processes and threads of this user, as the kernel does."""
    count, user = 0, os.getuid()
    for entry in _processes():
        try:
            if entry.stat().st_uid == user:
                count += len(list((entry / "task").iterdir()))
        except OSError:
            pass  # it has just ended
    return count


def _processes() -> Iterator[Path]:
    proc = Path("/proc")
    return (entry for entry in proc.iterdir() if entry.name.isdigit()) if proc.is_dir() else iter(())


def _bubblewrap(spec: EngineSpec, program: str, status: int | None) -> list[str]:
    if spec.sandbox != "bwrap":
        return []
    bwrap = MACHINE.which("bwrap")
    if bwrap is None:
        raise EngineStartError('sandbox = "bwrap" needs the program bwrap; install the package bubblewrap')
    binds = [word for path in _visible_paths(spec, program) for word in ("--ro-bind", _not_home(path), path)]
    report = [] if status is None else ["--json-status-fd", str(status)]
    return [bwrap, *report, *_bwrap_base(), *binds, *_bwrap_end(), "--"]


def _visible_paths(spec: EngineSpec, program: str) -> dict[str, None]:
    """Return the files and folders that an engine sees under bubblewrap beside the system's, each once."""
    return dict.fromkeys((_folder(program), _folder(os.path.realpath(program)), *spec.readable))


def _check_found(spec: EngineSpec, word: str, file: Path) -> None:
    """Check that the engine can find a file of its command from the folder where it starts.

    Args:
        spec: the engine's configuration.
        word: the argument, as it is written in the command.
        file: its path.

    Raises:
        EngineStartError: it cannot; the message says what to do.
    """
    if not Path(word).is_absolute():
        raise EngineStartError(
            f'sandbox = "{spec.sandbox}" starts the engine in an empty folder, where there is no {word};'
            f" write {{cwd}}/{word}"
        )
    program = find_program(spec.command, spec.cwd, spec.env.get("PATH"))
    visible = (*_SYSTEM_FOLDERS, *_visible_paths(spec, program))
    if spec.sandbox == "bwrap" and not any(file.is_relative_to(path) for path in visible):
        raise EngineStartError(
            f'sandbox = "bwrap" hides {file} from the engine; give the engine a folder of its own as cwd, or'
            " name the file in readable"
        )


def _folder(file: str) -> str:
    return str(Path(file).parent)


def _not_home(path: str) -> str:
    """Return ``path``; raise EngineStartError if it is the home folder or contains it."""
    home = Path.home()
    if Path(path) in (home, *home.parents):
        raise EngineStartError(
            f"the sandbox must hide the home folder, but {path} would show it;"
            " give the engine a folder of its own"
        )
    return path


def _bwrap_base() -> list[str]:
    """Return options for new namespaces, no capabilities, and only the system's folders and empty ones."""
    words = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "engine"]
    for path in _SYSTEM_FOLDERS:
        words += ["--ro-bind-try", path, path]
    for path in filter(os.path.lexists, MACHINE.secrets):
        folder = Path(path).is_dir()
        words += ["--tmpfs", path, "--remount-ro", path] if folder else ["--ro-bind", os.devnull, path]
    words += ["--dev", "/dev", "--proc", "/proc"]
    for path in ("/dev/shm", "/tmp", OWN_FOLDER):  # noqa: S108 - inside the sandbox, not ours
        words += ["--size", str(FOLDER_SIZE), "--tmpfs", path]
    return words


def _bwrap_end() -> list[str]:
    """Return the options that follow all mounts: they make the folders around the mounts read-only.

    ``/proc`` is read-only too, because an engine that runs as root could change settings of the whole machine
    there.
    """
    readonly = [word for path in ("/dev", "/proc", "/") for word in ("--remount-ro", path)]
    return [*readonly, *_no_more_namespaces(), "--chdir", OWN_FOLDER]


def _no_more_namespaces() -> tuple[str, ...]:
    """Return the options that keep an engine from making user namespaces.

    In a user namespace an engine would be root, and could mount file systems in memory without a size limit.
    Bubblewrap has these options since version 0.8.
    """
    words = ("--unshare-user", "--disable-userns")
    bwrap = MACHINE.which("bwrap") or "bwrap"
    return () if MACHINE.complaint(bwrap, *words, "--ro-bind", "/", "/", "--", "true") else words


def _bwrap_trouble() -> str:
    """Return bubblewrap's own error if it does not work on this machine; "" if it works."""
    bwrap, true = (MACHINE.which(program) or program for program in ("bwrap", "true"))
    return MACHINE.complaint(bwrap, *_bwrap_base(), *_bwrap_end(), "--", true)


# --- a folder of its own


def make_folder() -> str:
    """Create an empty folder for one engine that runs without bubblewrap.

    Raises:
        OSError: the folder cannot be created.
    """
    return tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")


def remove_folder(folder: str) -> None:
    """Remove an engine's folder with all of its files. Blocks until that is done.

    This runs ``rm``, because removing a million files in Python would delay the clocks in another thread.
    """
    try:
        Path(folder).rmdir()  # most folders are empty
    except OSError:
        for words in (["rm", "-rf"], ["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            if not Path(folder).exists():
                return
            try:
                subprocess.run([*words, "--", folder], capture_output=True, check=False)
            except OSError:
                return  # the next run removes it


def remove_abandoned() -> None:
    """Remove the folders that killed referees have left. Blocks as `remove_folder` does."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            ours = folder.lstat().st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink()
            if ours and number.isdigit() and not _running(int(number)):
                remove_folder(str(folder))
        except OSError:
            pass  # another process has removed it


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
