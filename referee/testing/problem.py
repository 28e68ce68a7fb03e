"""A broken law of a game, and the place where it is broken."""

from __future__ import annotations

from collections.abc import Callable

from referee.errors import PositionError
from referee.game import Position
from referee.testing.texts import is_line, quote, shortened

__all__ = ["GameProblem", "Inspection"]


class GameProblem(AssertionError):
    """A game breaks a law.

    Attributes:
        law: the problem, in one sentence.
        position: the string of the position in which it occurs; None if there is no position yet.
        move: the text that was tried as a move; None if the problem does not depend on a move.
    """

    def __init__(self, game_id: str, law: str, position: str | None, move: str | None) -> None:
        where = "" if position is None else f"; position {quote(position)}"
        which = "" if move is None else f", move {quote(move)}"
        super().__init__(f"{game_id}: {law}{where}{which}")
        self.law = law
        self.position = position
        self.move = move


class Inspection:
    """Knows the place in a game that is being checked, and raises `GameProblem` with it.

    Args:
        game_id: the name of the game in messages.

    Attributes:
        id: the name of the game in messages.
        line: the moves that led to the position under test.
    """

    def __init__(self, game_id: str) -> None:
        self.id = game_id
        self.line: list[str] = []
        self._position: str | None = None
        self._move: str | None = None

    def problem(self, law: str) -> GameProblem:
        """Return the error for a broken law, with the current position and move."""
        problem = GameProblem(self.id, law, self._position, self._move)
        if self.line:
            problem.add_note(f"the moves before: {' '.join(self.line)!a}")
        return problem

    def require(self, holds: bool, sentence: str) -> None:
        """Raise `GameProblem` with this sentence, unless the law holds."""
        if not holds:
            raise self.problem(sentence)

    def set_place(self, position: str | None, move: str | None = None) -> None:
        """Set the position string and the move that the next error names."""
        self._position = position
        self._move = move

    def unless_refused(
        self, read: Callable[[str], Position], text: str, method: str, kind: str
    ) -> Position | None:
        """Return the position of a text; None if the game raises the right error for it.

        Args:
            read: the method of the game that parses the text.
            text: the text.
            method: the name of the method.
            kind: the kind of text, for the message.
        """
        try:
            return read(text)
        except PositionError as error:
            self.require_sentence(error)
            named = is_line(getattr(error, "field", None))
            self.require(named, "a PositionError must name the damaged field")
            return None
        except Exception as error:
            law = f"{method} must raise a PositionError for {kind}"
            raise self.problem(f"{law}, not {shortened(ascii(error))}") from error

    def require_sentence(self, error: Exception) -> None:
        """Require that the message of an error is one line."""
        name, text = type(error).__name__, str(error)
        self.require(is_line(text), f"the message of {name} must be one printable line, not {quote(text)}")
