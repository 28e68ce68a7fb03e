"""The interface of a game: what the referee asks of rules, and all that it knows of them.

Rules are pure and positions immutable: no I/O, no clock, no randomness but a seeded start. A plug-in
implements these two protocols and registers a ``Game`` value under the entry point ``leapfrog_arena.games``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

from referee.outcome import Outcome

__all__ = ["MAX_MOVE_TEXT", "Game", "GameInfo", "Move", "Position"]

MAX_MOVE_TEXT = 200
"""A longer text is no move (RULES, Common)."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What is to be known of a game without playing it.

    Attributes:
        id: the game's id, e.g. ``quoridor4``.
        title: its name for people.
        players: how many seats a game has.
        board: the board in a few words, e.g. ``9×9``.
        ply_limit: the ply at which the game is adjudicated a draw unless a tournament says otherwise;
            None for a game that must end by itself.
        draw_prior: the share of draws to assume between equals before games have been seen.
        sheet: the rule sheet that the rules come from.
        rulings: the readings chosen where the sheet is silent, one sentence each.
    """

    id: str
    title: str
    players: int
    board: str
    ply_limit: int | None
    draw_prior: float
    sheet: str
    rulings: tuple[str, ...]


class Move(Protocol):
    """One whole turn: hashable, and ``str(move)`` is its text. Opaque otherwise."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __str__(self) -> str: ...


@runtime_checkable
class Position(Protocol):
    """An immutable, hashable position; ``str(position)`` is its position string."""

    @property
    def turn(self) -> int:
        """The seat to move, 0-based. In a finished game the seat that would be next."""
        ...

    def legal_moves(self) -> Iterator[Move]:
        """One canonical move for each distinct successor; nothing when the game is over."""
        ...

    def parse_move(self, text: str) -> Move:
        """Read any legal text, without generating all moves.

        Raises:
            MoveSyntaxError: the text is no move of this game.
            IllegalMove: it is one, and the rules forbid it here; the message says why in one sentence.
        """
        ...

    def play(self, move: Any) -> Self:  # noqa: ANN401 - each game plays moves of its own type
        """The position after ``move``, which must have come from this position's own methods."""
        ...

    def outcome(self) -> Outcome | None:
        """The result by the rules, from this position alone; None while the game goes on."""
        ...

    def key(self) -> Hashable:
        """Equal for two positions exactly when they count as the same for repetition."""
        ...

    def skip_turn(self) -> Self:
        """The same position with the next seat to move: how the referee passes over a removed seat.

        Needed only by games with more than two players; the referee never calls it for two.
        """
        ...

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn for people: several lines, no newline at the end."""
        ...

    def __str__(self) -> str: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...


@runtime_checkable
class Game(Protocol):
    """The rules of one id: a stateless value."""

    @property
    def info(self) -> GameInfo:
        """The game's description."""
        ...

    def start(self, setup: str | None = None) -> Position:
        """The start position; ``setup`` names another one where the game offers any.

        Raises:
            PositionError: the game has no such set-up.
        """
        ...

    def parse_position(self, text: str) -> Position:
        """Read a position string.

        Raises:
            PositionError: naming the damaged field.
        """
        ...
