"""The interface between the referee and the rules of a game.

Rules are pure and positions are immutable: they use no I/O, no clock, and no randomness. A plug-in implements
the protocols `Position` and `Game`, and registers a `Game` object in the entry point group
``leapfrog_arena.games``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

from referee.drawn_board import Board, Scene
from referee.outcome import Outcome

__all__ = [
    "MAX_MOVE_TEXT",
    "CountingGame",
    "CountsProgress",
    "Drawable",
    "Game",
    "GameInfo",
    "Move",
    "Notated",
    "Position",
    "foreign_parser",
    "irreversibility",
]

MAX_MOVE_TEXT = 200
"""The most characters in the text of a move. A longer text is not a move of any game."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """The description of a game.

    Attributes:
        id: the game's id, for example ``quoridor4``.
        title: its name for people.
        players: the number of seats.
        board: the board in a few words, for example ``9×9``.
        ply_limit: the default number of plies after which the game is adjudicated, usually as a draw; None
            for a game that always ends by its rules.
        draw_prior: the share of draws, from 0 to 1, that ratings assume between equal players at first.
        sheet: the rule sheet from which the rules are taken.
        rulings: the decisions on points that the rule sheet leaves open, one sentence each.
        uci_options: the options, with values, by which an engine that speaks UCI plays this game and not
            another. An engine without them cannot play it.
        drawn: how the board is drawn and clicked; positions then are `Drawable`. None for a game that is
            shown as the text of `Position.diagram`.
        no_progress: the number of plies in a row without progress after which the game is adjudicated
            a draw; None for a game whose positions are not `CountsProgress`.
        notation: how moves are written, in words that follow "a move is"; "" if the game does not say it.
        endings: by reason of a win, what the winner has done, in words that follow a name, for example
            ``{"goal": "reaches the goal"}``.
    """

    id: str
    title: str
    players: int
    board: str
    ply_limit: int | None
    draw_prior: float
    sheet: str
    rulings: tuple[str, ...]
    uci_options: tuple[tuple[str, str], ...] = ()
    drawn: Board | None = None
    no_progress: int | None = None
    notation: str = ""
    endings: Mapping[str, str] = field(default_factory=dict)


class Move(Protocol):
    """One whole turn. It is hashable, and ``str(move)`` is its text; the referee uses nothing else of it."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __str__(self) -> str: ...


@runtime_checkable
class Position(Protocol):
    """An immutable, hashable position; ``str(position)`` is its position string."""

    @property
    def turn(self) -> int:
        """The seat to move, 0-based. In a finished game, the seat that would move next."""
        ...

    def legal_moves(self) -> Iterator[Move]:
        """Yield one canonical move for each distinct next position; no move if the game is over."""
        ...

    def parse_move(self, text: str) -> Move:
        """Parse the text of a move. Accept every legal text, and do not generate all moves.

        Raises:
            MoveSyntaxError: the text is not a move in any position of this game.
            IllegalMove: the move is illegal in this position; the message says why in one sentence.
        """
        ...

    def play(self, move: Any) -> Self:  # noqa: ANN401 - each game has its own type of moves
        """Return the position after ``move``, which must come from this position's own methods."""
        ...

    def outcome(self) -> Outcome | None:
        """Return the result by the rules, from this position alone; None while the game goes on."""
        ...

    def key(self) -> Hashable:
        """Return a value that is equal for two positions exactly when they count as a repetition."""
        ...

    def skip_turn(self) -> Self:
        """Return the same position with the next seat to move. The referee calls this for a removed seat.

        Every position has this method, but only games with more than two players use it.
        """
        ...

    def diagram(self, *, ascii_only: bool = False) -> str:
        """Draw the board for people: several lines, without a newline at the end."""
        ...

    def __str__(self) -> str: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...


def irreversibility(position: Position) -> Callable[[Any, Any], bool]:
    """Return the function that tells whether a move of a game is irreversible.

    It takes a position and a move that comes from the position's own methods. If it returns True, then
    neither this position nor an earlier one of the game can occur again after the move: no later position
    has the same `Position.key`. An engine with the setting ``position = "short"`` then gets the position
    after this move, and only later moves.

    Rules may say it by a method ``is_irreversible(move)`` of their positions, which must be cheap, because
    the referee calls it after every move. Without this method no move is irreversible.

    Args:
        position: any position of the game.
    """
    return getattr(type(position), "is_irreversible", _never)


def foreign_parser(position: Position) -> Callable[[Any, str], Move]:
    """Return the function that parses a move as engines of another protocol write it.

    It takes a position and a text, and raises as `Position.parse_move`. The referee uses it for engines that
    speak the protocol of xboard.

    Rules may have a method ``parse_foreign_move(text)`` of their positions for it. It must also take what
    `Position.parse_move` takes, which is used without this method.

    Args:
        position: any position of the game.
    """
    kind = type(position)
    return getattr(kind, "parse_foreign_move", kind.parse_move)


def _never(_position: Position, _move: object) -> bool:
    return False


@runtime_checkable
class CountsProgress(Protocol):
    """A position that counts the plies since the last progress, such as a capture."""

    @property
    def plies_without_progress(self) -> int:
        """The number of plies since the last one that made progress; part of the position string."""
        ...


@runtime_checkable
class Notated(Protocol):
    """A position of a game whose moves people write in a notation of their own, with numbers, as in chess.

    Pages show it. Engines and records have the text of the move.
    """

    @property
    def move_number(self) -> int:
        """The number of the next move, which is one of each seat."""
        ...

    def write_move(self, move: Any) -> str:  # noqa: ANN401 - each game has its own type of moves
        """Return how people write ``move``, which must come from this position's own methods."""
        ...


@runtime_checkable
class Drawable(Protocol):
    """A position of a game whose board is drawn."""

    def scene(self) -> Scene:
        """Return what is on the board."""
        ...


@runtime_checkable
class Game(Protocol):
    """The rules of one game, as an object without state."""

    @property
    def info(self) -> GameInfo:
        """The game's description."""
        ...

    def start(self, setup: str | None = None) -> Position:
        """Return the start position.

        Args:
            setup: the name of another start position, if the game has any.

        Raises:
            PositionError: the game has no set-up of that name.
        """
        ...

    def parse_position(self, text: str) -> Position:
        """Parse a position string.

        Raises:
            PositionError: the string is damaged; the error names the field.
        """
        ...


@runtime_checkable
class CountingGame(Game, Protocol):
    """A game with a count, by which the referee can decide a game that reaches the ply limit.

    A game need not have this method. Without it, the only result at the ply limit is a draw.
    """

    def count(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401 - each game has its own type of positions
        """Return a number for each seat, in seat order; the higher number is better.

        The numbers depend on the position alone.

        Args:
            position: a position of this game that the rules have not ended.
        """
        ...
