"""Chess and Chess960, with the rules of the package ``chess`` (the extra ``leapfrog-arena[chess]``).

These games are for engines that speak UCI. Moves have the form of UCI, and positions are FEN strings. As
set-ups, lines in EPD are accepted, too: the first four fields of a FEN, and operations.
Sources: FIDE Laws of Chess 2023 with guideline II, Chess960, as implemented by
https://python-chess.readthedocs.io; https://www.chessprogramming.org/Extended_Position_Description.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cache
from typing import Final

import chess

from referee.drawn_board import ChessPiece, Decision, Piece, Scene, Squares
from referee.errors import IllegalMove, MoveSyntaxError, PositionError
from referee.game import Game, GameInfo
from referee.games.common import draw_cells, quoted, split_fields, start_position
from referee.outcome import Outcome

__all__ = ["CHESS", "CHESS960", "ChessGame", "ChessPosition"]

_FIELDS = {
    "pieces": (r"[KQRBNPkqrbnp1-8/]{15,71}", "8 rows of pieces and numbers of empty squares"),
    "to move": (r"[wb]", "w or b"),
    "castling": (r"-|(?!$)K?Q?k?q?", "some of KQkq in this order, or -"),
    "en passant": (r"-|[a-h][36]", "a square of row 3 or 6, or -"),
    "halfmove clock": (r"0|[1-9][0-9]{0,3}", "a number from 0"),
    "fullmove number": (r"[1-9][0-9]{0,5}", "a number from 1"),
}
_CASTLING_960 = (
    r"-|(?!$)[KA-H]?[QA-H]?[ka-h]?[qa-h]?",
    "the columns of the rooks that may castle, such as HAha, or some of KQkq, or -",
)
_ORDER_OF_RIGHTS = "KHGFEDCBAQkhgfedcbaq"
_OPERATION = re.compile(r'[\s;]*([A-Za-z]\w*)((?:\s+(?:"(?:[^"\\]|\\.)*"|[^\s";]+))*)\s*(?:;[\s;]*|$)')
_CLOCK = re.compile(r"(-|[0-9]+)(?![^\s;])[\s;]*")
_MOVE = re.compile(r"([a-h][1-8])(?!\1)[a-h][1-8][nbrq]?")
_REMARKS = re.compile(r"(?:e\.?p\.?|[!?+#])+$")
_SAN_SIGNS = str.maketrans({"/": "=", "(": "=", ")": None, ":": "x"})
"""Other signs that programs write in algebraic notation: ``e8(Q)``, ``e8/Q``, ``Nb:d2``."""

_IMPOSSIBLE = {
    chess.STATUS_NO_WHITE_KING: ("pieces", "White has no king"),
    chess.STATUS_NO_BLACK_KING: ("pieces", "Black has no king"),
    chess.STATUS_TOO_MANY_KINGS: ("pieces", "a side has more than one king"),
    chess.STATUS_TOO_MANY_WHITE_PAWNS: ("pieces", "White has more than 8 pawns"),
    chess.STATUS_TOO_MANY_BLACK_PAWNS: ("pieces", "Black has more than 8 pawns"),
    chess.STATUS_PAWNS_ON_BACKRANK: ("pieces", "a pawn is on row 1 or 8"),
    chess.STATUS_TOO_MANY_WHITE_PIECES: ("pieces", "White has more than 16 pieces"),
    chess.STATUS_TOO_MANY_BLACK_PIECES: ("pieces", "Black has more than 16 pieces"),
    chess.STATUS_BAD_CASTLING_RIGHTS: (
        "castling",
        "a king or rook that it needs is not on its first square; the game chess960 has other first squares",
    ),
    chess.STATUS_INVALID_EP_SQUARE: ("en passant", "no pawn has just passed over this square"),
    chess.STATUS_OPPOSITE_CHECK: (
        "to move",
        "the side that is not to move is in check, so the other side could capture its king",
    ),
    chess.STATUS_TOO_MANY_CHECKERS: ("pieces", "more than two pieces give check"),
    chess.STATUS_IMPOSSIBLE_CHECK: ("pieces", "no last move leads to a check by these pieces"),
}
"""The field and the words for each fault that the package ``chess`` finds in a position."""
_NOTATION = "two squares, and a piece for a promotion: e2e4, e1g1, e7e8q"
_PROMOTION_RANKS = chess.BB_RANK_1 | chess.BB_RANK_8
_FIFTY_MOVES = 100  # plies without a capture or a pawn's move
_SEVENTY_FIVE_MOVES = 150  # plies without a capture or a pawn's move


class ChessPosition:
    """An immutable position of chess. Create it by `ChessGame` or `play`.

    Attributes:
        turn: the seat to move: 0 is White.
    """

    __slots__ = ("_board", "turn")

    def __init__(self, board: chess.Board) -> None:
        """Wrap a board. It must not change afterwards, and every castling right on it must be usable."""
        self._board: Final = board
        self.turn: Final = 0 if board.turn else 1

    def legal_moves(self) -> Iterator[chess.Move]:
        """Yield all legal moves, in the order of the package ``chess``."""
        return iter(()) if self._is_drawn() else iter(self._board.legal_moves)

    def count_moves(self) -> int:
        """Return the number of `legal_moves` without generating them."""
        return 0 if self._is_drawn() else self._board.legal_moves.count()

    def parse_move(self, text: str) -> chess.Move:
        """Parse a move in UCI form: ``e2e4``, ``e7e8q``; ``e1g1`` for castling, in Chess960 ``e1h1``.

        Raises:
            MoveSyntaxError: the text is not a move in any position.
            IllegalMove: the move is illegal in this position.
        """
        move, board = _read(text), self._board
        if self._is_drawn() or not board.is_legal(move):
            raise IllegalMove(self._why_illegal(move))
        return board.parse_uci(text) if board.is_castling(move) else move  # e1h1 becomes e1g1

    def parse_foreign_move(self, text: str) -> chess.Move:
        """Parse a move in UCI form, or in algebraic notation: ``Nbd2``, ``O-O``, ``exd6 e.p.``, ``e8=Q+``.

        Raises:
            MoveSyntaxError: the text is not a move in any position.
            IllegalMove: the move is illegal in this position, or several moves have this text.
        """
        if _MOVE.fullmatch(text):
            return self.parse_move(text)
        plain = _REMARKS.sub("", text).translate(_SAN_SIGNS).removeprefix("P")
        if set(plain) <= set("0oO-"):
            plain = plain.replace("0", "O").replace("o", "O")
        try:
            move = self._board.parse_san(plain)
            if not move:
                raise chess.InvalidMoveError
        except chess.AmbiguousMoveError:
            raise IllegalMove("several pieces can make this move: add the start square") from None
        except chess.IllegalMoveError:
            side = chess.COLOR_NAMES[self._board.turn]
            raise IllegalMove(f"no piece of {side} can make this move") from None
        except chess.InvalidMoveError:
            raise MoveSyntaxError("a move is written like e2e4, e7e8q, Nbd2, exd6, O-O or e8=Q") from None
        return self.parse_move(move.uci())

    def _why_illegal(self, move: chess.Move) -> str:
        board = self._board
        outcome = self.outcome()
        if outcome is not None:
            return f"the game is over: {outcome.reason}"
        start = chess.square_name(move.from_square)
        piece = board.piece_at(move.from_square)
        side = chess.COLOR_NAMES[board.turn]
        if piece is None or piece.color != board.turn:
            return f"{side} has no piece on {start}"
        name = chess.piece_name(piece.piece_type)
        is_promotion = piece.piece_type == chess.PAWN and bool(
            chess.BB_SQUARES[move.to_square] & _PROMOTION_RANKS
        )
        if is_promotion and move.promotion is None:
            return f"a pawn that reaches {chess.square_name(move.to_square)} is promoted: add n, b, r or q"
        if move.promotion is not None and not is_promotion:
            return f"the {name} on {start} is not promoted there"
        if board.is_pseudo_legal(move) and not board.is_castling(move):
            return f"{side}'s king would be in check"
        return f"the {name} on {start} cannot go to {chess.square_name(move.to_square)}"

    def play(self, move: chess.Move) -> ChessPosition:
        """Return the position after ``move``, which must come from this position's own methods."""
        board = self._board.copy(stack=False)
        board.push(move)
        return ChessPosition(board)

    def write_move(self, move: chess.Move) -> str:
        """Return the move in algebraic notation: ``Nbd2``, ``O-O``, ``e8=Q+``."""
        return self._board.copy(stack=False).san(move)  # which makes the move and takes it back

    @property
    def move_number(self) -> int:
        """The number of the next move; both sides make one."""
        return self._board.fullmove_number

    def is_irreversible(self, move: chess.Move) -> bool:
        """Return whether the move is a capture or a pawn's move, after which no position can repeat."""
        return self._board.is_zeroing(move)

    def outcome(self) -> Outcome | None:
        """Return checkmate, or a draw that needs no claim and depends on this position alone."""
        if not any(self._board.generate_legal_moves()):
            is_mate = self._board.is_check()
            return Outcome.win(1 - self.turn, 2, "checkmate") if is_mate else _drawn("stalemate")
        if self._lacks_material():
            return _drawn("insufficient-material")
        if self._board.halfmove_clock >= _SEVENTY_FIVE_MOVES:
            return _drawn("seventyfive-moves")
        return None

    def _is_drawn(self) -> bool:
        """Return whether the game is drawn although there are legal moves."""
        return self._board.halfmove_clock >= _SEVENTY_FIVE_MOVES or self._lacks_material()

    def _lacks_material(self) -> bool:
        """Return whether nobody can mate. With a pawn, a rook or a queen of any side, somebody can."""
        board = self._board
        return not board.pawns | board.rooks | board.queens and board.is_insufficient_material()

    def key(self) -> Hashable:
        """Return the pieces, the side to move, the castling rights, and the square of a legal en passant."""
        board = self._board
        pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        en_passant = board.ep_square if board.has_legal_en_passant() else None
        return (*pieces, board.occupied_co[chess.WHITE], board.turn, board.castling_rights, en_passant)

    @property
    def plies_without_progress(self) -> int:
        """The plies since the last capture or move of a pawn."""
        return self._board.halfmove_clock

    def skip_turn(self) -> ChessPosition:
        """Return the same position with the other side to move."""
        board = self._board.copy(stack=False)
        board.push(chess.Move.null())
        return ChessPosition(board)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """Draw the board, with White's pieces as upper-case letters or white chess symbols."""
        rows = [
            [self._draw_square(8 * row + column, ascii_only) for column in range(8)]
            for row in range(7, -1, -1)
        ]
        lines = draw_cells(rows, "87654321", chess.FILE_NAMES, ascii_only=ascii_only)
        side = chess.COLOR_NAMES[self._board.turn]
        check = ", in check" if self._board.is_check() else ""
        return "\n".join([*lines, f"player {self.turn + 1} ({side}) to move{check}"])

    def scene(self) -> Scene:
        """Return the pieces as they are drawn."""
        pieces = self._board.piece_map()
        symbols = {chess.SQUARE_NAMES[square]: pieces[square].symbol() for square in sorted(pieces)}
        return Scene(symbols, decision=self._decision())

    def _decision(self) -> Decision | None:
        """The king that cannot move, and the lines of the pieces that mate it."""
        board = self._board
        square = board.king(board.turn)
        if square is None or any(board.generate_legal_moves()):
            return None
        king = chess.SQUARE_NAMES[square]
        lines = tuple((chess.SQUARE_NAMES[checker], king) for checker in board.checkers())
        return Decision(losing=(king,), lines=lines)

    def _draw_square(self, square: int, ascii_only: bool) -> str:
        piece = self._board.piece_at(square)
        if piece is None:
            return "." if ascii_only else "·"
        return piece.symbol() if ascii_only else piece.unicode_symbol()

    def __str__(self) -> str:
        board = self._board
        castling = "-"
        if board.castling_rights:
            castling = board.castling_shredder_fen() if board.chess960 else board.castling_xfen()
        en_passant = "-" if board.ep_square is None else chess.SQUARE_NAMES[board.ep_square]
        clocks = f"{board.halfmove_clock} {board.fullmove_number}"
        return f"{_rows(board)} {'bw'[board.turn]} {castling} {en_passant} {clocks}"

    # Not from `KeyedPosition`: where `make fast` has compiled that, no other class can extend it.
    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, ChessPosition) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return f"<ChessPosition {self}>"


