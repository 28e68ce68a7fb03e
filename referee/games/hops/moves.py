"""HOPS's moves: their notation, and the test of one move, which says what is wrong with it.

A turn is two actions joined by ``,``, or one that carries the ball out. An action is its path; ``*`` stands
before the landing of the jump that takes the ball, ``#`` for the landing beyond the row. Source: sheet 002.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.game import MAX_MOVE_TEXT
from referee.games.common.grid import squares
from referee.games.common.notation import check_move_text, quoted
from referee.games.hops.board import (
    AHEAD,
    BEFORE_GOAL,
    BIT,
    COLOURS,
    GOAL,
    GOAL_NAMES,
    GRID,
    NAMES,
    OUT,
    OVER,
    STEP,
)

__all__ = ["Action", "HopsMove", "read_turn", "split_turn"]

Action = tuple[int, int, bool]
"""The pawn's square, where it ends (``OUT`` beyond the opponent's home row), whether it takes the ball."""

_SQUARE = "[a-g][1-7]"
_ACTION = rf"{_SQUARE}(?:(?:{_SQUARE})+(?:\*(?:{_SQUARE})+)?|\*(?:{_SQUARE})+)"
_OUT = rf"(?:{_SQUARE})+(?:\*(?:{_SQUARE})*)?"
_TURN = re.compile(rf"(?:({_ACTION}),)?(?:({_OUT})#|({_ACTION}))")
_ROWS_BEFORE = ("row 6", "row 2")


@dataclass(frozen=True, slots=True)
class HopsMove:
    """One turn; its text says all of it, whatever the position.

    Attributes:
        text: its notation.
        actions: one or two.
    """

    text: str
    actions: tuple[Action, ...]

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class _Board:
    """The board in the course of a turn.

    Attributes:
        own, others: the pawns of the seat to move and those of the opponent.
        ball: the carrier's square.
        seat: the seat to move.
        changed: whether the ball has changed its square.
        moved: where the pawn of the first action is; None in the first action.
    """

    own: int
    others: int
    ball: int
    seat: int
    changed: bool = False
    moved: int | None = None


TurnParts = tuple[str, str, str]
"""What a move's notation is made of; what is not there is empty."""


def split_turn(text: str) -> TurnParts:
    """The parts of a move's notation: the first action, the one that carries the ball out, the second action.

    Raises:
        MoveSyntaxError: the text is no move of this game.
    """
    matched = _TURN.fullmatch(text) if len(text) <= MAX_MOVE_TEXT else None
    if matched is None:
        _no_move(text)
    first, out, second = matched.groups("")
    if not first and not out:
        _no_move(text)
    return first, out, second


def read_turn(text: str, parts: TurnParts, own: int, others: int, ball: int, seat: int) -> HopsMove:
    """Read a move and test it, action by action.

    Args:
        text: its notation.
        parts: what `split_turn` makes of it.
        own: the pawns of the seat to move.
        others: the opponent's.
        ball: the carrier's square.
        seat: the seat to move.

    Raises:
        MoveSyntaxError: the text is no move of this game.
        IllegalMove: it is one, and the rules forbid it here.
    """
    first, out, second = parts
    board = _Board(own, others, ball, seat)
    if not first:
        return HopsMove(text, (_act(board, out, out=True),))
    action = _act(board, first, out=False)
    last = _act(board, out, out=True) if out else _act(board, second, out=False)
    if own & BIT[ball] and not board.changed:
        raise IllegalMove(
            f"{COLOURS[seat]} has the ball and must change its square in this turn: "
            f"the carrier on {NAMES[ball]} moves, or another pawn takes the ball"
        )
    return HopsMove(text, (action, last))


def _no_move(text: str) -> NoReturn:
    """Say why a text is no move in any position."""
    check_move_text(text)
    shown = f"{quoted(text)} is no move"
    if _TURN.fullmatch(text.lower()) and not _TURN.fullmatch(text):
        raise MoveSyntaxError(f"{shown}: moves are written in lower case")
    if _TURN.fullmatch(text):
        raise MoveSyntaxError(f"{shown}: a turn is two actions, unless the first carries the ball out")
    if "#" in text[:-1]:
        raise MoveSyntaxError(f"{shown}: # ends the game, and nothing follows it")
    if any(action.count("*") > 1 for action in text.split(",")):
        raise MoveSyntaxError(f"{shown}: an action takes the ball only once")
    raise MoveSyntaxError(
        f"{shown}: a move is two actions such as d1d2,a1a2, or one that carries the ball out such as f4*d4b2#"
    )


# --- one action --------------------------------------------------------------------------------------------


def _act(board: _Board, text: str, *, out: bool) -> Action:
    """Test an action and carry it out on ``board``; ``text`` is its path without the ``#``."""
    star = text.find("*")
    plain = text if star < 0 else text[:star] + text[star + 1 :]
    path = [GRID.square[plain[at : at + 2]] for at in range(0, len(plain), 2)]
    start, seat = path[0], board.seat
    if not board.own & BIT[start] or start == board.moved:
        _not_to_move(board, start)
    if star >= 0 and board.changed:
        raise IllegalMove(
            f"the pawn on {NAMES[start]} cannot take the ball: it changes its square only once a turn"
        )
    around = (board.own | board.others) ^ BIT[start]
    if len(path) == 2 and not out and star < 0 and OVER[start].get(path[1]) == STEP:
        end = path[1]
        if around & BIT[end]:
            raise IllegalMove(f"the pawn on {NAMES[start]} cannot step to {NAMES[end]}: it is occupied")
    else:
        end = _jumps(path, star >> 1, around, board.ball, seat, out=out)
    board.own ^= BIT[start]
    if end != OUT:
        board.own |= BIT[end]
    if star >= 0 or start == board.ball:
        board.ball, board.changed = end, True
    board.moved = end
    return start, end, star >= 0


