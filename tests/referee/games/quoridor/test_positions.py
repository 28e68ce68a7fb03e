"""Quoridor: position strings, and the equality of positions."""

from __future__ import annotations

import pytest

from referee import PositionError, game
from referee.games.quoridor.position import QUORIDOR, QUORIDOR4
from tests.referee.games.texts import damage

START = "/ / e1 e9 / 10 10 / 1"
position = QUORIDOR.parse_position


def test_the_start_positions() -> None:
    assert str(QUORIDOR.start()) == START
    assert str(QUORIDOR.start("default")) == START
    assert str(QUORIDOR4.start()) == "/ / e1 a5 e9 i5 / 5 5 5 5 / 1"


@pytest.mark.parametrize("game_id", ["quoridor", "quoridor4"])
def test_there_is_no_other_set_up(game_id: str) -> None:
    offered = "'wide' is no set-up of this game: use default or a position string"
    with pytest.raises(PositionError, match=f"^setup: {offered}$"):
        game(game_id).start("wide")


@pytest.mark.parametrize(
    "text",
    [
        " /  / e1 e9 / 10 10 / 1",
        "  / /   e1  e9 /\t10 10 / 1  ",
        "/\n/ e1 e9\r\n/ 10 10 / 1\n",
    ],
)
def test_white_space_is_free_and_printed_as_single_spaces(text: str) -> None:
    assert str(position(text)) == START


DAMAGED = [
    ("", "position", "there are 1"),
    ("/ e1 e9 / 10 10 / 1", "position", "there are 4"),
    ("//e1 e9/10 10/1", "position", "five fields with ' / ' between them"),
    ("d4 f4 / / e1 e9 / 9 9 / 1", "horizontal walls", "without spaces, but 'd4 f4' has one"),
    ("d / / e1 e9 / 9 10 / 1", "horizontal walls", "'d' is no place for a wall"),
    ("d4f / / e1 e9 / 9 9 / 1", "horizontal walls", "'f' is no place for a wall"),
    ("d9 / / e1 e9 / 9 10 / 1", "horizontal walls", "'d9' is no place for a wall: the places are a1 to h8"),
    ("i4 / / e1 e9 / 9 10 / 1", "horizontal walls", "'i4' is no place for a wall"),
    ("D4 / / e1 e9 / 9 10 / 1", "horizontal walls", "'D4' is no place for a wall"),
    ("d\u0664 / / e1 e9 / 9 10 / 1", "horizontal walls", "is no place for a wall"),
    ("d4d4 / / e1 e9 / 9 9 / 1", "horizontal walls", "d4 occurs twice"),
    ("d4e4 / / e1 e9 / 9 9 / 1", "horizontal walls", "e4 overlaps another wall"),
    ("f4d4 / / e1 e9 / 9 9 / 1", "horizontal walls", "d4 must come before f4: walls are sorted by row"),
    ("a5f4 / / e1 e9 / 9 9 / 1", "horizontal walls", "f4 must come before a5"),
    ("/ d4d5 / e1 e9 / 9 9 / 1", "vertical walls", "d5 overlaps another wall"),
    ("d4 / d4 / e1 e9 / 9 9 / 1", "vertical walls", "d4 crosses the horizontal wall d4"),
    ("/ a8a2 / e1 e9 / 9 9 / 1", "vertical walls", "a2 must come before a8"),
    ("/ d4v / e1 e9 / 9 9 / 1", "vertical walls", "'v' is no place for a wall"),
    ("/ / e1 / 10 10 / 1", "pawns", "2 squares were expected, not 1"),
    ("/ / e1 e9 e5 / 10 10 / 1", "pawns", "2 squares were expected, not 3"),
    ("/ / e0 e9 / 10 10 / 1", "pawns", "'e0' is no square: the squares are a1 to i9"),
    ("/ / E1 e9 / 10 10 / 1", "pawns", "'E1' is no square"),
    ("/ / e5 e5 / 10 10 / 1", "pawns", "two pawns are on e5"),
    ("/ / d9 e1 / 10 10 / 1", "pawns", "players 1 and 2 have both reached their goals"),
    ("/ / e9 e1 / 10 10 / 1", "pawns", "players 1 and 2 have both reached their goals"),
    ("a1 / b1 / a1 e9 / 9 9 / 1", "pawns", "player 1 has no path from a1 to row 9"),
    ("e8 / d8f8 / e1 e9 / 9 8 / 1", "pawns", "player 2 has no path from e9 to row 1"),
    ("/ / e1 e9 / 10 / 1", "walls left", "2 numbers were expected, not 1"),
    ("/ / e1 e9 / 10 x / 1", "walls left", "'x' is no number from 0 to 10"),
    ("/ / e1 e9 / 11 9 / 1", "walls left", "'11' is no number from 0 to 10"),
    ("/ / e1 e9 / 10 010 / 1", "walls left", "'010' is no number"),
    ("a1 / / e1 e9 / 10 09 / 1", "walls left", "'09' is no number"),
    ("a1 / / e1 e9 / 10 +9 / 1", "walls left", "'+9' is no number"),
    ("a1 / / e1 e9 / 10 -9 / 1", "walls left", "'-9' is no number"),
    ("a1 / / e1 e9 / 10 \u0669 / 1", "walls left", "'\\u0669' is no number"),
    ("/ / e1 e9 / 10 9 / 1", "walls left", "0 on the board and 19 in hand make 19, not 20"),
    ("a1 / a2 / e1 e9 / 10 9 / 1", "walls left", "2 on the board and 19 in hand make 21, not 20"),
    ("/ / e1 e9 / 10 " + "9" * 5000 + " / 1", "walls left", "'99999999999999999999...' is no number"),
    ("/ / e1 e9 / 10 10 /", "player to move", "'' is no number from 1 to 2"),
    ("/ / e1 e9 / 10 10 / 0", "player to move", "'0' is no number from 1 to 2"),
    ("/ / e1 e9 / 10 10 / 3", "player to move", "'3' is no number from 1 to 2"),
    ("/ / e1 e9 / 10 10 / 01", "player to move", "'01' is no number"),
    ("/ / e1 e9 / 10 10 / 1 2", "player to move", "'1 2' is no number"),
    ("/ / e1 e9 / 10 10 / \u0661", "player to move", "'\\u0661' is no number"),
    ("/ / d9 e2 / 10 10 / 1", "player to move", "player 1 has just won by reaching row 9"),
    ("/ / d8 e1 / 10 10 / 2", "player to move", "player 2 has just won by reaching row 1"),
]


