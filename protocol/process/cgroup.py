"""A control group for each engine (cgroup v2), so that the kernel kills all of its processes at once.

A process enters a group for good, and so does everything that it starts, even a daemon. One byte written to
``cgroup.kill`` (Linux 5.14) kills all of them, stopped ones too, and none can escape by a fork.

This process needs the right to make groups inside its own: root has it, unless a container takes it away;
users have it in groups that systemd delegates to them, for example under ``systemd-run --user --scope``. The
groups are ``leapfrog-NAMESPACE-PID/NUMBER``: the process namespace and id of the process that starts the
engines, and a number for each engine.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

from protocol.process import machine
from protocol.process.machine import running

_PREFIX = "leapfrog"
_TIMEOUT = 5.0
_PAUSE = 0.005
_ENTER = 'echo 0 >"$0"/cgroup.procs || [ -d "$0" ] && exec "$@"'
"""The shell enters the group and becomes the engine.

It goes on without the group if the kernel lacks memory. But if there is no group any more, the process that
started the shell has been killed, and the engine must not start.
"""

_numbers = count(1)


def own_folder() -> Path | None:
    """Return the folder of the control group of this process; None if there is no cgroup v2."""
    try:
        groups = Path("/proc/self/cgroup").read_text(encoding="utf-8")
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    except OSError:
        return None
    return _find(groups, mounts)


def _find(groups: str, mounts: str) -> Path | None:
    """Return the folder of the group that ``/proc/self/cgroup`` names, below a mount of cgroup v2."""
    own = next((line.removeprefix("0::") for line in groups.splitlines() if line.startswith("0::")), None)
    if own is None:
        return None
    for line in mounts.splitlines():
        fields, _, kind = line.partition(" - ")
        root, point = map(_unescape, fields.split(" ")[3:5])
        if kind.startswith("cgroup2 ") and Path(own).is_relative_to(root):
            return Path(point) / Path(own).relative_to(root)
    return None


def _unescape(text: str) -> str:
    """Return a path of ``mountinfo``, which writes a space as an octal number."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)


@cache
def trouble() -> str:
    """Try to run a process in a group, and return why this fails; "" if it works."""
    own = own_folder()
    if own is None:
        return "cgroup v2 is not mounted"
    try:
        group = make("probe")
    except OSError as error:
        return f"{own}: {error.strerror}"
    try:
        if not os.access(group / "cgroup.kill", os.W_OK):
            return "there is no cgroup.kill, which Linux has since 5.14"
        return machine.complaint("sh", "-c", 'echo 0 >"$0"/cgroup.procs', str(group))
    finally:
        remove(group.parent)


def folder_of(pid: int) -> Path | None:
    """Return the folder for the groups of a process's engines; None if there is no cgroup v2."""
    own = own_folder()
    return None if own is None else own / f"{_PREFIX}-{_namespace()}-{pid}"


def _namespace() -> int:
    """Return the number of the process namespace: process ids are unique only inside it."""
    return Path("/proc/self/ns/pid").stat().st_ino


def make(name: str | None = None) -> Path:
    """Make a group for one engine, with a name or the next number, or raise OSError."""
    parent = folder_of(os.getpid())
    if parent is None:
        raise FileNotFoundError("cgroup v2 is not mounted")
    with suppress(FileExistsError):
        parent.mkdir()
    group = parent / (name or str(next(_numbers)))
    group.mkdir()
    return group


def enter(group: Path) -> list[str]:
    """Return the words before a command that start it in a group."""
    return [machine.tool("sh"), "-c", _ENTER, str(group)]


def kill(group: Path) -> None:
    """Kill all processes of a group and of the groups in it, even stopped ones. Does not wait."""
    with suppress(OSError):  # it has gone
        (group / "cgroup.kill").write_text("1", encoding="ascii")


def remove(group: Path) -> None:
    """Kill all processes of a group, and remove it and the groups in it. Blocks for five seconds at most."""
    end = time.monotonic() + _TIMEOUT
    while group.is_dir():
        kill(group)
        for folder in (*_inside(group), group):
            with suppress(OSError):  # its processes are still ending
                folder.rmdir()
        if not group.is_dir() or time.monotonic() > end:
            return
        time.sleep(_PAUSE)


def _inside(group: Path) -> list[Path]:
    try:
        return [entry for entry in group.iterdir() if entry.is_dir()]
    except OSError:
        return []


def remove_abandoned() -> None:
    """Remove the groups of processes that were killed, with all that still runs in them."""
    for group in _abandoned(own_folder()):
        remove(group)


def _abandoned(own: Path | None) -> Iterator[Path]:
    for group in () if own is None else own.glob(f"{_PREFIX}-{_namespace()}-[0-9]*"):
        number = group.name.rpartition("-")[2]
        if number.isdigit() and not running(int(number)):
            yield group
