"""What a run leaves on the machine: processes, control groups, folders."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from protocol.process import containment

__all__ = ["Traces", "command_line", "descendants"]

PATIENCE = 2.0
"""Seconds after the end of arena in which everything else must have ended."""

LONG = 10.0
"""Seconds after which that will never happen."""


class Traces:
    """Looks for what a run has left.

    Args:
        mark: a word in the environment or the command line of each of its processes.
        folder: the folder for temporary files of the run.
        spared: the processes with the mark that need not end with the run.
        patience: seconds after the end of arena in which everything else must have ended.
    """

    def __init__(
        self,
        mark: str,
        folder: Path,
        spared: Callable[[], Iterable[int]] = tuple,
        patience: float = PATIENCE,
    ) -> None:
        self._spared = spared
        self._patience = patience
        self._mark = mark.encode()
        self._folder = folder
        self._seen: set[int] = set()

    def note(self, pids: Iterable[int]) -> None:
        """Remember processes that may have made control groups."""
        self._seen |= set(pids)

    def processes(self) -> list[int]:
        """Return the processes of the run that are no zombies."""
        spared = set(self._spared())
        return [
            pid for pid in _all() if pid not in spared and self._is_marked(pid) and _state(pid) not in "ZX"
        ]

    def _is_marked(self, pid: int) -> bool:
        return any(self._mark in _read(pid, name) for name in ("cmdline", "environ"))

    def left(self) -> list[str]:
        """Return what is there now, in words."""
        # A daemon that forks all the time can hide from one look.
        pids = sorted({pid for _ in range(3) for pid in self.processes()})
        words = [
            f"process {pid} ({_state(pid)}) {command_line(pid).decode(errors='replace')}" for pid in pids
        ]
        return words + [f"control group {group}" for group in self._groups()]

    def _groups(self) -> list[Path]:
        """Return the control groups of processes that were seen and have ended."""
        folders = (containment.groups_of(pid) for pid in self._seen if not _read(pid, "stat"))
        return [folder for folder in folders if folder is not None and folder.is_dir()]

    def folders(self) -> list[str]:
        """Return the folders of engines, and of workers that were killed: the next ones remove them."""
        end = time.monotonic() + self._patience - PATIENCE
        while (found := self._found_folders()) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def _found_folders(self) -> list[str]:
        spared = tuple(f"leapfrog-{pid}-" for pid in self._spared())
        found = self._folder.glob("leapfrog-[0-9]*")
        return [f"folder {entry}" for entry in found if not entry.name.startswith(spared)]

    def fault(self) -> str:
        """Wait until nothing is left; return what is left after a while, or "". It is killed then."""
        begun = time.monotonic()
        late: list[str] = []
        while left := self.left():
            waited = time.monotonic() - begun
            if waited > self._patience and not late:
                late = left
            if waited > self._patience + LONG:
                self.kill()
                return f"left for good: {'; '.join(left)}"
            time.sleep(0.05)
        return f"left after {self._patience:g} s, but not for good: {'; '.join(late)}" if late else ""

    def kill(self) -> None:
        """Kill all processes of the run."""
        for _ in range(20):
            for pid in self.processes():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it has just ended


def descendants(pid: int) -> list[int]:
    """Return the children of a process, their children, and so on."""
    parents = {
        child: int(stat.rpartition(b")")[2].split()[1]) for child in _all() if (stat := _read(child, "stat"))
    }
    found = [pid]
    for parent in found:
        found += [child for child, its in parents.items() if its == parent]
    return found[1:]


def command_line(pid: int) -> bytes:
    """Return the words of a process's command, with spaces; nothing if it has ended."""
    return _read(pid, "cmdline").replace(b"\0", b" ").strip()


def _all() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _state(pid: int) -> str:
    words = _read(pid, "stat").rpartition(b")")[2].split()
    return words[0].decode() if words else "X"
