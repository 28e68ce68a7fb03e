"""The positions of HOPS, and the game. Source: rule sheet 002."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.drawn_board import Decision, Disc, Line, Piece, Scene, Squares, chequered, pieces_by_square
from referee.errors import PositionError
from referee.game import GameInfo
from referee.games import common
from referee.games.grid import squares
from referee.games.hops.board import (
    BIT,
    EACH,
    GOAL,
    GOAL_NAMES,
    GRID,
    NAMES,
    NOTATION,
    OUT,
    PLAYERS,
    Action,
    HopsMove,
    TurnBoard,
    act,
    has_turn,
    split_turn,
    turns,
)
from referee.games.hops.illegal import refuse
from referee.outcome import Outcome

_LETTERS: Final = "br"  # by seat: the letter of a pawn and of the player to move; upper case is the carrier
_BOARD: Final = "board"


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
            moved, ball = pawns, self.ball
            for start, end, takes in actions:
                moved ^= BIT[start]
                if end != OUT:
                    moved |= BIT[end]
                if takes or start == ball:
                    ball = end
            turn = len(text), text, actions
            previous = best.get((moved, ball))
            if previous is None or turn < previous:
                best[moved, ball] = turn
        return iter([HopsMove(text, actions) for _, text, actions in sorted(best.values())])

    def find_move(self, text: str) -> HopsMove | None:
        """The legal move for a text, along any paths; None if the text is not a legal move."""
        if self.ball == OUT:
            return None
        pawns, others = self.sides
        board = TurnBoard(pawns, others, self.ball, self.turn)
        actions = []
        for path, out in split_turn(text):
            action = act(board, path, out=out)
            if action is None:
                return None
            actions.append(action)
        if not actions or (pawns & BIT[self.ball] and not board.changed):
            return None
        return HopsMove(text, tuple(actions))

    def parse_move(self, text: str) -> HopsMove:
        """Read a move along any paths and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            refuse(text, TurnBoard(*self.sides, self.ball, self.turn), self.outcome())
        return move

    def play(self, move: HopsMove) -> HopsPosition:
        """The position after a move that this position's own methods returned."""
        pawns, ball = self.red if self.turn else self.blue, self.ball
        for start, end, takes in move.actions:
            pawns ^= BIT[start]
            if end != OUT:
                pawns |= BIT[end]
            if takes or start == ball:
                ball = end
        if self.turn:
            return HopsPosition(self.blue, pawns, ball, 0)
        return HopsPosition(pawns, self.red, ball, 1)

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
        """What is on the drawn board."""
        gone = "; the ball has gone out" if self.ball == OUT else ""
        caption = f"player 1 is Blue, player 2 Red{gone}"
        return Scene(pieces_by_square(self._cells(), GRID.columns), caption, decision=self._decision())

    def _decision(self) -> Decision | None:
        """The side over which the ball has gone out, or the pawns that cannot complete a turn."""
        if self.ball == OUT:
            winner = 1 - self.turn
            return Decision(side=_DRAWN.goals[winner], gone=_LETTERS[winner].upper())
        if self.outcome() is None:
            return None
        return Decision(losing=tuple(NAMES[square] for square in squares(self.sides[0])))

    def _cells(self) -> str:
        carrier = 0 if self.ball == OUT else BIT[self.ball]
        blue, red = self.blue, self.red
        return common.write_cells(
            (("b", blue), ("r", red), ("B", blue & carrier), ("R", red & carrier)), GRID
        )

    def __str__(self) -> str:
        return f"{common.write_rows(self._cells(), GRID)} {_LETTERS[self.turn]}"


class HopsGame:
    """The rules of HOPS."""

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        red, blue = GOAL
        self._start: Final = HopsPosition(blue, red, GRID.square["d1"], 0)

    def start(self, setup: str | None = None) -> HopsPosition:
        """The start position, or the position that a position string describes."""
        return common.start_position(setup, {"default": self._start}, self.parse_position)

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
        """For each player: the rows from the player's home row to the ball. It does not matter who has it."""
        row = position.ball // GRID.columns
        return row, GRID.rows - 1 - row


_DRAWN: Final = Squares(
    look="pitch",
    columns=GRID.columns,
    rows=GRID.rows,
    goals=("top", "bottom"),
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
_OUT_ENDS = (
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
        rulings=(_PLACES, _TO_AND_FRO, _BLOCKED, _OUT_ENDS),
        drawn=_DRAWN,
        notation=NOTATION,
        endings={"goal": "carries the ball out", "blocked": "leaves the other player without a turn"},
    )
)
