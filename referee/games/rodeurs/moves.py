"""The moves of Rôdeurs: the legal moves of a position, and reading one move.

In a turn, one pawn makes one jump or more, or two pawns make one jump each. A move's text is the path of the
pawn, or the two paths with a comma between them. The module `illegal` explains why a text is not a legal
move.
Source: rule sheet 001.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from referee.games.rodeurs.board import ALL_PAWNS, WAYS, Jump, Pawns, Ways, after

if TYPE_CHECKING:
    from referee.games.rodeurs.position import RodeursPosition

__all__ = ["RodeursMove", "list_moves", "read_move"]

_LONGEST: Final = 2 + 2 * ALL_PAWNS  # each jump of a chain removes a pawn


@dataclass(frozen=True, slots=True)
class RodeursMove:
    """One turn; its text describes it fully, whatever the position.

    Attributes:
        text: the move in the game's notation.
        jumps: the jumps of the turn, in order.
    """

    text: str
    jumps: tuple[Jump, ...]

    def __str__(self) -> str:
        return self.text


# --- all moves of a position -------------------------------------------------------------------------------

_Line = tuple[str, tuple[Jump, ...], Pawns]  # the text of a move, its jumps, and the pawns after it


def list_moves(position: RodeursPosition) -> Iterator[RodeursMove]:
    """The canonical moves: short texts before long texts, and equally long texts in ASCII order.

    The legal texts are made in this order, so the first text that leads to a successor is the canonical text.
    The text of two pawns has nine characters; that of one pawn has eight for three jumps and ten for four.
    """
    pawns, ways = position.pawns, WAYS[position.diagonal]
    occupied = position.taken
    reached: set[Pawns] = set()
    single: list[_Line] = [
        (jump.text, (jump,), after(pawns, jump))
        for jump in ways.jumps
        if occupied & jump.touched == jump.needed
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
    """The moves that lead to positions that no earlier move has reached."""
    for text, jumps, pawns in lines:
        if pawns not in reached:
            reached.add(pawns)
            yield RodeursMove(text, jumps)


def _longer(chains: list[_Line], ways: Ways) -> list[_Line]:
    """The chains with one more jump, sorted by text.

    Only the first of several chains with the same pawns and the same last landing is kept.
    """
    seen: set[tuple[Pawns, int]] = set()
    longer = []
    for text, jumps, pawns in chains:
        occupied = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.leaving[jumps[-1].landing]:
            if occupied & jump.touched != jump.needed:
                continue
            pawns_after = after(pawns, jump)
            if (pawns_after, jump.landing) not in seen:
                seen.add((pawns_after, jump.landing))
                longer.append((text + jump.text[2:], (*jumps, jump), pawns_after))
    return longer


def _pairs(single: list[_Line], ways: Ways) -> Iterator[_Line]:
    """All pairs of single jumps, sorted by text.

    A pair by one pawn needs no test: it leads to the same position as a chain that came earlier.
    """
    for text, (first,), pawns in single:
        occupied = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.jumps:
            if occupied & jump.touched == jump.needed:
                yield f"{text},{jump.text}", (first, jump), after(pawns, jump)


# --- one move ----------------------------------------------------------------------------------------------


def read_move(text: str, position: RodeursPosition) -> RodeursMove | None:
    """The legal move that a text stands for, along any path; None if the text is not a legal move."""
    pair = text[4:5] == ","
    size = len(text)
    if size > _LONGEST or (pair and (size != 9 or text[2:4] == text[5:7])):
        return None
    green, yellow, red = position.pawns
    occupied = green | yellow | red
    if size != 4 and occupied.bit_count() == ALL_PAWNS:
        return None
    by_text = WAYS[position.diagonal].by_text
    jumps = []
    for place in (0, 5) if pair else range(0, size - 2, 2):
        jump = by_text.get(text[place : place + 4])
        if jump is None or occupied & jump.touched != jump.needed:
            return None
        occupied ^= jump.touched
        jumps.append(jump)
    return RodeursMove(text, tuple(jumps)) if jumps else None
