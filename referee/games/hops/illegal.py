"""Explains why a text is not a legal move in a position of HOPS."""

from __future__ import annotations

from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common import check_move_text, quoted
from referee.games.grid import squares
from referee.games.hops.board import (
    AHEAD,
    BEFORE_GOAL,
    BIT,
    GOAL,
    GOAL_NAMES,
    NAMES,
    NOTATION,
    OVER,
    PLAYERS,
    STEP,
    TURN,
    TurnBoard,
    act,
    read_action,
    split_turn,
)
from referee.outcome import Outcome

_ROWS_BEFORE = ("row 6", "row 2")


def refuse(text: str, board: TurnBoard, outcome: Outcome | None) -> NoReturn:
    """Raise the error that says why a text is not a legal move on a board before the turn."""
    actions = split_turn(text)
    if not actions:
        _refuse_text(text)
    player, other = PLAYERS[board.seat], PLAYERS[1 - board.seat]
    if outcome is not None:
        if outcome.reason == "goal":
            end = f"{other} has carried the ball out beyond {GOAL_NAMES[1 - board.seat]}"
        else:
            end = f"{player} cannot complete a turn, and {other} has won"
        raise IllegalMove(f"the game is over: {end}")
    for action, out in actions:
        if act(board, action, out=out) is None:
            _refuse_action(board, action, out=out)
    raise IllegalMove(
        f"{player} has the ball and must change its square in this turn: "
        f"the carrier on {NAMES[board.ball]} moves, or another pawn takes the ball"
    )


def _refuse_text(text: str) -> NoReturn:
    """Say why a text is not a move in any position."""
    check_move_text(text)
    problem = f"{quoted(text)} is no move"
    if TURN.fullmatch(text.lower()) and not TURN.fullmatch(text):
        raise MoveSyntaxError(f"{problem}: moves are written in lower case")
    if TURN.fullmatch(text):
        raise MoveSyntaxError(f"{problem}: a turn is two actions, unless the first carries the ball out")
    if "#" in text[:-1]:
        raise MoveSyntaxError(f"{problem}: # ends the game, and nothing follows it")
    if any(action.count("*") > 1 for action in text.split(",")):
        raise MoveSyntaxError(f"{problem}: an action takes the ball only once")
    raise MoveSyntaxError(f"{problem}: a move is {NOTATION}")


# --- one action --------------------------------------------------------------------------------------------


def _refuse_action(board: TurnBoard, text: str, *, out: bool) -> NoReturn:
    """Say why the rules forbid an action; ``text`` is its path without the ``#``."""
    path, taken = read_action(text)
    start = path[0]
    name = NAMES[start]
    if start == board.moved:
        raise IllegalMove(f"the pawn on {name} has moved already: a turn moves two different pawns")
    if board.others & BIT[start]:
        mover, owner = PLAYERS[board.seat], PLAYERS[1 - board.seat]
        raise IllegalMove(f"it is {mover}'s turn, and the pawn on {name} is {owner}'s")
    if not board.pawns & BIT[start]:
        raise IllegalMove(f"there is no pawn on {name}")
    if taken and board.changed:
        raise IllegalMove(f"the pawn on {name} cannot take the ball: it changes its square only once a turn")
    around = (board.pawns | board.others) ^ BIT[start]
    if len(path) == 2 and not out and not taken and OVER[start].get(path[1]) == STEP:
        raise IllegalMove(f"the pawn on {name} cannot step to {NAMES[path[1]]}: it is occupied")
    carries = _check_jumps(path, taken, around, board.ball)
    if out:
        _refuse_out(path, taken, board, carries=carries)
    raise IllegalMove(
        f"the pawn on {name} cannot end its action where it started: it has not taken the ball on its way"
    )


def _check_jumps(path: list[int], taken: int, around: int, ball: int) -> bool:
    """Raise IllegalMove unless a pawn can jump along its path; return whether it then has the ball.

    ``taken`` is as in `read_action`, and ``around`` has the squares of all other pawns.
    """
    here = path[0]
    carries = here == ball
    made: set[tuple[int, int]] = set()
    for index, target in enumerate(path[1:], 1):
        over = OVER[here].get(target, STEP)
        if over == STEP or not around & BIT[over] or around & BIT[target]:
            _refuse_jump(here, target, around, first=index == 1)
        if index == taken:
            _check_taking(here, over, ball, carries=carries)
            carries = True
        if (target, here) in made:
            raise IllegalMove(
                f"the pawn jumps from {NAMES[target]} to {NAMES[here]} and back again in one action"
            )
        made.add((here, target))
        here = target
    return carries


def _refuse_jump(here: int, target: int, around: int, *, first: bool) -> NoReturn:
    """Say why a pawn cannot jump from one square of its path to the next."""
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
    """Raise IllegalMove unless a pawn can take the ball from the pawn on ``over``."""
    if carries:
        raise IllegalMove(f"the pawn on {NAMES[here]} cannot take the ball: it has it already")
    if over != ball:
        raise IllegalMove(
            f"the pawn on {NAMES[here]} cannot take the ball from {NAMES[over]}: it is on {NAMES[ball]}"
        )


def _refuse_out(path: list[int], taken: int, board: TurnBoard, *, carries: bool) -> NoReturn:
    """Say why a pawn cannot carry the ball out at the end of ``path``."""
    here, seat = path[-1], board.seat
    name, goal, before = NAMES[here], GOAL_NAMES[seat], _ROWS_BEFORE[seat]
    if taken == len(path):
        if carries:
            raise IllegalMove(f"the pawn on {name} cannot take the ball: it has it already")
        raise IllegalMove(
            f"the pawn on {name} cannot jump out over the carrier, which is on {NAMES[board.ball]}"
        )
    if not carries:
        raise IllegalMove(f"the pawn on {name} cannot go out: it does not have the ball")
    if GOAL[seat] & BIT[here]:
        raise IllegalMove(f"the pawn cannot step out from {name}: an action is one step or jumps, not both")
    if not BEFORE_GOAL[seat] & BIT[here]:
        raise IllegalMove(
            f"the pawn on {name} cannot go out: a pawn goes out by a step from {goal}, "
            f"or by a jump from {before} over a pawn on {goal}"
        )
    row = ", ".join(NAMES[square] for square in squares(AHEAD[seat][here]))
    raise IllegalMove(f"the pawn on {name} cannot jump out: none of {row} has a pawn to jump")