def _not_to_move(board: _Board, start: int) -> NoReturn:
    name = NAMES[start]
    if start == board.moved:
        raise IllegalMove(f"the pawn on {name} has moved already: a turn moves two different pawns")
    if board.others & BIT[start]:
        mover, owner = COLOURS[board.seat], COLOURS[1 - board.seat]
        raise IllegalMove(f"it is {mover}'s turn, and the pawn on {name} is {owner}'s")
    raise IllegalMove(f"there is no pawn on {name}")


def _jumps(path: list[int], taken: int, around: int, ball: int, seat: int, *, out: bool) -> int:
    """Test a path that is no single step, and say where it ends.

    Args:
        path: the squares.
        taken: which of them is landed on with the ball just taken; one more than there are when the
            jump out takes it; 0 or less when none does.
        around: all other pawns.
        ball: the carrier's square.
        seat: the seat to move.
        out: whether it goes on beyond the row.
    """
    here = path[0]
    carries = here == ball
    visited = [0, 0]  # without the ball, and with it
    visited[carries] = BIT[here]
    made: list[tuple[int, int]] = []
    for index, target in enumerate(path[1:], 1):
        over = OVER[here].get(target, STEP)
        if over == STEP or not around & BIT[over] or around & BIT[target]:
            _no_jump(here, target, around, first=index == 1)
        if index == taken:
            _check_taking(here, over, ball, carries=carries)
            carries = True
        if (target, here) in made:
            raise IllegalMove(
                f"the pawn jumps from {NAMES[target]} to {NAMES[here]} and back again in one action"
            )
        if visited[carries] & BIT[target]:
            state = "with" if carries else "without"
            raise IllegalMove(
                f"the pawn is on {NAMES[target]} twice in one action, {state} the ball both times"
            )
        visited[carries] |= BIT[target]
        made.append((here, target))
        here = target
    if out:
        _check_out(path, taken, around, ball, seat, carries=carries)
        return OUT
    if here == path[0]:
        raise IllegalMove(f"the pawn on {NAMES[here]} cannot end its action on the square where it began")
    return here


def _no_jump(here: int, target: int, around: int, *, first: bool) -> NoReturn:
    start, end = NAMES[here], NAMES[target]
    over = OVER[here].get(target)
    if over is None:
        raise IllegalMove(f"{start} to {end} is neither a step nor a jump over one pawn")
    if over == STEP and first:
        raise IllegalMove(f"{start} to {end} is a step: it takes no ball and nothing follows it in an action")
    if over == STEP:
        raise IllegalMove(
            f"the pawn on {start} cannot step to {end}: an action is one step or jumps, not both"
        )
    if not around & BIT[over]:
        raise IllegalMove(f"the pawn on {start} cannot jump to {end}: {NAMES[over]} is empty")
    raise IllegalMove(f"the pawn on {start} cannot jump {NAMES[over]}: {end} is occupied")


def _check_taking(here: int, over: int, ball: int, *, carries: bool) -> None:
    """Raise IllegalMove unless a pawn can take the ball from the one on ``over``."""
    if carries:
        raise IllegalMove(f"the pawn on {NAMES[here]} cannot take the ball: it has it already")
    if over != ball:
        raise IllegalMove(
            f"the pawn on {NAMES[here]} cannot take the ball from {NAMES[over]}: it is on {NAMES[ball]}"
        )


def _check_out(path: list[int], taken: int, around: int, ball: int, seat: int, *, carries: bool) -> None:
    """Raise IllegalMove unless a pawn that has come along ``path`` can carry the ball out."""
    here = path[-1]
    name, goal, before = NAMES[here], GOAL_NAMES[seat], _ROWS_BEFORE[seat]
    ahead = AHEAD[seat][here]
    if taken == len(path):
        if carries:
            raise IllegalMove(f"the pawn on {name} cannot take the ball: it has it already")
        if not ahead & BIT[ball]:
            raise IllegalMove(
                f"the pawn on {name} cannot jump out over the carrier, which is on {NAMES[ball]}"
            )
    elif not carries:
        raise IllegalMove(f"the pawn on {name} cannot go out: it does not have the ball")
    elif GOAL[seat] & BIT[here]:
        if len(path) > 1:
            raise IllegalMove(
                f"the pawn cannot step out from {name}: an action is one step or jumps, not both"
            )
    elif not BEFORE_GOAL[seat] & BIT[here]:
        raise IllegalMove(
            f"the pawn on {name} cannot go out: that takes a step from {goal}, "
            f"or from {before} a jump over a pawn on {goal}"
        )
    elif not ahead & around:
        row = ", ".join(NAMES[square] for square in squares(ahead))
        raise IllegalMove(f"the pawn on {name} cannot jump out: none of {row} has a pawn to jump")
