"""Quatre en ligne: the board drawn as text for people."""

from __future__ import annotations

from referee import game

QUATRE = game("quatre-en-ligne")
WON = "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r"

BOARD = """\
    ┌────────────────┐
  1 │ _  W  R  _     │
  0 │ w  _  r  r  r  │
 -1 │ r  w  _  _  w  │
 -2 │    _  _  r  w  │
 -3 │          _  w  │
    └────────────────┘
      -2 -1 0  1  2
in hand: White 0, Red 0
Red to move"""


def test_the_board_is_drawn_with_its_coordinates() -> None:
    assert QUATRE.parse_position("_WR_./w_rrr/rw__w/.__rw/..._w -2,-3 0 0 r").diagram() == BOARD


def test_a_finished_game_says_who_won() -> None:
    assert (
        QUATRE.parse_position(WON).diagram().splitlines()[-1]
        == "White has four face up in a line and has won"
    )
