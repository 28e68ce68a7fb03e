"""The errors about invalid texts of users, engines and plug-ins."""

from __future__ import annotations


class RefereeError(ValueError):
    """Base of the errors about invalid texts. The message is one sentence for people."""


class PositionError(RefereeError):
    """The position string is damaged, or its position is impossible.

    Attributes:
        field: the name of the damaged field, as on the game's page in the documentation.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class MoveError(RefereeError):
    """The text is not a legal move in this position. The message says why in one sentence."""


class MoveSyntaxError(MoveError):
    """The text is not a move in any position of this game."""


class IllegalMove(MoveError):
    """The text is a move of this game, but illegal in this position."""


class TimeControlError(RefereeError):
    """The time control is invalid."""


class UnknownGame(RefereeError):
    """No registered game has the id."""


class BrokenPlugin(RefereeError):
    """A registered game cannot be used: it does not load, is not a game, or its id is not unique."""
