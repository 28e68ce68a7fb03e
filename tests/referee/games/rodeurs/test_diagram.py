"""Rôdeurs: the board drawn as text for people."""

from __future__ import annotations

import pytest

from referee import game
from tests.referee.games.rodeurs.slow_rules import placed

RODEURS = game("rodeurs")

BOARD = """\
   ┌──────────────────────┐
 9 │ □g ■  □  ■  □  ■  □  │
 8 │ ■  □  ■  □  ■  □  ■  │
 7 │ □  ■  □  ■  □  ■  □  │
 6 │ ■  □  ■  □  ■  □  ■  │
 5 │     r                │
 4 │ □  ■  □y ■  □  ■  □  │
 3 │ ■  □  ■g □  ■  □  ■  │
 2 │ □  ■  □  ■  □  ■  □  │
 1 │ ■  □  ■  □  ■  □  ■r │
   └──────────────────────┘
     a  b  c  d  e  f  g
squares: □ player 1, ■ player 2; points: g 1, y 2, r 3
points of player 1: 3 (1 green, 1 yellow, 0 red)
points of player 2: 4 (1 green, 0 yellow, 1 red)
player 2 to move"""


def test_square_colours_pawns_and_points_are_drawn() -> None:
    there = RODEURS.parse_position(placed("ga9 rb5 yc4 gc3 rg1", 2))
    assert there.diagram() == BOARD


def test_the_drawing_can_do_with_ascii() -> None:
    there = RODEURS.parse_position(placed("ga9 rb5 yc4 gc3 rg1", 2))
    expected = BOARD.translate(str.maketrans("□■│─", ".#|-"))
    for corner in "┌┐└┘":
        expected = expected.replace(corner, "+")
    assert there.diagram(ascii_only=True) == expected


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (str(RODEURS.start()), "player 1 to move, a single jump"),
        (placed("ga9 yc1"), "the game is over: player 1 has won by fewer points"),
        (placed("rc9 gc1 yg1"), "the game is over: player 2 has won by fewer reds"),
        (placed("yc9 ga1 ge1"), "the game is over: player 2 has won by fewer yellows"),
        (placed("ga9 ga1"), "the game is a draw: both players have equally many pawns of every colour"),
    ],
)
def test_the_last_line_says_who_is_to_move_or_who_has_won(text: str, last: str) -> None:
    assert RODEURS.parse_position(text).diagram().splitlines()[-1] == last
