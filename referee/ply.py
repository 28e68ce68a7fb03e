"""One ply of a recorded game, as the referee, the database and the text formats use it.

A record also has entries that are no turns. Their texts start with a mark that no move starts with:
``!K`` is the removal of seat K, and ``?`` with a word and a sentence is a fault that was forgiven.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from protocol.wire.codec import REMOVAL_MARK, is_removal
from protocol.wire.messages import Thought
from protocol.words import printable

RANDOM: Final = "random"
FAULTS: Final = ("illegal", "time", RANDOM)
"""The words of forgiven faults. After ``?random`` follows a move that the referee has drawn."""

_FAULT_MARK: Final = "?"
_NO_MOVES: Final = (REMOVAL_MARK, _FAULT_MARK)
_LONGEST_FAULT: Final = 300  # characters


def fault_text(word: str, sentence: str) -> str:
    """Return the text of a forgiven fault: ``?illegal played 'z9': there is no such square``."""
    return printable(f"{_FAULT_MARK}{word} {sentence}"[:_LONGEST_FAULT].rstrip())


def is_fault(text: str) -> bool:
    """Return whether a text starts with ``?``. In every game such texts are faults and never moves."""
    return text.startswith(_FAULT_MARK)


class Ply(msgspec.Struct, frozen=True, array_like=True):
    """A move of a game, the removal of a seat, which takes no turn and no time, or a forgiven fault.

    Between arena and the referee it is sent as a JSON array of these values, in this order.
    """

    seat: int  # that moved, was removed or made the fault, 0-based
    text: str  # the move; `!K` for the removal of seat K (1-based); `?` and a word for a fault
    time: int  # nanoseconds used on the clock
    score: str = ""  # that the engine reported, for example `cp 12` or `mate 3`
    depth: int | None = None  # that the engine reported
    thought: Thought | None = None  # what else it reported; None for nothing

    @property
    def is_removal(self) -> bool:
        """Whether this ply is the removal of the seat."""
        return is_removal(self.text)

    @property
    def fault(self) -> str:
        """The word of a forgiven fault; "" for a move and a removal."""
        return self.text[1:].split(" ", 1)[0] if is_fault(self.text) else ""

    @property
    def is_move(self) -> bool:
        """Whether this ply is a move."""
        return not self.text.startswith(_NO_MOVES)  # one call, because arena asks this of every ply


def count_moves(plies: Iterable[Ply]) -> int:
    """Return the number of moves in ``plies``, without removals and faults."""
    return sum(ply.is_move for ply in plies)
