"""Éclaircissement: positions and the game. Source: rule sheet 003."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping
from typing import Final

from referee.game import GameInfo
from referee.games.common.grid import squares
from referee.games.common.setup import begin
from referee.games.eclaircissement.board import EACH, GRID, INSIDE
from referee.games.eclaircissement.diagram import draw_board
from referee.games.eclaircissement.illegal import refuse
from referee.games.eclaircissement.moves import EclaircissementMove, list_moves, read_move
from referee.games.eclaircissement.text import read_position, write_position
from referee.outcome import Outcome

__all__ = ["ECLAIRCISSEMENT", "EclaircissementGame", "EclaircissementPosition"]

_WINS: Final = tuple(Outcome.win(seat, 2, "border") for seat in range(2))


class EclaircissementPosition:
    """An immutable position; made by `EclaircissementGame` and by `play`.

    Attributes:
        pawns: the squares of White's and of Red's pawns.
        lit: the squares of the lit ones.
        turn: the seat to move, 0-based; in a finished game the one that would be next.
    """

    __slots__ = ("lit", "pawns", "turn")

    def __init__(self, pawns: tuple[int, int], lit: int, turn: int) -> None:
        self.pawns: Final = pawns
        self.lit: Final = lit
        self.turn: Final = turn

    @property
    def winner(self) -> int | None:
        """The seat whose pawns are all lit and on the border; of both the one that has just moved."""
        unfit = INSIDE | ~self.lit
        for seat in (1 - self.turn, self.turn):
            if not self.pawns[seat] & unfit:
                return seat
        return None

    def legal_moves(self) -> Iterator[EclaircissementMove]:
        """Short texts before long ones, equally long ones in ASCII order; none in a finished game only.

        Nobody ever lacks a move: the nine empty squares always are within the reach of ten others or more,
        and only eight of those can be the opponent's.
        """
        return list_moves(self)

    def parse_move(self, text: str) -> EclaircissementMove:
        """Read a move along any path, and test this one alone.

        Raises:
            MoveSyntaxError: the text is no move of this game.
            IllegalMove: it is one, and the rules forbid it here; or the game is over.
        """
        move = read_move(text, self)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: EclaircissementMove) -> EclaircissementPosition:
        """The position after a move that came from this position's own methods."""
        white, red = self.pawns
        lit, turn = self.lit, self.turn
        change = move.start ^ move.target
        if move.lights:
            lit |= move.target
        elif lit & move.start:
            lit ^= change
        pawns = (white, red ^ change) if turn else (white ^ change, red)
        return EclaircissementPosition(pawns, lit, 1 - turn)

    def outcome(self) -> Outcome | None:
        """The win of whoever has all pawns lit and on the border."""
        winner = self.winner
        return None if winner is None else _WINS[winner]

    def key(self) -> Hashable:
        """Pawns, lit pawns and turn: positions that differ in any of these are not the same."""
        return (self.pawns, self.lit, self.turn)

    def skip_turn(self) -> EclaircissementPosition:
        """The same position with the other seat to move."""
        return EclaircissementPosition(self.pawns, self.lit, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn for people: pawns as in the position string, the empty centre as ``+``."""
        return draw_board(self, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self)

    def __repr__(self) -> str:
        return f"<EclaircissementPosition {self}>"

    def __hash__(self) -> int:
        return hash(self.key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EclaircissementPosition) and self.key() == other.key()


class EclaircissementGame:
    """The rules.

    Attributes:
        info: the game's description.
    """

    __slots__ = ("_named", "info")

    def __init__(self, info: GameInfo, setups: Mapping[str, str]) -> None:
        self.info: Final = info
        self._named: Final = {name: self.parse_position(text) for name, text in setups.items()}

    def start(self, setup: str | None = None) -> EclaircissementPosition:
        """A start position: ``default``, ``halves``, ``random:SEED`` or what a position string describes.

        Raises:
            PositionError: another set-up was asked for, or the string is damaged.
        """
        return begin(setup, self._named, self.parse_position, _random_start)

    def parse_position(self, text: str) -> EclaircissementPosition:
        """Read a position string.

        Raises:
            PositionError: naming the damaged field: ``position`` when there are not two of them, otherwise
                ``board`` or ``player to move``.
        """
        return EclaircissementPosition(*read_position(text))


def _random_start(seed: int) -> EclaircissementPosition:
    """All pawns dark on the border, their colours drawn by lot; the same on every machine."""
    lot = random.Random(seed)
    border = sorted(squares(GRID.all & ~INSIDE), key=lambda _: lot.random())
    white, red = (sum(GRID.bit[square] for square in half) for half in (border[:EACH], border[EACH:]))
    return EclaircissementPosition((white, red), 0, 0)


_LAYOUT = (
    "At the start the colours alternate round the border, with white corners. Other set-ups are possible."
)
_CHOICE = "The player who moves chooses whether to light a pawn: a pawn that may be lit may also stay dark."
_LANDING = (
    "The centre lights a pawn only in a move in which the pawn lands there, in the middle of a"
    " chain or at its end. Standing on the centre, or leaving it, does not light a pawn."
)
_CHANGE = (
    "A move must change the position: a chain of jumps may end where it began only if it lights the pawn."
)
_BOTH = (
    "After every move the referee checks for a win, first for the player who moved and then for the other."
)

ECLAIRCISSEMENT: Final = EclaircissementGame(
    GameInfo(
        id="eclaircissement",
        title="Éclaircissement",
        players=2,
        board="5x5",
        ply_limit=400,
        draw_prior=0.05,
        sheet="003",
        rulings=(_LAYOUT, _CHOICE, _LANDING, _CHANGE, _BOTH),
    ),
    {"default": "wrwrw/r3r/w3w/r3r/wrwrw w", "halves": "rrrrr/r3w/r3w/r3w/wwwww w"},
)
