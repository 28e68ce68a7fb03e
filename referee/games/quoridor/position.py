"""The positions of Quoridor, and its games for two and for four players.

A position string has five fields with `` / `` between them: horizontal walls, vertical walls, pawns, walls
left and player to move. Source: rule sheet 004.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Final

from referee.drawn_board import SIDES, Decision, Grooves, Piece, Scene, Side
from referee.errors import PositionError
from referee.game import GameInfo
from referee.games.common import TURN, KeyedPosition, quoted, start_position
from referee.games.grid import squares
from referee.games.quoridor.board import (
    ACROSS_MOVES,
    ANCHORS,
    BIT,
    FOUR,
    MOVES,
    NAMES,
    NO_WALLS,
    PASS,
    PAWN,
    PAWN_MOVES,
    SIZE,
    SKIP,
    SQUARE,
    TWO,
    UPRIGHT,
    UPRIGHT_MOVES,
    QuoridorMove,
    SeatGeometry,
    Walls,
    notation,
    reaches,
)
from referee.games.quoridor.illegal import refuse
from referee.outcome import Outcome

_ALL_WALLS = 20  # on the board and in the hands of all players
_WHITE_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_COUNT = re.compile(r"0|[1-9][0-9]?")

# The character at the corner of four squares. Its index is the sum of the walls that end there: 1 above, 2
# below, 4 left, 8 right.
_CORNERS = "·╹╻┃╸┛┓┫╺┗┏┣━┻┳╋"
_ASCII_CORNERS = "." + "+" * 15
_WIDTH = 4 * SIZE - 1


class QuoridorPosition(KeyedPosition):
    """The pawns and walls on the board, and whose turn it is."""

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
        self.seating: Final = seating  # the starts, goals and walls of the players
        self.walls: Final = walls  # the walls on the board
        self.pawns: Final = pawns  # the square of each player's pawn, by seat
        self.hands: Final = hands  # the number of walls that each player has left, by seat
        self.turn: Final = turn  # the seat to move, 0-based; in a finished game, the seat that would be next
        self.winner: Final = winner  # the seat that has reached its goal, or None

    def key(self) -> Hashable:
        """The walls, the pawns, the walls left and the turn; repetition compares these keys."""
        return (self.walls.horizontal, self.walls.vertical, self.pawns, self.hands, self.turn)

    def legal_moves(self) -> Iterator[QuoridorMove]:
        """Pawn moves, then horizontal walls, then vertical walls, each by row and then by column.

        If there is none of them, the only move is a pass.
        """
        if self.winner is not None:
            return
        has_move = False
        for square in squares(self.walls.targets(self.pawns, self.turn)):
            yield PAWN_MOVES[square]
            has_move = True
        if self.hands[self.turn]:
            across, upright = self.walls.placeable(self.pawns, self.seating.goals)
            yield from [move for bit, move in ACROSS_MOVES if across & bit]
            yield from [move for bit, move in UPRIGHT_MOVES if upright & bit]
            has_move = has_move or across | upright != 0
        if not has_move:
            yield PASS

    def count_moves(self) -> int:
        """The number of moves that `legal_moves` yields; perft uses it for the last ply."""
        if self.winner is not None:
            return 0
        count = self.walls.targets(self.pawns, self.turn).bit_count()
        if self.hands[self.turn]:
            across, upright = self.walls.placeable(self.pawns, self.seating.goals)
            count += across.bit_count() + upright.bit_count()
        return count or 1  # the pass

    def find_move(self, text: str) -> QuoridorMove | None:
        """The legal move for a text; None if the text is not a legal move."""
        if self.winner is not None:
            return None
        move = MOVES.get(text)
        if move is None:
            is_pass = text == PASS.text and len(self.pawns) > 2 and next(self.legal_moves()) is PASS
            return PASS if is_pass else None
        walls, square = self.walls, move.square
        if move.kind == PAWN:
            is_legal = walls.targets(self.pawns, self.turn) & BIT[square] != 0
        elif not self.hands[self.turn]:
            is_legal = False
        else:
            upright = move.kind == UPRIGHT
            is_legal = (
                walls.free(upright) & BIT[square] != 0
                and walls.cuts(square, self.pawns, self.seating.goals, upright) is None
            )
        return move if is_legal else None

    def parse_move(self, text: str) -> QuoridorMove:
        """Read a move and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            board = (self.seating, self.walls, self.pawns, self.hands, self.turn, self.winner)
            refuse(text, *board, self.legal_moves())
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
            walls = walls.with_wall(move.square, kind == UPRIGHT)
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
        rim, side, corners = ("-", "|", "++++") if ascii_only else ("─", "│", "┌┐└┘")
        lines = [f"   {corners[0]}{rim * _WIDTH}{corners[1]}"]
        for row in reversed(range(SIZE)):
            lines.append(f" {row + 1} {side}{self._row(row, ascii_only=ascii_only)}{side}")
            if row:
                lines.append(f"   {side}{_gap(self.walls, row - 1, ascii_only=ascii_only)}{side}")
        lines.append(f"   {corners[2]}{rim * _WIDTH}{corners[3]}")
        lines.append("     " + "   ".join("abcdefghi"))
        left = ", ".join(f"player {seat} {hand}" for seat, hand in enumerate(self.hands, 1))
        lines.append(f"walls left: {left}")
        goals = self.seating.goal_names
        if self.winner is None:
            lines.append(f"player {self.turn + 1} to move, towards {goals[self.turn]}")
        else:
            lines.append(f"player {self.winner + 1} has reached {goals[self.winner]} and won")
        return "\n".join(lines)

    def _row(self, row: int, *, ascii_only: bool) -> str:
        """The squares of a row, with the vertical walls between them."""
        bar = "|" if ascii_only else "┃"
        drawn = []
        for square in range(SIZE * row, SIZE * (row + 1)):
            player = str(self.pawns.index(square) + 1) if square in self.pawns else " "
            drawn.append(f" {player} {' ' if self.walls.east & BIT[square] else bar}")
        return "".join(drawn)[:_WIDTH]

    def scene(self) -> Scene:
        """What is on the drawn board."""
        pieces = {NAMES[pawn]: str(seat) for seat, pawn in enumerate(self.pawns, 1)}
        walls = (
            *(f"{NAMES[anchor]}h" for anchor in squares(self.walls.horizontal)),
            *(f"{NAMES[anchor]}v" for anchor in squares(self.walls.vertical)),
        )
        left = ", ".join(f"player {seat}: {hand}" for seat, hand in enumerate(self.hands, 1))
        sides = _goals(self.seating)
        goals = ", ".join(f"{seat} {side}" for seat, side in enumerate(sides, 1))
        caption = f"walls left: {left}; goals: player {goals}"
        decision = None
        if self.winner is not None:
            decision = Decision(winning=(NAMES[self.pawns[self.winner]],), side=sides[self.winner])
        return Scene(pieces, caption, walls=walls, hands=self.hands, decision=decision)

    def __str__(self) -> str:
        words = []
        for anchors in (self.walls.horizontal, self.walls.vertical):
            if anchors:
                words.append("".join([NAMES[anchor] for anchor in squares(anchors)]))
            words.append("/")
        words += [NAMES[pawn] for pawn in self.pawns]
        words.append("/")
        words += [str(hand) for hand in self.hands]
        words += ["/", str(self.turn + 1)]
        return " ".join(words)


