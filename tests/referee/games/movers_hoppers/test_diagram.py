"""Movers & Hoppers: the board drawn as text for people."""

from __future__ import annotations

import pytest

from referee import game

RULES = game("movers-hoppers")
START = "3/3/3/3/3/3/3/3 w"
OPENED = "hhh/mmm/3/3/3/3/MMM/HHH w"
MIDDLE = "mhm/2h/3/1Hm/HM1/M1h/1HM/3 w"

BOARD = """\
   ┌───────┐
 8 │ m h m │
 7 │ · · h │
 6 │ · · · │
 5 │ · H m │
 4 │ H M · │
 3 │ M · h │
 2 │ · H M │
 1 │ · · · │
   └───────┘
     a b c
M mover, H hopper: White's in upper case, Red's in lower case
White to move"""


def test_the_board_is_drawn() -> None:
    there = RULES.parse_position(MIDDLE)
    assert there.diagram() == BOARD
    plain = BOARD.translate(str.maketrans("┌┐└┘─│·", "++++-|."))
    assert there.diagram(ascii_only=True) == plain


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (START, "White to set up six pieces"),
        ("3/3/3/3/3/3/MMM/HHH r", "Red to set up six pieces"),
        (OPENED.replace(" w", " r"), "Red to move"),
        ("MMM/HMH/3/mm1/hh1/3/3/mh1 r", "White has won with all six pieces in the opposite camp"),
        ("3/1M1/M1H/3/mHh/3/HhM/mhm w", "Red has won with a piece in the opposite camp, which is full"),
    ],
)
def test_the_drawing_says_who_is_to_do_what_or_has_won(text: str, line: str) -> None:
    assert RULES.parse_position(text).diagram().splitlines()[-1] == line
