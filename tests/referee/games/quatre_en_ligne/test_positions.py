"""Quatre en ligne: position strings, and the equality of positions."""

from __future__ import annotations

import pytest

from referee import PositionError
from referee.games.quatre_en_ligne.position import QUATRE_EN_LIGNE
from tests.referee.games.texts import damage

START = "_____/_____/_____/_____ 0,0 6 6 w"
MIDDLE = "_rww_/__rrr/rwwrw/____w 0,0 0 0 w"
WON = "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r"
position = QUATRE_EN_LIGNE.parse_position


def test_the_start_position() -> None:
    assert str(QUATRE_EN_LIGNE.start()) == START
    assert str(QUATRE_EN_LIGNE.start("default")) == START
    assert str(QUATRE_EN_LIGNE.start(MIDDLE)) == MIDDLE


def test_there_is_no_other_set_up() -> None:
    with pytest.raises(
        PositionError,
        match=r"^setup: 'wide' is no set-up of this game: use default or a position string$",
    ):
        QUATRE_EN_LIGNE.start("wide")


def broken(old: str, new: str, text: str = MIDDLE) -> str:
    assert old in text
    return text.replace(old, new, 1)


FIELDS = (
    "5 fields with single spaces between them (board, corner, white in hand, red in hand, player to move)"
)
PARTED = "the tiles are not all connected by their sides"
NO_CORNER = "is not two numbers from -999999 to 999999 such as -1,2"
DAMAGED = [
    ("", "position", FIELDS),
    (broken(" w", ""), "position", FIELDS),
    (broken("_rww_", "4rww_"), "board", "'4' is not one of . _ w r W R"),
    (broken("_rww_", "_rww\u0661"), "board", "'\\u0661' is not one of"),
    (broken("_rww_", "_rww"), "board", "the row '__rrr' has 5 places, the first has 4"),
    (broken("_rww_", "_rww_/"), "board", "the row '' has 0 places"),
    (broken("_rww_", "_rww."), "board", "it has 19 tiles, not 20"),
    (broken("____w", "____w/____."), "board", "it has 24 tiles, not 20"),
    (broken("_rww_", "...../_rww_"), "board", "there is no tile in the top row"),
    (broken("____w", "____w/....."), "board", "there is no tile in the bottom row"),
    ("._rww_/.__rrr/.rwwrw/.____w 0,0 0 0 w", "board", "there is no tile in the left column"),
    ("_rww_./__rrr./rwwrw./____w. 0,0 0 0 w", "board", "there is no tile in the right column"),
    ("_rww_.../__rrr.__/rwwrw.__/..._.... 0,0 0 0 w", "board", PARTED),
    ("_rww_./__rrr./rwwrw./____../.....w 0,0 0 0 w", "board", PARTED),
    ("/".join(["_" + "." * 20] * 20) + " 0,0 6 6 w", "board", "there is no tile in the right column"),
    (broken("0,0", "0"), "corner", f"'0' {NO_CORNER}"),
    (broken("0,0", "00,0"), "corner", f"'00,0' {NO_CORNER}"),
    (broken("0,0", "-0,0"), "corner", f"'-0,0' {NO_CORNER}"),
    (broken("0,0", "+1,0"), "corner", f"'+1,0' {NO_CORNER}"),
    (broken("0,0", "0,0,0"), "corner", f"'0,0,0' {NO_CORNER}"),
    (broken("0,0", "1000000,0"), "corner", f"'1000000,0' {NO_CORNER}"),
    (broken("0,0", "\u0661,0"), "corner", f"'\\u0661,0' {NO_CORNER}"),
    (broken("0,0", "999996,0"), "corner", "from 999996,0 the tiles go beyond 999999"),
    (broken("0,0", "0,999997"), "corner", "from 0,999997 the tiles go beyond 999999"),
    (broken("0 0 w", "7 0 w"), "white in hand", "'7' is no number from 0 to 6"),
    (broken("0 0 w", "00 0 w"), "white in hand", "'00' is no number from 0 to 6"),
    (broken("0 0 w", "1 0 w"), "white in hand", "6 on the board and 1 in hand make 7, not 6"),
    (broken("rwwrw", "rwwww"), "white in hand", "7 on the board and 0 in hand make 7, not 6"),
    (broken("0 0 w", "0 -1 w"), "red in hand", "'-1' is no number from 0 to 6"),
    (broken("0 0 w", "0 1 w"), "red in hand", "6 on the board and 1 in hand make 7, not 6"),
    ("_____/_____/__r__/_____ 0,0 6 5 w", "red in hand", "White starts, so Red has as many pieces in hand"),
    ("_____/_____/__ww_/_____ 0,0 4 6 w", "red in hand", "as White or one more"),
    (broken("0 0 w", "0 0 b"), "player to move", "'b' is neither w nor r"),
    (broken("6 w", "6 r", START), "player to move", "with 6 and 6 pieces in hand it is White's turn"),
    ("_____/__w__/_____/_____ 0,0 5 6 w", "player to move", "with 5 and 6 pieces in hand it is Red's turn"),
    ("_____/__W__/_____/_____ 0,0 5 6 r", "board", "no piece is face up before all twelve pieces are placed"),
    ("____/____/____/____/____ 0,0 6 6 w", "board", "5 wide and 4 high until all twelve pieces are placed"),
]


@pytest.mark.parametrize(("text", "field", "problem"), DAMAGED)
def test_a_damaged_string_is_refused_and_its_field_named(text: str, field: str, problem: str) -> None:
    named, sentence = damage(QUATRE_EN_LIGNE, text)
    assert named == field
    assert problem in sentence


def test_a_line_counts_when_its_owner_has_moved_and_not_before() -> None:
    before = position(WON.replace("0 r", "0 w"))
    assert before.outcome() is None
    assert before.play(before.parse_move("0,0>2,0")).outcome() is not None
    assert before.play(before.parse_move("0,3>2,1")).outcome() is None
    both = position("WWWW_/RRRR_/rr___/ww___ 0,0 0 0 r").outcome()
    assert both is not None
    assert both.winner == 0


def test_a_shifted_position_is_the_same_for_repetition_but_not_equal() -> None:
    here, shifted = position(MIDDLE), position(MIDDLE.replace("0,0", "-3,12"))
    assert here.key() == shifted.key()
    assert here != shifted
    assert here == position(MIDDLE)
    assert here != MIDDLE
