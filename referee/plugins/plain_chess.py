"""The quick path of chess: plain moves on a board of the package ``chess``, and the text of a board.

A *plain* move is neither castling, nor a promotion, nor en passant. A game consists mostly of such moves. The
package could play every move, but it takes three times as long for a plain one (figures of Python 3.11 on one
machine). All other moves go to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import chess

__all__ = ["SIGHT", "can_move", "is_legal_plain_move", "is_plain", "pieces_text", "play_plain_move"]

SIGHT = [
    chess.BB_RANK_ATTACKS[square][0]
    | chess.BB_FILE_ATTACKS[square][0]
    | chess.BB_DIAG_ATTACKS[square][0]
    | chess.BB_KNIGHT_ATTACKS[square]
    for square in chess.SQUARES
]
"""By square, the mask of all squares from which some piece attacks it on an empty board.

A move between squares outside the sight of a king does not give or remove an attack on this king, unless the
king moves, or the move is castling or en passant.
"""


def is_legal_plain_move(board: chess.Board, move: chess.Move, in_check: bool) -> bool:
    """Return whether a move is plain and legal: 0.5 to 1.5 µs; `chess.Board.parse_uci` takes 5.

    Args:
        board: the position before the move.
        move: any move, legal or not.
        in_check: whether the side to move is in check.
    """
    start, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    own = board.occupied_co[board.turn]
    if not own & start or own & target or move.promotion is not None:
        return False
    if start & board.pawns:
        if not _pawn_reach(board, move.from_square, start) & target & ~chess.BB_BACKRANKS:
            return False
    elif not board.attacks_mask(move.from_square) & target:
        return False
    king = own & board.kings
    if king == start:
        king = target
    elif not in_check and not SIGHT[king.bit_length() - 1] & start:
        return True
    occupied = board.occupied & ~start | target
    return not board.attackers_mask(not board.turn, king.bit_length() - 1, occupied) & ~target


def _pawn_reach(board: chess.Board, square: int, start: int) -> int:
    """Return the mask of the squares that a pawn of the side to move may go to, without en passant."""
    empty = ~board.occupied
    if board.turn:
        step = start << 8 & empty
        step |= step << 8 & empty & chess.BB_RANK_4
    else:
        step = start >> 8 & empty
        step |= step >> 8 & empty & chess.BB_RANK_5
    return step | chess.BB_PAWN_ATTACKS[board.turn][square] & board.occupied_co[not board.turn]


def is_plain(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a legal move is plain.

    A king's move does not count as plain as long as a side has a castling right.
    """
    start = chess.BB_SQUARES[move.from_square]
    if start & board.pawns:
        return move.promotion is None and move.to_square != board.ep_square
    return not (start & board.kings and board.castling_rights)


def play_plain_move(before: chess.Board, move: chess.Move) -> tuple[chess.Board, bool]:
    """Play a legal plain move: 2 µs; `chess.Board.copy` and `chess.Board.push` take 5.5.

    Args:
        before: the position before the move; it does not change.
        move: the move.

    Returns:
        The board after the move, without a stack, and whether the side to move is in check.
    """
    start, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    rest = chess.BB_ALL ^ (start | target)
    mover, other = before.turn, not before.turn
    board = chess.Board.__new__(chess.Board)  # every attribute is set below
    board.chess960 = before.chess960
    board.move_stack, board._stack = [], []  # noqa: SLF001 - `copy` would set everything twice
    board.pawns = before.pawns & rest | target if before.pawns & start else before.pawns & rest
    board.knights = before.knights & rest | target if before.knights & start else before.knights & rest
    board.bishops = before.bishops & rest | target if before.bishops & start else before.bishops & rest
    board.rooks = before.rooks & rest | target if before.rooks & start else before.rooks & rest
    board.queens = before.queens & rest | target if before.queens & start else before.queens & rest
    board.kings = before.kings & rest | target if before.kings & start else before.kings & rest
    board.promoted = before.promoted & rest | target if before.promoted & start else before.promoted & rest
    board.occupied = before.occupied & rest | target
    own, others = before.occupied_co[mover] & rest | target, before.occupied_co[other] & rest
    board.occupied_co = [others, own] if mover else [own, others]
    board.castling_rights = before.castling_rights & rest
    board.turn = other
    board.fullmove_number = before.fullmove_number + other
    is_pawn = board.pawns & target
    is_double = is_pawn and abs(move.to_square - move.from_square) == 16
    board.ep_square = (move.from_square + move.to_square) // 2 if is_double else None
    board.halfmove_clock = 0 if is_pawn or before.occupied & target else before.halfmove_clock + 1
    king = (board.kings & others).bit_length() - 1
    return board, bool(SIGHT[king] & (start | target) and board.attackers_mask(mover, king))


def can_move(board: chess.Board, in_check: bool) -> bool:
    """Return whether the side to move has a legal move: mostly 0.5 to 1.5 µs; without the short path 4.5."""
    if not in_check:
        # Nothing outside the sight of its king is pinned.
        own = board.occupied_co[board.turn]
        free = own & ~SIGHT[(own & board.kings).bit_length() - 1] & ~board.kings
        pawns = free & board.pawns
        if (pawns << 8 if board.turn else pawns >> 8) & ~board.occupied:
            return True
        for square in chess.scan_reversed(free ^ pawns):
            if board.attacks_mask(square) & ~own:
                return True
    return any(board.generate_legal_moves())


def pieces_text(board: chess.Board) -> str:
    """Return the first field of a FEN: mostly 3 µs; `chess.Board.board_fen` takes 30."""
    masks = (
        *(board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings),
        board.occupied_co[chess.WHITE],
    )
    return "/".join(map(_row_text, zip(*[mask.to_bytes(8, "big") for mask in masks], strict=True)))


@lru_cache(4096)
def _row_text(row: Iterable[int]) -> str:
    """Return the text of a row, from the bits of each kind of piece and of White. Bit 0 is column a."""
    *kinds, white = row
    text = ""
    for column in range(8):
        bit = 1 << column
        letter = next((symbol for symbol, kind in zip("pnbrqk", kinds, strict=True) if kind & bit), " ")
        text += letter.upper() if white & bit else letter
    for empty in range(8, 0, -1):
        text = text.replace(" " * empty, str(empty))
    return text