DAMAGED4 = [
    ("/ / e1 e9 / 10 10 / 1", "pawns", "4 squares were expected, not 2"),
    ("/ / e1 a5 e9 i5 / 5 5 5 / 1", "walls left", "4 numbers were expected, not 3"),
    ("/ / e1 a5 e9 i5 / 6 4 5 5 / 1", "walls left", "'6' is no number from 0 to 5"),
    ("/ / e1 a5 e9 i5 / 5 5 5 5 / 5", "player to move", "'5' is no number from 1 to 4"),
    ("/ / e1 a5 e9 a5 / 5 5 5 5 / 1", "pawns", "two pawns are on a5"),
    ("/ / e9 a5 e5 a6 / 5 5 5 5 / 1", "pawns", "players 1 and 4 have both reached their goals"),
    ("/ / e9 a5 e5 i5 / 5 5 5 5 / 1", "player to move", "player 1 has just won by reaching row 9"),
    ("a4a5 / b5 / e1 a5 e9 i5 / 4 4 4 5 / 1", "pawns", "player 2 has no path from a5 to column i"),
]


@pytest.mark.parametrize(
    ("game_id", "text", "field", "problem"),
    [*(("quoridor", *case) for case in DAMAGED), *(("quoridor4", *case) for case in DAMAGED4)],
)
def test_a_damaged_string_is_refused_and_its_field_named(
    game_id: str, text: str, field: str, problem: str
) -> None:
    named, sentence = damage(game(game_id), text)
    assert named == field
    assert problem in sentence


@pytest.mark.parametrize("turn", [2, 3, 4])
def test_after_a_win_anybody_else_may_be_next_since_removed_seats_are_passed_over(turn: int) -> None:
    text = f"/ / e9 a5 e5 i5 / 5 5 5 5 / {turn}"
    there = QUORIDOR4.parse_position(text)
    assert str(there) == text
    assert there.outcome() is not None
