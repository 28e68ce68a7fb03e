"""What this machine can do for a sandbox: which programs it has, what they refuse, what must be hidden."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from functools import cached_property
from pathlib import Path

__all__ = ["Machine"]

_PATIENCE = 10.0


class Machine:
    """The machine that we run on. Each question is put to it once; the answer is kept with the object."""

    def __init__(self) -> None:
        self._programs: dict[str, str | None] = {}
        self._complaints: dict[tuple[str, ...], str] = {}

    def which(self, program: str) -> str | None:
        """The path of a program; None when it is not installed."""
        if program not in self._programs:
            self._programs[program] = shutil.which(program)
        return self._programs[program]

    def complaint(self, *command: str) -> str:
        """What a command says when it does not end well here; "" when it does."""
        if command not in self._complaints:
            self._complaints[command] = _complaint(command)
        return self._complaints[command]

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """The system's settings that we may read and not everybody: passwords and keys, if we are root."""
        found: list[str] = []
        for root, folders, files in os.walk("/etc"):
            for name in (*folders, *files):
                path = Path(root, name)
                try:
                    private = not path.is_symlink() and not path.stat().st_mode & stat.S_IROTH
                except OSError:
                    continue  # it has just gone, or is not even shown to us
                if private and os.access(path, os.R_OK):
                    found.append(str(path))
                    if name in folders:
                        folders.remove(name)
        return tuple(found)


def _complaint(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"
