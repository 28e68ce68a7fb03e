"""The board of HOPS, and what pawns can do in a turn: all actions of a pawn, and all turns of two actions.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. Seat 0 is Blue: its home is row
1 and it plays up the board. Seat 1 is Red: its home is row 7 and it plays down.

A move's text has two actions joined by ``,``, or ends with an action that carries the ball out. The text of
an action is the path of its pawn. In a path, ``*`` is before the landing of the jump that takes the ball, and
``#`` is the landing beyond the goal row.

Each action has its best text: the shortest, and of equally short texts the smallest in ASCII order. There are
three kinds of actions: some do not move the ball, some are made by the carrier, and some take the ball.
Each kind has a function, which lists one text for each square where an action of this kind can end.

No action contains a jump and its reverse. A path may visit a square again, but a best text never visits a
square twice with the ball, or twice without it: the path without the loop between the two visits is shorter,
and legal too. So the code only checks that the jump that takes the ball, and those after it, reverse none of
the earlier ones. Source: rule sheet 002.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from referee.game import MAX_MOVE_TEXT
from referee.games.grid import EIGHT, Grid, squares

PLAYERS: Final = ("Blue", "Red")
"""The players' names, by seat."""
EACH: Final = 7
"""The number of pawns of each player."""
GOAL_NAMES: Final = ("row 7", "row 1")
"""By seat: the row over which the player must carry the ball out."""

GRID: Final = Grid(7, 7)
NAMES: Final = GRID.names
BIT: Final = GRID.bit

OUT: Final = -1
"""The square of the ball and its carrier after the ball has been carried out."""

NEAR: Final = GRID.neighbours()
"""By square: the set of the squares next to it."""
STEPS: Final = tuple(
    tuple((BIT[target], target, NAMES[start] + NAMES[target]) for target in squares(near))
    for start, near in enumerate(NEAR)
)
"""By square: the target of each step, as a bit and as a number, and the text of the step."""

JUMPS: Final = GRID.named_jumps(EIGHT)

STEP: Final = -1
OVER: Final = tuple(
    {landing: over for over, landing in jumps} | {target: STEP for _, target, _ in steps}
    for jumps, steps in zip(GRID.jumps(EIGHT), STEPS, strict=True)
)
"""By start, and then by the target of each step or jump: the square jumped, or ``STEP`` for a step."""

GOAL: Final = (GRID.set_of("a7 b7 c7 d7 e7 f7 g7"), GRID.set_of("a1 b1 c1 d1 e1 f1 g1"))
"""By seat: the home row of the opponent. A step from it can carry the ball out."""
BEFORE_GOAL: Final = (GRID.set_of("a6 b6 c6 d6 e6 f6 g6"), GRID.set_of("a2 b2 c2 d2 e2 f2 g2"))
"""By seat: the row before the goal row. A jump from it over a pawn on the goal row can carry the ball out."""
AHEAD: Final = tuple(
    tuple(near & goal if BIT[square] & before else 0 for square, near in enumerate(NEAR))
    for goal, before in zip(GOAL, BEFORE_GOAL, strict=True)
)
"""By seat and square: the squares that a jump out from this square can go over. It is empty for squares that
are not on the row before the goal row."""

Action = tuple[int, int, bool]
"""The start of the pawn, its end (``OUT`` beyond the opponent's home row), and whether it takes the ball."""
End = tuple[int, str]
"""The square where an action ends, or ``OUT``, and the text of the action."""
Jump = tuple[int, int]
"""The start and the landing of a jump."""
ActionSequence = tuple[str, tuple[Action, ...]]
"""The text of a turn, and its one or two actions."""

_NONE: frozenset[Jump] = frozenset()

_SQUARE = "[a-g][1-7]"
_ACTION = rf"{_SQUARE}(?:(?:{_SQUARE})+(?:\*(?:{_SQUARE})+)?|\*(?:{_SQUARE})+)"
_OUT = rf"(?:{_SQUARE})+(?:\*(?:{_SQUARE})*)?"
TURN = re.compile(rf"(?:({_ACTION}),)?(?:({_OUT})#|({_ACTION}))")
"""The pattern of a move. Its groups are the first of two actions, an action that carries the ball out, and
the last action if it does not."""

