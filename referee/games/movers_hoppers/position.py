"""The positions of three games: Movers & Hoppers, its expert game, and Rampants et sauteurs.

Source: rule sheets 000 and 003.
"""

from __future__ import annotations

from typing import Final

from referee.board import Scene
from referee.game import GameInfo
from referee.games.common import begin
from referee.games.movers_hoppers.board import CAMPS, MoversHoppersBoard, MoversHoppersMove, Variant
from referee.games.movers_hoppers.illegal import refuse
from referee.games.movers_hoppers.text import DRAWN, draw_board, read_position, scene, write_position


class MoversHoppersPosition(MoversHoppersBoard):
    """An immutable position. `MoversHoppersGame` and `play` make positions."""

    __slots__ = ()

    def parse_move(self, text: str) -> MoversHoppersMove:
        """Read a move and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: MoversHoppersMove) -> MoversHoppersPosition:
        """The position after a move that this position's own methods returned."""
        turn, movers, own = self.turn, self.movers, self.pieces[self.turn]
        if move.source:
            own ^= move.source | move.target
            movers = movers | move.target if move.over else movers ^ move.source
        elif move.movers is not None:
            own = CAMPS[turn]
            movers |= move.movers[turn]
        pieces = (self.pieces[0], own) if turn else (own, self.pieces[1])
        return MoversHoppersPosition(self.variant, pieces, movers, 1 - turn)

    def is_irreversible(self, move: MoversHoppersMove) -> bool:
        """Whether the move is a set-up, after which no earlier position can occur again."""
        return move.movers is not None

    def skip_turn(self) -> MoversHoppersPosition:
        """The same position with the next seat to move."""
        return MoversHoppersPosition(self.variant, self.pieces, self.movers, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the letters of the position string."""
        return draw_board(self, ascii_only=ascii_only)

    def scene(self) -> Scene:
        """What stands on the drawn board."""
        return scene(self)

    def __str__(self) -> str:
        return write_position(self)


class MoversHoppersGame:
    """The rules of one of the games."""

    __slots__ = ("_start", "_variant", "info")

    def __init__(self, info: GameInfo, variant: Variant) -> None:
        self.info: Final = info
        self._variant: Final = variant
        self._start: Final = MoversHoppersPosition(variant, (0, 0), 0, 0)

    def start(self, setup: str | None = None) -> MoversHoppersPosition:
        """The empty board on which both players set up, or the position that a position string describes."""
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> MoversHoppersPosition:
        """Read a position string."""
        pieces, movers, turn = read_position(text, is_free=self._variant.is_free)
        return MoversHoppersPosition(self._variant, pieces, movers, turn)

    def count(self, position: MoversHoppersPosition) -> tuple[int, int]:
        """For each player: the pieces in the opposite camp, minus the pieces in the player's own camp."""
        first, second = (
            (own & away).bit_count() - (own & home).bit_count()
            for own, home, away in zip(position.pieces, CAMPS, reversed(CAMPS), strict=True)
        )
        return first, second


_SETUP = "The players set up one after the other, White first: the two set-ups are the first two plies."
_BOTH = (
    "After every move the referee checks both ways to win, first for the player who moved and then"
    " for the other. The other player can win by that move too."
)
_BOTH_RAMPANTS = (
    "After every move the referee checks for a win, first for the player who moved and then for the other."
)
_LINE = (
    "A jump goes over an unbroken line of pieces that begins next to the hopper, to the first"
    " square behind that line. It passes over no empty square."
)
_FORCED = "A player who has no other move passes. No other player may pass."


def _game(id_: str, title: str, sheet: str, variant: Variant) -> MoversHoppersGame:
    """One of the three games, with the properties that they share."""
    both = _BOTH if variant.is_won_when_full else _BOTH_RAMPANTS
    info = GameInfo(
        id=id_,
        title=title,
        players=2,
        board="3x8",
        ply_limit=400,
        draw_prior=0.1,
        sheet=sheet,
        rulings=(_SETUP, both, _LINE, _FORCED),
        drawn=DRAWN,
    )
    return MoversHoppersGame(info, variant)


MOVERS_HOPPERS: Final = _game(
    "movers-hoppers", "Movers & Hoppers", "000", Variant(is_free=False, is_won_when_full=True)
)
MOVERS_HOPPERS_EXPERT: Final = _game(
    "movers-hoppers-expert",
    "Movers & Hoppers, free set-up",
    "000",
    Variant(is_free=True, is_won_when_full=True),
)
RAMPANTS: Final = _game(
    "rampants", "Rampants et sauteurs", "003", Variant(is_free=False, is_won_when_full=False)
)