def _rows(board: chess.Board) -> str:
    """Return the first field of a FEN. `board_fen` looks at each square, which takes three times as long."""
    squares = [" "] * 64
    white = board.occupied_co[chess.WHITE]
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for letter, mask in zip("PNBRQK", kinds, strict=True):
        for square in chess.scan_reversed(mask):
            squares[chess.square_mirror(square)] = letter if white >> square & 1 else letter.lower()
    text = "/".join(["".join(squares[row : row + 8]) for row in range(0, 64, 8)])
    for empty in range(8, 0, -1):
        text = text.replace(" " * empty, str(empty))
    return text


@cache  # of bounded size: there are some 20,000 such texts
def _read(text: str) -> chess.Move:
    if not _MOVE.fullmatch(text):
        raise MoveSyntaxError(f"a move is {_NOTATION}")
    return chess.Move.from_uci(text)


def _read_clocks(text: str) -> tuple[str, str]:
    """The clocks of a FEN from what follows its first four fields: clocks, and operations of EPD."""
    clocks: dict[str, str] = {}
    for name in ("hmvc", "fmvn"):
        if match := _CLOCK.match(text):
            text = text[match.end() :]
            if match[1] != "-":
                clocks[name] = match[1]
    while text:
        match = _OPERATION.match(text)
        if match is None:
            raise PositionError("operations", f"an operation was expected, not {quoted(text)}")
        name, value = match[1], match[2].strip()
        if name in ("hmvc", "fmvn") and (earlier := clocks.setdefault(name, value)) != value:
            raise PositionError("operations", f"{name} is {quoted(value)} and {quoted(earlier)}")
        text = text[match.end() :]
    plies = clocks.get("hmvc", "").lstrip("0") or "0"
    moves = clocks.get("fmvn", "").lstrip("0") or "1"  # many programs write 0 0 where they know no clocks
    return plies, moves


