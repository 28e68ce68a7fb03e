"""Éclaircissement's position strings, set-ups, board and symmetry, and that nobody ever lacks a move."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest

from referee import PositionError, game
from referee.games.eclaircissement.position import EclaircissementPosition
from referee.perft import perft
from tests.referee.games.eclaircissement.slow_rules import EIGHT, ORTHOGONAL, SQUARES, away, random_position

GAME = game("eclaircissement")


def position(text: str) -> EclaircissementPosition:
    found = GAME.parse_position(text)
    assert isinstance(found, EclaircissementPosition)
    return found


START = "wrwrw/r3r/w3w/r3r/wrwrw w"


# --- set-ups -----------------------------------------------------------------------------------------------


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
def test_a_game_may_begin_with(setup: str | None, expected: str) -> None:
    assert str(GAME.start(setup)) == expected


def test_random_set_ups_have_every_pawn_dark_on_the_border() -> None:
    found = {str(GAME.start(f"random:{seed}")) for seed in range(50)}
    assert len(found) == 50
    for text in found:
        there = position(text)
        assert (there.lit, there.turn) == (0, 0)
        rows = text.removesuffix(" w").split("/")
        assert all(row[1:-1] == "3" for row in rows[1:-1])


@pytest.mark.parametrize(
    ("setup", "problem"),
    [
        (
            "corners",
            "'corners' is no set-up of this game; there is default, halves, random:SEED or a position",
        ),
        ("random", "'random' is no set-up of this game"),
        ("random:", "'' is no seed; a seed is a number from 0"),
        ("random:-1", "'-1' is no seed"),
        ("random:07", "'07' is no seed"),
    ],
)
def test_there_is_no_other_set_up(setup: str, problem: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.start(setup)
    assert caught.value.field == "setup"
    assert problem in str(caught.value)


# --- position strings --------------------------------------------------------------------------------------

DAMAGED = [
    ("", "position", "2 fields with single spaces between them (board, player to move) were expected"),
    (START.replace(" w", ""), "position", "2 fields"),
    (START.replace(" ", "  "), "position", "2 fields"),
    (f"{START} ", "position", "2 fields"),
    (f"{START} 1", "position", "2 fields"),
    (START.replace(" ", "\t"), "position", "2 fields"),
    ("wrwrw/r3r/w3w/r3r w", "board", "5 rows were expected, not 4"),
    (START.replace(" w", "/5 w"), "board", "5 rows were expected, not 6"),
    (START.replace("r3r", "r2r"), "board", "row 4, 'r2r', has 4 squares, not 5"),
    (START.replace("r3r", "r4r"), "board", "row 4, 'r4r', has 6 squares, not 5"),
    (START.replace("r3r", "r21r"), "board", "row 4, 'r21r', is to be written r3r"),
    (START.replace("r3r", "r03r"), "board", "'0' in row 4 is none of wrWR and no digit"),
    (START.replace("w3w", "b3w"), "board", "'b' in row 3 is none of wrWR and no digit"),
    (START.replace("w3w", "w\u0663w"), "board", "'\\u0663' in row 3 is none of wrWR and no digit"),
    (START.replace("w3w", "w4"), "board", "White has 7 pawns, not 8"),
    (START.replace("w3w", "wWw1w"), "board", "White has 10 pawns, not 8"),
    (START.replace("/w3w", "/wR2w"), "board", "Red has 9 pawns, not 8"),
    ("5/5/5/5/5 w", "board", "White has 0 pawns, not 8"),
    (START.replace(" w", " W"), "player to move", "'W' is neither w nor r"),
    (START.replace(" w", " wr"), "player to move", "'wr' is neither w nor r"),
    (START.replace(" w", " 1"), "player to move", "'1' is neither w nor r"),
]


@pytest.mark.parametrize(("text", "field", "problem"), DAMAGED)
def test_a_damaged_string_is_refused_and_its_field_named(text: str, field: str, problem: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.parse_position(text)
    assert caught.value.field == field
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        START.replace(" w", " r"),
        "wwwww/www2/5/2rrr/rrrrr w",
        "WWWWW/WWW2/5/2rrr/rrrrr r",
        "2wrw/1rwRw/1wWW1/1RrrR/w1r2 w",
        "WRWRW/R3R/W3W/R3R/WRWRW w",
        "WRWRW/R3R/W3W/R3R/WRWRW r",
    ],
)
def test_pawns_may_be_anywhere_in_any_light(text: str) -> None:
    assert str(position(text)) == text


# --- the board for people ----------------------------------------------------------------------------------

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
    assert position("wr1rw/rwrwr/w1W1R/4r/w2Rw r").diagram() == BOARD
    assert position("WrWrW/r3r/W3W/r3r/WrWrW r").diagram(ascii_only=True) == ASCII_BOARD


# --- symmetry ----------------------------------------------------------------------------------------------

Map = Callable[[int, int], tuple[int, int]]
MAPS: list[Map] = [
    lambda column, row: (4 - column, row),
    lambda column, row: (column, 4 - row),
    lambda column, row: (row, column),
    lambda column, row: (row, 4 - column),
    lambda column, row: (4 - column, 4 - row),
]


def mapped_names(names: str, way: Map) -> str:
    """A move's text with each of its squares moved."""
    pairs = [names[start : start + 2] for start in range(0, len(names) - 1, 2)]
    moved = [way("abcde".index(pair[0]), int(pair[1]) - 1) for pair in pairs]
    return "".join("abcde"[column] + str(row + 1) for column, row in moved) + "+" * names.count("+")


