"""Ends a run when game after game is void because of the machine."""

from __future__ import annotations

from typing import Final

from arena.errors import ArenaError
from arena.model import Pairing
from arena.run.spare_processes import spare_processes
from protocol.plurals import counted
from referee.match.job import JobFinished, VoidCause

__all__ = ["VoidGames"]

_MOST: Final = 3
"""The run gives up after this many void games in a row."""


class VoidGames:
    """Counts the games in a row that were void although no engine is known to be the cause."""

    def __init__(self) -> None:
        self._count = 0

    def end(self) -> None:
        """Note that a game has ended as usual."""
        self._count = 0

    async def add(self, pairing: Pairing, finished: JobFinished) -> None:
        """Count a void game. If no process could be started for it, look for the cause before giving up.

        If the machine can start processes while no engine runs, an engine has taken them, and the count
        begins anew.

        Raises:
            ArenaError: the machine is the cause, three times in a row.
        """
        self._count += 1
        if self._count < _MOST:
            return
        if finished.void is not VoidCause.PROCESSES or not await spare_processes():
            names = " against ".join(pairing.seats)
            raise ArenaError(
                f"{counted(self._count, 'game')} in a row could not be played, and no engine is at fault;"
                f" the last one is {names}: {finished.detail}"
            )
        self._count = 0
