"""Position strings, diagrams and the drawn board of Quoridor.

A position string has five fields with `` / `` between them: horizontal walls, vertical walls, pawns, walls
left and player to move. Source: rule sheet 004.
"""

from __future__ import annotations

import re
from typing import Final

from referee.board import SIDES, Grooves, Piece, Scene
from referee.errors import PositionError
from referee.games.common import quoted
from referee.games.grid import squares
from referee.games.quoridor.board import QuoridorBoard, SeatGeometry
from referee.games.quoridor.walls import ANCHORS, BIT, NAMES, NO_WALLS, SIZE, SQUARE, Walls, reaches

_ALL_WALLS = 20  # on the board and in the hands of all players
_WHITE_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_COUNT = re.compile(r"0|[1-9][0-9]?")

# The character at the corner of four squares. Its index is the sum of the walls that end there: 1 above, 2
# below, 4 left, 8 right.
_CORNERS = "·╹╻┃╸┛┓┫╺┗┏┣━┻┳╋"
_ASCII_CORNERS = "." + "+" * 15
_WIDTH = 4 * SIZE - 1


def read_position(
    text: str, seating: SeatGeometry
) -> tuple[Walls, tuple[int, ...], tuple[int, ...], int, int | None]:
    """Read a position string. Any sequence of ASCII white space counts as one space.

    Returns:
        The walls on the board, the square of each player's pawn, the walls that each player has left, the
        seat to move, and the seat that has won or None.
    """
    horizontal, vertical, pawn_words, hand_words, turn_words = _split(text)
    walls = _read_walls("vertical walls", vertical, _read_walls("horizontal walls", horizontal, NO_WALLS))
    pawns = _read_pawns(pawn_words, walls, seating)
    hands = _read_hands(hand_words, walls, seating)
    at_goal = [seat for seat, pawn in enumerate(pawns) if BIT[pawn] & seating.goals[seat]]
    if len(at_goal) > 1:
        raise PositionError(
            "pawns", f"players {at_goal[0] + 1} and {at_goal[1] + 1} have both reached their goals"
        )
    winner = at_goal[0] if at_goal else None
    return walls, pawns, hands, _read_turn(turn_words, winner, seating), winner


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
        free = walls.free_vertical() if upright else walls.free_horizontal()
        if not BIT[anchor] & free:
            crossed = upright and walls.horizontal & BIT[anchor]
            problem = (
                f"{name} crosses the horizontal wall {name}" if crossed else f"{name} overlaps another wall"
            )
            raise PositionError(field, problem)
        walls = walls.with_vertical(anchor) if upright else walls.with_horizontal(anchor)
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
    standing = walls.horizontal.bit_count() + walls.vertical.bit_count()
    held = sum(hands)
    if standing + held != _ALL_WALLS:
        raise PositionError(
            field,
            f"{standing} on the board and {held} in hand make {standing + held}, not {_ALL_WALLS}",
        )
    return tuple(hands)


def _read_turn(words: list[str], winner: int | None, seating: SeatGeometry) -> int:
    field = "player to move"
    numbers = [str(seat + 1) for seat in range(seating.players)]
    if len(words) != 1 or words[0] not in numbers:
        raise PositionError(field, f"{quoted(' '.join(words))} is no number from 1 to {seating.players}")
    turn = numbers.index(words[0])
    if turn == winner:
        # With more than two players any other seat may be next: the referee skips removed seats.
        raise PositionError(field, f"player {turn + 1} has just won by reaching {seating.goal_names[turn]}")
    return turn


def write_position(position: QuoridorBoard) -> str:
    """The position string, with single spaces and none at the ends."""
    words = []
    for standing in (position.walls.horizontal, position.walls.vertical):
        if standing:
            words.append("".join([NAMES[anchor] for anchor in squares(standing)]))
        words.append("/")
    words += [NAMES[pawn] for pawn in position.pawns]
    words.append("/")
    words += [str(hand) for hand in position.hands]
    words += ["/", str(position.turn + 1)]
    return " ".join(words)


def draw_board(position: QuoridorBoard, *, ascii_only: bool) -> str:
    """The board with coordinates, walls and pawns; the walls left; and who is to move or has won.

    A pawn is drawn as the number of its player.
    """
    rim = "-" if ascii_only else "─"
    side = "|" if ascii_only else "│"
    upper, lower = ("++", "++") if ascii_only else ("┌┐", "└┘")
    lines = [f"   {upper[0]}{rim * _WIDTH}{upper[1]}"]
    for row in reversed(range(SIZE)):
        lines.append(f" {row + 1} {side}{_row(position, row, ascii_only=ascii_only)}{side}")
        if row:
            lines.append(f"   {side}{_gap(position.walls, row - 1, ascii_only=ascii_only)}{side}")
    lines.append(f"   {lower[0]}{rim * _WIDTH}{lower[1]}")
    lines.append("     " + "   ".join("abcdefghi"))
    lines.append(
        "walls left: " + ", ".join(f"player {seat} {hand}" for seat, hand in enumerate(position.hands, 1))
    )
    goals = position.seating.goal_names
    if position.winner is None:
        lines.append(f"player {position.turn + 1} to move, towards {goals[position.turn]}")
    else:
        lines.append(f"player {position.winner + 1} has reached {goals[position.winner]} and won")
    return "\n".join(lines)


def _row(position: QuoridorBoard, row: int, *, ascii_only: bool) -> str:
    """The squares of a row, with the vertical walls between them."""
    bar = "|" if ascii_only else "┃"
    drawn = []
    for square in range(SIZE * row, SIZE * (row + 1)):
        player = str(position.pawns.index(square) + 1) if square in position.pawns else " "
        drawn.append(f" {player} {' ' if position.walls.east & BIT[square] else bar}")
    return "".join(drawn)[:_WIDTH]


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


_PAWNS: Final = {
    "1": Piece("pawn of player 1", (("ring", "ivory"),)),
    "2": Piece("pawn of player 2", (("diamond", "red"),)),
    "3": Piece("pawn of player 3", (("wedge", "violet"),)),
    "4": Piece("pawn of player 4", (("bars", "teal"),)),
}


def drawn(seating: SeatGeometry) -> Grooves:
    """How the board of a game is drawn."""
    goals = SIDES if seating.players == len(SIDES) else SIDES[::2]
    return Grooves(look="wood", columns=SIZE, rows=SIZE, goals=goals, pieces=_PAWNS)


def scene(position: QuoridorBoard) -> Scene:
    """The pawns and walls as they are drawn."""
    pieces = {NAMES[pawn]: str(seat) for seat, pawn in enumerate(position.pawns, 1)}
    walls = (
        *(f"{NAMES[anchor]}h" for anchor in squares(position.walls.horizontal)),
        *(f"{NAMES[anchor]}v" for anchor in squares(position.walls.vertical)),
    )
    left = ", ".join(f"player {seat}: {hand}" for seat, hand in enumerate(position.hands, 1))
    goals = ", ".join(f"{seat} {side}" for seat, side in enumerate(drawn(position.seating).goals, 1))
    return Scene(pieces, f"walls left: {left}; goals: player {goals}", walls=walls)
