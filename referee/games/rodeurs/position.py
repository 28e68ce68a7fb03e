"""The positions and points of Rôdeurs, and its games with jumps in four or eight ways.

Source: rule sheet 001.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from protocol.words import counted
from referee.drawn_board import Decision, Piece, Scene, Squares, pieces_by_square
from referee.errors import PositionError
from referee.game import GameInfo
from referee.games import common
from referee.games.common import EMPTY
from referee.games.grid import squares
from referee.games.rodeurs.board import (
    ALL_PAWNS,
    GREY,
    GRID,
    LONGEST,
    MIRROR,
    NOTATION,
    WAYS,
    Jump,
    Pawns,
    RodeursMove,
    Ways,
    after,
    can_jump,
)
from referee.games.rodeurs.illegal import refuse
from referee.outcome import Outcome

_LETTERS: Final = "gyr"
_NAMES: Final = ("green", "yellow", "red")
_SQUARES: Final = "square colours"
_PAWNS: Final = "pawns"
_FEW: Final = 2
"""If at most this many pawns are missing, each turn removed one, so their number tells the player to move."""


class RodeursPosition(common.KeyedPosition):
    """The pawns on the board, and whose turn it is.

    Attributes:
        white: the white squares, which are player 1's quarter. All others but the grey row are player 2's.
        pawns: the squares of the green, the yellow and the red pawns.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
        diagonal: whether jumps go in eight directions.
    """

    __slots__ = ("diagonal", "pawns", "turn", "white")

    def __init__(self, white: int, pawns: Pawns, turn: int, *, diagonal: bool) -> None:
        self.white: Final = white
        self.pawns: Final = pawns
        self.turn: Final = turn
        self.diagonal: Final = diagonal

    @property
    def taken(self) -> int:
        """The squares of all pawns."""
        green, yellow, red = self.pawns
        return green | yellow | red

    @property
    def is_first_turn(self) -> bool:
        """Whether the next move is the first move of the game."""
        return self.taken.bit_count() == ALL_PAWNS

    def outcome(self) -> Outcome | None:
        """The result after no pawn can jump, with the points as ``scores``; None before that.

        The player with fewer points wins (reason ``points``). If the points are equal, fewer red pawns win
        (``reds``), then fewer yellow pawns (``yellows``). Otherwise the game is a draw (``equal``).
        """
        if can_jump(self.taken, WAYS[self.diagonal]):
            return None
        counts = count_pawns(self.white, self.pawns)
        scores = (points(counts[0]), points(counts[1]))
        (_, yellow, red), (_, other_yellow, other_red) = counts
        for reason, first, second in (
            ("points", *scores),
            ("reds", red, other_red),
            ("yellows", yellow, other_yellow),
        ):
            if first != second:
                return Outcome((1, 2) if first < second else (2, 1), reason, scores)
        return Outcome((1, 1), "equal", scores)

    def key(self) -> Hashable:
        """The square colours, the pawns and the turn; repetition compares these keys.

        Repetition is impossible in this game, because every jump removes a pawn.
        """
        return (self.white, self.pawns, self.turn)

    def legal_moves(self) -> Iterator[RodeursMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order.

        The legal texts are made in this order, so the first text that leads to a successor is the canonical
        one. The text of two pawns has nine characters. The text of one pawn has eight characters for three
        jumps, and ten for four.
        """
        pawns, ways = self.pawns, WAYS[self.diagonal]
        occupied = self.taken
        reached: set[Pawns] = set()
        single: list[_Line] = [
            (jump.text, (jump,), after(pawns, jump))
            for jump in ways.jumps
            if occupied & jump.touched == jump.needed
        ]
        yield from _new(single, reached)
        if self.is_first_turn:
            return
        chains = single
        for _ in range(2):
            chains = _longer(chains, ways)
            yield from _new(chains, reached)
        yield from _new(_pairs(single, ways), reached)
        while chains:
            chains = _longer(chains, ways)
            yield from _new(chains, reached)

    def find_move(self, text: str) -> RodeursMove | None:
        """The legal move for a text, along any path; None if the text is not a legal move."""
        pair = text[4:5] == ","
        size = len(text)
        if size > LONGEST or (pair and (size != 9 or text[2:4] == text[5:7])):
            return None
        green, yellow, red = self.pawns
        occupied = green | yellow | red
        if size != 4 and occupied.bit_count() == ALL_PAWNS:
            return None
        by_text = WAYS[self.diagonal].by_text
        jumps = []
        for place in (0, 5) if pair else range(0, size - 2, 2):
            jump = by_text.get(text[place : place + 4])
            if jump is None or occupied & jump.touched != jump.needed:
                return None
            occupied ^= jump.touched
            jumps.append(jump)
        return RodeursMove(text, tuple(jumps)) if jumps else None

    def parse_move(self, text: str) -> RodeursMove:
        """Read a move along any path and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            refuse(text, WAYS[self.diagonal], self.taken)
        return move

    def play(self, move: RodeursMove) -> RodeursPosition:
        """The position after a move that this position's own methods returned."""
        pawns = self.pawns
        for jump in move.jumps:
            pawns = after(pawns, jump)
        return RodeursPosition(self.white, pawns, 1 - self.turn, diagonal=self.diagonal)

    def is_irreversible(self, move: RodeursMove) -> bool:
        """Always true: every jump removes a pawn, so no earlier position can occur again."""
        return True

    def skip_turn(self) -> RodeursPosition:
        """The same position with the next seat to move."""
        return RodeursPosition(self.white, self.pawns, 1 - self.turn, diagonal=self.diagonal)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text: each square is a sign for its colour and the letter of its pawn."""
        signs = {"w": ".", "b": "#", "-": " "} if ascii_only else {"w": "□", "b": "■", "-": " "}
        letters = self._cells().replace(EMPTY, " ")
        cells = [signs[colour] + letter for colour, letter in zip(self._colours(), letters, strict=True)]
        lines = common.draw_grid(cells, GRID, ascii_only=ascii_only, width=2)
        key = ", ".join(f"{letter} {cost}" for cost, letter in enumerate(_LETTERS, 1))
        lines.append(f"squares: {signs['w']} player 1, {signs['b']} player 2; points: {key}")
        for player, counts in enumerate(count_pawns(self.white, self.pawns), 1):
            pawns = ", ".join(f"{count} {name}" for count, name in zip(counts, _NAMES, strict=True))
            lines.append(f"points of player {player}: {points(counts)} ({pawns})")
        return "\n".join([*lines, self._state()])

    def _state(self) -> str:
        """Who is to move or has won."""
        outcome = self.outcome()
        if outcome is None:
            return f"player {self.turn + 1} to move{', a single jump' if self.is_first_turn else ''}"
        if outcome.winner is None:
            return "the game is a draw: both players have equally many pawns of every colour"
        return f"the game is over: player {outcome.winner + 1} has won by fewer {outcome.reason}"

    def scene(self) -> Scene:
        """What is on the drawn board, and the squares of the two players."""
        first, second = (points(counts) for counts in count_pawns(self.white, self.pawns))
        caption = (
            f"light squares: player 1, {counted(first, 'point')};"
            f" dark squares: player 2, {counted(second, 'point')}; fewer are better"
        )
        colours = self._colours().translate(str.maketrans("wb-", "123"))
        starts = range(len(colours) - GRID.columns, -1, -GRID.columns)
        ground = tuple(colours[start : start + GRID.columns] for start in starts)
        pieces = pieces_by_square(self._cells(), GRID.columns)
        return Scene(pieces, caption, ground=ground, decision=self._decision())

    def _decision(self) -> Decision | None:
        """The pawns that count against the loser: all, or the pawns of one colour if the points are equal."""
        outcome = self.outcome()
        if outcome is None or outcome.winner is None:
            return None
        _, yellow, red = self.pawns
        counted_pawns = {"points": self.taken, "reds": red, "yellows": yellow}[outcome.reason]
        home = self.white if outcome.winner else GRID.all ^ GREY ^ self.white
        return Decision(losing=tuple(GRID.names[square] for square in squares(counted_pawns & home)))

    def _colours(self) -> str:
        """The letter of each square's colour, by square."""
        return "".join("w" if self.white & bit else "-" if GREY & bit else "b" for bit in GRID.bit)

    def _cells(self) -> str:
        return common.write_cells(zip(_LETTERS, self.pawns, strict=True), GRID)

    def __str__(self) -> str:
        colours, pawns = common.write_rows(self._colours(), GRID), common.write_rows(self._cells(), GRID)
        return f"{colours} {pawns} {self.turn + 1}"


