"""The positions of Éclaircissement, and the game. Source: rule sheet 003."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from protocol.words import counted
from referee.drawn_board import Disc, Line, Piece, Scene, Squares, standing
from referee.errors import PositionError
from referee.game import GameInfo
from referee.games import common
from referee.games.eclaircissement.board import (
    CENTRE,
    EACH,
    GRID,
    INSIDE,
    LIGHT,
    PLAYERS,
    EclaircissementBoard,
    EclaircissementMove,
)
from referee.games.eclaircissement.illegal import NOTATION, refuse
from referee.games.grid import squares

_LETTERS: Final = "wr"  # by seat: the letter of a dark pawn and of the player; upper case is a lit pawn
_BOARD: Final = "board"


class EclaircissementPosition(EclaircissementBoard):
    """An immutable position. `EclaircissementGame` and `play` make positions."""

    __slots__ = ()

    def parse_move(self, text: str) -> EclaircissementMove:
        """Read a move along any path and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
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

    def skip_turn(self) -> EclaircissementPosition:
        """The same position with the next seat to move."""
        return EclaircissementPosition(self.pawns, self.lit, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text, with the letters of the position string and ``+`` for an empty centre."""
        cells = list(self._cells())
        if not CENTRE & (self.pawns[0] | self.pawns[1]):
            cells[squares(CENTRE)[0]] = LIGHT
        lines = common.draw_grid(cells, GRID, ascii_only=ascii_only)
        counts = [f"{PLAYERS[seat]} {(self.pawns[seat] & self.lit).bit_count()}" for seat in range(2)]
        lines.append(f"lit (in upper case): {', '.join(counts)}")
        if self.winner is None:
            lines.append(f"{PLAYERS[self.turn]} to move")
        else:
            lines.append(f"{PLAYERS[self.winner]} has won with every pawn lit and on the border")
        return "\n".join(lines)

    def scene(self) -> Scene:
        """What stands on the drawn board."""
        white, red = ((pawns & self.lit).bit_count() for pawns in self.pawns)
        caption = f"player 1 is White, player 2 Red; lit pawns have a sun: White {white}, Red {red}"
        return Scene(standing(self._cells(), GRID.columns), caption)

    def _cells(self) -> str:
        (white, red), lit = self.pawns, self.lit
        return common.write_cells((("w", white), ("r", red), ("W", white & lit), ("R", red & lit)), GRID)

    def __str__(self) -> str:
        return f"{common.write_rows(self._cells(), GRID)} {_LETTERS[self.turn]}"


class EclaircissementGame:
    """The rules of Éclaircissement."""

    __slots__ = ("_named", "info")

    def __init__(self, info: GameInfo, setups: Mapping[str, str]) -> None:
        self.info: Final = info
        self._named: Final = {name: self.parse_position(text) for name, text in setups.items()}

    def start(self, setup: str | None = None) -> EclaircissementPosition:
        """The start position ``default``, ``halves`` or ``random:SEED``, or the one of a position string."""
        return common.begin(setup, self._named, self.parse_position, _random_start)

    def parse_position(self, text: str) -> EclaircissementPosition:
        """Read a position string."""
        board, side = common.split_fields(text, (_BOARD, common.TURN))
        cells = common.read_rows(board, GRID, _LETTERS + _LETTERS.upper(), _BOARD)
        lower = cells.lower()
        for letter, player in zip(_LETTERS, PLAYERS, strict=True):
            count = lower.count(letter)
            if count != EACH:
                raise PositionError(_BOARD, f"{player} has {counted(count, 'pawn')}, not {EACH}")
        turn = common.read_turn(side, _LETTERS)
        white, red = (common.squares_with(letter, lower, GRID) for letter in _LETTERS)
        return EclaircissementPosition((white, red), common.squares_with(_LETTERS.upper(), cells, GRID), turn)

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


_DRAWN: Final = Squares(
    look="night",
    columns=GRID.columns,
    rows=GRID.rows,
    ground=("21212", "12121", "21312", "12121", "21212"),
    drawn=(
        Disc(2.5, 2.5, 0.6, "halo"),
        Line(((2.5, 2.05), (2.95, 2.5), (2.5, 2.95), (2.05, 2.5), (2.5, 2.05)), "lantern"),
    ),
    pieces={
        "w": Piece("White pawn", (("round", "moth"),)),
        "r": Piece("Red pawn", (("block", "ember"),)),
        "W": Piece("White pawn, lit", (("glow", ""), ("round", "moth lit"), ("sun", ""))),
        "R": Piece("Red pawn, lit", (("glow", ""), ("block", "ember lit"), ("sun", ""))),
    },
    words={LIGHT: "light the pawn"},
    sides={"White": "w", "Red": "r"},
)

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
        drawn=_DRAWN,
        notation=NOTATION,
        endings={"border": "has every pawn lit and on the border"},
    ),
    {"default": "wrwrw/r3r/w3w/r3r/wrwrw w", "halves": "rrrrr/r3w/r3w/r3w/wwwww w"},
)
