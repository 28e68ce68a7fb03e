"""HOPS: position strings, and the equality of positions."""

from __future__ import annotations

import pytest

from referee import PositionError
from referee.games.hops.position import HOPS
from tests.referee.games.texts import damage

START = "rrrrrrr/7/7/7/7/7/bbbBbbb b"
position = HOPS.parse_position


@pytest.mark.parametrize("setup", [None, "default", START])
def test_the_start_position(setup: str | None) -> None:
    assert str(HOPS.start(setup)) == START


@pytest.mark.parametrize("setup", ["wide", "random:1"])
def test_there_is_no_other_set_up(setup: str) -> None:
    with pytest.raises(PositionError, match=r"^setup: .* use default or a position string$"):
        HOPS.start(setup)


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ("", "position", "2 fields with single spaces between them (board, player to move) were expected"),
        ("rrrrrrr/7/7/7/7/bbbBbbb b", "board", "7 rows were expected, not 6"),
        ("rrrrrrr/7/7/7/7/7/bbbBbb b", "board", "row 1, 'bbbBbb', has 6 squares, not 7"),
        ("rrrrrrx/7/7/7/7/7/bbbBbbb b", "board", "'x' in row 7 is neither one of"),
        (
            "rrrrrrr/7/7/7/7/7/bbBBbbb b",
            "board",
            "there is one ball, but the pawns on c1 and d1 both carry it",
        ),
        (
            "rrrrrrR/7/7/7/7/7/bbbBbbb b",
            "board",
            "there is one ball, but the pawns on d1 and g7 both carry it",
        ),
        (
            "rrrrrrr/7/7/7/7/7/bbbbbbb b",
            "board",
            "7 blue pawns and 7 red ones, but no carrier (an upper-case letter)",
        ),
        ("rrrrrr1/7/7/7/7/7/bbbBbbb b", "board", "7 blue pawns and 6 red ones are not seven of each"),
        ("rrrrrrr/7/7/7/7/7/bbbB1bb r", "board", "6 blue pawns and 7 red ones are not seven of each"),
        ("rrrrrr1/7/7/7/7/7/bbb1bbb r", "board", "6 blue pawns and 6 red ones, but no carrier"),
        ("rrrrrrr/r6/7/7/7/7/bbb2bb r", "board", "5 blue pawns and 8 red ones, but no carrier"),
        ("rrrrrrr/7/7/7/7/7/bbb1bbb b", "player to move", "Blue has just won by carrying the ball out"),
        ("rrrrrr1/7/7/7/7/7/bbbbbbb r", "player to move", "Red has just won by carrying the ball out"),
        ("rrrrrrr/7/7/7/7/7/bbbBbbb w", "player to move", "'w' is neither b nor r"),
    ],
)
def test_a_damaged_string_is_refused_and_its_field_named(text: str, field: str, problem: str) -> None:
    named, sentence = damage(HOPS, text)
    assert named == field
    assert problem in sentence
