"""Rôdeurs' moves: what a move is, which ones a position has, and the quick test of one.

A turn is one pawn's jumps or two pawns' single ones. A move's text is the path of the pawn, or two of them
with a comma between. The module `illegal` tells why a text is no legal move. Source: rule sheet 001.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from referee.games.rodeurs.board import ALL_PAWNS, WAYS, Jump, Pawns, Ways, after

if TYPE_CHECKING:
    from referee.games.rodeurs.position import RodeursPosition

__all__ = ["RodeursMove", "list_moves", "read_move"]

_LONGEST: Final = 2 + 2 * ALL_PAWNS  # every jump of a chain takes a pawn


@dataclass(frozen=True, slots=True)
class RodeursMove:
    """One turn; its text says all of it, whatever the position.

    Attributes:
        text: its notation.
        jumps: one after the other.
    """

    text: str
    jumps: tuple[Jump, ...]

    def __str__(self) -> str:
        return self.text


# --- all moves of a position -------------------------------------------------------------------------------

_Line = tuple[str, tuple[Jump, ...], Pawns]  # a move's text, its jumps, the pawns after them


def list_moves(position: RodeursPosition) -> Iterator[RodeursMove]:
    """The canonical moves: short texts before long ones, equally long ones in ASCII order.

    Every legal text is met in just this order, so the first one to come to a successor is its canonical
    text. Two pawns' jumps have nine characters: more than three jumps of one pawn, fewer than four.
    """
    pawns, ways = position.pawns, WAYS[position.diagonal]
    taken = position.taken
    reached: set[Pawns] = set()
    single: list[_Line] = [
        (jump.text, (jump,), after(pawns, jump)) for jump in ways.jumps if taken & jump.touched == jump.needed
    ]
    yield from _new(single, reached)
    if position.is_first_turn:
        return
    chains = single
    for _ in range(2):
        chains = _longer(chains, ways)
        yield from _new(chains, reached)
    yield from _new(_pairs(single, ways), reached)
    while chains:
        chains = _longer(chains, ways)
        yield from _new(chains, reached)


def _new(lines: Iterable[_Line], reached: set[Pawns]) -> Iterator[RodeursMove]:
    """Those that lead where no earlier one has led."""
    for text, jumps, pawns in lines:
        if pawns not in reached:
            reached.add(pawns)
            yield RodeursMove(text, jumps)


def _longer(chains: list[_Line], ways: Ways) -> list[_Line]:
    """The chains with one more jump, in the order of their texts; of those that go on alike the first."""
    seen: set[tuple[Pawns, int]] = set()
    found = []
    for text, jumps, pawns in chains:
        taken = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.leaving[jumps[-1].landing]:
            if taken & jump.touched != jump.needed:
                continue
            then = after(pawns, jump)
            if (then, jump.landing) not in seen:
                seen.add((then, jump.landing))
                found.append((text + jump.text[2:], (*jumps, jump), then))
    return found


def _pairs(single: list[_Line], ways: Ways) -> Iterator[_Line]:
    """Two single jumps, in the order of their texts; those of one pawn lead where a chain has led before."""
    for text, (first,), pawns in single:
        taken = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.jumps:
            if taken & jump.touched == jump.needed:
                yield f"{text},{jump.text}", (first, jump), after(pawns, jump)


# --- one move ----------------------------------------------------------------------------------------------


def read_move(text: str, position: RodeursPosition) -> RodeursMove | None:
    """The legal move that a text stands for, along any path; None when there is none."""
    pair = text[4:5] == ","
    size = len(text)
    if size > _LONGEST or (pair and (size != 9 or text[2:4] == text[5:7])):
        return None
    green, yellow, red = position.pawns
    taken = green | yellow | red
    if size != 4 and taken.bit_count() == ALL_PAWNS:
        return None
    by_text = WAYS[position.diagonal].by_text
    jumps = []
    for place in (0, 5) if pair else range(0, size - 2, 2):
        jump = by_text.get(text[place : place + 4])
        if jump is None or taken & jump.touched != jump.needed:
            return None
        taken ^= jump.touched
        jumps.append(jump)
    return RodeursMove(text, tuple(jumps)) if jumps else None
