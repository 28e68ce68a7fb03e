"""This machine: its programs and their errors, secret files, processors, and temporary folders.

A temporary folder is locked while its process uses it. The kernel unlocks it when the process ends, in
any way. So a later process knows which folders killed ones have left, also in other containers.
"""

from __future__ import annotations

import fcntl
import math
import os
import platform
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from protocol.errors import HubFault
from protocol.words import counted

_TIMEOUT = 10.0  # seconds

_SCRATCH = ".leapfrog-new-"  # how the names of hidden folders start, for what is not complete yet

_locks: dict[str, int] = {}
"""The descriptors of this process that lock its folders."""


@cache
def which(program: str) -> str | None:
    """Return the path of a program on `search_path`; None if there is none."""
    return shutil.which(program, path=search_path())


def tool(program: str) -> str:
    """Return the path of a program that every system should have, or else its name."""
    return which(program) or program


def fresh_complaint(*command: str) -> str:
    """Run a command and return its error message; "" if it succeeds."""
    program, *arguments = command
    try:
        completed = subprocess.run(
            (tool(program), *arguments),
            env=os.environ | {"PATH": search_path()},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if completed.returncode == 0:
        return ""
    return completed.stderr.strip() or f"exit code {completed.returncode}"


complaint = cache(fresh_complaint)
"""The same, but the same command runs only once."""


@cache
def secrets() -> tuple[str, ...]:
    """Return what this user may read in ``/etc`` but not every user: for root, passwords and keys."""
    private_paths: list[str] = []
    for root, folders, files in os.walk("/etc"):
        for name in (*folders, *files):
            path = Path(root, name)
            try:
                private = not path.is_symlink() and not path.stat().st_mode & stat.S_IROTH
            except OSError:
                continue  # it has just been removed, or this user may not see it
            if private and os.access(path, os.R_OK):
                private_paths.append(str(path))
                if name in folders:
                    folders.remove(name)
    return tuple(private_paths)


def search_path() -> str:
    """Return the PATH with the folders of the system's tools, which the PATH of a service may lack."""
    return os.pathsep.join((*filter(None, [os.environ.get("PATH")]), os.defpath))


def usable_cores() -> list[int]:
    """Return a processor of each core that this process may use, in order.

    Processors that share a core (hyper-threading) are one. There are at most as many as a container's quota
    of processor time is worth.
    """
    if not hasattr(os, "sched_getaffinity"):
        return list(range(os.cpu_count() or 1))
    cores = sorted({min(processors_of(processor)) for processor in os.sched_getaffinity(0)})
    return cores[: max(1, int(min(_granted(), len(cores))))]


def processors_of(processor: int) -> frozenset[int]:
    """Return the processors that share a core with one, as far as this process may use them."""
    return frozenset(shared_core(processor) & os.sched_getaffinity(0)) | {processor}


def shared_core(processor: int) -> set[int]:
    """Return all processors that share a core with one, and this one."""
    text = _text(Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list"))
    ranges = (part.partition("-") for part in text.strip().split(",") if part)
    return {processor}.union(*(range(int(first), int(last or first) + 1) for first, _, last in ranges))


def _granted() -> float:
    """Return how many processors the control groups of this process may use, by their quotas."""
    granted = math.inf
    for line in _text(Path("/proc/self/cgroup")).splitlines():
        _, controllers, name = line.split(":", 2)
        if not controllers or "cpu" in controllers.split(","):  # version 2 has no controllers here
            group = Path("/sys/fs/cgroup", "cpu" if controllers else "", name.strip("/"))
            for folder in (group, *group.parents):  # in a container, some of them are not there
                old = _text(folder / "cpu.cfs_quota_us") + _text(folder / "cpu.cfs_period_us")
                words = (_text(folder / "cpu.max") or old).split()
                if len(words) == 2 and words[0].isdigit():  # else there is no limit
                    granted = min(granted, int(words[0]) / int(words[1]))
    return granted


def make_folder() -> str:
    """Create an empty folder, which only this user can enter, or raise HubFault."""
    try:
        return make_locked_folder(tempfile.gettempdir(), f"leapfrog-{os.getpid()}-arena-")
    except OSError as error:
        raise HubFault(f"this machine can make no temporary folder: {error.strerror}") from error


def make_locked_folder(place: str | Path, prefix: str) -> str:
    """Create an empty folder, as `make_folder`, in a place; no other process removes it."""
    while True:
        folder = tempfile.mkdtemp(prefix=prefix, dir=place)
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # another process has taken it for an abandoned one
            continue
        with suppress(OSError):  # a drive that knows no locks: nobody removes a folder there
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if Path(folder).is_dir():
            _locks[folder] = descriptor
            return folder
        os.close(descriptor)


def remove_folder(folder: str) -> None:
    """Remove a folder with `rm`; removing many files in Python would delay the clocks in another thread."""
    if folder in _locks:
        os.close(_locks.pop(folder))
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


def remove_abandoned_folders(place: Path | None = None, names: str = "leapfrog-[0-9]*-arena-*") -> None:
    """Remove the folders of this user that killed processes have left; blocks."""
    for folder in (place or Path(tempfile.gettempdir())).glob(names):
        with suppress(OSError), ExitStack() as stack:  # another process uses it, or has removed it
            if folder.lstat().st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink():
                folder.chmod(0o700)  # its engine may have closed it
                descriptor = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_folder(str(folder))


def cache_folder() -> Path:
    """Return the folder for what arena can make again; the variable ``XDG_CACHE_HOME`` names its parent."""
    usual = os.path.expanduser("~/.cache")  # noqa: PTH111 - Path's own fails for a user without a home
    return Path(os.environ.get("XDG_CACHE_HOME") or usual, "leapfrog-arena")


@contextmanager
def scratch_folder(place: Path) -> Iterator[Path]:
    """Yield an empty folder in a folder, which is made if it is missing. OSError: the disk refuses it.

    It is removed after the block. Before it, those are removed that killed programs have left.
    """
    place.mkdir(parents=True, exist_ok=True)
    remove_abandoned_folders(place, f"{_SCRATCH}*")
    folder = make_locked_folder(place, _SCRATCH)
    try:
        yield Path(folder)
    finally:
        remove_folder(folder)


def process_stats() -> Iterator[tuple[int, list[str]]]:
    """Yield each process id of this machine, and the fields of its ``stat`` file from the state on (Linux).

    These are: state, parent, process group, session, and so on.
    """
    # It is called often, and there can be thousands of processes: pathlib takes twice as long.
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", buffering=0) as file:  # noqa: PTH123
                    stat = file.read()
            except OSError:
                continue  # it has just ended
            yield int(name), stat.rpartition(b")")[2].decode("ascii").split()


def machine_name() -> str:
    """Return what this machine is: its processor, the number of its usable cores, and its system."""
    names = re.search(r"^model name\s*:\s*(.+)$", _text(Path("/proc/cpuinfo")), re.MULTILINE)
    processor = names[1] if names else platform.processor() or platform.machine()
    cores = counted(len(usable_cores()), "core")
    return f"{' '.join(processor.split())}, {cores}, {platform.system()} {platform.machine()}"


def _text(path: Path) -> str:
    """Return the text of a file of the kernel; "" if this system has none."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
