"""The positions of Quoridor, and its two games: for two players and for four. Source: rule sheet 004."""

from __future__ import annotations

from typing import Final

from referee.board import Scene
from referee.game import GameInfo
from referee.games.common import begin
from referee.games.quoridor.board import (
    ACROSS,
    FOUR,
    PAWN,
    SKIP,
    TWO,
    QuoridorBoard,
    QuoridorMove,
    SeatGeometry,
)
from referee.games.quoridor.illegal import refuse
from referee.games.quoridor.text import draw_board, drawn, read_position, scene, write_position
from referee.games.quoridor.walls import BIT, NO_WALLS
from referee.outcome import Outcome


class QuoridorPosition(QuoridorBoard):
    """An immutable position. `QuoridorGame` and `play` make positions."""

    __slots__ = ()

    def parse_move(self, text: str) -> QuoridorMove:
        """Read a move and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
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

    def skip_turn(self) -> QuoridorPosition:
        """The same position with the next seat to move."""
        turn = (self.turn + 1) % len(self.pawns)
        return QuoridorPosition(self.seating, self.walls, self.pawns, self.hands, turn, self.winner)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with each pawn as the number of its player."""
        return draw_board(self, ascii_only=ascii_only)

    def scene(self) -> Scene:
        """What stands on the drawn board."""
        return scene(self)

    def __str__(self) -> str:
        return write_position(self)


class QuoridorGame:
    """The rules of Quoridor for two players or for four."""

    __slots__ = ("_seating", "_start", "info")

    def __init__(self, info: GameInfo, seating: SeatGeometry) -> None:
        self.info: Final = info
        self._seating: Final = seating
        hands = (seating.hand,) * seating.players
        self._start: Final = QuoridorPosition(seating, NO_WALLS, seating.starts, hands, 0, None)

    def start(self, setup: str | None = None) -> QuoridorPosition:
        """The start position, or the position that a position string describes."""
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuoridorPosition:
        """Read a position string."""
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
        drawn=drawn(TWO),
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
        drawn=drawn(FOUR),
    ),
    FOUR,
)
