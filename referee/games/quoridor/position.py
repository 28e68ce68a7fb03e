"""The positions of Quoridor, and its two games: for two players and for four. Source: rule sheet 004."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.game import GameInfo
from referee.games.common.position import KeyedPosition
from referee.games.common.setup import begin
from referee.games.quoridor.board import BIT, FOUR, TWO, SeatGeometry
from referee.games.quoridor.diagram import draw_board
from referee.games.quoridor.illegal import refuse
from referee.games.quoridor.moves import ACROSS, PAWN, SKIP, QuoridorMove, count_moves, list_moves, read_move
from referee.games.quoridor.text import read_position, write_position
from referee.games.quoridor.walls import NO_WALLS, Walls
from referee.outcome import Outcome

__all__ = ["QUORIDOR", "QUORIDOR4", "QuoridorGame", "QuoridorPosition"]


class QuoridorPosition(KeyedPosition):
    """An immutable position. `QuoridorGame` and `play` make positions.

    Attributes:
        seating: the starts, goals and walls of the players.
        walls: the walls on the board.
        pawns: the square of each player's pawn, by seat.
        hands: the number of walls that each player has left, by seat.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
        winner: the seat that has reached its goal, or None.
    """

    __slots__ = ("hands", "pawns", "seating", "turn", "walls", "winner")

    def __init__(
        self,
        seating: SeatGeometry,
        walls: Walls,
        pawns: tuple[int, ...],
        hands: tuple[int, ...],
        turn: int,
        winner: int | None,
    ) -> None:
        self.seating: Final = seating
        self.walls: Final = walls
        self.pawns: Final = pawns
        self.hands: Final = hands
        self.turn: Final = turn
        self.winner: Final = winner

    def legal_moves(self) -> Iterator[QuoridorMove]:
        """Pawn moves, then horizontal walls, then vertical walls, each by row and then by column.

        If there is none of them, the only move is a pass.
        """
        return list_moves(self)

    def count_moves(self) -> int:
        """The number of moves that `legal_moves` yields; perft uses it for the last ply."""
        return count_moves(self)

    def parse_move(self, text: str) -> QuoridorMove:
        """Read a move and check that it is legal, without listing the other moves.

        Raises:
            MoveSyntaxError: the text is not a move in any position.
            IllegalMove: the rules forbid the move in this position, or the game is over.
        """
        move = read_move(text, self)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: QuoridorMove) -> QuoridorPosition:
        """The position after a move that this position's own methods returned."""
        seating, walls, pawns, hands, turn = self.seating, self.walls, self.pawns, self.hands, self.turn
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

    def is_irreversible(self, move: QuoridorMove) -> bool:
        """Whether the move places a wall: walls stay, so no earlier position can occur again."""
        return move.kind not in (PAWN, SKIP)

    def outcome(self) -> Outcome | None:
        """The win of the player who has reached the goal, or None. The others share second place."""
        if self.winner is None:
            return None
        return Outcome.win(self.winner, len(self.pawns), "goal")

    def key(self) -> Hashable:
        """The walls, the pawns, the walls left and the turn; repetition compares these keys."""
        return (self.walls.horizontal, self.walls.vertical, self.pawns, self.hands, self.turn)

    def skip_turn(self) -> QuoridorPosition:
        """The same position with the next seat to move."""
        turn = (self.turn + 1) % len(self.pawns)
        return QuoridorPosition(self.seating, self.walls, self.pawns, self.hands, turn, self.winner)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with each pawn as the number of its player."""
        return draw_board(self, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self)


class QuoridorGame:
    """The rules of Quoridor for two players or for four.

    Attributes:
        info: the description of the game.
    """

    __slots__ = ("_seating", "_start", "info")

    def __init__(self, info: GameInfo, seating: SeatGeometry) -> None:
        self.info: Final = info
        self._seating: Final = seating
        hands = (seating.hand,) * seating.players
        self._start: Final = QuoridorPosition(seating, NO_WALLS, seating.starts, hands, 0, None)

    def start(self, setup: str | None = None) -> QuoridorPosition:
        """The start position, or the position that a position string describes.

        Raises:
            PositionError: the game has no such set-up, or the position string is damaged.
        """
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuoridorPosition:
        """Read a position string.

        Raises:
            PositionError: the string is damaged. `field` is ``position`` if there are not five fields.
                Otherwise it is ``horizontal walls``, ``vertical walls``, ``pawns``, ``walls left`` or
                ``player to move``.
        """
        return QuoridorPosition(self._seating, *read_position(text, self._seating))

    def count(self, position: QuoridorPosition) -> tuple[int, ...]:
        """For each player: minus the steps of the shortest path to the goal, round walls, through pawns."""
        pairs = zip(position.pawns, self._seating.goals, strict=True)
        return tuple(-position.walls.distance(pawn, goal) for pawn, goal in pairs)


_EDGE = (
    "If the board's edge is directly behind the jumped pawn, side-steps are possible: the edge is a"
    " barrier like a wall."
)
_BEHIND = (
    "If another pawn is directly behind the jumped pawn, neither a jump nor a side-step is"
    " possible: a jump passes only one pawn, and a side-step needs a barrier."
)
_BARRIER = (
    "If a barrier is directly behind the jumped pawn, side-steps are possible, whatever is beyond"
    " the barrier."
)
_SECOND = "The winner is first; the other three share second place."
_FORCED = "A player who can neither move the pawn nor place a wall passes. No other player may pass."

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
        draw_prior=0.5,  # of the six pairs of players in a game, the three without the winner share a place
        sheet="004",
        rulings=(_EDGE, _BEHIND, _BARRIER, _SECOND, _FORCED),
    ),
    FOUR,
)
