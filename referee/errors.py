"""What can be wrong with a text that somebody sent.

RefereeError
├── PositionError        a position string that is damaged or impossible
├── MoveError
│   ├── MoveSyntaxError  a text that is no move of this game in any position
│   └── IllegalMove      a move of this game, but not one that the rules allow here
├── TimeControlError     a time control that cannot be read
├── UnknownGame          an id that no game has
└── BrokenPlugin         an id whose game cannot be loaded
"""

from __future__ import annotations

__all__ = [
    "BrokenPlugin",
    "IllegalMove",
    "MoveError",
    "MoveSyntaxError",
    "PositionError",
    "RefereeError",
    "TimeControlError",
    "UnknownGame",
]


class RefereeError(ValueError):
    """Base of every error that a text from outside can cause; its message is one sentence for people."""


class PositionError(RefereeError):
    """A position string that cannot be read.

    Attributes:
        field: the name of the damaged field, as the game's page in the documentation calls it.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class MoveError(RefereeError):
    """A text that is no move here; the message says why in one sentence."""


class MoveSyntaxError(MoveError):
    """A text that is no move of this game in any position."""


class IllegalMove(MoveError):
    """A well-formed move that the rules forbid in this position."""


class TimeControlError(RefereeError):
    """A time control that cannot be read."""


class UnknownGame(RefereeError):
    """An id that no registered game has."""


class BrokenPlugin(RefereeError):
    """A registered game that cannot be used: it fails to load, is no game, or shares its id with another."""
