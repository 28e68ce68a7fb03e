"""A process that outlives this one for a moment, to kill what engines have started.

If this process is killed, it cannot kill its engines. The kernel kills each engine by its parent-death
signal, but not the processes that an engine has started. So the guard kills the engines' control groups or,
without control groups, their process groups. It is a shell that waits for the end of its input, which is a
pipe from this process. The parent-death signal SIGCONT wakes it, even if somebody has stopped it.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from protocol.process.machine import MACHINE, search_path
from protocol.process.parent import death_signal

__all__ = ["Guard"]

_SCRIPT = (
    'groups=" "; while read -r sign id; do case $sign$groups in +*" $id "*) ;; +*) groups="$groups$id ";;'
    ' *" $id "*) groups="${groups%% $id *} ${groups#* $id }";; esac; done;'
    ' for id in $groups; do kill -KILL "-$id"; done;'
    ' tries=100; while [ -d "$0" ] && [ $tries -gt 0 ]; do tries=$((tries - 1));'
    ' echo 1 >"$0"/cgroup.kill; rmdir "$0"/*/ "$0" || sleep 0.1; done'
)
_ANNOUNCE = 'echo "+ $$" >"$0" || kill -0 $PPID && exec "$@"'
"""The shell tells the guard about itself and becomes the engine, unless the referee has ended."""


class Guard:
    """A running guard. Start it in a thread that lives as long as this process.

    Args:
        group: the control group that the guard kills and removes, with all groups in it; None if there is
            none.

    Attributes:
        pid: the guard's process id.

    Raises:
        OSError: the guard cannot be started.
    """

    def __init__(self, group: Path | None) -> None:
        self._popen = subprocess.Popen(
            [*death_signal("CONT"), MACHINE.which("sh") or "sh", "-c", _SCRIPT, str(group or "")],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=os.environ | {"PATH": search_path()},
            start_new_session=True,  # Ctrl-C must not end it
        )
        self.pid = self._popen.pid
        assert self._popen.stdin is not None
        self._pipe = self._popen.stdin
        os.set_blocking(self._pipe.fileno(), False)

    @property
    def alive(self) -> bool:
        """Whether the guard is still running."""
        return self._popen.poll() is None

    def announce(self) -> list[str]:
        """Return the words before a command that tell the guard about the command's process group.

        If this process told the guard itself, somebody could stop it after it has started the engine, and
        before it tells the guard.
        """
        pipe = f"/proc/{os.getpid()}/fd/{self._pipe.fileno()}"
        return [MACHINE.which("sh") or "sh", "-c", _ANNOUNCE, pipe] if os.path.lexists(pipe) else []

    def note(self, sign: str, group: int) -> None:
        """Tell the guard about a process group that it must kill (``+``), or that has ended (``-``)."""
        with suppress(OSError):  # it was killed, or it was stopped and its pipe is full
            self._pipe.write(f"{sign} {group}\n".encode())

    def forget(self) -> None:
        """Close the pipe to a guard that belongs to the parent of this process, or that has ended."""
        self._pipe.close()
        self._popen.returncode = 0  # nobody waits for it: it ends after the process that started it
