"""What an engine may use and see: environment, folder, limits, and the programs that hold it to them.

Of those programs only bubblewrap stays between us and the engine; `setpriv` and `prlimit` set what they set
and then become the engine. A limit that cannot be set is an error before the first game, never left out.
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
"""Where an engine under bubblewrap starts: an empty folder in memory, also its home."""

FOLDER_SIZE: Final = 64 << 20
"""Bytes that the files of an engine under bubblewrap may have in one folder."""

MACHINE = Machine()
"""What the functions of this module know of the machine: what they have asked it once."""

_KEPT: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
_SYSTEM: Final = (
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
    """The environment of an engine: ours, or the least that programs need when it has a folder of its own.

    ``env`` of the spec comes on top of either.
    """
    if folder is None:
        return {**os.environ, "PYTHONUNBUFFERED": "1", **spec.env}
    least = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**least, "HOME": folder, "TMPDIR": folder, "PYTHONUNBUFFERED": "1", **spec.env}


def command_line(spec: EngineSpec, status: int | None = None) -> list[str]:
    """The whole command: programs that set limits and walls, the engine's program as a path, its arguments.

    Args:
        spec: the engine's configuration.
        status: the descriptor to which bubblewrap is to tell what becomes of the engine, in JSON.

    Raises:
        EngineStartError: the program cannot be started, or a limit or the sandbox cannot be had here.
    """
    program = find_program(spec.command, spec.cwd, spec.env.get("PATH"))
    return [
        *_first_victim(),
        *_death_signal(),
        *_walls(spec, program, status),
        *_limits(spec),
        program,
        *spec.command[1:],
    ]


def check(spec: EngineSpec) -> None:
    """See whether an engine can be started as it is configured.

    Raises:
        EngineStartError: it cannot, or would not find a file of its command; the message says what to do.
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
    """What is configured but does not hold."""
    if spec.limits.processes is not None and os.geteuid() == 0:
        return ["arena runs as root, whom no limit on processes binds; run it as another user"]
    return []


# --- the programs in front


def _first_victim() -> tuple[str, ...]:
    """Makes the kernel end engines first when memory runs out: what they share has no limit."""
    words = (MACHINE.which("choom") or "choom", "-n", "1000", "--")
    return () if MACHINE.complaint(*words, "true") else words


def _death_signal() -> list[str]:
    """Makes the kernel kill the engine when we are killed, where util-linux is there to ask for it."""
    setpriv = MACHINE.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []


def _limits(spec: EngineSpec) -> list[str]:
    limits = spec.limits
    prlimit = MACHINE.which("prlimit")
    if prlimit is None:
        if limits == ResourceLimits():
            return []
        raise EngineStartError("its limits need the program prlimit; install util-linux, or leave limits out")
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
        # Under bubblewrap the engine's processes are counted by themselves, else with all of this user's.
        others = 0 if spec.sandbox == "bwrap" else _tasks_of_user()
        options.append(f"--nproc={others + limits.processes}")
    return [prlimit, *options, "--"]


def _tasks_of_user() -> int:
    """Processes and threads of this user now, as the kernel counts them."""
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


def _walls(spec: EngineSpec, program: str, status: int | None) -> list[str]:
    if spec.sandbox != "bwrap":
        return []
    bwrap = MACHINE.which("bwrap")
    if bwrap is None:
        raise EngineStartError('sandbox = "bwrap" needs the program bwrap; install the package bubblewrap')
    binds = [word for path in _shown(spec, program) for word in ("--ro-bind", _not_home(path), path)]
    told = [] if status is None else ["--json-status-fd", str(status)]
    return [bwrap, *told, *_bwrap_base(), *binds, *_bwrap_end(), "--"]


def _shown(spec: EngineSpec, program: str) -> dict[str, None]:
    """The files and folders that bubblewrap shows an engine beside those of the system, each once."""
    return dict.fromkeys((_folder(program), _folder(os.path.realpath(program)), *spec.readable))


