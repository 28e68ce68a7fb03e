"""Chooses how the kernel kills the processes of an engine, so that none of them outlives the engine.

A daemon leaves the engine's process group, and a daemon that forks and exits in a tight loop is quicker than
any program that looks for it. Only the kernel can end such a daemon. Of the kinds below, the first one that
works on this machine is used. Under bubblewrap, an engine has a process namespace in any case.

A control group comes first, because an engine does not notice it. In a process namespace, process ids repeat:
for example, the Java runtimes of two engines write to the same file in ``/tmp/hsperfdata_USER``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

from protocol.process import cgroup, machine

ContainmentKind = Literal["cgroup", "namespace", "none"]

VARIABLE: Final = "ARENA_CONTAINMENT"
"""The environment variable by which tests choose a kind. A kind that does not work here becomes ``none``."""

BWRAP: Final = "bubblewrap gives each engine a process namespace; the kernel kills its leftover processes"
"""The sentence for engines with ``sandbox = "bwrap"``."""


@dataclass(frozen=True, slots=True)
class Containment:
    """The kind that this machine offers, and what it means, in a sentence for people."""

    kind: ContainmentKind
    text: str


def containment() -> Containment:
    """Return the best kind that works here. The first call tries them out, which takes some milliseconds."""
    return _choose(os.environ.get(VARIABLE, ""))


@cache
def _choose(wanted: str) -> Containment:
    allowed = (wanted,) if wanted in get_args(ContainmentKind) else get_args(ContainmentKind)
    if "cgroup" in allowed and not cgroup.trouble():
        return Containment(
            "cgroup",
            f"each engine has a control group in {cgroup.own_folder()};"
            " the kernel kills its leftover processes",
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
