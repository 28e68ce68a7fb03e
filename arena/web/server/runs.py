"""The running tournaments of this user: find them, follow them, and keep the state of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import anyio
import msgspec
from anyio.abc import TaskGroup

from arena.live.messages import Change, RunState, decode
from arena.run.feed import sockets

__all__ = ["RunKey", "Runs"]

RunKey = tuple[str, str]
"""The absolute path of the database of a run, and the name of its tournament."""

_LOOK_SECONDS: Final = 0.5
_LONGEST_LINE: Final = 1 << 26


class Runs:
    """Follows all runs that listen in the folder of the sockets.

    Args:
        changed: called with the key of a run after each of its changes, and with None as the change when the
            run begins or ends.
    """

    def __init__(self, changed: Callable[[RunKey, Change | None], None]) -> None:
        self._changed = changed
        self._states: dict[RunKey, RunState] = {}
        self._followed: set[Path] = set()

    def state(self, key: RunKey) -> RunState | None:
        """Return the state of a run; None if it does not run."""
        return self._states.get(key)

    async def follow_all(self) -> None:
        """Look for runs, and follow each of them, until this is cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                await self._look(tasks)
                await anyio.sleep(_LOOK_SECONDS)

    async def _look(self, tasks: TaskGroup) -> None:
        for path in await anyio.to_thread.run_sync(sockets):
            if path not in self._followed:
                self._followed.add(path)
                tasks.start_soon(self._follow, path)

    async def _follow(self, path: Path) -> None:
        """Follow one run to its end."""
        key: RunKey | None = None
        try:
            async with await anyio.connect_unix(path) as stream:
                state: RunState | None = None
                rest = b""
                while len(rest) < _LONGEST_LINE:
                    *lines, rest = (rest + await stream.receive()).split(b"\n")
                    for line in lines:
                        message = decode(line)
                        if isinstance(message, RunState):
                            state, key = message, (message.database, message.tournament)
                            self._states[key] = state
                            self._changed(key, None)
                        elif state is not None and key is not None:
                            state.apply(message)
                            self._changed(key, message)
        except (OSError, anyio.EndOfStream, anyio.BrokenResourceError, msgspec.MsgspecError):
            pass  # the run has ended, or another version of arena sent a message that this one does not know
        finally:
            self._followed.discard(path)
            if key is not None:
                self._states.pop(key, None)
                self._changed(key, None)
