"""The positions of Éclaircissement, and the game. Source: rule sheet 003."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping
from typing import Final

from referee.game import GameInfo
from referee.games.common.grid import squares
from referee.games.common.position import KeyedPosition
from referee.games.common.setup import begin
from referee.games.eclaircissement.board import EACH, GRID, INSIDE
from referee.games.eclaircissement.diagram import draw_board
from referee.games.eclaircissement.illegal import refuse
from referee.games.eclaircissement.moves import EclaircissementMove, list_moves, read_move
from referee.games.eclaircissement.text import read_position, write_position
from referee.outcome import Outcome

__all__ = ["ECLAIRCISSEMENT", "EclaircissementGame", "EclaircissementPosition"]

_WINS: Final = tuple(Outcome.win(seat, 2, "border") for seat in range(2))


class EclaircissementPosition(KeyedPosition):
    """An immutable position. `EclaircissementGame` and `play` make positions.

    Attributes:
        pawns: the squares of White's and of Red's pawns.
        lit: the squares of the lit pawns.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
    """

    __slots__ = ("lit", "pawns", "turn")

    def __init__(self, pawns: tuple[int, int], lit: int, turn: int) -> None:
        self.pawns: Final = pawns
        self.lit: Final = lit
        self.turn: Final = turn

    @property
    def winner(self) -> int | None:
        """The seat whose pawns are all lit and on the border, or None.

        If this is true for both seats, the seat that has just moved wins.
        """
        unfit = INSIDE | ~self.lit
        for seat in (1 - self.turn, self.turn):
            if not self.pawns[seat] & unfit:
                return seat
        return None

    def legal_moves(self) -> Iterator[EclaircissementMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order.

        Only a finished game has no legal move. Wherever the nine empty squares are, at least ten of the
        sixteen pawns could step or jump to one of them, and at most eight of these pawns are the opponent's.
        """
        return list_moves(self)

    def parse_move(self, text: str) -> EclaircissementMove:
        """Read a move along any path and check that it is legal, without listing the other moves.

        Raises:
            MoveSyntaxError: the text is not a move in any position.
            IllegalMove: the rules forbid the move in this position, or the game is over.
        """
        move = read_move(text, self)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: EclaircissementMove) -> EclaircissementPosition:
        """The position after a move that this position's own methods returned."""
        white, red = self.pawns
        lit, turn = self.lit, self.turn
        change = move.start ^ move.target
        if move.lights:
            lit |= move.target
        elif lit & move.start:
            lit ^= change
        pawns = (white, red ^ change) if turn else (white ^ change, red)
        return EclaircissementPosition(pawns, lit, 1 - turn)

    def is_irreversible(self, move: EclaircissementMove) -> bool:
        """Whether the move lights a pawn: it stays lit, so no earlier position can occur again."""
        return move.lights

    def outcome(self) -> Outcome | None:
        """The win of the player whose pawns are all lit and on the border, or None."""
        winner = self.winner
        return None if winner is None else _WINS[winner]

    def key(self) -> Hashable:
        """The pawns, the lit pawns and the turn; repetition compares these keys."""
        return (self.pawns, self.lit, self.turn)

    def skip_turn(self) -> EclaircissementPosition:
        """The same position with the next seat to move."""
        return EclaircissementPosition(self.pawns, self.lit, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the letters of the position string."""
        return draw_board(self, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self)


class EclaircissementGame:
    """The rules of Éclaircissement.

    Attributes:
        info: the description of the game.
    """

    __slots__ = ("_named", "info")

    def __init__(self, info: GameInfo, setups: Mapping[str, str]) -> None:
        self.info: Final = info
        self._named: Final = {name: self.parse_position(text) for name, text in setups.items()}

    def start(self, setup: str | None = None) -> EclaircissementPosition:
        """The start position ``default``, ``halves`` or ``random:SEED``, or the one of a position string.

        Raises:
            PositionError: the game has no such set-up, or the position string is damaged.
        """
        return begin(setup, self._named, self.parse_position, _random_start)

    def parse_position(self, text: str) -> EclaircissementPosition:
        """Read a position string.

        Raises:
            PositionError: the string is damaged. `field` is ``position`` if there are not two fields.
                Otherwise it is ``board`` or ``player to move``.
        """
        return EclaircissementPosition(*read_position(text))

    def count(self, position: EclaircissementPosition) -> tuple[int, int]:
        """For each player: the lit pawns on the border."""
        fit = position.lit & ~INSIDE
        white, red = position.pawns
        return (white & fit).bit_count(), (red & fit).bit_count()


def _random_start(seed: int) -> EclaircissementPosition:
    """Dark pawns of random colours on the border. A seed gives the same position on every machine."""
    rng = random.Random(seed)
    border = sorted(squares(GRID.all & ~INSIDE), key=lambda _: rng.random())
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
