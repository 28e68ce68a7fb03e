"""Explains why a text is not a legal move in a position of Rôdeurs."""

from __future__ import annotations

from itertools import pairwise
from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common import check_move_text, quoted, read_path
from referee.games.grid import squares
from referee.games.rodeurs.board import ALL_PAWNS, GRID, NOTATION, Jump, Ways, can_jump


def refuse(text: str, ways: Ways, occupied: int) -> NoReturn:
    """Raise the error that says why a text is not a legal move with pawns on the ``occupied`` squares."""
    jumps = _read_jumps(text, ways)
    if not can_jump(occupied, ways):
        raise IllegalMove("the game is over: no pawn can jump any more")
    if len(jumps) > 1 and occupied.bit_count() == ALL_PAWNS:
        raise IllegalMove("the first turn of the game is exactly one jump")
    for number, jump in enumerate(jumps):
        if occupied & jump.touched != jump.needed:
            before = f"after {text[: 2 + 2 * number]}, " if number else ""
            raise IllegalMove(before + _problem(jump, occupied))
        occupied ^= jump.touched
    raise AssertionError(f"{text!a} is a legal move")


def _read_jumps(text: str, ways: Ways) -> list[Jump]:
    """The jumps that a text names."""
    check_move_text(text)
    paths = [read_path(part, GRID) for part in text.split(",")]
    if len(paths) > 2 or len(paths[0]) == 1:
        raise MoveSyntaxError(f"{quoted(text)} is no move: a move is {NOTATION}")
    if len(paths) == 2 and not len(paths[0]) == len(paths[1]) == 2:
        raise MoveSyntaxError(f"{quoted(text)} is no move: if two pawns move, each makes exactly one jump")
    names = GRID.names
    jumps = []
    for here, there in [pair for path in paths for pair in pairwise(path)]:
        jump = ways.by_text.get(names[here] + names[there])
        if jump is None:
            which = "" if len(ways.lines) > 2 else " up, down, left or right"
            raise MoveSyntaxError(
                f"{names[here]} to {names[there]} is no jump: jumps go two squares in a straight line{which}"
            )
        jumps.append(jump)
    if len(paths) == 2 and jumps[0].landing == jumps[1].start:
        raise MoveSyntaxError(
            f"{quoted(text)} is no move: two jumps by the same pawn are written {jumps[0].text}{text[-2:]}"
        )
    return jumps


def _problem(jump: Jump, occupied: int) -> str:
    """The reason why a jump is not legal."""
    here, over, there = (GRID.names[squares(bit)[0]] for bit in jump[1:4])
    if not occupied & jump.start:
        return f"there is no pawn on {here}"
    if not occupied & jump.over:
        return f"the pawn on {here} cannot jump to {there}: {over} is empty"
    return f"the pawn on {here} cannot jump to {there}: {there} is occupied"
