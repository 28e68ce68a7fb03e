"""The board of HOPS: its players, its moves, and which of them are legal.

A move's text has two actions joined by ``,``, or ends with an action that carries the ball out. The text of
an action is the path of its pawn. In a path, ``*`` stands before the landing of the jump that takes the ball,
and ``#`` is the landing beyond the goal row. Source: rule sheet 002.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.game import MAX_MOVE_TEXT
from referee.games.common import KeyedPosition
from referee.games.hops.actions import AHEAD, BIT, GOAL, GRID, OUT, OVER, STEP, Action, has_turn, turns
from referee.outcome import Outcome

PLAYERS: Final = ("Blue", "Red")
"""The players' names, by seat."""
EACH: Final = 7
"""The number of pawns of each player."""
GOAL_NAMES: Final = ("row 7", "row 1")
"""By seat: the row over which the player must carry the ball out."""

_SQUARE = "[a-g][1-7]"
_ACTION = rf"{_SQUARE}(?:(?:{_SQUARE})+(?:\*(?:{_SQUARE})+)?|\*(?:{_SQUARE})+)"
_OUT = rf"(?:{_SQUARE})+(?:\*(?:{_SQUARE})*)?"
TURN = re.compile(rf"(?:({_ACTION}),)?(?:({_OUT})#|({_ACTION}))")
"""The pattern of a move. Its groups are the first of two actions, an action that carries the ball out, and
the last action if it does not."""

ActionText = tuple[str, bool]
"""The path of an action, without the ``#``, and whether it carries the ball out."""


@dataclass(frozen=True, slots=True)
class HopsMove:
    """One turn; its text describes it fully, whatever the position."""

    text: str  # the move in the game's notation
    actions: tuple[Action, ...]  # the one or two actions of the turn

    def __str__(self) -> str:
        return self.text


class HopsBoard(KeyedPosition):
    """The pawns and the ball on the board, and whose turn it is.

    Attributes:
        blue: the squares of Blue's pawns.
        red: the squares of Red's pawns.
        ball: the square of the carrier; ``OUT`` after the ball has gone out.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next, which has lost.
    """

    __slots__ = ("ball", "blue", "red", "turn")

    def __init__(self, blue: int, red: int, ball: int, turn: int) -> None:
        self.blue: Final = blue
        self.red: Final = red
        self.ball: Final = ball
        self.turn: Final = turn

    @property
    def sides(self) -> tuple[int, int]:
        """The squares of the pawns of the seat to move, and of the opponent's pawns."""
        return (self.red, self.blue) if self.turn else (self.blue, self.red)

    def outcome(self) -> Outcome | None:
        """The win of the opponent of the seat to move, or None.

        The opponent has won if the ball has gone out, or if the seat to move cannot complete a turn.
        """
        if self.ball == OUT:
            return Outcome.win(1 - self.turn, 2, "goal")
        if has_turn(*self.sides, self.ball, self.turn):
            return None
        return Outcome.win(1 - self.turn, 2, "blocked")

    def key(self) -> Hashable:
        """The pawns, the carrier and the turn; repetition compares these keys."""
        return (self.blue, self.red, self.ball, self.turn)

    def legal_moves(self) -> Iterator[HopsMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order."""
        if self.ball == OUT:
            return iter(())
        pawns, others = self.sides
        best: dict[tuple[int, int], tuple[int, str, tuple[Action, ...]]] = {}
        for text, actions in turns(pawns, others, self.ball, self.turn):
            own, ball = pawns, self.ball
            for start, end, takes in actions:
                own ^= BIT[start]
                if end != OUT:
                    own |= BIT[end]
                if takes or start == ball:
                    ball = end
            turn = len(text), text, actions
            previous = best.get((own, ball))
            if previous is None or turn < previous:
                best[own, ball] = turn
        return iter([HopsMove(text, actions) for _, text, actions in sorted(best.values())])

    def find_move(self, text: str) -> HopsMove | None:
        """The legal move that a text stands for, along any paths; None if the text is not a legal move."""
        if self.ball == OUT:
            return None
        own, others = self.sides
        board = TurnBoard(own, others, self.ball, self.turn)
        actions = []
        for path, out in split_turn(text):
            action = act(board, path, out=out)
            if action is None:
                return None
            actions.append(action)
        if not actions or (own & BIT[self.ball] and not board.changed):
            return None
        return HopsMove(text, tuple(actions))


# --- one move ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class TurnBoard:
    """The board during a turn."""

    own: int  # the squares of the pawns of the seat to move
    others: int  # those of the opponent's pawns
    ball: int  # the square of the carrier
    seat: int  # to move
    changed: bool = False  # whether the ball has changed its square in this turn
    moved: int | None = None  # the square of the pawn that made the first action; None before it


def split_turn(text: str) -> list[ActionText]:
    """The actions of a text; an empty list if the text is not a move in any position."""
    matched = TURN.fullmatch(text) if len(text) <= MAX_MOVE_TEXT else None
    if matched is None:
        return []
    first, out, second = matched.groups("")
    last = (out, True) if out else (second, False)
    if first:
        return [(first, False), last]
    return [last] if out else []


def act(board: TurnBoard, text: str, *, out: bool) -> Action | None:
    """Perform an action, whose path is without the ``#``; None, and no change, if the rules forbid it."""
    path, taken = read_action(text)
    start = path[0]
    if not board.own & BIT[start] or start == board.moved or (taken and board.changed):
        return None
    around = (board.own | board.others) ^ BIT[start]
    end: int | None
    if len(path) == 2 and not out and not taken and OVER[start].get(path[1]) == STEP:
        end = None if around & BIT[path[1]] else path[1]
    else:
        end = _jump(path, taken, around, board, out=out)
    if end is None:
        return None
    board.own ^= BIT[start]
    if end != OUT:
        board.own |= BIT[end]
    if taken or start == board.ball:
        board.ball, board.changed = end, True
    board.moved = end
    return start, end, taken > 0


def read_action(text: str) -> tuple[list[int], int]:
    """The squares of an action's path, and the index of the landing of the jump that takes the ball.

    The index is 0 if no jump takes the ball. It is the length of the path if the jump out takes the ball.
    """
    star = text.find("*")
    plain = text if star < 0 else text[:star] + text[star + 1 :]
    path = [GRID.square[plain[at : at + 2]] for at in range(0, len(plain), 2)]
    return path, star >> 1 if star > 0 else 0


def _jump(path: list[int], taken: int, around: int, board: TurnBoard, *, out: bool) -> int | None:
    """The square where a path of jumps or a path out ends; None if the rules forbid the path.

    ``taken`` is as in `read_action`, and ``around`` has the squares of all other pawns.
    """
    here, ball = path[0], board.ball
    carries = here == ball
    made: set[tuple[int, int]] = set()
    for index, target in enumerate(path[1:], 1):
        over = OVER[here].get(target, STEP)
        if over == STEP or not around & BIT[over] or around & BIT[target]:
            return None
        if index == taken:
            if carries or over != ball:
                return None
            carries = True
        if (target, here) in made:
            return None
        made.add((here, target))
        here = target
    if not out:
        return here if taken or here != path[0] else None
    ahead = AHEAD[board.seat][here]
    if taken == len(path):
        is_out = not carries and ahead & BIT[ball]
    elif GOAL[board.seat] & BIT[here]:
        is_out = carries and len(path) == 1
    else:
        is_out = carries and ahead & around
    return OUT if is_out else None
