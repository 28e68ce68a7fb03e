"""Quoridor's moves: a table of all of them, so that reading one is a look-up, and why one is not allowed."""

from __future__ import annotations

from typing import Final, NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.game import MAX_MOVE_TEXT
from referee.games.common.grid import squares
from referee.games.quoridor.board import ANCHORS, BIT, NAMES, SIZE, SQUARE, Seating
from referee.games.quoridor.walls import Walls

__all__ = [
    "ACROSS",
    "ACROSS_MOVES",
    "MOVES",
    "PASS",
    "PAWN",
    "PAWN_MOVES",
    "SKIP",
    "UPRIGHT",
    "UPRIGHT_MOVES",
    "QuoridorMove",
    "no_move",
    "why_no_pawn_move",
    "why_no_wall",
]

PAWN: Final = 0
ACROSS: Final = 1
UPRIGHT: Final = 2
SKIP: Final = 3


class QuoridorMove:
    """One turn. There is one object for each text, whatever the position, so identity is equality.

    Attributes:
        text: its notation.
        kind: ``PAWN``, ``ACROSS`` (a horizontal wall), ``UPRIGHT`` (a vertical one) or ``SKIP`` (a pass).
        square: the pawn's target or the wall's anchor; 0 for a pass.
    """

    __slots__ = ("kind", "square", "text")

    def __init__(self, text: str, kind: int, square: int) -> None:
        self.text: Final = text
        self.kind: Final = kind
        self.square: Final = square

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<QuoridorMove {self.text}>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _interned, (self.text,)  # a copy must stay the same object


PAWN_MOVES: Final = tuple(QuoridorMove(name, PAWN, square) for square, name in enumerate(NAMES))
"""By square."""
ACROSS_MOVES: Final = tuple((BIT[s], QuoridorMove(f"{NAMES[s]}h", ACROSS, s)) for s in squares(ANCHORS))
UPRIGHT_MOVES: Final = tuple((BIT[s], QuoridorMove(f"{NAMES[s]}v", UPRIGHT, s)) for s in squares(ANCHORS))
"""With the anchor's bit beside each: to go through all is quicker than to take a dense set apart."""
PASS: Final = QuoridorMove("pass", SKIP, 0)

MOVES: Final = {
    move.text: move for move in (*PAWN_MOVES, *(move for _, move in (*ACROSS_MOVES, *UPRIGHT_MOVES)))
}
"""Every move with two players, by its text."""


def _interned(text: str) -> QuoridorMove:
    return PASS if text == PASS.text else MOVES[text]


def no_move(text: str, seating: Seating) -> NoReturn:
    """Say why a text is no move in any position.

    Raises:
        MoveSyntaxError: always.
    """
    if len(text) > MAX_MOVE_TEXT:
        raise MoveSyntaxError(f"a text longer than {MAX_MOVE_TEXT} characters is no move")
    shown = ascii(text)
    if text.lower() in MOVES:
        raise MoveSyntaxError(f"{shown} is no move: moves are written in lower case")
    if text == PASS.text:
        raise MoveSyntaxError(f"{shown} is no move: with {seating.players} players nobody ever passes")
    if len(text) == 3 and text[:2] in SQUARE and text[2] in "hv":
        raise MoveSyntaxError(
            f"{shown} is no move: walls are placed from a1 to h8, and reach beyond their square"
        )
    forms = "a square such as e2, or a wall such as e3h or e3v"
    if seating.players > 2:
        forms += ", or pass"
    raise MoveSyntaxError(f"{shown} is no move: a move is {forms}")


def why_no_wall(move: QuoridorMove, walls: Walls, cut_off: int | None, seating: Seating) -> NoReturn:
    """Say why a wall cannot be placed although some are left.

    Args:
        move: the wall.
        walls: those that stand.
        cut_off: the seat that would have no path left; None when it is a wall that is in the way.
        seating: whose goals they are.

    Raises:
        IllegalMove: always.
    """
    if cut_off is not None:
        goal = seating.goal_names[cut_off]
        raise IllegalMove(f"a wall at {move} would leave player {cut_off + 1} no path to {goal}")
    if move.kind == ACROSS:
        same, crossing, gap = walls.horizontal, walls.vertical, 1
        letter, other = "h", "v"
    else:
        same, crossing, gap = walls.vertical, walls.horizontal, SIZE
        letter, other = "v", "h"
    anchor = move.square
    if same & BIT[anchor]:
        raise IllegalMove(f"there is a wall at {move} already")
    if crossing & BIT[anchor]:
        raise IllegalMove(f"a wall at {move} would cross the wall {NAMES[anchor]}{other}")
    neighbour = anchor + gap if same & BIT[anchor + gap] else anchor - gap
    raise IllegalMove(f"a wall at {move} would overlap the wall {NAMES[neighbour]}{letter}")


def why_no_pawn_move(start: int, target: int, pawns: tuple[int, ...], walls: Walls) -> NoReturn:
    """Say why the pawn on ``start`` cannot go to ``target``.

    Raises:
        IllegalMove: always.
    """
    across, up = target % SIZE - start % SIZE, target // SIZE - start // SIZE
    if target == start:
        reason = "that is where it stands"
    elif target in pawns:
        reason = f"player {pawns.index(target) + 1}'s pawn is there"
    elif abs(across) + abs(up) == 1:
        reason = f"a wall stands between {NAMES[start]} and {NAMES[target]}"
    elif abs(across) + abs(up) > 2:
        reason = "it is too far away"
    elif across and up:
        reason = _why_no_side_step(start, target, pawns, walls)
    else:
        reason = _why_no_jump(start, (start + target) // 2, pawns, walls) or (
            f"a wall stands behind the pawn on {NAMES[(start + target) // 2]}"
        )
    raise IllegalMove(f"the pawn on {NAMES[start]} cannot reach {NAMES[target]}: {reason}")


def _why_no_jump(start: int, jumped: int, pawns: tuple[int, ...], walls: Walls) -> str | None:
    """What keeps a pawn on ``start`` from going over the next square; None if only what is behind can."""
    if jumped not in pawns:
        return f"{NAMES[jumped]} is empty"
    if not walls.near(BIT[start]) & BIT[jumped]:
        return f"a wall stands between {NAMES[start]} and {NAMES[jumped]}"
    return None


def _why_no_side_step(start: int, target: int, pawns: tuple[int, ...], walls: Walls) -> str:
    """What keeps a pawn from going diagonally, over each of the two squares that it would have to go."""
    corner_up = target // SIZE * SIZE + start % SIZE  # above or below the start
    corner_across = start // SIZE * SIZE + target % SIZE
    beside = [corner for corner in (corner_up, corner_across) if corner in pawns]
    if not beside:
        return f"{NAMES[corner_up]} and {NAMES[corner_across]} are empty"
    reasons = []
    for jumped in beside:
        name = NAMES[jumped]
        behind = 2 * jumped - start
        reason = _why_no_jump(start, jumped, pawns, walls)
        if reason is None and not walls.near(BIT[jumped]) & BIT[target]:
            reason = f"a wall stands between {name} and {NAMES[target]}"
        elif reason is None and behind in pawns:
            reason = f"behind the pawn on {name} is another pawn, and no barrier"
        elif reason is None:
            reason = f"nothing stands behind the pawn on {name}, so it is jumped straight"
        reasons.append(reason)
    return "; ".join(reasons)
