"""HOPS: the board drawn as text for people."""

from __future__ import annotations

import pytest

from referee import game

HOPS = game("hops")
START = "rrrrrrr/7/7/7/7/7/bbbBbbb b"


def test_the_board_is_drawn_with_the_carrier_in_upper_case() -> None:
    assert HOPS.parse_position("rrrr1rr/4r2/7/7/3B3/7/bbb1bbb r").diagram().splitlines() == [
        "   ┌───────────────┐",
        " 7 │ r r r r · r r │",
        " 6 │ · · · · r · · │",
        " 5 │ · · · · · · · │",
        " 4 │ · · · · · · · │",
        " 3 │ · · · B · · · │",
        " 2 │ · · · · · · · │",
        " 1 │ b b b · b b b │",
        "   └───────────────┘",
        "     a b c d e f g",
        "the ball is Blue's, on d3",
        "Red to move, towards row 1",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (START, ["the ball is Blue's, on d1", "Blue to move, towards row 7"]),
        (
            "rrrrrrr/7/7/7/7/7/bbb1bbb r",
            ["the ball has gone out beyond row 7", "Blue has carried it there and won"],
        ),
        (
            "rrr1rrr/7/7/7/7/7/bbbbbbb b",
            ["the ball has gone out beyond row 1", "Red has carried it there and won"],
        ),
        (
            "7/7/b1b1b2/1b1b3/r1r4/rr2b2/Brr3r b",
            ["the ball is Blue's, on a1", "Blue cannot complete a turn: Red has won"],
        ),
    ],
)
def test_below_the_board_is_where_the_ball_is_and_whose_turn(text: str, lines: list[str]) -> None:
    drawn = HOPS.parse_position(text).diagram(ascii_only=True)
    assert drawn.isascii()
    assert drawn.splitlines()[-2:] == lines
