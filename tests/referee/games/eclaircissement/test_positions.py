"""Éclaircissement: set-ups, position strings, and the equality of positions."""

from __future__ import annotations

import pytest

from referee import PositionError
from referee.games.eclaircissement.position import ECLAIRCISSEMENT
from tests.referee.games.texts import damage

START = "wrwrw/r3r/w3w/r3r/wrwrw w"
position = ECLAIRCISSEMENT.parse_position


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        (None, START),
        ("default", START),
        ("halves", "rrrrr/r3w/r3w/r3w/wwwww w"),
        ("random:0", "wwrrw/r3r/w3w/w3r/rrwwr w"),
        ("random:7", "wrrww/r3w/r3w/r3w/rwrwr w"),
        ("rrrrr/r3W/r3w/r2w1/wwwww r", "rrrrr/r3W/r3w/r2w1/wwwww r"),
    ],
)
def test_a_game_may_start_with(setup: str | None, expected: str) -> None:
    assert str(ECLAIRCISSEMENT.start(setup)) == expected


def test_random_set_ups_have_every_pawn_dark_on_the_border() -> None:
    starts = {str(ECLAIRCISSEMENT.start(f"random:{seed}")) for seed in range(50)}
    assert len(starts) == 50
    for text in starts:
        there = position(text)
        assert (there.lit, there.turn) == (0, 0)
        rows = text.removesuffix(" w").split("/")
        assert all(row[1:-1] == "3" for row in rows[1:-1])


@pytest.mark.parametrize(
    ("setup", "problem"),
    [
        (
            "corners",
            "'corners' is no set-up of this game: use default, halves, random:SEED or a position",
        ),
        ("random", "'random' is no set-up of this game"),
        ("random:", "'' is no seed; a seed is a number from 0"),
        ("random:-1", "'-1' is no seed"),
        ("random:07", "'07' is no seed"),
    ],
)
def test_there_is_no_other_set_up(setup: str, problem: str) -> None:
    with pytest.raises(PositionError) as caught:
        ECLAIRCISSEMENT.start(setup)
    assert caught.value.field == "setup"
    assert problem in str(caught.value)


DAMAGED = [
    ("", "position", "2 fields with single spaces between them (board, player to move) were expected"),
    (START.replace(" w", ""), "position", "2 fields"),
    (START.replace(" ", "  "), "position", "2 fields"),
    ("wrwrw/r3r/w3w/r3r w", "board", "5 rows were expected, not 4"),
    (START.replace(" w", "/5 w"), "board", "5 rows were expected, not 6"),
    (START.replace("r3r", "r2r"), "board", "row 4, 'r2r', has 4 squares, not 5"),
    (START.replace("r3r", "r4r"), "board", "row 4, 'r4r', has 6 squares, not 5"),
    (START.replace("r3r", "r21r"), "board", "row 4, 'r21r', must be written r3r"),
    (START.replace("r3r", "r03r"), "board", "'0' in row 4 is neither one of wrWR nor a digit"),
    (START.replace("w3w", "b3w"), "board", "'b' in row 3 is neither one of wrWR nor a digit"),
    (START.replace("w3w", "w\u0663w"), "board", "'\\u0663' in row 3 is neither one of wrWR nor a digit"),
    (START.replace("w3w", "w4"), "board", "White has 7 pawns, not 8"),
    (START.replace("w3w", "wWw1w"), "board", "White has 10 pawns, not 8"),
    (START.replace(" w", " W"), "player to move", "'W' is neither w nor r"),
    (START.replace(" w", " wr"), "player to move", "'wr' is neither w nor r"),
    (START.replace(" w", " 1"), "player to move", "'1' is neither w nor r"),
]


@pytest.mark.parametrize(("text", "field", "problem"), DAMAGED)
def test_a_damaged_string_is_refused_and_its_field_named(text: str, field: str, problem: str) -> None:
    named, sentence = damage(ECLAIRCISSEMENT, text)
    assert named == field
    assert problem in sentence
