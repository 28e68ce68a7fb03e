"""A position as lines of `edit`, the older command of CECP."""

import pytest

from protocol.wire.xboard_edit import edit_lines


@pytest.mark.parametrize(
    ("fen", "known"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1", False),  # the engine would think that it may castle
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", False),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", False),
        ("4k3/8/8/3p1P2/8/8/8/4K3 w - d6 0 1", True),
        ("4k3/8/8/8/pP6/8/8/4K3 b - b3 0 1", False),
        ("4k3/8/8/8/Pp6/7p/8/4K3 b - h3 0 1", True),
        ("4k3/8/8/2Pp4/8/8/8/4K3 w - d6 0 1", False),
        ("4k3/8/8/3p4/3P4/8/8/4K3 w - d6 0 1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", False),
        ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", True),
        ("4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1", True),
    ],
)
def test_edit_is_used_only_if_it_says_the_whole_position(fen: str, known: bool) -> None:
    assert (edit_lines(fen) is not None) == known


@pytest.mark.parametrize("turn", ["w", "b"])
def test_the_lines_clear_the_board_and_name_the_pieces_of_each_seat(turn: str) -> None:
    assert edit_lines(f"4k3/p6q/8/8/2N5/8/P1P5/4K3 {turn} - - 0 1") == [
        *("edit", "#", "Nc4", "Pa2", "Pc2", "Ke1"),
        *("c", "Ke8", "Pa7", "Qh7", "."),
    ]
