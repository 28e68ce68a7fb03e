"""How PGN writes moves: in the notation of their game; for chess, that is the work of the package chess."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from arena.extras import need_extra
from protocol.wire.codec import format_removal
from referee import MoveError, game
from referee.errors import IllegalMove
from referee.follower import Follower

if TYPE_CHECKING:
    import chess

CHESS: Final = MappingProxyType({"chess": False, "chess960": True})
"""The ids of chess, and whether castling follows Chess960."""

_ROWS: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"
START: Final = MappingProxyType({"chess": f"{_ROWS} KQkq - 0 1", "chess960": f"{_ROWS} HAha - 0 1"})
"""The start positions of chess."""

_LETTERS: Final = str.maketrans("♔♕♖♗♘♚♛♜♝♞×‐‑‒–—―−", "KQRBNKQRBNx-------", "♙♟\ufe0e\ufe0f")
_CUT: Final = re.compile(r"[KQRBN]?[a-h]?[1-8]?[x:-]?[a-h]?[1-8]?=?|[Oo0](?:-[Oo0]?){0,2}|[01]-?|1/?2?-?1?/?")
"""The start of a move or result."""
_CASTLING: Final = re.compile(r"[Oo0]-[Oo0](-[Oo0])?")
_FOREIGN: Final = re.compile(r"[^\W\d_a-h]{1,2}[a-h]?[1-8]?[x:-]?[a-h][1-8].*|[a-h][1-8]=?[^\W\d_]")
_STANDARD: Final = frozenset({"", "standard", "chess", "normal", "classical", "fromposition"})
_CHESS960: Final = frozenset({"chess960", "fischerandom", "fischerrandom", "freestyle"})


class NotationError(ValueError):
    """A word that is no legal move. The message says what it is instead: ``is illegal``.

    Attributes:
        is_move: the word is a move that cannot be played in this position.
        may_be_cut: the word may be the start of a move or of a result.
    """

    def __init__(self, message: str, *, is_move: bool = False, may_be_cut: bool = False) -> None:
        super().__init__(message)
        self.is_move = is_move
        self.may_be_cut = may_be_cut


def notation(variant: str, position: str) -> Notation:
    """Return the notation for a tag Variant and a tag FEN; a ValueError says what is wrong with one."""
    name = "".join(filter(str.isalnum, variant.lower()))
    if name in _STANDARD | _CHESS960:
        return ChessNotation(position, chess960=name in _CHESS960)
    return PlainNotation(variant.strip().lower(), position)


PGN_OF_CHESS: Final = "games of chess in PGN"


class PlainNotation:
    """The moves of a game as its rules write them.

    Attributes:
        turn: the seat that moves first.
        position: the first position as the rules print it; None for the usual one.
        numbers: what the number of the first move may be; none for any.
    """

    numbers = frozenset({1})

    def __init__(self, game_id: str, position: str) -> None:
        rules = game(game_id)
        start = rules.parse_position(position) if position else rules.start()
        self.game = game_id
        self.players = rules.info.players
        self.turn = start.turn
        self.position = str(start) if position else None
        self._follower = Follower(start, self.players)

    @property
    def over(self) -> bool:
        """Whether the rules have ended the game."""
        return self._follower.outcome is not None

    def read(self, word: str) -> str:
        """Play a move, and return its text for the rules, or raise `NotationError`."""
        if self.over:
            raise NotationError("comes after the end of the game by the rules", is_move=True)
        try:
            return self._follower.play(word)
        except MoveError as error:
            legal_elsewhere = isinstance(error, IllegalMove)
            what = "is illegal" if legal_elsewhere else f"is no move of {self.game}"
            raise NotationError(
                f"{what}: {error}", is_move=legal_elsewhere, may_be_cut=not legal_elsewhere
            ) from None

    def remove(self, seat: int) -> str:
        """Remove a seat, and return the text of this ply; "" if the seat cannot be removed."""
        if self.players == 2 or not 0 <= seat < self.players or seat in self._follower.removed:
            return ""
        text = format_removal(seat)
        self._follower.follow(text)
        return text


class ChessNotation:
    """The moves of chess in algebraic notation, short or long, or in UCI's."""

    players = 2

    def __init__(self, position: str, *, chess960: bool) -> None:
        need_extra("chess", PGN_OF_CHESS)
        import chess

        board = chess.Board(position or chess.STARTING_FEN, chess960=chess960)
        board.chess960 = board.chess960 or board.has_chess960_castling_rights()
        self._board = board
        self.turn = int(not board.turn)
        self.game = "chess960" if board.chess960 else "chess"
        fen = board.shredder_fen(en_passant="fen") if board.chess960 else board.fen(en_passant="fen")
        self.position = None if fen == START[self.game] else fen
        # A FEN of a later position often has the number 1 for want of a better one.
        known = board.fullmove_number > 1 or board.chess960_pos() is not None
        self.numbers = frozenset({1, board.fullmove_number} if known else ())

    @property
    def over(self) -> bool:
        """Whether the player to move has no move."""
        return not any(self._board.generate_legal_moves())

    def read(self, word: str) -> str:
        """Play a move, and return it in the form of UCI."""
        import chess

        text = (word if word.isascii() else word.translate(_LETTERS)).rstrip("+#").removesuffix("ep")
        if _CASTLING.fullmatch(text):
            text = text.upper().replace("0", "O")
        try:
            move = self._board.parse_san(text)
        except chess.IllegalMoveError:
            raise NotationError("is illegal", is_move=True) from None
        except chess.AmbiguousMoveError:
            raise NotationError("is ambiguous", is_move=True) from None
        except ValueError:
            foreign = _FOREIGN.fullmatch(text)
            problem = "move in PGN, whose pieces are K, Q, R, B and N" if foreign else "part of a game"
            raise NotationError(f"is no {problem}", may_be_cut=bool(_CUT.fullmatch(text))) from None
        if not move:
            raise NotationError("is no move of chess")
        uci = self._board.uci(move)
        self._board.push(move)
        return uci

    def remove(self, _seat: int) -> str:
        """No player of chess is removed."""
        return ""


Notation: TypeAlias = PlainNotation | ChessNotation
"""The moves of a game from its first position on, as PGN has them."""


def chess_moves(game_id: str, position: str | None, moves: list[str]) -> tuple[chess.Board, list[str]]:
    """Return the first position of a game of chess, and its moves in short algebraic notation."""
    need_extra("chess", PGN_OF_CHESS)
    import chess

    board = chess.Board(position or START[game_id], chess960=CHESS[game_id])
    start = board.copy(stack=False)
    return start, [board.san_and_push(board.parse_uci(text)) for text in moves]