def mapped(text: str, way: Map) -> str:
    """A position string with each of its squares moved."""
    board, turn = text.split(" ")
    cells = [list("".join("." * int(c) if c.isdigit() else c for c in row)) for row in board.split("/")]
    moved = [row[:] for row in cells]
    for row in range(5):
        for column in range(5):
            to_column, to_row = way(column, row)
            moved[4 - to_row][to_column] = cells[4 - row][column]
    lines = "/".join("".join(row) for row in moved)
    for gap in range(5, 0, -1):
        lines = lines.replace("." * gap, str(gap))
    return f"{lines} {turn}"


def colours_exchanged(text: str) -> str:
    return text.translate(str.maketrans("wrWR", "rwRW"))


def endings(texts: Iterable[str]) -> list[tuple[str, str, bool, int]]:
    """What each move does, which is all that stays the same: of two ways another one may be the smaller."""
    return sorted((text[:2], text.removesuffix("+")[-2:], text.endswith("+"), len(text)) for text in texts)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("way", MAPS)
def test_a_turned_or_mirrored_position_has_the_turned_or_mirrored_moves(way: Map, seed: int) -> None:
    text = random_position(random.Random(seed))
    there, image = position(text), position(mapped(text, way))
    moves = [str(move) for move in there.legal_moves()]
    images = [mapped_names(move, way) for move in moves]
    assert endings(map(str, image.legal_moves())) == endings(images)
    for move, moved in zip(moves, images, strict=True):
        later = there.play(there.parse_move(move))
        assert str(image.play(image.parse_move(moved))) == mapped(str(later), way)


@pytest.mark.parametrize("seed", range(20))
def test_exchanging_the_colours_changes_no_move(seed: int) -> None:
    text = random_position(random.Random(seed))
    there, image = position(text), position(colours_exchanged(text))
    assert list(there.legal_moves()) == list(image.legal_moves())


# --- numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (START, [16, 280, 6384]),
        ("rrrrr/r3w/r3w/r3w/wwwww w", [16, 264, 6157]),
        ("WrWrW/r3W/3rW/R3r/wrWrW w", [18, 365, 7956]),
    ],
)
def test_perft(text: str, counts: list[int]) -> None:
    assert [perft(position(text), depth) for depth in (1, 2, 3)] == counts


def test_nobody_ever_lacks_a_move() -> None:
    # A pawn can move exactly when an empty square is next to it or, in a row or column, the next but one.
    # Nine empty squares and eight blocked pawns leave at most 17 squares empty or near an empty one.
    near = {
        square: (
            {away(square, *step) for step in EIGHT}
            | {away(square, 2 * across, 2 * up) for across, up in ORTHOGONAL}
        )
        - {None}
        for square in SQUARES
    }

    def found(first: int, empty: int, touched: frozenset[str | None]) -> bool:
        """Whether nine squares that leave eight pawns blocked include ``empty`` ones chosen before."""
        if len(touched) > 17:
            return False
        return empty == 9 or any(
            found(next_one + 1, empty + 1, touched | near[SQUARES[next_one]] | {SQUARES[next_one]})
            for next_one in range(first, 25)
        )

    assert not found(0, 0, frozenset())
