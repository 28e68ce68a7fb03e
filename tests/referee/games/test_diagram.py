"""Boards of all games, drawn as text for people. `check_game` tests that all lines can be printed."""

from __future__ import annotations

import pytest

from referee import game
from tests.referee.games.rodeurs.slow_rules import placed

DRAWN = {
    "quoridor": (
        "d4f4e7 / a2d5a8 / e4 i9 / 7 7 / 2",
        """\
   ┌───────────────────────────────────┐
 9 │   ┃                             2 │
   │   ┃   ·   ·   ·   ·   ·   ·   ·   │
 8 │   ┃                               │
   │   ╹   ·   ·   ╺━━━━━━━╸   ·   ·   │
 7 │                                   │
   │   ·   ·   ·   ╻   ·   ·   ·   ·   │
 6 │               ┃                   │
   │   ·   ·   ·   ┃   ·   ·   ·   ·   │
 5 │               ┃                   │
   │   ·   ·   ╺━━━┻━━━━━━━━━━━╸   ·   │
 4 │                 1                 │
   │   ╻   ·   ·   ·   ·   ·   ·   ·   │
 3 │   ┃                               │
   │   ┃   ·   ·   ·   ·   ·   ·   ·   │
 2 │   ┃                               │
   │   ╹   ·   ·   ·   ·   ·   ·   ·   │
 1 │                                   │
   └───────────────────────────────────┘
     a   b   c   d   e   f   g   h   i
walls left: player 1 7, player 2 7
player 2 to move, towards row 1""",
    ),
    "movers-hoppers": (
        "mhm/2h/3/1Hm/HM1/M1h/1HM/3 w",
        """\
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
White to move""",
    ),
    "eclaircissement": (
        "wr1rw/rwrwr/w1W1R/4r/w2Rw r",
        """\
   ┌───────────┐
 5 │ w r · r w │
 4 │ r w r w r │
 3 │ w · W · R │
 2 │ · · · · r │
 1 │ w · · R w │
   └───────────┘
     a b c d e
lit (in upper case): White 1, Red 2
Red to move""",
    ),
    "quatre-en-ligne": (
        "_WR_./w_rrr/rw__w/.__rw/..._w -2,-3 0 0 r",
        """\
    ┌────────────────┐
  1 │ _  W  R  _     │
  0 │ w  _  r  r  r  │
 -1 │ r  w  _  _  w  │
 -2 │    _  _  r  w  │
 -3 │          _  w  │
    └────────────────┘
      -2 -1 0  1  2
in hand: White 0, Red 0
Red to move""",
    ),
    "rodeurs": (
        placed("ga9 rb5 yc4 gc3 rg1", 2),
        """\
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
player 2 to move""",
    ),
    "hops": (
        "rrrr1rr/4r2/7/7/3B3/7/bbb1bbb r",
        """\
   ┌───────────────┐
 7 │ r r r r · r r │
 6 │ · · · · r · · │
 5 │ · · · · · · · │
 4 │ · · · · · · · │
 3 │ · · · B · · · │
 2 │ · · · · · · · │
 1 │ b b b · b b b │
   └───────────────┘
     a b c d e f g
the ball is Blue's, on d3
Red to move, towards row 1""",
    ),
}
"""By game: a position, and its board."""

ENDS = [
    ("quoridor4", "/ / d8 b5 c1 h6 / 5 5 5 5 / 4", "player 3 has reached row 1 and won"),
    ("movers-hoppers", "3/3/3/3/3/3/3/3 w", "White to set up six pieces"),
    ("movers-hoppers", "3/3/3/3/3/3/MMM/HHH r", "Red to set up six pieces"),
    (
        "movers-hoppers",
        "MMM/HMH/3/mm1/hh1/3/3/mh1 r",
        "White has won with all six pieces in the opposite camp",
    ),
    (
        "movers-hoppers",
        "3/1M1/M1H/3/mHh/3/HhM/mhm w",
        "Red has won with a piece in the opposite camp, which is full",
    ),
    ("eclaircissement", "WrWrW/r3r/W3W/r3r/WrWrW r", "White has won with every pawn lit and on the border"),
    ("quatre-en-ligne", "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r", "White has four face up in a line and has won"),
    ("quatre-en-ligne", "_____/_____/__w__/__r__ 0,0 5 5 w", "White to place a piece"),
    ("rodeurs", str(game("rodeurs").start()), "player 1 to move, a single jump"),
    ("rodeurs", placed("ga9 yc1"), "the game is over: player 1 has won by fewer points"),
    (
        "rodeurs",
        placed("ga9 ga1"),
        "the game is a draw: both players have equally many pawns of every colour",
    ),
    ("hops", "rrrrrrr/7/7/7/7/7/bbbBbbb b", "Blue to move, towards row 7"),
    ("hops", "rrrrrrr/7/7/7/7/7/bbb1bbb r", "Blue has carried it there and won"),
    ("hops", "7/7/b1b1b2/1b1b3/r1r4/rr2b2/Brr3r b", "Blue cannot complete a turn: Red has won"),
]
"""Positions, and the last lines below their boards."""


@pytest.mark.parametrize("game_id", DRAWN)
def test_the_board_is_drawn(game_id: str) -> None:
    text, board = DRAWN[game_id]
    assert game(game_id).parse_position(text).diagram() == board


@pytest.mark.parametrize(("game_id", "text", "line"), ENDS)
def test_the_last_line_says_who_is_to_do_what_or_has_won(game_id: str, text: str, line: str) -> None:
    assert game(game_id).parse_position(text).diagram().splitlines()[-1] == line
