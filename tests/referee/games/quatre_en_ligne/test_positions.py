"""Quatre en ligne's positions: strings, drawings, equality, symmetry, counts."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable

import pytest

from referee import PositionError, game
from referee.games.quatre_en_ligne.position import QuatrePosition
from referee.perft import perft
from tests.referee.games.quatre_en_ligne.slow_rules import Place, Slow

QUATRE = game("quatre-en-ligne")

START = "_____/_____/_____/_____ 0,0 6 6 w"
MIDDLE = "_rww_/__rrr/rwwrw/____w 0,0 0 0 w"
RING = "wrwrwr/_...._/w....r/_...._/r....w/_wr___ -3,-3 0 0 w"
ROW = "_wwwwrr______rrrrww_ -19,-1 0 0 w"
STUCK = "wwwwwwrr________rrrr 0,0 0 0 w"
WON = "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r"
VARIED = [
    MIDDLE,
    RING,
    ROW,
    STUCK,
    WON,
    "_w_w_/.www./_rWr_/.rrr./_r__. 0,0 0 0 w",
    "._w............./w._............./___wrwrwrwrrr___ 0,0 0 0 w",
    "wrw____wrw/rwr....rwr/__......__ 0,0 0 0 w",
    "WWW__/rrrrW/rrw__/w____ 2,2 0 0 w",
]


def position(text: str) -> QuatrePosition:
    found = QUATRE.parse_position(text)
    assert isinstance(found, QuatrePosition)
    return found


def texts(text: str) -> list[str]:
    return [str(move) for move in position(text).legal_moves()]


# --- strings -----------------------------------------------------------------------------------------------


def test_the_start_position() -> None:
    assert str(QUATRE.start()) == START
    assert str(QUATRE.start("default")) == START
    assert str(QUATRE.start(MIDDLE)) == MIDDLE


def test_there_is_no_other_set_up() -> None:
    with pytest.raises(
        PositionError,
        match=r"^setup: 'wide' is no set-up of this game; there is default or a position string$",
    ):
        QUATRE.start("wide")


@pytest.mark.parametrize(
    "text",
    [
        *VARIED,
        "_____/_____/__w__/_____ 0,0 5 6 r",
        "wrwrw/rwrwr/_____/__w__ 0,0 0 1 r",
        "wrwrw/rwrwr/_____/__w_r 0,0 0 0 w",
        "wrwrw/rwrwr/_____/__w_r 0,0 0 0 r",
        "wrwrw/rwrwr/_____/__w_r -40,7 0 0 w",
        "WWWWWW../rrrrrr../________ 0,0 0 0 r",
        "RWRWR/WRWRW/_____/__R_W 0,0 0 0 w",
        "_wwwwrr______rrrrww_ 999980,-999999 0 0 w",
    ],
)
def test_what_could_come_about_is_read_and_printed_as_it_was(text: str) -> None:
    assert str(position(text)) == text


def broken(old: str, new: str, text: str = MIDDLE) -> str:
    assert old in text
    return text.replace(old, new, 1)


FIELDS = (
    "5 fields with single spaces between them (board, corner, white in hand, red in hand, player to move)"
)
PARTED = "the tiles are not all connected by their sides"
NO_CORNER = "is not two numbers from -999999 to 999999 with a comma between them, as they are printed"
DAMAGED = [
    ("", "position", FIELDS),
    (broken(" w", ""), "position", FIELDS),
    (broken(" w", " w "), "position", FIELDS),
    (broken(" 0,0", "  0,0"), "position", FIELDS),
    (broken("_rww_", "4rww_"), "board", "'4' is none of . _ w r W R"),
    (broken("_rww_", "_rww\u0661"), "board", "'\\u0661' is none of"),
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
    ("_" + "." * 999 + "_wwwwwwrrrrrr______ 0,0 0 0 w", "board", PARTED),
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
    (broken("rwwrw", "r_wrw"), "white in hand", "5 on the board and 0 in hand make 5, not 6"),
    (broken("0 0 w", "0 -1 w"), "red in hand", "'-1' is no number from 0 to 6"),
    (broken("0 0 w", "0 1 w"), "red in hand", "6 on the board and 1 in hand make 7, not 6"),
    ("_____/_____/__r__/_____ 0,0 6 5 w", "red in hand", "White begins, so Red has as many pieces in hand"),
    ("_____/_____/__ww_/_____ 0,0 4 6 w", "red in hand", "as White or one more"),
    (broken("0 0 w", "0 0 W"), "player to move", "'W' is neither w nor r"),
    (broken("0 0 w", "0 0 b"), "player to move", "'b' is neither w nor r"),
    (broken("0 0 w", "0 0 wr"), "player to move", "'wr' is neither w nor r"),
    (broken("6 w", "6 r", START), "player to move", "with 6 and 6 pieces in hand it is White's turn"),
    ("_____/__w__/_____/_____ 0,0 5 6 w", "player to move", "with 5 and 6 pieces in hand it is Red's turn"),
    ("_____/__W__/_____/_____ 0,0 5 6 r", "board", "no piece is face up before all twelve stand"),
    ("____/____/____/____/____ 0,0 6 6 w", "board", "5 wide and 4 high until all twelve pieces stand"),
]


@pytest.mark.parametrize(("text", "field", "problem"), DAMAGED)
def test_a_damaged_string_is_refused_and_its_field_named(text: str, field: str, problem: str) -> None:
    with pytest.raises(PositionError) as caught:
        QUATRE.parse_position(text)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert problem in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_line_counts_when_its_owner_has_moved_and_not_before() -> None:
    before = position(WON.replace("0 r", "0 w"))
    assert before.outcome() is None
    assert before.play(before.parse_move("0,0>2,0")).outcome() is not None
    assert before.play(before.parse_move("0,3>2,1")).outcome() is None
    both = position("WWWW_/RRRR_/rr___/ww___ 0,0 0 0 r").outcome()
    assert both is not None
    assert both.winner == 0


# --- drawings ----------------------------------------------------------------------------------------------

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

ASCII_BOARD = """\
   +-----------+
 3 | _ _ _ _ _ |
 2 | _ _ _ _ _ |
 1 | _ _ w _ _ |
 0 | _ _ r _ _ |
   +-----------+
     0 1 2 3 4
