"""Quoridor for two players and for four: positions and the two games.

Source: rule sheet 004. The squares' bits are in `quoridor_board`, walls and paths in `quoridor_walls`, the
notation of moves in `quoridor_moves`, that of positions in `quoridor_text`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.errors import IllegalMove
from referee.game import GameInfo
from referee.games.common.grid import squares
from referee.games.common.setup import begin
from referee.games.quoridor.board import BIT, FOUR, TWO, Seating
from referee.games.quoridor.diagram import diagram
from referee.games.quoridor.moves import (
    ACROSS,
    ACROSS_MOVES,
    MOVES,
    PASS,
    PAWN,
    PAWN_MOVES,
    SKIP,
    UPRIGHT_MOVES,
    QuoridorMove,
    no_move,
    why_no_pawn_move,
    why_no_wall,
)
from referee.games.quoridor.text import Fields, read_position, write_position
from referee.games.quoridor.walls import NO_WALLS, Walls
from referee.outcome import Outcome

__all__ = ["QUORIDOR", "QUORIDOR4", "QuoridorGame", "QuoridorPosition"]


class QuoridorPosition:
    """An immutable position; made by a `QuoridorGame` and by `play`.

    Attributes:
        walls: those on the board.
        pawns: the square of each player's pawn.
        hands: the walls that each player has left.
        turn: the seat to move, 0-based; in a finished game the one that would be next.
        winner: the seat that has reached its goal, or None.
    """

    __slots__ = ("_seating", "hands", "pawns", "turn", "walls", "winner")

    def __init__(
        self,
        seating: Seating,
        walls: Walls,
        pawns: tuple[int, ...],
        hands: tuple[int, ...],
        turn: int,
        winner: int | None,
    ) -> None:
        self._seating: Final = seating
        self.walls: Final = walls
        self.pawns: Final = pawns
        self.hands: Final = hands
        self.turn: Final = turn
        self.winner: Final = winner

    def legal_moves(self) -> Iterator[QuoridorMove]:
        """Pawn moves, horizontal walls, vertical walls, each by row and then by column; or only a pass."""
        if self.winner is not None:
            return
        moved = False
        for square in squares(self._targets()):
            yield PAWN_MOVES[square]
            moved = True
        if self.hands[self.turn]:
            across, upright = self.walls.placeable(self.pawns, self._seating.goals)
            yield from [move for bit, move in ACROSS_MOVES if across & bit]
            yield from [move for bit, move in UPRIGHT_MOVES if upright & bit]
            moved = moved or across | upright != 0
        if not moved:
            yield PASS

    def count_moves(self) -> int:
        """How many moves `legal_moves` yields, without making them: what perft needs of the last ply."""
        if self.winner is not None:
            return 0
        count = self._targets().bit_count()
        if self.hands[self.turn]:
            across, upright = self.walls.placeable(self.pawns, self._seating.goals)
            count += across.bit_count() + upright.bit_count()
        return count or 1  # the pass

    def parse_move(self, text: str) -> QuoridorMove:
        """Read a move: a look-up, and a test of this move alone.

        Raises:
            MoveSyntaxError: the text is no move of this game.
            IllegalMove: it is one, and the rules forbid it here.
        """
        move = MOVES.get(text)
        if move is None:
            if text != PASS.text or len(self.pawns) == 2:
                no_move(text, self._seating)
            move = PASS
        if self.winner is not None:
            goal = self._seating.goal_names[self.winner]
            raise IllegalMove(f"the game is over: player {self.winner + 1} has reached {goal}")
        if move.kind == PAWN:
            if not self._targets() & BIT[move.square]:
                why_no_pawn_move(self.pawns[self.turn], move.square, self.pawns, self.walls)
        elif move.kind == SKIP:
            first = next(self.legal_moves())
            if first is not PASS:
                raise IllegalMove(
                    f"player {self.turn + 1} may not pass while it has another move, such as {first}"
                )
        else:
            self._check_wall(move)
        return move

    def play(self, move: QuoridorMove) -> QuoridorPosition:
        """The position after a move that came from this position's own methods."""
        seating, walls, pawns, hands, turn = self._seating, self.walls, self.pawns, self.hands, self.turn
        kind = move.kind
        winner = None
        if kind == PAWN:
            target = move.square
            pawns = (*pawns[:turn], target, *pawns[turn + 1 :])
            if BIT[target] & seating.goals[turn]:
                winner = turn
        elif kind != SKIP:
            walls = (walls.with_horizontal if kind == ACROSS else walls.with_vertical)(move.square)
            hands = (*hands[:turn], hands[turn] - 1, *hands[turn + 1 :])
        return QuoridorPosition(seating, walls, pawns, hands, (turn + 1) % len(pawns), winner)

    def outcome(self) -> Outcome | None:
        """The win of whoever has reached the goal; with four players the others share second place."""
        if self.winner is None:
            return None
        return Outcome.win(self.winner, len(self.pawns), "goal")

    def key(self) -> Hashable:
        """Walls, pawns, walls left and turn: positions that differ in any of these are not the same."""
        return (self.walls.horizontal, self.walls.vertical, self.pawns, self.hands, self.turn)

    def skip_turn(self) -> QuoridorPosition:
        """The same position with the next seat to move."""
        turn = (self.turn + 1) % len(self.pawns)
        return QuoridorPosition(self._seating, self.walls, self.pawns, self.hands, turn, self.winner)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn for people: walls heavy, pawns as their player's number."""
        return diagram(self._fields(), self._seating, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self._fields())

    def __repr__(self) -> str:
        return f"<QuoridorPosition {self}>"

    def __hash__(self) -> int:
        return hash(self.key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuoridorPosition) and self.key() == other.key()

    def _targets(self) -> int:
        """The squares to which the pawn of the seat to move may go."""
        pawns = self.pawns
        taken = 0
        for pawn in pawns:
            taken |= BIT[pawn]
        return self.walls.targets(BIT[pawns[self.turn]], taken)

    def _check_wall(self, move: QuoridorMove) -> None:
        """Raise IllegalMove unless this wall can be placed."""
        if not self.hands[self.turn]:
            raise IllegalMove(f"player {self.turn + 1} has no walls left")
        walls, anchor = self.walls, move.square
        if move.kind == ACROSS:
            free, cuts = walls.free_horizontal(), walls.cuts_horizontal
        else:
            free, cuts = walls.free_vertical(), walls.cuts_vertical
        if not free & BIT[anchor]:
            why_no_wall(move, walls, None, self._seating)
        cut_off = cuts(anchor, self.pawns, self._seating.goals)
        if cut_off is not None:
            why_no_wall(move, walls, cut_off, self._seating)

    def _fields(self) -> Fields:
        return Fields(self.walls, self.pawns, self.hands, self.turn, self.winner)