ActionText = tuple[str, bool]
"""The path of an action, without the ``#``, and whether it carries the ball out."""
NOTATION: Final = "two actions such as d1d2,a1a2, or one that carries the ball out such as f4*d4b2#"
"""How moves are written, after "a move is"."""


@dataclass(frozen=True, slots=True)
class HopsMove:
    """One turn; its text describes it fully in every position."""

    text: str  # the move in the game's notation
    actions: tuple[Action, ...]  # the one or two actions of the turn

    def __str__(self) -> str:
        return self.text


def quiet(start: int, around: int) -> list[End]:
    """The steps and jumps that do not move the ball."""
    ends = [(target, text) for bit, target, text in STEPS[start] if not around & bit]
    if around & NEAR[start]:
        ends += _chains(start, NAMES[start], around)
    return ends


def carrying(start: int, around: int, seat: int) -> list[End]:
    """The actions of the carrier. Of the texts that carry the ball out, only the best one is listed."""
    ends = [(target, text) for bit, target, text in STEPS[start] if not around & bit]
    chains = _chains(start, NAMES[start], around)
    if GOAL[seat] & BIT[start]:
        out: str | None = NAMES[start] + "#"
    else:
        out = _way_out([(start, NAMES[start]), *chains], around, seat)
    ends += chains
    if out is not None:
        ends.append((OUT, out))
    return ends


def taking(start: int, around: int, ball: int, seat: int) -> list[End]:
    """The actions in which the pawn on ``start`` takes the ball from the pawn on ``ball``."""
    if not around & NEAR[start]:
        return []
    best: dict[int, str] = {}
    taken_from = BIT[ball]
    for here, text, made in _approaches(start, around, taken_from):
        if AHEAD[seat][here] & taken_from:
            _keep_best(best, OUT, text + "*#")
        reverse_jumps = frozenset((landing, origin) for origin, landing in made)
        for over, bit, landing, name in JUMPS[here]:
            if over == taken_from and not around & bit and (here, landing) not in reverse_jumps:
                prefix = f"{text}*{name}"
                barred = reverse_jumps | {(landing, here)}
                ends = [(landing, prefix), *_chains(landing, prefix, around, barred)]
                out = _way_out(ends, around, seat)
                if out is not None:
                    _keep_best(best, OUT, out)
                for end, path in ends:
                    _keep_best(best, end, path)
    return list(best.items())


def _chains(start: int, text: str, around: int, barred: frozenset[Jump] = _NONE) -> list[End]:
    """The squares that jumps reach, fewest jumps first, each with its best text.

    The texts start with ``text``.
    """
    blocked = around | BIT[start]
    ends: list[End] = []
    layer = [(start, text)]
    while layer:
        last, layer = layer, []
        for here, path in last:  # sorted by text, so the first path to a square is the best one
            for over, bit, landing, name in JUMPS[here]:
                if around & over and not blocked & bit and (here, landing) not in barred:
                    blocked |= bit
                    layer.append((landing, path + name))
        ends += layer
    return ends


def _way_out(ends: list[End], around: int, seat: int) -> str | None:
    """The best text of a jump out from one of ``ends``, which are sorted by text; or None."""
    ahead = AHEAD[seat]
    for here, path in ends:
        if around & ahead[here]:
            return path + "#"
    return None


def _approaches(start: int, around: int, ball: int) -> Iterator[tuple[int, str, tuple[Jump, ...]]]:
    """Every path to a square next to the ball that visits no square twice, as (square, text, jumps made)."""
    layer: list[tuple[int, str, int, tuple[Jump, ...]]] = [(start, NAMES[start], BIT[start], ())]
    while layer:
        last, layer = layer, []
        for here, path, seen, made in last:
            if NEAR[here] & ball:
                yield here, path, made
            for over, bit, landing, name in JUMPS[here]:
                if around & over and not (around | seen) & bit:
                    layer.append((landing, path + name, seen | bit, (*made, (here, landing))))