def count_pawns(white: int, pawns: Pawns) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of green, yellow and red pawns on player 1's squares, the white ones, and on player 2's."""
    black = GRID.all ^ GREY ^ white
    first, second = (tuple((colour & home).bit_count() for colour in pawns) for home in (white, black))
    return first, second


def points(counts: tuple[int, ...]) -> int:
    """The points for numbers of green, yellow and red pawns, which count 1, 2 and 3 points each."""
    green, yellow, red = counts
    return green + 2 * yellow + 3 * red


_Line = tuple[str, tuple[Jump, ...], Pawns]
"""The text of a move, its jumps, and the pawns after it."""


def _new(lines: Iterable[_Line], reached: set[Pawns]) -> Iterator[RodeursMove]:
    """The moves that lead to positions that no earlier move has reached."""
    for text, jumps, pawns in lines:
        if pawns not in reached:
            reached.add(pawns)
            yield RodeursMove(text, jumps)


def _longer(chains: list[_Line], ways: Ways) -> list[_Line]:
    """The chains with one more jump, sorted by text.

    Only the first of several chains with the same pawns and the same last landing is kept.
    """
    seen: set[tuple[Pawns, int]] = set()
    longer = []
    for text, jumps, pawns in chains:
        occupied = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.leaving[jumps[-1].landing]:
            if occupied & jump.touched != jump.needed:
                continue
            pawns_after = after(pawns, jump)
            if (pawns_after, jump.landing) not in seen:
                seen.add((pawns_after, jump.landing))
                longer.append((text + jump.text[2:], (*jumps, jump), pawns_after))
    return longer


def _pairs(single: list[_Line], ways: Ways) -> Iterator[_Line]:
    """All pairs of single jumps, sorted by text.

    A pair by one pawn needs no test: it leads to the same position as a chain that came earlier.
    """
    for text, (first,), pawns in single:
        occupied = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.jumps:
            if occupied & jump.touched == jump.needed:
                yield f"{text},{jump.text}", (first, jump), after(pawns, jump)


# --- start positions ---------------------------------------------------------------------------------------

# The functions make the lower half of the board and mirror it in the grey row. Opposite squares have
# different colours and equal pawns.

_HALF = range(GRID.columns * (GRID.rows // 2))
_WHITE = tuple((square % GRID.columns + square // GRID.columns) % 2 == 1 for square in _HALF)
_COLOURS = tuple((square % GRID.columns + square // GRID.columns) % 3 for square in _HALF)


def _mirrored(white: Sequence[bool], colours: Sequence[int]) -> tuple[int, Pawns]:
    """The white squares and the pawns of the whole board.

    For each square of the lower half: whether it is white, and its pawn: 0 green, 1 yellow, 2 red.
    """
    bit = GRID.bit
    light = sum(bit[square if white[square] else MIRROR[square]] for square in _HALF)
    green, yellow, red = (
        sum(bit[square] | bit[MIRROR[square]] for square in _HALF if colours[square] == colour)
        for colour in range(3)
    )
    return light, (green, yellow, red)


class RodeursGame:
    """The rules of Rôdeurs with jumps in four directions or in eight."""

    __slots__ = ("_default", "_diagonal", "info")

    def __init__(self, info: GameInfo, *, diagonal: bool) -> None:
        self.info: Final = info
        self._diagonal: Final = diagonal
        self._default: Final = RodeursPosition(*_mirrored(_WHITE, _COLOURS), 0, diagonal=diagonal)

    def start(self, setup: str | None = None) -> RodeursPosition:
        """The start position ``default`` or ``random:SEED``, or the one of a position string."""
        return common.start_position(setup, {"default": self._default}, self.parse_position, self._random)

    def parse_position(self, text: str) -> RodeursPosition:
        """Read a position string."""
        colours, pawns, side = common.split_fields(text, (_SQUARES, _PAWNS, common.TURN))
        white = _read_squares(colours)
        cells = _read_pawns(pawns)
        turn = common.read_turn(side, "12")
        missing = cells.count(EMPTY) - GRID.columns
        if missing <= _FEW and turn != missing % 2:
            problem = f"with {counted(ALL_PAWNS - missing, 'pawn')} it is player {missing % 2 + 1}'s turn"
            raise PositionError(common.TURN, problem)
        green, yellow, red = (common.squares_with(letter, cells, GRID) for letter in _LETTERS)
        return RodeursPosition(white, (green, yellow, red), turn, diagonal=self._diagonal)

    def count(self, position: RodeursPosition) -> tuple[int, int]:
        """For each player: minus the sum of 10000 a point, 100 a red pawn and 1 a yellow pawn.

        So these numbers rank the players as `RodeursPosition.outcome` does.
        """
        first, second = (
            -(10_000 * points(counts) + 100 * counts[2] + counts[1])
            for counts in count_pawns(position.white, position.pawns)
        )
        return first, second

    def _random(self, seed: int) -> RodeursPosition:
        """Random white squares, and the pawns of the default start in random order.

        The same seed gives the same start on every machine.
        """
        rng = random.Random(seed)
        white = [rng.random() < 0.5 for _ in _HALF]
        colours = sorted(_COLOURS, key=lambda _: rng.random())
        return RodeursPosition(*_mirrored(white, colours), 0, diagonal=self._diagonal)


def _read_squares(text: str) -> int:
    cells = common.read_rows(text, GRID, "wb-", _SQUARES)
    for square, colour in enumerate(cells):
        name = GRID.names[square]
        opposite = MIRROR[square]
        if square == opposite:
            if colour != "-":
                raise PositionError(_SQUARES, f"{name} must be grey (-), like all squares of row 5")
        elif colour not in "wb":
            raise PositionError(_SQUARES, f"{name} must be white or black: only row 5 is grey")
        elif colour == cells[opposite]:
            raise PositionError(
                _SQUARES, f"{name} and {GRID.names[opposite]} are opposite and must have different colours"
            )
    return common.squares_with("w", cells, GRID)


def _read_pawns(text: str) -> str:
    cells = common.read_rows(text, GRID, _LETTERS, _PAWNS)
    missing = cells.count(EMPTY) - GRID.columns
    if missing < 0:
        raise PositionError(_PAWNS, f"there are {ALL_PAWNS - missing}, more than {ALL_PAWNS}")
    if missing == ALL_PAWNS:
        raise PositionError(_PAWNS, "there are none, but a pawn that jumps stays on the board")
    if missing == 0:
        for square, opposite in enumerate(MIRROR):
            name = GRID.names[square]
            if square == opposite and cells[square] != EMPTY:
                raise PositionError(_PAWNS, f"{name} must be empty, like all of row 5 before the first jump")
            if cells[square] != cells[opposite]:
                raise PositionError(
                    _PAWNS,
                    f"{name} and {GRID.names[opposite]} are opposite and must have equal pawns before the "
                    "first jump",
                )
    return cells


_DRAWN: Final = Squares(
    look="street",
    columns=GRID.columns,
    rows=GRID.rows,
    grounds={"1": "light square", "2": "dark square", "3": "grey square"},
    pieces={
        "g": Piece("green pawn", (("round", "green"), ("pip-1", "green"))),
        "y": Piece("yellow pawn", (("round", "yellow"), ("pip-2", "yellow"))),
        "r": Piece("red pawn", (("round", "crimson"), ("pip-3", "crimson"))),
    },
    sides={"Light": "", "Dark": ""},
)

_ENDINGS = {
    "points": "has fewer points",
    "reds": "has fewer red pawns, with equal points",
    "yellows": "has fewer yellow pawns, with equal points and reds",
}
_START = (
    "At the start square colours and pawns form diagonal lines. The upper half mirrors the lower"
    " half, with the two square colours exchanged. Any other start with this symmetry is possible."
)
_FOUR = "Jumps go up, down, left and right, not diagonally."
_EIGHT = "Jumps go in all eight directions, diagonally too."
_FIRST = (
    "Only the first turn of the game is a single jump. The first turn of the second player is like every"
    " later one."
)
_TWO = (
    "Two different pawns make the two jumps of a turn, one after the other, and the first jump may"
    " make the second possible. Two jumps by the same pawn are a multiple jump."
)


def _game(id_: str, title: str, ways: str, *, diagonal: bool) -> RodeursGame:
    info = GameInfo(
        id=id_,
        title=title,
        players=2,
        board="7x9",
        ply_limit=None,
        draw_prior=0.02,
        sheet="001",
        rulings=(_START, ways, _FIRST, _TWO),
        drawn=_DRAWN,
        notation=NOTATION,
        endings=_ENDINGS,
    )
    return RodeursGame(info, diagonal=diagonal)


RODEURS: Final = _game("rodeurs", "Rôdeurs", _FOUR, diagonal=False)
RODEURS_DIAGONAL: Final = _game("rodeurs-diagonal", "Rôdeurs with diagonal jumps", _EIGHT, diagonal=True)
