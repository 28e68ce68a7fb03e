"""The positions and games of Movers & Hoppers, its expert game, and Rampants et sauteurs.

Source: rule sheets 000 and 003.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final, NamedTuple

from protocol.words import counted
from referee.drawn_board import Decision, Line, Piece, Scene, Squares, chequered, pieces_by_square
from referee.errors import PositionError
from referee.game import GameInfo
from referee.games import common
from referee.games.grid import squares
from referee.games.movers_hoppers.board import (
    CAMPS,
    EACH,
    GRID,
    MOVERS,
    MOVES,
    NOTATION,
    PASS,
    PLAYERS,
    SETUP_SQUARES,
    SETUPS,
    WAYS,
    WON_WITH,
    MoversHoppersMove,
)
from referee.games.movers_hoppers.illegal import refuse
from referee.outcome import Outcome

_ALL = tuple(Outcome.win(seat, 2, "camp") for seat in range(2))
_FULL = tuple(Outcome.win(seat, 2, "full") for seat in range(2))


class Variant(NamedTuple):
    """The differences between the games."""

    is_free: bool  # whether the players choose the number of their movers
    is_won_when_full: bool  # whether one piece in the opposite camp wins if that camp is full


_KINDS: Final = ("MH", "mh")  # by seat: the letters of a mover and of a hopper
_SIDES: Final = "wr"
_BOARD: Final = "board"
_CAPTION: Final = "player 1 is White, player 2 Red; a cross is a mover, an arc a hopper"


class MoversHoppersPosition(common.KeyedPosition):
    """The pieces on the board, and whose turn it is.

    Attributes:
        variant: the variant of the rules.
        pieces: the squares of White's and of Red's pieces; 0 for a player who has not set up yet.
        movers: the squares of the pieces that are movers; the others are hoppers.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
    """

    __slots__ = ("movers", "pieces", "turn", "variant")

    def __init__(self, variant: Variant, pieces: tuple[int, int], movers: int, turn: int) -> None:
        self.variant: Final = variant
        self.pieces: Final = pieces
        self.movers: Final = movers
        self.turn: Final = turn

    def legal_moves(self) -> Iterator[MoversHoppersMove]:
        """The set-ups in ASCII order; or the steps and jumps by square and then by target; or only a pass."""
        if self.outcome() is not None:
            return
        if self.pieces[self.turn]:
            yield from self._ways() or (PASS,)
        else:
            yield from SETUPS[self.variant.is_free]

    def find_move(self, text: str) -> MoversHoppersMove | None:
        """The legal move for a text; None if the text is not a legal move."""
        move = MOVES.get(text)
        if move is None or self.outcome() is not None:
            return None
        mine = self.pieces[self.turn]
        if move.source:
            occupied = self.pieces[0] | self.pieces[1]
            is_mover = self.movers & move.source != 0
            is_jump = move.over != 0
            if (
                not mine & move.source
                or occupied & move.target
                or move.over & ~occupied
                or is_mover == is_jump
            ):
                return None
            return move
        if move is PASS:
            return move if mine and not self._ways() else None
        return move if not mine and move in SETUPS[self.variant.is_free] else None

    def _ways(self) -> list[MoversHoppersMove]:
        """The steps and jumps of the player to move."""
        free = ~(self.pieces[0] | self.pieces[1])
        movers = self.movers
        return [
            way
            for square in squares(self.pieces[self.turn])
            for way in WAYS[square]
            if not way.over & free and way.target & free and (way.source & movers == 0) == (way.over != 0)
        ]

    def outcome(self) -> Outcome | None:
        """The win of the player who has reached the opposite camp, or None.

        If both players have reached it, the player who has just moved wins.
        """
        pieces, turn = self.pieces, self.turn
        if not pieces[1]:
            return None
        occupied = pieces[0] | pieces[1]
        for seat in (1 - turn, turn):
            placed, camp = pieces[seat], CAMPS[1 - seat]
            if placed == camp:
                return _ALL[seat]
            if placed & camp and not camp & ~occupied and self.variant.is_won_when_full:
                return _FULL[seat]
        return None

    def key(self) -> Hashable:
        """The pieces, the movers and the turn; repetition compares these keys."""
        return (self.pieces, self.movers, self.turn)

    def parse_move(self, text: str) -> MoversHoppersMove:
        """Read a move and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            is_free, outcome = self.variant.is_free, self.outcome()
            refuse(text, is_free, outcome, self.pieces, self.movers, self.turn, self.legal_moves())
        return move

    def play(self, move: MoversHoppersMove) -> MoversHoppersPosition:
        """The position after a move that this position's own methods returned."""
        turn, movers, mine = self.turn, self.movers, self.pieces[self.turn]
        if move.source:
            mine ^= move.source | move.target
            movers = movers | move.target if move.over else movers ^ move.source
        elif move.movers is not None:
            mine = CAMPS[turn]
            movers |= move.movers[turn]
        pieces = (self.pieces[0], mine) if turn else (mine, self.pieces[1])
        return MoversHoppersPosition(self.variant, pieces, movers, 1 - turn)

    def is_irreversible(self, move: MoversHoppersMove) -> bool:
        """Whether the move is a set-up, after which no earlier position can occur again."""
        return move.movers is not None

    def skip_turn(self) -> MoversHoppersPosition:
        """The same position with the next seat to move."""
        return MoversHoppersPosition(self.variant, self.pieces, self.movers, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text, with the letters of the position string."""
        lines = common.draw_grid(self._cells(), GRID, ascii_only=ascii_only)
        lines.append("M mover, H hopper: White's in upper case, Red's in lower case")
        outcome = self.outcome()
        if outcome is not None:
            lines.append(f"{PLAYERS[outcome.ranks.index(1)]} has won with {WON_WITH[outcome.reason]}")
        else:
            task = "move" if self.pieces[self.turn] else "set up six pieces"
            lines.append(f"{PLAYERS[self.turn]} to {task}")
        return "\n".join(lines)

    def scene(self) -> Scene:
        """What is on the drawn board, and the squares that the letters of a set-up are for."""
        pieces = pieces_by_square(self._cells(), GRID.columns)
        return Scene(pieces, _CAPTION, setup=SETUP_SQUARES[self.turn], decision=self._decision())

    def _decision(self) -> Decision | None:
        """The winner's pieces in the opposite camp."""
        outcome = self.outcome()
        if outcome is None:
            return None
        winner = outcome.ranks.index(1)
        arrived = squares(self.pieces[winner] & CAMPS[1 - winner])
        return Decision(winning=tuple(GRID.names[square] for square in arrived))

    def _cells(self) -> str:
        (white, red), movers = self.pieces, self.movers
        return common.write_cells(
            (("H", white), ("h", red), ("M", white & movers), ("m", red & movers)), GRID
        )

    def __str__(self) -> str:
        return f"{common.write_rows(self._cells(), GRID)} {_SIDES[self.turn]}"


class MoversHoppersGame:
    """The rules of one of the games."""

    __slots__ = ("_start", "_variant", "info")

    def __init__(self, info: GameInfo, variant: Variant) -> None:
        self.info: Final = info
        self._variant: Final = variant
        self._start: Final = MoversHoppersPosition(variant, (0, 0), 0, 0)

    def start(self, setup: str | None = None) -> MoversHoppersPosition:
        """The empty board on which both players set up, or the position that a position string describes."""
        return common.start_position(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> MoversHoppersPosition:
        """Read a position string."""
        board, side = common.split_fields(text, (_BOARD, common.TURN))
        cells = common.read_rows(board, GRID, "MHmh", _BOARD)
        white, red = (common.squares_with(kinds, cells, GRID) for kinds in _KINDS)
        movers = common.squares_with("Mm", cells, GRID)
        _check_counts(white.bit_count(), red.bit_count())
        if not red:
            _check_setup(white, movers, is_free=self._variant.is_free)
        turn = common.read_turn(side, _SIDES)
        if not red and turn != (1 if white else 0):
            raise PositionError(
                common.TURN, f"{PLAYERS[1 - turn]} is the next to set up, not {PLAYERS[turn]}"
            )
        return MoversHoppersPosition(self._variant, (white, red), movers, turn)

    def count(self, position: MoversHoppersPosition) -> tuple[int, int]:
        """For each player: the pieces in the opposite camp, minus the pieces in the player's own camp."""
        first, second = (
            (placed & away).bit_count() - (placed & home).bit_count()
            for placed, home, away in zip(position.pieces, CAMPS, reversed(CAMPS), strict=True)
        )
        return first, second


def _check_counts(white: int, red: int) -> None:
    """Reject all counts but six pieces of both players, six of White alone, and an empty board."""
    for player, count in zip(PLAYERS, (white, red), strict=True):
        if count not in (0, EACH):
            raise PositionError(_BOARD, f"{player} has {counted(count, 'piece')}, not {EACH}")
    if red and not white:
        raise PositionError(_BOARD, "Red has set up, and White, who sets up first, has not")


def _check_setup(white: int, movers: int, *, is_free: bool) -> None:
    """Reject pieces of White that no set-up gives, while Red has not set up yet."""
    if white & ~CAMPS[0]:
        raise PositionError(_BOARD, "until Red has set up, White's pieces are in rows 1 and 2")
    count = movers.bit_count()
    if white and count != MOVERS and not is_free:
        raise PositionError(_BOARD, f"White has set up {counted(count, 'mover')}, not {MOVERS}")


_DRAWN: Final = Squares(
    look="lane",
    columns=GRID.columns,
    rows=GRID.rows,
    ground=("444", "444", *chequered(3, 6)[:4], "333", "333"),
    drawn=(Line(((0, 2), (3, 2))), Line(((0, 6), (3, 6)))),
    pieces={
        "M": Piece("White mover", (("round", "ivory"), ("cross", "ivory"))),
        "H": Piece("White hopper", (("round", "ivory"), ("arc", "ivory"))),
        "m": Piece("Red mover", (("block", "red"), ("cross", "red"))),
        "h": Piece("Red hopper", (("block", "red"), ("arc", "red"))),
    },
    words={"m": "a mover", "h": "a hopper"},
    sides={"White": "M", "Red": "m"},
)

_SETUP = "The players set up one after the other, White first: the two set-ups are the first two plies."
_SIDE = "The opposite side of the board is its last two rows, the camp in which the other player sets up."
_FREE = (
    "The set-up is free only inside the player's first two rows: six pieces fill them, and the player"
    " chooses which are movers and where these are."
)
_BOTH = (
    "After every move the referee checks both ways to win, first for the player who moved and then"
    " for the other. The other player can win by that move too."
)
_BOTH_RAMPANTS = (
    "After every move the referee checks for a win, first for the player who moved and then for the other."
)
_LINE = (
    "A jump goes over an unbroken line of pieces that starts next to the hopper, to the first"
    " square behind that line. It passes over no empty square."
)
_FORCED = "A player who has no other move passes. No other player may pass."


def _game(id_: str, title: str, sheet: str, variant: Variant, *own_rulings: str) -> MoversHoppersGame:
    """One of the three games, with the properties that they share."""
    both = _BOTH if variant.is_won_when_full else _BOTH_RAMPANTS
    info = GameInfo(
        id=id_,
        title=title,
        players=2,
        board="3x8",
        ply_limit=400,
        draw_prior=0.1,
        sheet=sheet,
        rulings=(*own_rulings, _SETUP, both, _LINE, _FORCED),
        drawn=_DRAWN,
        notation=NOTATION,
        endings={reason: f"has {how}" for reason, how in WON_WITH.items()},
    )
    return MoversHoppersGame(info, variant)


MOVERS_HOPPERS: Final = _game(
    "movers-hoppers", "Movers & Hoppers", "000", Variant(is_free=False, is_won_when_full=True)
)
MOVERS_HOPPERS_EXPERT: Final = _game(
    "movers-hoppers-expert",
    "Movers & Hoppers, free set-up",
    "000",
    Variant(is_free=True, is_won_when_full=True),
    _FREE,
)
RAMPANTS: Final = _game(
    "rampants", "Rampants et sauteurs", "003", Variant(is_free=False, is_won_when_full=False), _SIDE
)
