"""The positions of Quatre en ligne, and the game.

A position string has five fields:
the rows of the board, the coordinates of its lower left corner, the pieces that White and Red have in hand,
and the player to move. Source: rule sheet 003.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Final

from protocol.words import counted
from referee.drawn_board import Decision, Piece, Scene, Tiles
from referee.errors import PositionError
from referee.game import GameInfo
from referee.games import common
from referee.games.common import quoted
from referee.games.grid import squares
from referee.games.quatre_en_ligne.board import (
    BIT,
    FARTHEST,
    MARGIN,
    NOTATION,
    NUMBER,
    PASS,
    PIECES,
    PLAYERS,
    SIZE,
    TILES,
    Coordinates,
    QuatreMove,
    beside,
    drift,
    first_line,
    free_sides,
    has_line,
    holds_together,
    is_placing,
    longest_line,
    moved,
    named,
    named_places,
    place_of,
    reach,
    read_text,
    splits,
    square_of,
)
from referee.games.quatre_en_ligne.illegal import refuse
from referee.outcome import Outcome

_FIELDS = ("board", "corner", "white in hand", "red in hand", common.TURN)
_START = "/".join(["_____"] * 4)
_CORNER = re.compile(f"{NUMBER},{NUMBER}")
_WRONG = re.compile(r"[^._wrWR]")


class QuatrePosition(common.KeyedPosition):
    """The tiles and pieces, and whose turn it is.

    Attributes:
        corner: the place of the lower left corner of the tiles' box; it determines the place of the window.
        tiles: the squares with a tile.
        pieces: the squares of White's and of Red's pieces.
        up: the squares of the pieces that are face up.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
        winner: the seat that has four in a line, or None.
    """

    __slots__ = ("corner", "pieces", "tiles", "turn", "up", "winner")

    def __init__(
        self, corner: Coordinates, tiles: int, pieces: tuple[int, int], up: int, turn: int, winner: int | None
    ) -> None:
        self.corner: Final = corner
        self.tiles: Final = tiles
        self.pieces: Final = pieces
        self.up: Final = up
        self.turn: Final = turn
        self.winner: Final = winner

    def key(self) -> Hashable:
        """The tiles, the pieces, their faces and the turn; repetition compares these keys.

        The key does not depend on where the window has moved.
        """
        return (self.tiles, self.pieces, self.up, self.turn)

    def legal_moves(self) -> Iterator[QuatreMove]:
        """The moves that lay no tile, and then the moves that lay one; or only a pass."""
        if self.winner is not None:
            return
        corner = self.corner
        if is_placing(self.pieces):
            for square in squares(self.tiles & ~(self.pieces[0] | self.pieces[1])):
                place = place_of(square, corner)
                yield QuatreMove(named(place), place)
            return
        is_stuck = True
        for taken, source, targets in self._ways():
            taken_place = None if taken is None else place_of(taken, corner)
            ending = "" if taken_place is None else f"@{named(taken_place)}"
            source_place = place_of(source, corner)
            way = f"{named(source_place)}>"
            for target in squares(targets):
                place = place_of(target, corner)
                is_jump = max(abs(place[0] - source_place[0]), abs(place[1] - source_place[1])) == 2
                text = f"{way}{named(place)}{ending}"
                yield QuatreMove(text, place, source_place, taken_place, is_jump)
                is_stuck = False
        if is_stuck:
            yield PASS

    def count_moves(self) -> int:
        """The number of moves that `legal_moves` yields; perft uses it for the last ply."""
        if self.winner is not None:
            return 0
        occupied = self.pieces[0] | self.pieces[1]
        if occupied.bit_count() < 2 * PIECES:
            return (self.tiles & ~occupied).bit_count()
        return sum(targets.bit_count() for _, _, targets in self._ways()) or 1  # the pass

    def _ways(self) -> Iterator[tuple[int | None, int, int]]:
        """The moves after all pieces are placed: the tile taken or None, the piece, and the piece's targets.

        All of them are squares.
        """
        tiles, occupied = self.tiles, self.pieces[0] | self.pieces[1]
        reached = [(source, reach(source, occupied)) for source in squares(self.pieces[self.turn])]
        for source, targets in reached:
            yield None, source, targets & tiles
        for taken in squares(tiles & ~occupied):
            if free_sides(tiles, taken) >= 2 and not splits(tiles, taken):
                places = beside(tiles ^ BIT[taken]) & ~tiles & named_places(self.corner)
                for source, targets in reached:
                    yield taken, source, targets & places

    def find_move(self, text: str) -> QuatreMove | None:
        """The legal move for a text; None if the text is not a legal move."""
        move = read_text(text)
        if move is None or self.winner is not None:
            return None
        if move is PASS:
            return move if next(self.legal_moves()) is PASS else None
        tiles, occupied, corner = self.tiles, self.pieces[0] | self.pieces[1], self.corner
        target = square_of(move.target, corner)
        places = is_placing(self.pieces)
        if move.source is None:
            return move if places and tiles & ~occupied & BIT[target] else None
        source = square_of(move.source, corner)
        if places or not self.pieces[self.turn] & BIT[source]:
            return None
        if move.taken is None:
            if not tiles & ~occupied & BIT[target]:
                return None
        else:
            taken = square_of(move.taken, corner)
            rest = tiles ^ BIT[taken]
            if (
                not tiles & ~occupied & BIT[taken]
                or free_sides(tiles, taken) < 2
                or splits(tiles, taken)
                or not beside(rest) & ~tiles & BIT[target]
            ):
                return None
        if move.is_jump and not occupied & BIT[(source + target) // 2]:
            return None
        return move

    def parse_move(self, text: str) -> QuatreMove:
        """Read a move and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            board = (self.corner, self.tiles, self.pieces, self.turn, self.winner)
            refuse(text, *board, self.legal_moves())
        return move

    def play(self, move: QuatreMove) -> QuatrePosition:
        """The position after a move that this position's own methods returned."""
        tiles, up, turn, corner = self.tiles, self.up, self.turn, self.corner
        mine, theirs = self.pieces[turn], self.pieces[1 - turn]
        if move.source is None:
            if move.text != PASS.text:
                mine |= BIT[square_of(move.target, corner)]
            pieces = (theirs, mine) if turn else (mine, theirs)
            return QuatrePosition(corner, tiles, pieces, up, 1 - turn, None)
        source, target = BIT[square_of(move.source, corner)], BIT[square_of(move.target, corner)]
        mine ^= source | target
        was_up = up & source != 0
        if was_up:
            up ^= source
        if was_up != move.is_jump:
            up |= target
        if move.taken is not None:
            tiles ^= BIT[square_of(move.taken, corner)] | target
            columns, rows = drift(tiles)
            if columns or rows:
                corner = (corner[0] + columns, corner[1] + rows)
                tiles, mine, theirs, up = (moved(bits, columns, rows) for bits in (tiles, mine, theirs, up))
        winner = turn if has_line(mine & up) else None
        return QuatrePosition(corner, tiles, (theirs, mine) if turn else (mine, theirs), up, 1 - turn, winner)

    def is_irreversible(self, move: QuatreMove) -> bool:
        """Whether the move places a piece: it stays, so no earlier position can occur again."""
        return move.source is None and move.text != PASS.text

    def outcome(self) -> Outcome | None:
        """The win of the player who has four face-up pieces in a line, or None."""
        return None if self.winner is None else Outcome.win(self.winner, 2, "line")

    def skip_turn(self) -> QuatrePosition:
        """The same position with the next seat to move."""
        return QuatrePosition(self.corner, self.tiles, self.pieces, self.up, 1 - self.turn, self.winner)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text; a place without a tile is blank, and pieces face up are upper case."""
        rows = self._rows()
        x, y = self.corner
        columns = [str(x + column) for column in range(len(rows[0]))]
        lines = common.draw_cells(
            [row.replace(".", " ") for row in rows],
            [str(y + row) for row in reversed(range(len(rows)))],
            columns,
            ascii_only=ascii_only,
            width=max(map(len, columns)),
        )
        hands = self._hands()
        in_hand = ", ".join(f"{player} {hand}" for player, hand in zip(PLAYERS, hands, strict=True))
        lines.append(f"in hand: {in_hand}")
        if self.winner is not None:
            lines.append(f"{PLAYERS[self.winner]} has four face up in a line and has won")
        else:
            lines.append(f"{PLAYERS[self.turn]} to {'place a piece' if any(hands) else 'move'}")
        return "\n".join(lines)

    def scene(self) -> Scene:
        """What is on the drawn board."""
        letters = {
            named(place_of(square, self.corner)): self._letter(BIT[square]) for square in squares(self.tiles)
        }
        white, red = self._hands()
        hands = f"in hand: White {white}, Red {red}" if white or red else "four dots: face up"
        pieces = {place: letter for place, letter in letters.items() if letter != "_"}
        caption = f"player 1 is White, player 2 Red; {hands}"
        return Scene(pieces, caption, tiles=tuple(letters), hands=(white, red), decision=self._decision())

    def _decision(self) -> Decision | None:
        if self.winner is None:
            return None
        line = first_line(self.pieces[self.winner] & self.up)
        places = tuple(named(place_of(square, self.corner)) for square in line)
        return Decision(winning=places, lines=(places,))

    def _hands(self) -> tuple[int, int]:
        """The pieces that White and Red have in hand."""
        white, red = self.pieces
        return PIECES - white.bit_count(), PIECES - red.bit_count()

    def _rows(self) -> list[str]:
        """The rows of the tiles' box from the top row down, with one character for each place."""
        highest = (self.tiles.bit_length() - 1) // SIZE
        rows = []
        width = 0
        for row in range(highest, MARGIN - 1, -1):
            places = range(SIZE * row + MARGIN, SIZE * (row + 1))
            rows.append("".join(self._letter(BIT[square]) for square in places).rstrip("."))
            width = max(width, len(rows[-1]))
        return [row.ljust(width, ".") for row in rows]

    def _letter(self, bit: int) -> str:
        if not self.tiles & bit:
            return "."
        for letter, pieces in zip("wr", self.pieces, strict=True):
            if pieces & bit:
                return letter.upper() if self.up & bit else letter
        return "_"

    def __str__(self) -> str:
        white, red = self._hands()
        return f"{'/'.join(self._rows())} {named(self.corner)} {white} {red} {'wr'[self.turn]}"