def _drawn(reason: str) -> Outcome:
    return Outcome.draw(2, reason)


_BODIES: Final[dict[str, ChessPiece]] = {
    "pawn": "chess-p",
    "knight": "chess-n",
    "bishop": "chess-b",
    "rook": "chess-r",
    "queen": "chess-q",
    "king": "chess-k",
}
_PIECES: Final = {
    **{body[-1].upper(): Piece(f"White {name}", ((body, "light"),)) for name, body in _BODIES.items()},
    **{body[-1]: Piece(f"Black {name}", ((body, "dark"),)) for name, body in _BODIES.items()},
}
_PROMOTIONS: Final = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}

_INFO = GameInfo(
    id="chess",
    title="Chess",
    players=2,
    board="8x8",
    ply_limit=None,
    draw_prior=0.4,
    sheet="FIDE Laws of Chess 2023",
    rulings=(
        (
            "Stalemate, insufficient material, and 75 moves of each player without a capture or a pawn"
            " move are draws. No player has to claim them."
        ),
        (
            "A player must claim the draw after 50 such moves, or when a position occurs for the third time."
            " UCI has no word for the claim, so the referee adjudicates both by default."
        ),
        (
            "Of the dead positions (FIDE Laws, 5.2.2), the referee draws only those with insufficient"
            " material. In any other dead position, such as one with blocked pawns, the game goes on."
        ),
    ),
    drawn=Squares(
        look="slate",
        columns=8,
        rows=8,
        pieces=_PIECES,
        words=_PROMOTIONS,
        sides={"White": "K", "Black": "k"},
    ),
    no_progress=_FIFTY_MOVES,
    notation=_NOTATION,
    endings={"checkmate": "gives checkmate"},
)


