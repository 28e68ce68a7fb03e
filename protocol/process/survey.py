"""Lists what this machine offers for engines: containment, sandboxes, limits."""

from __future__ import annotations

import os
import platform
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from protocol.plurals import counted
from protocol.process import bubblewrap, cgroup, lifetime
from protocol.process.containment import containment, namespace_trouble
from protocol.process.machine import MACHINE, usable_cores


@dataclass(frozen=True, slots=True)
class Facility:
    """One thing that a machine may offer.

    Attributes:
        name: its name.
        works: whether the machine offers it.
        text: what it is here, or why it is missing and what follows from that.
    """

    name: str
    works: bool
    text: str


def survey() -> tuple[Facility, ...]:
    """Try out everything and return the results. This starts a few short processes, but no engine."""
    return (*_system(), *_containment(), *_sandboxes(), *_limits())


def _system() -> Iterator[Facility]:
    yield Facility("system", True, f"{platform.system()} {platform.release()} {platform.machine()}")
    yield Facility("Python", True, f"{platform.python_version()}, {sys.executable}")
    if os.geteuid() == 0:
        yield Facility("ordinary user", False, "this is root: engines without bubblewrap can do anything")
    else:
        yield Facility("ordinary user", True, f"user {os.geteuid()}")
    affinity = hasattr(os, "sched_getaffinity")
    pinning = "can be pinned" if affinity else "the system cannot pin processes"
    yield Facility("pinning", affinity, f"{counted(len(usable_cores()), 'processor')}: {pinning}")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield Facility("open files", True, f"at most {files} in a process")


def _containment() -> Iterator[Facility]:
    found = containment()
    yield Facility("containment", found.kind != "none", f"{found.kind}: {found.text}")
    yield _tried("control groups", cgroup.trouble(), "can be made (cgroup v2)")
    yield _tried("process namespaces", namespace_trouble(), "can be made")
    yield _tried(
        "parent-death signal",
        _absent("setpriv"),
        "the kernel kills engines whose referee was killed",
        "; an engine can outlive a killed referee",
    )
    adopting = lifetime.adopts_orphans() or lifetime.adopt_orphans()
    yield Facility(
        "daemons", adopting, "arena finds and kills them" if adopting else "the system does not show them"
    )
    pidfd = hasattr(os, "pidfd_open")
    end = "at once" if pidfd else "after a moment, because the system or this Python has no pidfds"
    yield Facility("end of an engine", pidfd, f"arena notices it {end}")


def _sandboxes() -> Iterator[Facility]:
    yield Facility('sandbox = "folder"', True, "works")
    works = "works" if bubblewrap.user() is None else "works; engines run as the user nobody"
    yield _tried('sandbox = "bwrap"', _absent("bwrap") or bubblewrap.trouble(), works)


def _limits() -> Iterator[Facility]:
    yield _tried("limits", _absent("prlimit"), "prlimit sets them", "; no limits can be set")
    choom = _absent("choom") or MACHINE.complaint("choom", "-n", "1000", "--", "true")
    yield _tried("out of memory", choom, "the kernel kills engines first (choom)")


def _absent(program: str) -> str:
    return "" if MACHINE.which(program) else f"the program {program} is not installed"


def _tried(name: str, trouble: str, works: str, otherwise: str = "") -> Facility:
    return Facility(name, not trouble, f"{' '.join(trouble.split())}{otherwise}" if trouble else works)