class QuatreGame:
    """The rules of Quatre en ligne."""

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        self._start: Final = self.parse_position("_____/_____/_____/_____ 0,0 6 6 w")

    def start(self, setup: str | None = None) -> QuatrePosition:
        """The start position, or the position that a position string describes."""
        return common.start_position(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuatrePosition:
        """Read a position string."""
        board, corner_text, white_text, red_text, side = common.split_fields(text, _FIELDS)
        rows = board.split("/")
        _check_rows(rows)
        tiles = _squares(rows, "_wrWR")
        if not holds_together(tiles):
            raise PositionError("board", "the tiles are not all connected by their sides")
        corner = _read_corner(corner_text, rows)
        pieces = (_squares(rows, "wW"), _squares(rows, "rR"))
        hands = (
            _read_hand("white in hand", white_text, pieces[0]),
            _read_hand("red in hand", red_text, pieces[1]),
        )
        if hands[1] not in (hands[0], hands[0] + 1):
            raise PositionError(
                "red in hand", "White starts, so Red has as many pieces in hand as White or one more"
            )
        up, turn = _squares(rows, "WR"), common.read_turn(side, "wr")
        if hands[1]:
            _check_placing(board, hands, up, turn)
        mover = 1 - turn
        winner = mover if has_line(pieces[mover] & up) else None
        return QuatrePosition(corner, tiles, pieces, up, turn, winner)

    def count(self, position: QuatrePosition) -> tuple[int, int]:
        """For each player: the pieces in the longest unbroken line of the player's face-up pieces."""
        white, red = position.pieces
        return longest_line(white & position.up), longest_line(red & position.up)


def _check_rows(rows: list[str]) -> None:
    """Reject rows that are not the bounding box of twenty tiles."""
    width = len(rows[0])
    for row in rows:
        if wrong := _WRONG.search(row):
            raise PositionError("board", f"{quoted(wrong[0])} is not one of . _ w r W R")
        if len(row) != width:
            raise PositionError(
                "board", f"the row {quoted(row)} has {len(row)} places, the first has {width}"
            )
    count = sum(len(row) - row.count(".") for row in rows)
    if count != TILES:
        raise PositionError("board", f"it has {counted(count, 'tile')}, not {TILES}")
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    for line, where in (
        (rows[0], "top row"),
        (rows[-1], "bottom row"),
        (columns[0], "left column"),
        (columns[-1], "right column"),
    ):
        if not line.strip("."):
            raise PositionError("board", f"there is no tile in the {where}")
    if len(rows) > TILES or width > TILES:
        raise PositionError("board", "the tiles are not all connected by their sides")


def _squares(rows: list[str], letters: str) -> int:
    """The squares of the window that have one of the letters."""
    bits = 0
    for row, line in enumerate(reversed(rows), MARGIN):
        for column, letter in enumerate(line, MARGIN):
            if letter in letters:
                bits |= BIT[SIZE * row + column]
    return bits


def _read_corner(text: str, rows: list[str]) -> Coordinates:
    match = _CORNER.fullmatch(text)
    if match is None:
        raise PositionError(
            "corner",
            f"{quoted(text)} is not two numbers from -{FARTHEST} to {FARTHEST} such as -1,2",
        )
    x, y = int(match[1]), int(match[2])
    if max(x + len(rows[0]), y + len(rows)) - 1 > FARTHEST:
        raise PositionError("corner", f"from {named((x, y))} the tiles go beyond {FARTHEST}")
    return x, y


def _read_hand(field: str, text: str, pieces: int) -> int:
    if len(text) != 1 or text not in "0123456":
        raise PositionError(field, f"{quoted(text)} is no number from 0 to {PIECES}")
    placed = pieces.bit_count()
    if placed + int(text) != PIECES:
        raise PositionError(
            field, f"{placed} on the board and {text} in hand make {placed + int(text)}, not {PIECES}"
        )
    return int(text)


def _check_placing(board: str, hands: tuple[int, int], up: int, turn: int) -> None:
    """Reject tiles, faces and turns that are impossible before all pieces are placed."""
    if up:
        raise PositionError("board", "no piece is face up before all twelve pieces are placed")
    if re.sub(r"[wr]", "_", board) != _START:
        raise PositionError("board", "the tiles are 5 wide and 4 high until all twelve pieces are placed")
    expected = hands[1] - hands[0]
    if turn != expected:
        raise PositionError(
            common.TURN,
            f"with {hands[0]} and {hands[1]} pieces in hand it is {PLAYERS[expected]}'s turn",
        )


_DRAWN: Final = Tiles(
    look="table",
    pieces={
        "w": Piece("White piece, face down", (("round", "ivory"),)),
        "r": Piece("Red piece, face down", (("block", "red"),)),
        "W": Piece("White piece, face up", (("round", "ivory"), ("four", "ivory"))),
        "R": Piece("Red piece, face up", (("block", "red"), ("four", "red"))),
    },
    sides={"White": "w", "Red": "r"},
)

_ANY_TWO = (
    "A tile may be taken if any two of its four sides are free, whether they meet at a corner or"
    " are opposite."
)
_WHOLE_SIDES = (
    "The other tiles must stay connected by whole sides: tiles that only touch at their corners are"
    " not connected."
)
_ADJACENT = "The four pieces of a line are on adjacent places: no gap and no other piece is between them."
_FORCED = "A player who has no move at all passes. No other player may pass."

QUATRE_EN_LIGNE: Final = QuatreGame(
    GameInfo(
        id="quatre-en-ligne",
        title="Quatre en ligne",
        players=2,
        board="20 tiles, 5x4 at the start",
        ply_limit=400,
        draw_prior=0.05,
        sheet="003",
        rulings=(_ANY_TWO, _WHOLE_SIDES, _ADJACENT, _FORCED),
        drawn=_DRAWN,
        notation=NOTATION,
        endings={"line": "has four in a line"},
    )
)