class ChessGame:
    """The description and start positions of chess or Chess960."""

    def __init__(self, info: GameInfo, *, chess960: bool) -> None:
        self.info: Final = info
        self._chess960 = chess960
        self._fields = _FIELDS | {"castling": _CASTLING_960} if chess960 else _FIELDS
        self._named = {"default": ChessPosition(chess.Board(chess960=chess960))}

    def start(self, setup: str | None = None) -> ChessPosition:
        """Return the usual start position, or the position of a FEN, an EPD line, or a seed in Chess960.

        The seed of Chess960 is the number of the position: 0 to 959, and then again from 0.
        """
        return start_position(
            setup, self._named, self._parse_setup, self._numbered if self._chess960 else None
        )

    def _numbered(self, seed: int) -> ChessPosition:
        return ChessPosition(chess.Board.from_chess960_pos(seed % 960))

    def _parse_setup(self, text: str) -> ChessPosition:
        """Parse a FEN or an EPD line: four fields, perhaps one clock or both, and perhaps operations."""
        *fields, rest = [*text.split(maxsplit=4), *[""] * 5][:5]
        if "" in fields:
            expected = "at least 4 fields (pieces, to move, castling, en passant) were expected"
            raise PositionError("position", f"{expected}, not {quoted(text)}")
        if not self._chess960 and set(fields[2]) <= set("HAha"):
            fields[2] = fields[2].translate(str.maketrans("HAha", "KQkq"))
        fields[2] = "".join(sorted(fields[2], key=_ORDER_OF_RIGHTS.find))
        try:
            clocks = _read_clocks(rest)
        except PositionError:
            self.parse_position(" ".join((*fields, "0", "1")))  # of two errors, the first one is named
            raise
        return self.parse_position(" ".join((*fields, *clocks)))

    def parse_position(self, text: str) -> ChessPosition:
        """Parse a FEN with six fields; a PositionError names the damaged field."""
        values = split_fields(text, tuple(self._fields))
        for (name, (pattern, expected)), value in zip(self._fields.items(), values, strict=True):
            if not re.fullmatch(pattern, value):
                raise PositionError(name, f"{expected} was expected, not {quoted(value)}")
        try:
            board = chess.Board(text, chess960=self._chess960)
        except ValueError:
            raise PositionError("pieces", "8 rows of 8 squares were expected, with / between them") from None
        for flag in board.status():
            field, problem = _IMPOSSIBLE[flag]
            raise PositionError(field, f"impossible: {problem}")
        position = ChessPosition(board)
        for name, value, printed in zip(self._fields, values, str(position).split(), strict=True):
            if value != printed and not (name == "castling" and value == board.castling_xfen()):
                raise PositionError(name, f"it should be written {quoted(printed)}")
        return position


CHESS: Game = ChessGame(_INFO, chess960=False)
CHESS960: Game = ChessGame(
    replace(
        _INFO,
        id="chess960",
        title="Chess960",
        sheet="FIDE Laws of Chess 2023, guideline II",
        rulings=(*_INFO.rulings, "Castling is written as the king taking its own rook."),
        uci_options=(("UCI_Chess960", "true"),),
    ),
    chess960=True,
)