class QuoridorGame:
    """The rules for one number of players.

    Attributes:
        info: the game's description.
    """

    __slots__ = ("_seating", "_start", "info")

    def __init__(self, info: GameInfo, seating: Seating) -> None:
        self.info: Final = info
        self._seating: Final = seating
        hands = (seating.hand,) * seating.players
        self._start: Final = QuoridorPosition(seating, NO_WALLS, seating.starts, hands, 0, None)

    def start(self, setup: str | None = None) -> QuoridorPosition:
        """The start position, or the one that a position string describes.

        Raises:
            PositionError: another set-up was asked for, or the string is damaged.
        """
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuoridorPosition:
        """Read a position string.

        Raises:
            PositionError: naming the damaged field: ``position`` when there are not five of them, otherwise
                ``horizontal walls``, ``vertical walls``, ``pawns``, ``walls left`` or ``player to move``.
        """
        fields = read_position(text, self._seating)
        return QuoridorPosition(
            self._seating, fields.walls, fields.pawns, fields.hands, fields.turn, fields.winner
        )


_EDGE = (
    "A pawn with the board's edge directly behind it may be passed to its left or right, as if by a wall: "
    "the edge is a barrier no less than a wall."
)
_BEHIND = (
    "With another pawn directly behind the one to be jumped there is neither jump nor side-step: no more "
    "than one pawn may be jumped, and side-steps exist only for a barrier."
)
_BARRIER = (
    "With a barrier directly behind the jumped pawn there are side-steps, whatever is beyond the barrier."
)
_SECOND = "The winner is first; the other three share second place."
_FORCED = "A player who can neither move the pawn nor place a wall passes; nobody else may."

QUORIDOR: Final = QuoridorGame(
    GameInfo(
        id="quoridor",
        title="Quoridor, two players",
        players=2,
        board="9x9",
        ply_limit=400,
        draw_prior=0.02,
        sheet="004",
        rulings=(_EDGE,),
    ),
    TWO,
)
QUORIDOR4: Final = QuoridorGame(
    GameInfo(
        id="quoridor4",
        title="Quoridor, four players",
        players=4,
        board="9x9",
        ply_limit=800,
        draw_prior=0.5,  # between equals: of the six pairs in a game, the three without the winner are level
        sheet="004",
        rulings=(_EDGE, _BEHIND, _BARRIER, _SECOND, _FORCED),
    ),
    FOUR,
)
