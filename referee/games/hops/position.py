"""The rules of HOPS: its players and moves, its positions, and the game.

A move's text has two actions joined by ``,``, or ends with an action that carries the ball out. The text of
an action is the path of its pawn. In a path, ``*`` stands before the landing of the jump that takes the ball,
and ``#`` is the landing beyond the goal row. Source: rule sheet 002.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.drawn_board import Disc, Line, Piece, Scene, Squares, chequered, standing
from referee.errors import PositionError
from referee.game import MAX_MOVE_TEXT, GameInfo
from referee.games import common
from referee.games.hops.actions import AHEAD, BIT, GOAL, GRID, NAMES, OUT, OVER, STEP, Action, has_turn, turns
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


_LETTERS: Final = "br"  # by seat: the letter of a pawn and of the player to move; upper case is the carrier
_BOARD: Final = "board"
NOTATION = "two actions such as d1d2,a1a2, or one that carries the ball out such as f4*d4b2#"
"""How moves are written, after "a move is"."""


class HopsPosition(common.KeyedPosition):
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

    def parse_move(self, text: str) -> HopsMove:
        """Read a move along any paths and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            from referee.games.hops.illegal import refuse  # which knows the tables above

            refuse(text, self)
        return move

    def play(self, move: HopsMove) -> HopsPosition:
        """The position after a move that this position's own methods returned."""
        own, ball = self.red if self.turn else self.blue, self.ball
        for start, end, takes in move.actions:
            own ^= BIT[start]
            if end != OUT:
                own |= BIT[end]
            if takes or start == ball:
                ball = end
        if self.turn:
            return HopsPosition(self.blue, own, ball, 0)
        return HopsPosition(own, self.red, ball, 1)

    def is_irreversible(self, move: HopsMove) -> bool:
        """Always false: nothing is captured, so an earlier position can occur again."""
        return False

    def skip_turn(self) -> HopsPosition:
        """The same position with the next seat to move."""
        return HopsPosition(self.blue, self.red, self.ball, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text, with the letters of the position string."""
        lines = common.draw_grid(self._cells(), GRID, ascii_only=ascii_only)
        ball, mover, other = self.ball, PLAYERS[self.turn], PLAYERS[1 - self.turn]
        if ball == OUT:
            lines.append(f"the ball has gone out beyond {GOAL_NAMES[1 - self.turn]}")
            lines.append(f"{other} has carried it there and won")
            return "\n".join(lines)
        carrier = PLAYERS[0 if self.blue & BIT[ball] else 1]
        lines.append(f"the ball is {carrier}'s, on {NAMES[ball]}")
        if self.outcome() is not None:
            lines.append(f"{mover} cannot complete a turn: {other} has won")
        else:
            lines.append(f"{mover} to move, towards {GOAL_NAMES[self.turn]}")
        return "\n".join(lines)

    def scene(self) -> Scene:
        """What stands on the drawn board."""
        gone = "; the ball has gone out" if self.ball == OUT else ""
        return Scene(standing(self._cells(), GRID.columns), f"player 1 is Blue, player 2 Red{gone}")

    def _cells(self) -> str:
        carrier = 0 if self.ball == OUT else BIT[self.ball]
        blue, red = self.blue, self.red
        return common.write_cells(
            (("b", blue), ("r", red), ("B", blue & carrier), ("R", red & carrier)), GRID
        )

    def __str__(self) -> str:
        return f"{common.write_rows(self._cells(), GRID)} {_LETTERS[self.turn]}"


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


class HopsGame:
    """The rules of HOPS."""

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        home, away = GRID.set_of("a1 b1 c1 d1 e1 f1 g1"), GRID.set_of("a7 b7 c7 d7 e7 f7 g7")
        self._start: Final = HopsPosition(home, away, GRID.square["d1"], 0)

    def start(self, setup: str | None = None) -> HopsPosition:
        """The start position, or the position that a position string describes."""
        return common.begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> HopsPosition:
        """Read a position string."""
        board, side = common.split_fields(text, (_BOARD, common.TURN))
        cells = common.read_rows(board, GRID, "bBrR", _BOARD)
        carriers = [square for square, letter in enumerate(cells) if letter in "BR"]
        if len(carriers) > 1:
            names = " and ".join(NAMES[square] for square in carriers[:2])
            raise PositionError(_BOARD, f"there is one ball, but the pawns on {names} both carry it")
        turn = common.read_turn(side, _LETTERS)
        blue, red = (common.squares_with(letter, cells.lower(), GRID) for letter in _LETTERS)
        counts = blue.bit_count(), red.bit_count()
        has = f"{counts[0]} blue pawns and {counts[1]} red ones"
        if carriers:
            if counts != (EACH, EACH):
                raise PositionError(_BOARD, f"{has} are not seven of each colour")
            return HopsPosition(blue, red, carriers[0], turn)
        if sorted(counts) != [EACH - 1, EACH]:
            raise PositionError(
                _BOARD,
                f"{has}, but no carrier (an upper-case letter); without a carrier the ball has gone"
                f" out, and then one player has {EACH - 1} pawns and the other {EACH}",
            )
        if counts[turn] != EACH:
            raise PositionError(common.TURN, f"{PLAYERS[turn]} has just won by carrying the ball out")
        return HopsPosition(blue, red, OUT, turn)

    def count(self, position: HopsPosition) -> tuple[int, int]:
        """For each player: the rows from the player's home row to the ball, whoever has the ball."""
        row = position.ball // GRID.columns
        return row, GRID.rows - 1 - row


_DRAWN: Final = Squares(
    look="pitch",
    columns=GRID.columns,
    rows=GRID.rows,
    ground=("4" * 7, *chequered(7, 6)[:5], "3" * 7),
    drawn=(Disc(3.5, 3.5, 1.15), Line(((0, 1), (7, 1))), Line(((0, 6), (7, 6)))),
    pieces={
        "b": Piece("Blue pawn", (("ring", "sky"),)),
        "r": Piece("Red pawn", (("diamond", "red"),)),
        "B": Piece("Blue pawn with the ball", (("round", "sky"), ("ball", ""))),
        "R": Piece("Red pawn with the ball", (("block", "red"), ("ball", ""))),
    },
    words={"*": "take the ball", "#": "carry the ball out", "*#": "take the ball and carry it out"},
    sides={"Blue": "b", "Red": "r"},
)

_PLACES = (
    "An action ends on a different square from where it started, or on the same square if the pawn took"
    " the ball on its way. A path may visit a square again."
)
_TO_AND_FRO = (
    "No action contains a jump and its reverse, regardless of what lies between the two, even if the pawn"
    " took the ball in between."
)
_BLOCKED = "A player who cannot complete a turn loses."
_AT_ONCE = (
    "The game ends as soon as the ball goes out. If the first action carries it out, there is no"
    " second action."
)

HOPS: Final = HopsGame(
    GameInfo(
        id="hops",
        title="HOPS, the ball game",
        players=2,
        board="7x7",
        ply_limit=400,
        draw_prior=0.05,
        sheet="002",
        rulings=(_PLACES, _TO_AND_FRO, _BLOCKED, _AT_ONCE),
        drawn=_DRAWN,
        notation=NOTATION,
        endings={"goal": "carries the ball out", "blocked": "leaves the other player without a turn"},
    )
)