in hand: White 5, Red 5
White to place a piece"""


def test_the_board_is_drawn_with_its_coordinates() -> None:
    assert position("_WR_./w_rrr/rw__w/.__rw/..._w -2,-3 0 0 r").diagram() == BOARD


def test_the_drawing_can_do_with_ascii() -> None:
    assert position("_____/_____/__w__/__r__ 0,0 5 5 w").diagram(ascii_only=True) == ASCII_BOARD


def test_a_finished_game_says_who_won() -> None:
    assert position(WON).diagram().splitlines()[-1] == "White has four face up in a line and has won"


# --- positions as values -----------------------------------------------------------------------------------


def test_a_shifted_position_is_the_same_for_repetition_but_not_equal() -> None:
    here, shifted = position(MIDDLE), position(MIDDLE.replace("0,0", "-3,12"))
    assert here.key() == shifted.key()
    assert here != shifted
    assert hash(here) != hash(shifted)
    assert here == position(MIDDLE)
    assert here != MIDDLE


@pytest.mark.parametrize(
    "other",
    [
        "_rww_/__rrr/rwwrw/____w 0,0 0 0 r",
        "_rww_/__rrr/rwwrw/___w_ 0,0 0 0 w",
        "_rww_/__rrr/rwwrw/____W 0,0 0 0 w",
        "_wrr_/__www/wrrwr/____r 0,0 0 0 w",
        "_wwr_/rrr__/wrwwr/w____ 0,0 0 0 w",  # mirrored
    ],
)
def test_positions_differ_in_turn_places_faces_and_colours(other: str) -> None:
    assert position(other).key() != position(MIDDLE).key()


def test_copies_and_pickles_stay_usable() -> None:
    there = position(MIDDLE)
    for text in ("4,0>4,-1@0,3", "4,0>3,0"):
        move = there.parse_move(text)
        for again, move_again in (
            (copy.deepcopy(there), copy.deepcopy(move)),
            (pickle.loads(pickle.dumps(there)), pickle.loads(pickle.dumps(move))),
        ):
            assert again == there
            assert move_again == move
            assert again.play(move_again) == there.play(move)
    stuck = position(STUCK)
    assert stuck.play(pickle.loads(pickle.dumps(stuck.parse_move("pass")))) == stuck.skip_turn()


# --- symmetry and counts -----------------------------------------------------------------------------------


def image(text: str, change: Callable[[Place], Place], *, swap: bool = False) -> str:
    """The position with every place changed, and perhaps the colours swapped."""
    old = Slow.read("quatre-en-ligne", text)
    colours = str.maketrans("wrWR", "rwRW" if swap else "wrWR")
    pieces = {change(place): piece.translate(colours) for place, piece in old.pieces.items()}
    return str(Slow({change(place) for place in old.tiles}, pieces, old.turn.translate(colours)))


def changed(move: str, change: Callable[[Place], Place]) -> str:
    def number(found: re.Match[str]) -> str:
        x, y = change((int(found[1]), int(found[2])))
        return f"{x},{y}"

    return re.sub(r"(-?\d+),(-?\d+)", number, move)


SYMMETRIES: dict[str, Callable[[Place], Place]] = {
    "mirrored": lambda place: (-place[0], place[1]),
    "a quarter turn": lambda place: (-place[1], place[0]),
    "shifted": lambda place: (place[0] - 71, place[1] + 30),
}


@pytest.mark.parametrize("how", SYMMETRIES)
@pytest.mark.parametrize("text", VARIED)
def test_images_of_a_position_have_the_images_of_its_moves(text: str, how: str) -> None:
    change = SYMMETRIES[how]
    assert sorted(texts(image(text, change))) == sorted(changed(move, change) for move in texts(text))
    assert sorted(texts(image(text, change, swap=True))) == sorted(texts(image(text, change)))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (START, [20, 380, 6840]),
        (MIDDLE, [64, 4058]),
        (RING, [272]),
        (STUCK, [1, 4]),
        (WON, [0, 0]),
    ],
)
def test_perft(text: str, counts: list[int]) -> None:
    assert [perft(position(text), depth) for depth in range(1, len(counts) + 1)] == counts
