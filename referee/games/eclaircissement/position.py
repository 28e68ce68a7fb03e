"""The positions of Éclaircissement, and the game. Source: rule sheet 003."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping
from typing import Final

from protocol.words import counted
from referee.drawn_board import Decision, Disc, Line, Piece, Scene, Squares, pieces_by_square
from referee.errors import PositionError
from referee.game import MAX_MOVE_TEXT, GameInfo
from referee.games import common
from referee.games.eclaircissement.board import (
    CENTRE,
    EACH,
    GRID,
    INSIDE,
    JUMPS,
    JUMPS_FROM,
    LIGHT,
    NOTATION,
    PLAYERS,
    STEPS,
    STEPS_FROM,
    EclaircissementMove,
)
from referee.games.eclaircissement.illegal import refuse
from referee.games.grid import squares
from referee.outcome import Outcome

_WINS: Final = tuple(Outcome.win(seat, 2, "border") for seat in range(2))


_LETTERS: Final = "wr"  # by seat: the letter of a dark pawn and of the player; upper case is a lit pawn
_BOARD: Final = "board"


class EclaircissementPosition(common.KeyedPosition):
    """The pawns on the board, and whose turn it is."""

    __slots__ = ("lit", "pawns", "turn")

    def __init__(self, pawns: tuple[int, int], lit: int, turn: int) -> None:
        self.pawns: Final = pawns  # the squares of White's and of Red's pawns
        self.lit: Final = lit  # the squares of the lit pawns
        self.turn: Final = turn  # the seat to move, 0-based; in a finished game, the seat that would be next

    @property
    def winner(self) -> int | None:
        """The seat whose pawns are all lit and on the border, or None.

        If this is true for both seats, the seat that has just moved wins.
        """
        unfit = INSIDE | ~self.lit
        for seat in (1 - self.turn, self.turn):
            if not self.pawns[seat] & unfit:
                return seat
        return None

    def outcome(self) -> Outcome | None:
        """The win of the player whose pawns are all lit and on the border, or None."""
        winner = self.winner
        return None if winner is None else _WINS[winner]

    def key(self) -> Hashable:
        """The pawns, the lit pawns and the turn; repetition compares these keys."""
        return (self.pawns, self.lit, self.turn)

    def legal_moves(self) -> Iterator[EclaircissementMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order."""
        if self.winner is not None:
            return
        occupied = self.pawns[0] | self.pawns[1]
        moves: list[EclaircissementMove] = []
        for square in squares(self.pawns[self.turn]):
            moves += _pawn_moves(square, occupied, self.lit)
        moves.sort(key=lambda move: (len(move.text), move.text))
        yield from moves

    def find_move(self, text: str) -> EclaircissementMove | None:
        """The legal move for a text, along any path; None if the text is not a legal move."""
        if self.winner is not None:
            return None
        lights = text.endswith(LIGHT)
        path = text[:-1] if lights else text
        step = STEPS.get(path)
        if step is None:
            return self._find_chain(text, path, lights=lights)
        start, target = step
        if not start & self.pawns[self.turn] or target & (self.pawns[0] | self.pawns[1]):
            return None
        if lights and (target != CENTRE or start & self.lit):
            return None
        return EclaircissementMove(text, start, target, lights)

    def _find_chain(self, text: str, path: str, *, lights: bool) -> EclaircissementMove | None:
        """The chain of jumps with this path; None if it is not legal."""
        first = JUMPS.get(path[:4])
        if first is None or len(text) > MAX_MOVE_TEXT or not first[0] & self.pawns[self.turn]:
            return None
        start = target = first[0]
        others = (self.pawns[0] | self.pawns[1]) ^ start
        light = 0
        for index in range(0, len(path) - 2, 2):
            jump = JUMPS.get(path[index : index + 4])
            if jump is None:
                return None
            _, over, target = jump
            if not over & others or target & others:
                return None
            light |= over & self.lit | target & CENTRE
        allowed = light and not start & self.lit if lights else start != target
        return EclaircissementMove(text, start, target, lights) if allowed else None

    def parse_move(self, text: str) -> EclaircissementMove:
        """Read a move along any path and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            refuse(text, self.pawns, self.lit, self.turn, self.winner, self.legal_moves())
        return move

    def play(self, move: EclaircissementMove) -> EclaircissementPosition:
        """The position after a move that this position's own methods returned."""
        white, red = self.pawns
        lit, turn = self.lit, self.turn
        change = move.start ^ move.target
        if move.lights:
            lit |= move.target
        elif lit & move.start:
            lit ^= change
        pawns = (white, red ^ change) if turn else (white ^ change, red)
        return EclaircissementPosition(pawns, lit, 1 - turn)

    def is_irreversible(self, move: EclaircissementMove) -> bool:
        """Whether the move lights a pawn: it stays lit, so no earlier position can occur again."""
        return move.lights

    def skip_turn(self) -> EclaircissementPosition:
        """The same position with the next seat to move."""
        return EclaircissementPosition(self.pawns, self.lit, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text, with the letters of the position string and ``+`` for an empty centre."""
        cells = list(self._cells())
        if not CENTRE & (self.pawns[0] | self.pawns[1]):
            cells[squares(CENTRE)[0]] = LIGHT
        lines = common.draw_grid(cells, GRID, ascii_only=ascii_only)
        counts = [f"{PLAYERS[seat]} {(self.pawns[seat] & self.lit).bit_count()}" for seat in range(2)]
        lines.append(f"lit (in upper case): {', '.join(counts)}")
        if self.winner is None:
            lines.append(f"{PLAYERS[self.turn]} to move")
        else:
            lines.append(f"{PLAYERS[self.winner]} has won with every pawn lit and on the border")
        return "\n".join(lines)

    def scene(self) -> Scene:
        """What is on the drawn board."""
        white, red = ((pawns & self.lit).bit_count() for pawns in self.pawns)
        caption = f"player 1 is White, player 2 Red; lit pawns have a sun: White {white}, Red {red}"
        winner = self.winner
        decision = None
        if winner is not None:
            decision = Decision(winning=tuple(GRID.names[square] for square in squares(self.pawns[winner])))
        return Scene(pieces_by_square(self._cells(), GRID.columns), caption, decision=decision)

    def _cells(self) -> str:
        (white, red), lit = self.pawns, self.lit
        return common.write_cells((("w", white), ("r", red), ("W", white & lit), ("R", red & lit)), GRID)

    def __str__(self) -> str:
        return f"{common.write_rows(self._cells(), GRID)} {_LETTERS[self.turn]}"


def _pawn_moves(square: int, occupied: int, lit: int) -> Iterator[EclaircissementMove]:
    """The canonical moves of one pawn: one for each distinct successor."""
    start = GRID.bit[square]
    dark = not start & lit
    for target, text in STEPS_FROM[square]:
        if not target & occupied:
            yield EclaircissementMove(text, start, target, lights=False)
            if dark and target == CENTRE:
                yield EclaircissementMove(text + LIGHT, start, target, lights=True)
    yield from _chains(square, occupied ^ start, lit, dark=dark)


def _chains(square: int, others: int, lit: int, *, dark: bool) -> Iterator[EclaircissementMove]:
    """The moves by jumps.

    This is a breadth-first search. A node is a square, and whether the pawn may be lit on the path to it.
    The search finds short paths first, and equally long paths in ASCII order. So the first path that leads to
    a successor is the canonical text.
    """
    start = GRID.bit[square]
    reached = start
    reached_in_light = 0
    waiting = [(square, GRID.names[square], False)]
    for here, path, light in waiting:
        for over, landing, there, name in JUMPS_FROM[here]:
            if not over & others or landing & others:
                continue
            text = path + name
            light_now = light or (dark and (landing == CENTRE or over & lit != 0))
            if light_now:
                if landing & reached_in_light:
                    continue
                reached_in_light |= landing
                yield EclaircissementMove(text + LIGHT, start, landing, lights=True)
            if not landing & reached:
                reached |= landing
                yield EclaircissementMove(text, start, landing, lights=False)
            elif not light_now:
                continue
            waiting.append((there, text, light_now))


class EclaircissementGame:
    """The rules of Éclaircissement."""

    __slots__ = ("_named", "info")

    def __init__(self, info: GameInfo, setups: Mapping[str, str]) -> None:
        self.info: Final = info
        self._named: Final = {name: self.parse_position(text) for name, text in setups.items()}

    def start(self, setup: str | None = None) -> EclaircissementPosition:
        """The start position ``default``, ``halves`` or ``random:SEED``, or the one of a position string."""
        return common.start_position(setup, self._named, self.parse_position, _random_start)

    def parse_position(self, text: str) -> EclaircissementPosition:
        """Read a position string."""
        board, side = common.split_fields(text, (_BOARD, common.TURN))
        cells = common.read_rows(board, GRID, _LETTERS + _LETTERS.upper(), _BOARD)
        lower = cells.lower()
        for letter, player in zip(_LETTERS, PLAYERS, strict=True):
            count = lower.count(letter)
            if count != EACH:
                raise PositionError(_BOARD, f"{player} has {counted(count, 'pawn')}, not {EACH}")
        turn = common.read_turn(side, _LETTERS)
        white, red = (common.squares_with(letter, lower, GRID) for letter in _LETTERS)
        return EclaircissementPosition((white, red), common.squares_with(_LETTERS.upper(), cells, GRID), turn)

    def count(self, position: EclaircissementPosition) -> tuple[int, int]:
        """For each player: the lit pawns on the border."""
        fit = position.lit & ~INSIDE
        white, red = position.pawns
        return (white & fit).bit_count(), (red & fit).bit_count()


def _random_start(seed: int) -> EclaircissementPosition:
    """Dark pawns of random colours on the border. A seed gives the same position on every machine."""
    rng = random.Random(seed)
    border = sorted(squares(GRID.all & ~INSIDE), key=lambda _: rng.random())
    white, red = (sum(GRID.bit[square] for square in half) for half in (border[:EACH], border[EACH:]))
    return EclaircissementPosition((white, red), 0, 0)


_DRAWN: Final = Squares(
    look="night",
    columns=GRID.columns,
    rows=GRID.rows,
    ground=("21212", "12121", "21312", "12121", "21212"),
    drawn=(
        Disc(2.5, 2.5, 0.6, "halo"),
        Line(((2.5, 2.05), (2.95, 2.5), (2.5, 2.95), (2.05, 2.5), (2.5, 2.05)), "lantern"),
    ),
    pieces={
        "w": Piece("White pawn", (("round", "moth"),)),
        "r": Piece("Red pawn", (("block", "ember"),)),
        "W": Piece("White pawn, lit", (("glow", ""), ("round", "moth lit"), ("sun", ""))),
        "R": Piece("Red pawn, lit", (("glow", ""), ("block", "ember lit"), ("sun", ""))),
    },
    words={LIGHT: "light the pawn"},
    sides={"White": "w", "Red": "r"},
)

_LAYOUT = (
    "At the start the colours alternate round the border, with white corners. Other set-ups are possible."
)
_CHOICE = "The player who moves chooses whether to light a pawn: a pawn that may be lit may also stay dark."
_LANDING = (
    "The centre lights a pawn only in a move in which the pawn lands there, in the middle of a"
    " chain or at its end. Standing on the centre, or leaving it, does not light a pawn."
)
_CHANGE = (
    "A move must change the position: a chain of jumps may end where it started only if it lights the pawn."
)
_BOTH = (
    "After every move the referee checks for a win, first for the player who moved and then for the other."
)

ECLAIRCISSEMENT: Final = EclaircissementGame(
    GameInfo(
        id="eclaircissement",
        title="Éclaircissement",
        players=2,
        board="5x5",
        ply_limit=400,
        draw_prior=0.05,
        sheet="003",
        rulings=(_LAYOUT, _CHOICE, _LANDING, _CHANGE, _BOTH),
        drawn=_DRAWN,
        notation=NOTATION,
        endings={"border": "has every pawn lit and on the border"},
    ),
    {"default": "wrwrw/r3r/w3w/r3r/wrwrw w", "halves": "rrrrr/r3w/r3w/r3w/wwwww w"},
)
