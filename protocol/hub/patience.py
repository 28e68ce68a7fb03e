"""How long a dialogue may hold up all other tasks of its process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["ALONE", "SHARED", "Patience", "Pause"]


@dataclass(frozen=True, slots=True)
class Pause:
    """The limits of a dialogue that waits for answers without trio.

    Attributes:
        wait_ns: the most nanoseconds to wait for one answer.
        slice_ns: when answers have come in a row for this many nanoseconds, the other tasks run once.
        misses: after an answer did not come within ``wait_ns``, the dialogue uses trio from the start for
            this many further answers of its type.
    """

    wait_ns: int
    slice_ns: int
    misses: int


SHARED: Final = Pause(wait_ns=100_000, slice_ns=500_000, misses=32)
"""The limits if other games run in this process: their clocks must not wait long."""

ALONE: Final = Pause(wait_ns=3_000_000, slice_ns=5_000_000, misses=0)
"""The limits if no other game runs in this process: only reports and orders wait."""


@dataclass(slots=True)
class Patience:
    """The limits of all dialogues of one process, which its owner changes.

    Attributes:
        pause: the limits now.
    """

    pause: Pause = SHARED