def _gap(walls: Walls, row: int, *, ascii_only: bool) -> str:
    """The line between a row and the row above it: horizontal walls and corners."""
    line = "-" if ascii_only else "━"
    corners = _ASCII_CORNERS if ascii_only else _CORNERS
    drawn = []
    for square in range(SIZE * row, SIZE * (row + 1)):
        drawn.append((" " if walls.north & BIT[square] else line) * 3)
        arms = (
            _is_blocked(walls.east, square + SIZE)
            + 2 * _is_blocked(walls.east, square)
            + 4 * _is_blocked(walls.north, square)
            + 8 * _is_blocked(walls.north, square + 1)
        )
        drawn.append(corners[arms])
    return "".join(drawn)[:_WIDTH]


def _is_blocked(open_edges: int, square: int) -> bool:
    return not open_edges & BIT[square]


def _goals(seating: SeatGeometry) -> tuple[Side, ...]:
    """By seat: the side of the board that the player must reach."""
    return SIDES if seating.players == len(SIDES) else SIDES[::2]


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
        return start_position(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuoridorPosition:
        """Read a position string. Any sequence of ASCII white space counts as one space."""
        seating = self._seating
        horizontal, vertical, pawn_words, hand_words, turn_words = _split(text)
        walls = _read_walls("horizontal walls", horizontal, NO_WALLS)
        walls = _read_walls("vertical walls", vertical, walls)
        pawns = _read_pawns(pawn_words, walls, seating)
        hands = _read_hands(hand_words, walls, seating)
        at_goal = [seat for seat, pawn in enumerate(pawns) if BIT[pawn] & seating.goals[seat]]
        if len(at_goal) > 1:
            raise PositionError(
                "pawns", f"players {at_goal[0] + 1} and {at_goal[1] + 1} have both reached their goals"
            )
        winner = at_goal[0] if at_goal else None
        turn = _read_turn(turn_words, winner, seating)
        return QuoridorPosition(seating, walls, pawns, hands, turn, winner)

    def count(self, position: QuoridorPosition) -> tuple[int, ...]:
        """For each player: minus the steps of the shortest path to the goal, round walls, through pawns."""
        pairs = zip(position.pawns, self._seating.goals, strict=True)
        return tuple(-position.walls.distance(pawn, goal) for pawn, goal in pairs)


def _split(text: str) -> list[list[str]]:
    """The words of each of the five fields."""
    fields: list[list[str]] = [[]]
    for word in _WHITE_SPACE.sub(" ", text).strip(" ").split(" "):
        if word == "/":
            fields.append([])
        elif word:
            fields[-1].append(word)
    if len(fields) != 5:
        raise PositionError(
            "position",
            f"five fields with ' / ' between them were expected (horizontal walls, vertical walls, pawns, "
            f"walls left, player to move), but there are {len(fields)}",
        )
    return fields


def _read_walls(field: str, words: list[str], walls: Walls) -> Walls:
    """Return the set ``walls`` with the walls of one field added."""
    if len(words) > 1:
        raise PositionError(field, f"walls are written without spaces, but {quoted(' '.join(words))} has one")
    text = words[0] if words else ""
    upright = field == "vertical walls"
    last = -1
    for start in range(0, len(text), 2):
        name = text[start : start + 2]
        anchor = SQUARE.get(name, -1)
        if anchor < 0 or not BIT[anchor] & ANCHORS:
            raise PositionError(field, f"{quoted(name)} is no place for a wall: the places are a1 to h8")
        if anchor == last:
            raise PositionError(field, f"{name} occurs twice")
        if anchor < last:
            raise PositionError(
                field, f"{name} must come before {NAMES[last]}: walls are sorted by row, then column"
            )
        if not BIT[anchor] & walls.free(upright):
            crossed = upright and walls.horizontal & BIT[anchor]
            problem = (
                f"{name} crosses the horizontal wall {name}" if crossed else f"{name} overlaps another wall"
            )
            raise PositionError(field, problem)
        walls = walls.with_wall(anchor, upright)
        last = anchor
    return walls


def _read_pawns(words: list[str], walls: Walls, seating: SeatGeometry) -> tuple[int, ...]:
    if len(words) != seating.players:
        raise PositionError("pawns", f"{seating.players} squares were expected, not {len(words)}")
    pawns: list[int] = []
    for seat, word in enumerate(words):
        if word not in SQUARE:
            raise PositionError("pawns", f"{quoted(word)} is no square: the squares are a1 to i9")
        pawn = SQUARE[word]
        if pawn in pawns:
            raise PositionError("pawns", f"two pawns are on {word}")
        if not reaches(walls.north, walls.east, BIT[pawn], seating.goals[seat]):
            goal = seating.goal_names[seat]
            raise PositionError("pawns", f"player {seat + 1} has no path from {word} to {goal}")
        pawns.append(pawn)
    return tuple(pawns)


def _read_hands(words: list[str], walls: Walls, seating: SeatGeometry) -> tuple[int, ...]:
    field = "walls left"
    if len(words) != seating.players:
        raise PositionError(field, f"{seating.players} numbers were expected, not {len(words)}")
    hands = []
    for word in words:
        if not _COUNT.fullmatch(word) or int(word) > seating.hand:
            raise PositionError(field, f"{quoted(word)} is no number from 0 to {seating.hand}")
        hands.append(int(word))
    placed = walls.horizontal.bit_count() + walls.vertical.bit_count()
    held = sum(hands)
    if placed + held != _ALL_WALLS:
        raise PositionError(
            field,
            f"{placed} on the board and {held} in hand make {placed + held}, not {_ALL_WALLS}",
        )
    return tuple(hands)


def _read_turn(words: list[str], winner: int | None, seating: SeatGeometry) -> int:
    numbers = [str(seat + 1) for seat in range(seating.players)]
    if len(words) != 1 or words[0] not in numbers:
        raise PositionError(TURN, f"{quoted(' '.join(words))} is no number from 1 to {seating.players}")
    turn = numbers.index(words[0])
    if turn == winner:
        # With more than two players any other seat may be next: the referee skips removed seats.
        raise PositionError(TURN, f"player {turn + 1} has just won by reaching {seating.goal_names[turn]}")
    return turn


_PAWNS: Final = {
    "1": Piece("pawn of player 1", (("ring", "ivory"),)),
    "2": Piece("pawn of player 2", (("diamond", "red"),)),
    "3": Piece("pawn of player 3", (("wedge", "violet"),)),
    "4": Piece("pawn of player 4", (("bars", "teal"),)),
}


def _drawn(seating: SeatGeometry) -> Grooves:
    return Grooves(
        look="wood",
        columns=SIZE,
        rows=SIZE,
        goals=_goals(seating),
        pieces=_PAWNS,
        sides={f"Player {number}": f"{number}" for number in range(1, seating.players + 1)},
    )


_CROSSING = "Two walls never cross."
_CLOCKWISE = (
    "The players move clockwise: the pawns start at the bottom, on the left, at the top and on the right."
)
_EDGE = (
    "If the board's edge is directly behind the jumped pawn, side-steps are possible: the edge is a"
    " barrier like a wall."
)
_BEHIND = (
    "If another pawn is directly behind the jumped pawn, neither a jump nor a side-step is"
    " possible: a jump passes only one pawn, and a side-step needs a barrier."
)
_BARRIER = (
    "If a barrier is directly behind the jumped pawn, side-steps are possible, regardless of what is beyond"
    " the barrier."
)
_SECOND = "The winner is first; the other three share second place."
_FORCED = "A player who can neither move the pawn nor place a wall passes. No other player may pass."

_ENDINGS: Final = {"goal": "reaches the goal"}

QUORIDOR: Final = QuoridorGame(
    GameInfo(
        id="quoridor",
        title="Quoridor, two players",
        players=2,
        board="9x9",
        ply_limit=400,
        draw_prior=0.02,
        sheet="004",
        rulings=(_CROSSING, _EDGE),
        drawn=_drawn(TWO),
        notation=notation(TWO),
        endings=_ENDINGS,
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
        rulings=(_CROSSING, _CLOCKWISE, _EDGE, _BEHIND, _BARRIER, _SECOND, _FORCED),
        drawn=_drawn(FOUR),
        notation=notation(FOUR),
        endings=_ENDINGS,
    ),
    FOUR,
)
