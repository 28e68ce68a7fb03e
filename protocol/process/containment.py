"""Chooses how the kernel kills the processes of an engine, so that none of them outlives the engine.

A daemon leaves the engine's process group, and a daemon that forks and exits in a tight loop is quicker than
any program that looks for it. Only the kernel can end such a daemon. Of the kinds below, the first one that
works on this machine is used. Under bubblewrap, an engine has a process namespace in any case.

- A *control group* (cgroup v2): a process enters it for good, and so does everything that it starts, even a
  daemon. One byte written to ``cgroup.kill`` (Linux 5.14) kills all of them, stopped ones too. This process
  needs the right to make groups inside its own: root has it, unless a container takes it away; users have it
  in groups that systemd delegates to them, for example under ``systemd-run --user --scope``. The groups are
  ``leapfrog-NAMESPACE-PID/NUMBER``: the process namespace and id of the process that starts the engines, and
  a number for each engine.
- A *process namespace*. It comes second, because process ids repeat in it: for example, the Java runtimes of
  two engines write to the same file in ``/tmp/hsperfdata_USER``.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final, Literal, get_args

from protocol.process import machine

ContainmentKind = Literal["cgroup", "namespace", "none"]

VARIABLE: Final = "ARENA_CONTAINMENT"
"""The environment variable by which tests choose a kind. A kind that does not work here becomes ``none``."""


@dataclass(frozen=True, slots=True)
class Containment:
    """The kind that this machine offers, and what it means, in a sentence for people."""

    kind: ContainmentKind
    text: str


def available() -> Containment:
    """Return the best kind that works here. The first call tries them out, which takes some milliseconds."""
    return _choose(os.environ.get(VARIABLE, ""))


@cache
def _choose(wanted: str) -> Containment:
    allowed = (wanted,) if wanted in get_args(ContainmentKind) else get_args(ContainmentKind)
    if "cgroup" in allowed and not group_trouble():
        return Containment(
            "cgroup",
            f"each engine has a control group in {own_group()}; the kernel kills its leftover processes",
        )
    if "namespace" in allowed and not namespace_trouble():
        return Containment(
            "namespace", "each engine has a process namespace; the kernel kills its leftover processes"
        )
    return Containment(
        "none",
        "neither control groups nor process namespaces work here: arena kills the daemons that it finds, but"
        " one that forks in a tight loop can survive",
    )


def namespace() -> list[str]:
    """Return the words before a command that start it in a process namespace.

    Signals that the first process of a namespace does not handle have no effect on it. So this is a shell,
    and the engine is the second process. If a signal N ends the engine, the shell's exit code is 128 + N.
    """
    # Root keeps its rights over files only without a user namespace.
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    unshare, sh = map(machine.tool, ("unshare", "sh"))
    return [unshare, *user, "--pid", "--fork", "--kill-child=KILL", "--", sh, "-c", '"$@"; exit $?', "sh"]


def namespace_trouble() -> str:
    """Return the error of `unshare` if it cannot make a process namespace; "" if it can."""
    return machine.complaint(*namespace(), "true")


# --- control groups ---------------------------------------------------------------------------------------

_PREFIX = "leapfrog"
_REMOVED_WITHIN = 5.0
_PAUSE = 0.005
_ENTER = 'echo 0 >"$0"/cgroup.procs || [ -d "$0" ] && exec "$@"'
"""The shell enters the group and becomes the engine.

It goes on without the group if the kernel lacks memory. But if there is no group any more, the process that
started the shell has been killed, and the engine must not start.
"""

_numbers = count(1)


def own_group() -> Path | None:
    """Return the folder of the control group of this process; None if there is no cgroup v2."""
    try:
        groups = Path("/proc/self/cgroup").read_text(encoding="utf-8")
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    except OSError:
        return None
    return _find_group(groups, mounts)


def _find_group(groups: str, mounts: str) -> Path | None:
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
def group_trouble() -> str:
    """Try to run a process in a group, and return why this fails; "" if it works."""
    own = own_group()
    if own is None:
        return "cgroup v2 is not mounted"
    try:
        group = make_group("probe")
    except OSError as error:
        return f"{own}: {error.strerror}"
    try:
        if not os.access(group / "cgroup.kill", os.W_OK):
            return "there is no cgroup.kill, which Linux has since 5.14"
        return machine.complaint("sh", "-c", 'echo 0 >"$0"/cgroup.procs', str(group))
    finally:
        remove_group(group.parent)


def groups_of(pid: int) -> Path | None:
    """Return the folder for the groups of a process's engines; None if there is no cgroup v2."""
    own = own_group()
    return None if own is None else own / f"{_PREFIX}-{_namespace()}-{pid}"


def _namespace() -> int:
    """Return the number of the process namespace: process ids are unique only inside it."""
    return Path("/proc/self/ns/pid").stat().st_ino


def make_group(name: str | None = None) -> Path:
    """Make a group for one engine, with a name or the next number, or raise OSError."""
    parent = groups_of(os.getpid())
    if parent is None:
        raise FileNotFoundError("cgroup v2 is not mounted")
    with suppress(FileExistsError):
        parent.mkdir()
    group = parent / (name or str(next(_numbers)))
    group.mkdir()
    return group


def enter_group(group: Path) -> list[str]:
    """Return the words before a command that start it in a group."""
    return [machine.tool("sh"), "-c", _ENTER, str(group)]


def kill_group(group: Path) -> None:
    """Kill all processes of a group and of the groups in it, even stopped ones. Does not wait."""
    with suppress(OSError):  # it has gone
        (group / "cgroup.kill").write_text("1", encoding="ascii")


def remove_group(group: Path) -> None:
    """Kill all processes of a group, and remove it and the groups in it. Blocks for five seconds at most."""
    end = time.monotonic() + _REMOVED_WITHIN
    while group.is_dir():
        kill_group(group)
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


def remove_abandoned_groups() -> None:
    """Remove the groups of processes that were killed, with all that still runs in them."""
    for group in _abandoned(own_group()):
        remove_group(group)


def _abandoned(own: Path | None) -> Iterator[Path]:
    for group in () if own is None else own.glob(f"{_PREFIX}-{_namespace()}-[0-9]*"):
        number = group.name.rpartition("-")[2]
        if number.isdigit() and not machine.running(int(number)):
            yield group
