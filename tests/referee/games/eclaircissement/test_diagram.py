"""Éclaircissement: the board drawn as text for people."""

from __future__ import annotations

from referee import game

GAME = game("eclaircissement")

BOARD = """\
   ┌───────────┐
 5 │ w r · r w │
 4 │ r w r w r │
 3 │ w · W · R │
 2 │ · · · · r │
 1 │ w · · R w │
   └───────────┘
     a b c d e
lit (in upper case): White 1, Red 2
Red to move"""

ASCII_BOARD = """\
   +-----------+
 5 | W r W r W |
 4 | r . . . r |
 3 | W . + . W |
 2 | r . . . r |
 1 | W r W r W |
   +-----------+
     a b c d e
lit (in upper case): White 8, Red 0
White has won with every pawn lit and on the border"""


def test_the_board_is_drawn_with_what_matters_below() -> None:
    assert GAME.parse_position("wr1rw/rwrwr/w1W1R/4r/w2Rw r").diagram() == BOARD
    assert GAME.parse_position("WrWrW/r3r/W3W/r3r/WrWrW r").diagram(ascii_only=True) == ASCII_BOARD
