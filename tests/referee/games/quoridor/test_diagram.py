"""Quoridor: the board drawn as text for people."""

from __future__ import annotations

from referee import game

BOARD = """\
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
player 2 to move, towards row 1"""


def test_walls_pawns_and_coordinates_are_drawn() -> None:
    there = game("quoridor").parse_position("d4f4e7 / a2d5a8 / e4 i9 / 7 7 / 2")
    assert there.diagram() == BOARD


def test_a_finished_game_says_who_won() -> None:
    there = game("quoridor4").parse_position("/ / d8 b5 c1 h6 / 5 5 5 5 / 4")
    assert there.diagram().splitlines()[-2:] == [
        "walls left: player 1 5, player 2 5, player 3 5, player 4 5",
        "player 3 has reached row 1 and won",
    ]
