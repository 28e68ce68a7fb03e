"""Facts about this machine: installed programs and their errors, secret files, processors, processes."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from functools import cached_property
from pathlib import Path

_TIMEOUT = 10.0  # seconds


class Machine:
    """The machine on which this program runs. The object asks for each fact once and keeps the answer."""

    def __init__(self) -> None:
        self._programs: dict[str, str | None] = {}
        self._complaints: dict[tuple[str, ...], str] = {}

    def which(self, program: str) -> str | None:
        """Return the path of a program on `search_path`; None if there is none."""
        if program not in self._programs:
            self._programs[program] = shutil.which(program, path=search_path())
        return self._programs[program]

    def complaint(self, *command: str) -> str:
        """Run a command and return its error message; "" if it succeeds."""
        if command not in self._complaints:
            self._complaints[command] = _complaint((self.which(command[0]) or command[0], *command[1:]))
        return self._complaints[command]

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """What this user may read in ``/etc`` but not every user: for root, passwords and keys."""
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


MACHINE = Machine()
"""The facts about this machine, which all modules share."""


def search_path() -> str:
    """Return the PATH with the folders of `os.defpath`, where the tools of the system are.

    The PATH of a service may lack them.
    """
    return os.pathsep.join((*filter(None, [os.environ.get("PATH")]), os.defpath))


def usable_cores() -> list[int]:
    """Return the processors that this process may use, in order."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def running(pid: int) -> bool:
    """Return whether a process with this id runs.

    One that has ended keeps its id until its parent reads its exit status. In a container the first process
    may never read it, so on Linux the state of the process counts.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return process_state(pid) not in ("Z", "X")


def process_state(pid: int) -> str:
    """Return the letter in ``/proc/PID/stat``, or "" if there is none: R runs, T is stopped, Z has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0].decode()
    except (OSError, IndexError):  # another system, or the process is gone
        return ""


def _complaint(command: tuple[str, ...]) -> str:
    try:
        completed = subprocess.run(
            command,
            env=os.environ | {"PATH": search_path()},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (
        "" if completed.returncode == 0 else completed.stderr.strip() or f"exit code {completed.returncode}"
    )
