"""The quick path of chess agrees with the package ``chess`` in every position of random games."""

from __future__ import annotations

import random
from itertools import product

import chess
import pytest

from referee.plugins.chess import CHESS, CHESS960, ChessGame, ChessPosition
from referee.plugins.plain_chess import can_move, is_legal_plain_move, is_plain, pieces_text, play_plain_move

STARTS = {
    "usual": (CHESS, chess.STARTING_FEN),
    "castling, promotions": (CHESS, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    "pins, en passant": (CHESS, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    "few pieces": (CHESS, "8/8/3k4/8/2n5/8/3BK1P1/8 w - - 0 1"),
    "Chess960": (CHESS960, "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"),
}
PLIES = 60


def boards(rules: ChessGame, fen: str) -> list[chess.Board]:
    """Return the boards of a random game that the package plays, each with its last move on the stack."""
    rng = random.Random(fen)
    board = chess.Board(fen, chess960=rules is CHESS960)
    found = [board]
    while len(found) < PLIES and any(board.legal_moves):
        board = board.copy(stack=1)
        board.push(rng.choice(list(board.legal_moves)))
        found.append(board)
    return found


def everything(board: chess.Board) -> dict[str, object]:
    """Return all attributes of a board without its history."""
    return vars(board) | {"move_stack": None, "_stack": None}


@pytest.mark.parametrize(("rules", "fen"), STARTS.values(), ids=STARTS)
def test_the_quick_path_agrees_with_the_package_about_every_pair_of_squares(
    rules: ChessGame, fen: str
) -> None:
    for board in boards(rules, fen)[::24]:
        for start, target in product(chess.SQUARES, chess.SQUARES):
            for promotion in (None, chess.QUEEN):
                move = chess.Move(start, target, promotion)
                if is_legal_plain_move(board, move, board.is_check()):
                    assert board.is_legal(move), (board.fen(), move)
                elif promotion is None and board.is_legal(move):
                    special = board.is_castling(move) or board.is_en_passant(move)
                    assert special, (board.fen(), move)


@pytest.mark.parametrize(("rules", "fen"), STARTS.values(), ids=STARTS)
def test_a_plain_move_leaves_the_board_that_the_package_leaves(rules: ChessGame, fen: str) -> None:
    plain = 0
    for before in boards(rules, fen):
        root = before.copy(stack=False)
        for move in root.legal_moves:
            if is_plain(root, move):
                after = root.copy(stack=False)
                after.push(move)
                board, in_check = play_plain_move(root, move)
                assert everything(board) == everything(after), (root.fen(), move)
                assert in_check is after.is_check()
                plain += 1
            else:
                special = move.promotion or root.is_en_passant(move) or root.kings & 1 << move.from_square
                assert special or move.to_square == root.ep_square
    assert plain > PLIES


@pytest.mark.parametrize(("rules", "fen"), STARTS.values(), ids=STARTS)
def test_outcome_text_and_key_agree_with_the_package_after_every_move(rules: ChessGame, fen: str) -> None:
    keys: dict[object, object] = {}
    position = rules.parse_position(fen)
    for board in boards(rules, fen):
        assert isinstance(position, ChessPosition)
        if board.move_stack:
            position = position.play(position.parse_move(board.peek().uci()))
        text = board.shredder_fen(en_passant="fen") if board.chess960 else board.fen(en_passant="fen")
        assert str(position) == text
        assert pieces_text(board) == board.board_fen()
        assert can_move(board, board.is_check()) is any(board.legal_moves)
        outcome = position.outcome()
        package = board.outcome()
        ended = package is not None and package.termination not in (
            chess.Termination.FIVEFOLD_REPETITION,
            chess.Termination.THREEFOLD_REPETITION,
        )
        assert (outcome is not None) is ended
        same = board._transposition_key()
        assert keys.setdefault(position.key(), same) == same
    assert len(keys) == len(set(keys.values()))


@pytest.mark.parametrize(
    ("fen", "ends"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", True),
        ("7k/5Q2/6K1/8/8/8/7p/8 b - - 0 1", False),  # a pawn may move
        ("k7/8/1Q6/8/8/8/p6K/8 b - - 0 1", False),
        ("k7/p1Q5/P7/8/8/8/7K/8 b - - 0 1", True),  # a blocked pawn
        ("knN5/1p6/1P6/8/8/8/8/R6K b - - 0 1", False),
        ("kn5R/8/K7/8/8/8/8/8 b - - 0 1", True),  # a pinned knight
    ],
)
def test_a_side_that_cannot_move_is_found(fen: str, ends: bool) -> None:
    board = chess.Board(fen)
    assert can_move(board, board.is_check()) is not ends
    assert any(board.legal_moves) is not ends