def _keep_best(best: dict[int, str], end: int, text: str) -> None:
    """Store a text unless ``best`` has a better one."""
    previous = best.get(end)
    if previous is None or (len(text), text) < (len(previous), previous):
        best[end] = text


# --- turns -------------------------------------------------------------------------------------------------

# These functions share their arguments: ``pawns`` has the pawns of the seat to move, and ``others`` has the
# opponent's; ``ball`` is the square of the carrier, and ``seat`` the seat to move.


def turns(pawns: int, others: int, ball: int, seat: int) -> Iterator[ActionSequence]:
    """The turns, with the best text of each action. Several turns can lead to the same position."""
    for start in squares(pawns):
        around = pawns ^ BIT[start] | others
        if start == ball:
            yield from _quiet_after(pawns, start, around, carrying(start, around, seat), takes=False)
        else:
            yield from _quiet_after(pawns, start, around, taking(start, around, ball, seat), takes=True)
            yield from _any_after(pawns, start, around, ball, seat)


def has_turn(pawns: int, others: int, ball: int, seat: int) -> bool:
    """Whether the seat to move can complete a turn. Most positions have a turn of two single steps."""
    empty = ~(pawns | others)
    for pawn in [ball] if pawns & BIT[ball] else squares(pawns):
        if NEAR[pawn] & empty:
            targets = 0
            for other in squares(pawns ^ BIT[pawn]):
                targets |= NEAR[other]
            if (targets & empty).bit_count() >= 2:  # the first pawn can occupy only one of them
                return True
    return next(turns(pawns, others, ball, seat), None) is not None


def _quiet_after(
    pawns: int, start: int, around: int, firsts: list[End], *, takes: bool
) -> Iterator[ActionSequence]:
    """The turns whose first action is one of ``firsts``. It moves the ball; the second must not."""
    rest = squares(pawns ^ BIT[start])
    for end, text in firsts:
        first = start, end, takes
        if end == OUT:
            yield text, (first,)
            continue
        between = around | BIT[end]
        for other in rest:
            for target, more in quiet(other, between ^ BIT[other]):
                yield f"{text},{more}", (first, (other, target, False))


def _any_after(pawns: int, start: int, around: int, ball: int, seat: int) -> Iterator[ActionSequence]:
    """The turns whose first action does not move the ball. If the seat has the ball, the second moves it."""
    rest = squares(pawns ^ BIT[start])
    has_ball = pawns & BIT[ball]
    for end, text in quiet(start, around):
        first = start, end, False
        between = around | BIT[end]
        for other in rest:
            remaining = between ^ BIT[other]
            if other == ball:
                for target, more in carrying(other, remaining, seat):
                    yield f"{text},{more}", (first, (other, target, False))
                continue
            for target, more in taking(other, remaining, ball, seat):
                yield f"{text},{more}", (first, (other, target, True))
            if not has_ball:
                for target, more in quiet(other, remaining):
                    yield f"{text},{more}", (first, (other, target, False))


# --- the text of a turn ------------------------------------------------------------------------------------


@dataclass(slots=True)
class TurnBoard:
    """The board during a turn."""

    pawns: int  # the squares of the pawns of the seat to move
    others: int  # the squares of the opponent's pawns
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
    if not board.pawns & BIT[start] or start == board.moved or (taken and board.changed):
        return None
    around = (board.pawns | board.others) ^ BIT[start]
    end: int | None
    if len(path) == 2 and not out and not taken and OVER[start].get(path[1]) == STEP:
        end = None if around & BIT[path[1]] else path[1]
    else:
        end = _jump(path, taken, around, board, out=out)
    if end is None:
        return None
    board.pawns ^= BIT[start]
    if end != OUT:
        board.pawns |= BIT[end]
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
