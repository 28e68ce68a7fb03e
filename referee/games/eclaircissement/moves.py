"""The moves of Éclaircissement: the legal moves of a position, and reading one move.

A move's text is the path of the pawn, with ``+`` at its end if the move lights the pawn. The module `illegal`
explains why a text is not a legal move. Source: rule sheet 003.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from referee.game import MAX_MOVE_TEXT
from referee.games.common.grid import squares
from referee.games.eclaircissement.board import CENTRE, GRID, JUMPS, JUMPS_FROM, STEPS, STEPS_FROM

if TYPE_CHECKING:
    from referee.games.eclaircissement.position import EclaircissementPosition

__all__ = ["LIGHT", "EclaircissementMove", "list_moves", "read_move"]

LIGHT: Final = "+"
"""The last character of the text of a move that lights the pawn."""


@dataclass(frozen=True, slots=True)
class EclaircissementMove:
    """One turn; its text describes it fully, whatever the position.

    Attributes:
        text: the move in the game's notation.
        start: the bit of the square that the pawn leaves.
        target: the bit of the square where the pawn ends; ``start`` again for a chain that leads back.
        lights: whether the move lights the pawn.
    """

    text: str
    start: int
    target: int
    lights: bool

    def __str__(self) -> str:
        return self.text


# --- all moves of a position -------------------------------------------------------------------------------


def list_moves(position: EclaircissementPosition) -> Iterator[EclaircissementMove]:
    """The canonical moves: short texts before long texts, and equally long texts in ASCII order."""
    if position.winner is not None:
        return
    occupied = position.pawns[0] | position.pawns[1]
    moves: list[EclaircissementMove] = []
    for square in squares(position.pawns[position.turn]):
        moves += _pawn_moves(square, occupied, position.lit)
    moves.sort(key=_length_and_text)
    yield from moves


def _length_and_text(move: EclaircissementMove) -> tuple[int, str]:
    return len(move.text), move.text


def _pawn_moves(square: int, occupied: int, lit: int) -> Iterator[EclaircissementMove]:
    """The canonical moves of one pawn: one for each distinct successor.

    Args:
        square: the square of the pawn.
        occupied: the squares of all pawns.
        lit: the squares of the lit pawns.
    """
    start = GRID.bit[square]
    dark = not start & lit
    for target, text in STEPS_FROM[square]:
        if not target & occupied:
            yield EclaircissementMove(text, start, target, lights=False)
            if dark and target == CENTRE:
                yield EclaircissementMove(text + LIGHT, start, target, lights=True)
    yield from _chains(square, occupied ^ start, lit, dark=dark)


def _chains(square: int, others: int, lit: int, *, dark: bool) -> Iterator[EclaircissementMove]:
    """The moves by jumps.

    This is a breadth-first search. A node is a square, and whether the pawn may be lit on the path to it.
    The search finds short paths first, and equally long paths in ASCII order. So the first path that leads to
    a successor is the canonical text.
    """
    start = GRID.bit[square]
    reached = start
    reached_in_light = 0
    waiting = [(square, GRID.names[square], False)]
    for here, path, light in waiting:
        for over, landing, there, name in JUMPS_FROM[here]:
            if not over & others or landing & others:
                continue
            text = path + name
            light_now = light or (dark and (landing == CENTRE or over & lit != 0))
            if light_now:
                if landing & reached_in_light:
                    continue
                reached_in_light |= landing
                yield EclaircissementMove(text + LIGHT, start, landing, lights=True)
            if not landing & reached:
                reached |= landing
                yield EclaircissementMove(text, start, landing, lights=False)
            elif not light_now:
                continue
            waiting.append((there, text, light_now))


# --- one move ----------------------------------------------------------------------------------------------


def read_move(text: str, position: EclaircissementPosition) -> EclaircissementMove | None:
    """The legal move that a text stands for, along any path; None if the text is not a legal move."""
    if position.winner is not None:
        return None
    lights = text.endswith(LIGHT)
    path = text[:-1] if lights else text
    step = STEPS.get(path)
    if step is None:
        return _read_chain(text, path, position, lights=lights)
    start, target = step
    if not start & position.pawns[position.turn] or target & (position.pawns[0] | position.pawns[1]):
        return None
    if lights and (target != CENTRE or start & position.lit):
        return None
    return EclaircissementMove(text, start, target, lights)


def _read_chain(
    text: str, path: str, position: EclaircissementPosition, *, lights: bool
) -> EclaircissementMove | None:
    """The chain of jumps with this path; None if it is not legal."""
    first = JUMPS.get(path[:4])
    if first is None or len(text) > MAX_MOVE_TEXT or not first[0] & position.pawns[position.turn]:
        return None
    start = target = first[0]
    others = (position.pawns[0] | position.pawns[1]) ^ start
    light = 0
    for index in range(0, len(path) - 2, 2):
        jump = JUMPS.get(path[index : index + 4])
        if jump is None:
            return None
        _, over, target = jump
        if not over & others or target & others:
            return None
        light |= over & position.lit | target & CENTRE
    allowed = light and not start & position.lit if lights else start != target
    return EclaircissementMove(text, start, target, lights) if allowed else None
