"""Measures how close a player is to winning, with one short function for each game.

Each function takes a position and a seat (0-based). Only differences matter: the engine compares a seat with
its best rival. A set of squares is an int whose lowest bit is a1, followed by b1 and so on, row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee import Position
from referee.games.eclaircissement.board import INSIDE
from referee.games.eclaircissement.position import EclaircissementPosition
from referee.games.grid import squares
from referee.games.hops.position import HopsPosition
from referee.games.movers_hoppers.position import MoversHoppersPosition
from referee.games.quatre_en_ligne.board import SIZE
from referee.games.quatre_en_ligne.position import QuatrePosition
from referee.games.quoridor.position import QuoridorPosition
from referee.games.rodeurs.board import GREY, GRID
from referee.games.rodeurs.position import RodeursPosition


def quoridor(position: QuoridorPosition, seat: int) -> float:
    """Minus the steps to the goal, without regard to other pawns."""
    return -position.walls.distance(position.pawns[seat], position.seating.goals[seat])


def movers_hoppers(position: MoversHoppersPosition, seat: int) -> float:
    """The rows that all pieces have advanced. A row has three squares."""
    rows = sum(square // 3 for square in squares(position.pieces[seat]))
    return -rows if seat else rows


def eclaircissement(position: EclaircissementPosition, seat: int) -> float:
    """The lit pawns, and a little more for each lit pawn on the border, where it must be at the end."""
    lit = position.pawns[seat] & position.lit
    return lit.bit_count() + 0.2 * (lit & ~INSIDE).bit_count()


def quatre_en_ligne(position: QuatrePosition, seat: int) -> float:
    """The face-up pieces, and more for two and for three of them in a line."""
    up = position.pieces[seat] & position.up
    value = up.bit_count()
    for step in (1, SIZE, SIZE + 1, SIZE - 1):
        pairs = up & up >> step
        value += pairs.bit_count() + 3 * (pairs & pairs >> step).bit_count()
    return value


def rodeurs(position: RodeursPosition, seat: int) -> float:
    """Minus the points in the player's quarter: a green pawn is 1, a yellow pawn 2 and a red pawn 3."""
    home = GRID.all ^ GREY ^ position.white if seat else position.white
    return -sum(cost * (pawns & home).bit_count() for cost, pawns in enumerate(position.pawns, 1))


def hops(position: HopsPosition, seat: int) -> float:
    """1 for the ball, and the rows that it has advanced; 0 without the ball. A row has seven squares."""
    if not (position.blue, position.red)[seat] >> position.ball & 1:
        return 0
    row = position.ball // 7
    return 1 + (6 - row if seat else row)


VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}


def chess(position: Position, seat: int) -> float:
    """The pieces: a pawn is 1, a knight or bishop 3, a rook 5 and the queen 9. White's letters are large."""
    pieces = str(position).split(" ")[0]
    return sum(value * pieces.count(letter if seat else letter.upper()) for letter, value in VALUES.items())


PROGRESS: dict[str, Callable[[Any, int], float]] = {
    "quoridor": quoridor,
    "quoridor4": quoridor,
    "movers-hoppers": movers_hoppers,
    "movers-hoppers-expert": movers_hoppers,
    "rampants": movers_hoppers,
    "eclaircissement": eclaircissement,
    "quatre-en-ligne": quatre_en_ligne,
    "rodeurs": rodeurs,
    "rodeurs-diagonal": rodeurs,
    "hops": hops,
    "chess": chess,
    "chess960": chess,
}
"""The functions by the id of the game."""
