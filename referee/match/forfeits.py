"""Forfeits: the faults by which a player loses a game, with their terminations and descriptions.

The table "Misbehaviour" of docs/reference/protocol.md lists the same faults for authors of engines.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from protocol.errors import EngineError, EngineFlooded, EngineGone, EngineStalled, EngineTimedOut
from referee.errors import MoveError
from referee.outcome import Termination

_LONGEST_MOVE = 60  # the most characters of an illegal move in a description
_TERMINATIONS = (
    (EngineTimedOut, Termination.TIME),
    (EngineStalled, Termination.STALL),
    (EngineFlooded, Termination.FLOOD),
    (EngineGone, Termination.GONE),
)
"""The terminations of engine errors. Every other `EngineError` is a crash."""


class Forfeit(NamedTuple):
    """Why a seat is removed from its game.

    The detail says what the player did, as the predicate of a sentence: ``said that it has no move``.
    """

    termination: Termination
    detail: str


RESIGNED: Final = Forfeit(Termination.RESIGN, "resigned")
SAID_NO_MOVE: Final = Forfeit(Termination.ILLEGAL, "said that it has no move")


def late_move(over_ns: int) -> Forfeit:
    """Return the forfeit for a move that came this many nanoseconds after the seat's time and margin."""
    return Forfeit(Termination.TIME, f"was {over_ns / 1e6:.1f} ms over its time and margin")


def illegal_move(text: str, error: MoveError) -> Forfeit:
    """Return the forfeit for a move that the rules reject."""
    return Forfeit(Termination.ILLEGAL, f"played {text[:_LONGEST_MOVE]!r}: {error}")


def false_claim(text: str) -> Forfeit:
    """Return the forfeit for a result that a player claims instead of a move."""
    return Forfeit(Termination.ILLEGAL, f"claimed {text[:_LONGEST_MOVE]!r}, but the game goes on")


def failure(error: EngineError) -> Forfeit:
    """Return the forfeit for an engine that failed to answer."""
    for kind, termination in _TERMINATIONS:
        if isinstance(error, kind):
            return Forfeit(termination, str(error))
    return Forfeit(Termination.CRASH, str(error))
