"""Rôdeurs: starts, position strings, and the equality of positions."""

from __future__ import annotations

import pytest

from referee import PositionError, game
from tests.referee.games.rodeurs.slow_rules import LIGHT, SPECIAL, placed
from tests.referee.games.texts import damage
from tests.seeds import seeds

RODEURS = game("rodeurs")
EACH_GAME = pytest.mark.parametrize("game_id", SPECIAL)
START = f"{LIGHT} gyrgyrg/yrgyrgy/rgyrgyr/gyrgyrg/7/gyrgyrg/rgyrgyr/yrgyrgy/gyrgyrg 1"
FULL = START.split()[1]


@EACH_GAME
def test_the_default_start(game_id: str) -> None:
    assert str(game(game_id).start()) == str(game(game_id).start("default")) == START


@EACH_GAME
def test_a_random_start_is_mirrored_and_has_the_pawns_of_the_default_one(game_id: str) -> None:
    for seed in seeds(25):
        start = game(game_id).start(f"random:{seed}")
        squares, pawns, player = str(start).split()
        rows, ranks = squares.split("/"), pawns.split("/")
        assert rows[4] == "-------"
        assert [row.translate(str.maketrans("wb", "bw")) for row in rows[:4]] == rows[:4:-1]
        assert ranks[4] == "7"
        assert ranks[:4] == ranks[:4:-1]
        assert sorted(pawns) == sorted(FULL)
        assert player == "1"
        assert game(game_id).parse_position(str(start)) == start


def test_random_starts_depend_on_the_seed_alone() -> None:
    assert len({str(RODEURS.start(f"random:{seed}")) for seed in range(50)}) == 50
    assert str(RODEURS.start("random:7")) == str(game("rodeurs-diagonal").start("random:7")) == SEVENTH


SEVENTH = (
    "bbwbwbb/wbbbbbw/bbwwwbw/bwbbbbw/-------/wbwwwwb/wwbbbwb/bwwwwwb/wwbwbww "
    "grrrgyy/gyygggg/ggyryrr/rgryryy/7/rgryryy/ggyryrr/gyygggg/grrrgyy 1"
)


def test_a_position_string_is_a_start_too() -> None:
    assert str(RODEURS.start(placed("gc3 yc4", 2))) == placed("gc3 yc4", 2)


@pytest.mark.parametrize(
    ("setup", "problem"),
    [
        ("wide", "'wide' is no set-up of this game: use default, random:SEED or a position string"),
        ("random", "'random' is no set-up of this game: use default, random:SEED or a position string"),
        ("random:x", "'x' is no seed; a seed is a number from 0"),
        ("random:-1", "'-1' is no seed; a seed is a number from 0"),
    ],
)
def test_there_is_no_other_set_up(setup: str, problem: str) -> None:
    with pytest.raises(PositionError) as caught:
        RODEURS.start(setup)
    assert str(caught.value) == f"setup: {problem}"


def squares(row_nine: str, row_five: str = "-------", row_one: str = "bwbwbwb") -> str:
    rows = LIGHT.split("/")
    return f"{'/'.join([row_nine, *rows[1:4], row_five, *rows[5:8], row_one])} {FULL} 1"


def full(row_nine: str, row_five: str = "7", row_one: str = "gyrgyrg", player: str = "1") -> str:
    rows = FULL.split("/")
    return f"{LIGHT} {'/'.join([row_nine, *rows[1:4], row_five, *rows[5:8], row_one])} {player}"


THREE = "3 fields with single spaces between them (square colours, pawns, player to move)"
FIRST = "before the first jump"


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ("", "position", f"{THREE} were expected, not ''"),
        (f"{START} 1", "position", f"{THREE} were expected"),
        (squares("wbwbwbx"), "square colours", "'x' in row 9 is neither one of wb- nor a digit"),
        (squares("wbwbwb"), "square colours", "row 9, 'wbwbwb', has 6 squares, not 7"),
        (squares("wbwbwbw/wbwbwbw"), "square colours", "9 rows were expected, not 10"),
        (squares("wbwbwb-"), "square colours", "g9 must be white or black: only row 5 is grey"),
        (squares("wbwbwb1"), "square colours", "g9 must be white or black: only row 5 is grey"),
        (squares("wbwbwbw", "-----b-"), "square colours", "f5 must be grey (-), like all squares of row 5"),
        (squares("wbwbwbw", "7"), "square colours", "a5 must be grey (-), like all squares of row 5"),
        (
            squares("wbwbwbb"),
            "square colours",
            "g1 and g9 are opposite and must have different colours",
        ),
        (full("gyrgyrx"), "pawns", "'x' in row 9 is neither one of gyr nor a digit"),
        (full("gyrgyrg", "3g3"), "pawns", "there are 57, more than 56"),
        (f"{LIGHT} 7/7/7/7/7/7/7/7/7 1", "pawns", "there are none, but a pawn that jumps stays on the board"),
        (full("gyrgyr1", "6g"), "pawns", f"g1 and g9 are opposite and must have equal pawns {FIRST}"),
        (full("1yrgyrg", "g6"), "pawns", f"a1 and a9 are opposite and must have equal pawns {FIRST}"),
        (f"{LIGHT} {FULL} 0", "player to move", "'0' is neither 1 nor 2"),
        (f"{LIGHT} {FULL} 2", "player to move", "with 56 pawns it is player 1's turn"),
        (full("gyrgyr1"), "player to move", "with 55 pawns it is player 2's turn"),
    ],
)
def test_a_damaged_string_is_refused_and_its_field_named(text: str, field: str, problem: str) -> None:
    named, sentence = damage(RODEURS, text)
    assert named == field
    assert sentence.startswith(problem)


def test_without_a_jump_the_grey_row_is_empty_even_where_another_square_lacks_its_pawn() -> None:
    rows = FULL.split("/")
    rows[0] = rows[8] = "gyr1yrg"
    text = f"{LIGHT} {'/'.join([*rows[:4], 'g5g', *rows[5:]])} 1"
    with pytest.raises(
        PositionError, match=r"^pawns: a5 must be empty, like all of row 5 before the first jump$"
    ):
        RODEURS.parse_position(text)
