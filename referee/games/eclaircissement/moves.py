"""Éclaircissement's moves: what a move is, which ones a position has, and the quick test of one.

A move's text is the pawn's path, with ``+`` at its end when the pawn is lit. The module `illegal` tells why a
text is no legal move. Source: rule sheet 003.
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
"""What a text ends in when the pawn is lit."""


@dataclass(frozen=True, slots=True)
class EclaircissementMove:
    """One turn; its text says all of it, whatever the position.

    Attributes:
        text: its notation.
        start: the square that the pawn leaves, as a set.
        target: the square where it ends, as a set; the same after a chain that leads back.
        lights: whether the pawn is lit.
    """

    text: str
    start: int
    target: int
    lights: bool

    def __str__(self) -> str:
        return self.text


# --- all moves of a position -------------------------------------------------------------------------------


def list_moves(position: EclaircissementPosition) -> Iterator[EclaircissementMove]:
    """The canonical moves: short texts before long ones, equally long ones in ASCII order."""
    if position.winner is not None:
        return
    taken = position.pawns[0] | position.pawns[1]
    moves: list[EclaircissementMove] = []
    for square in squares(position.pawns[position.turn]):
        moves += _pawn_moves(square, taken, position.lit)
    moves.sort(key=_length_and_text)
    yield from moves


def _length_and_text(move: EclaircissementMove) -> tuple[int, str]:
    return len(move.text), move.text


def _pawn_moves(square: int, taken: int, lit: int) -> Iterator[EclaircissementMove]:
    """The canonical moves of the pawn on a square: one for each distinct successor.

    Args:
        square: its number.
        taken: the squares of all pawns.
        lit: those of the lit ones.
    """
    start = GRID.bit[square]
    dark = not start & lit
    for target, text in STEPS_FROM[square]:
        if not target & taken:
            yield EclaircissementMove(text, start, target, lights=False)
            if dark and target == CENTRE:
                yield EclaircissementMove(text + LIGHT, start, target, lights=True)
    yield from _chains(square, taken ^ start, lit, dark=dark)


def _chains(square: int, others: int, lit: int, *, dark: bool) -> Iterator[EclaircissementMove]:
    """The moves by jumps, by a search in breadth over squares and over whether the pawn may be lit by then.

    Paths are met in the order of their lengths and, within a length, of the alphabet: the first one to come
    to a successor is its canonical text.
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
    """The legal move that a text stands for, along any path; None when there is none."""
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
    """The chain of jumps with this path; None when it is none that is allowed."""
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