def _check_found(spec: EngineSpec, word: str, file: Path) -> None:
    """See that an argument that is a file can be found from where the engine starts.

    Raises:
        EngineStartError: it can't.
    """
    if not Path(word).is_absolute():
        raise EngineStartError(
            f'sandbox = "{spec.sandbox}" starts it in an empty folder, where there is no {word};'
            f" write {{cwd}}/{word}"
        )
    shown = (*_SYSTEM, *_shown(spec, find_program(spec.command, spec.cwd, spec.env.get("PATH"))))
    if spec.sandbox == "bwrap" and not any(file.is_relative_to(path) for path in shown):
        raise EngineStartError(
            f'sandbox = "bwrap" hides {file} from it; give the engine a folder of its own as cwd, or name the'
            " file in readable"
        )


def _folder(file: str) -> str:
    return str(Path(file).parent)


def _not_home(path: str) -> str:
    """``path``, unless it would show the home folder."""
    home = Path.home()
    if Path(path) in (home, *home.parents):
        raise EngineStartError(
            f"a sandbox hides the home folder, and {path} would show it; give the engine a folder of its own"
        )
    return path


def _bwrap_base() -> list[str]:
    """New namespaces of every kind, no rights, and of the file system only what programs need to run."""
    words = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "engine"]
    for path in _SYSTEM:
        words += ["--ro-bind-try", path, path]
    for path in filter(os.path.lexists, MACHINE.secrets):
        folder = Path(path).is_dir()
        words += ["--tmpfs", path, "--remount-ro", path] if folder else ["--ro-bind", os.devnull, path]
    words += ["--dev", "/dev", "--proc", "/proc"]
    for path in ("/dev/shm", "/tmp", OWN_FOLDER):  # noqa: S108 - inside the sandbox, not ours
        words += ["--size", str(FOLDER_SIZE), "--tmpfs", path]
    return words


def _bwrap_end() -> list[str]:
    """After all mounts: what bubblewrap itself made to hold them must not be written to either.

    Nor must ``/proc``: if we are root, an engine could set there how the whole machine runs.
    """
    readonly = [word for path in ("/dev", "/proc", "/") for word in ("--remount-ro", path)]
    return [*readonly, *_no_more_namespaces(), "--chdir", OWN_FOLDER]


def _no_more_namespaces() -> tuple[str, ...]:
    """Keeps an engine from being root in a namespace of its own, with file systems in memory of any size.

    Bubblewrap can do that from version 0.8 on.
    """
    words = ("--unshare-user", "--disable-userns")
    bwrap = MACHINE.which("bwrap") or "bwrap"
    return () if MACHINE.complaint(bwrap, *words, "--ro-bind", "/", "/", "--", "true") else words


def _bwrap_trouble() -> str:
    """What keeps bubblewrap from working here, in its own words; "" for nothing."""
    bwrap, true = (MACHINE.which(program) or program for program in ("bwrap", "true"))
    return MACHINE.complaint(bwrap, *_bwrap_base(), *_bwrap_end(), "--", true)


# --- a folder of its own


def make_folder() -> str:
    """A new empty folder for one engine, without bubblewrap.

    Raises:
        OSError: the machine has no room for one.
    """
    return tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")


def remove_folder(folder: str) -> None:
    """Remove an engine's folder, whatever it made in there. Blocks for as long as that takes.

    A program does it: Python would, for a million files, hold up the clocks in another thread.
    """
    try:
        Path(folder).rmdir()  # most are empty
    except OSError:
        for words in (["rm", "-rf"], ["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            if not Path(folder).exists():
                return
            try:
                subprocess.run([*words, "--", folder], capture_output=True, check=False)
            except OSError:
                return  # left for the next run


def remove_abandoned() -> None:
    """Remove the folders of referees that were killed before they could. Blocks as `remove_folder` does."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            ours = folder.lstat().st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink()
            if ours and number.isdigit() and not _running(int(number)):
                remove_folder(str(folder))
        except OSError:
            pass  # somebody else was quicker


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
