"""Movers & Hoppers and Rampants et sauteurs: position strings, the drawn board, symmetry and counts."""

from __future__ import annotations

import copy
import pickle

import pytest

from referee import PositionError, game
from referee.perft import perft
from tests.referee.games.movers_hoppers.slow_rules import IN_PLAY, Slow

BASIC, EXPERT, RAMPANTS = "movers-hoppers", "movers-hoppers-expert", "rampants"
ALL = [BASIC, EXPERT, RAMPANTS]
EACH_GAME = pytest.mark.parametrize("game_id", ALL)

START = "3/3/3/3/3/3/3/3 w"
OPENED = "hhh/mmm/3/3/3/3/MMM/HHH w"
MIDDLE = "mhm/2h/3/1Hm/HM1/M1h/1HM/3 w"


# --- position strings --------------------------------------------------------------------------------------


@EACH_GAME
def test_a_game_begins_with_an_empty_board(game_id: str) -> None:
    rules = game(game_id)
    assert str(rules.start()) == START
    assert rules.start("default") == rules.start() == rules.parse_position(START)
    assert rules.start().turn == 0
    assert rules.start(OPENED) == rules.parse_position(OPENED)


@EACH_GAME
@pytest.mark.parametrize("setup", ["hmhmhm", "random:1", ""])
def test_there_is_no_other_set_up(game_id: str, setup: str) -> None:
    with pytest.raises(PositionError, match=r"^setup: '.*' is no set-up of this game; there is default or a"):
        game(game_id).start(setup)


DAMAGED = [
    ("", "position", "2 fields with single spaces between them (board, player to move) were expected"),
    ("hhh/mmm/3/3/3/3/MMM/HHH", "position", "2 fields"),
    ("hhh/mmm/3/3/3/3/MMM/HHH  w", "position", "2 fields"),
    (" hhh/mmm/3/3/3/3/MMM/HHH w", "position", "2 fields"),
    ("hhh/mmm/3/3/3/3/MMM/HHH w ", "position", "2 fields"),
    ("hhh/mmm/3/3/3/3/MMM/HHH w 1", "position", "2 fields"),
    ("hhh/mmm/3/3/3/MMM/HHH w", "board", "8 rows were expected, not 7"),
    ("hhh/mmm/3/3/3/3/MMM/HHH/ w", "board", "8 rows were expected, not 9"),
    ("hhh/mmm/3/3/3/3/MMM/HHX w", "board", "'X' in row 1 is none of MHmh and no digit"),
    ("hhh/mmm/3/3/3/0/MMM/HHH w", "board", "'0' in row 3 is none of MHmh"),
    ("hhh/mmm/3/3/3/\u0663/MMM/HHH w", "board", "'\\u0663' in row 3 is none of MHmh"),
    ("hhh/mmm/3/3/3/4/MMM/HHH w", "board", "row 3, '4', has 4 squares, not 3"),
    ("hhh/mmm/3/3/3//MMM/HHH w", "board", "row 3, '', has 0 squares, not 3"),
    ("hhh/mmm/3/3/3/12/MMM/HHH w", "board", "row 3, '12', is to be written 3"),
    ("hhh/mmm/3/3/3/111/MMM/HHH w", "board", "row 3, '111', is to be written 3"),
    ("hhh/mmm/3/3/3/3/MM1/HHH w", "board", "White has 5 pieces, not 6"),
    ("hhh/mmm/3/3/3/M2/MMM/HHH w", "board", "White has 7 pieces, not 6"),
    ("hh1/mmm/3/3/3/3/MMM/HHH w", "board", "Red has 5 pieces, not 6"),
    ("hhh/mmm/m2/3/3/3/MMM/HHH w", "board", "Red has 7 pieces, not 6"),
    ("3/3/3/3/3/3/MM1/HHH r", "board", "White has 5 pieces, not 6"),
    ("h2/3/3/3/3/3/MMM/HHH r", "board", "Red has 1 piece, not 6"),
    ("hhh/mmm/3/3/3/3/3/3 w", "board", "Red has set up, and White, who sets up first, has not"),
    ("hhh/mmm/3/3/3/3/3/3 r", "board", "Red has set up, and White, who sets up first, has not"),
    ("3/3/3/3/3/M2/MM1/HHH r", "board", "until Red has set up, White's pieces are in rows 1 and 2"),
    ("HHH/MMM/3/3/3/3/3/3 r", "board", "until Red has set up, White's pieces are in rows 1 and 2"),
    ("3/3/3/3/3/3/MMM/HHH w", "player to move", "Red is the next to set up, not White"),
    ("3/3/3/3/3/3/3/3 r", "player to move", "White is the next to set up, not Red"),
    ("hhh/mmm/3/3/3/3/MMM/HHH W", "player to move", "'W' is neither w nor r"),
    ("hhh/mmm/3/3/3/3/MMM/HHH wr", "player to move", "'wr' is neither w nor r"),
    ("hhh/mmm/3/3/3/3/MMM/HHH 1", "player to move", "'1' is neither w nor r"),
    ("3/3/3/3/3/3/3/3 x", "player to move", "'x' is neither w nor r"),
]


@EACH_GAME
@pytest.mark.parametrize(("text", "field", "problem"), DAMAGED)
def test_a_damaged_string_is_refused_and_its_field_named(
    game_id: str, text: str, field: str, problem: str
) -> None:
    with pytest.raises(PositionError) as caught:
        game(game_id).parse_position(text)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("board", "movers"), [("MMM/MMM", 6), ("HHH/HHH", 0), ("MMH/HHH", 2), ("MMM/MHH", 4)]
)
def test_whites_set_up_has_three_movers_unless_the_players_are_experts(board: str, movers: int) -> None:
    text = f"3/3/3/3/3/3/{board} r"
    assert str(game(EXPERT).parse_position(text)) == text
    for game_id in (BASIC, RAMPANTS):
        with pytest.raises(PositionError, match=rf"^board: White has set up {movers} movers, not 3$"):
            game(game_id).parse_position(text)


@EACH_GAME
@pytest.mark.parametrize(
    "text",
    [
        "hhh/hhh/3/3/3/3/MMM/MMM w",  # any kinds, once both have set up
        "hhh/mmm/3/3/3/3/MMM/HHH r",
        "MMM/HHH/3/3/3/3/mmm/hhh w",
        "3/3/3/3/hmh/MHM/hmh/MHM r",
        "3/3/3/3/3/3/HMH/MHM r",
    ],
)
def test_what_is_not_impossible_is_read(game_id: str, text: str) -> None:
    assert str(game(game_id).parse_position(text)) == text


# --- drawing -----------------------------------------------------------------------------------------------

BOARD = """\
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
White to move"""


def test_the_board_is_drawn() -> None:
    there = game(BASIC).parse_position(MIDDLE)
    assert there.diagram() == BOARD
    plain = BOARD.translate(str.maketrans("┌┐└┘─│·", "++++-|."))
    assert there.diagram(ascii_only=True) == plain


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (START, "White to set up six pieces"),
        ("3/3/3/3/3/3/MMM/HHH r", "Red to set up six pieces"),
        (OPENED.replace(" w", " r"), "Red to move"),
        ("MMM/HMH/3/mm1/hh1/3/3/mh1 r", "White has won with all six pieces in the opposite camp"),
        ("3/1M1/M1H/3/mHh/3/HhM/mhm w", "Red has won with a piece in the opposite camp, which is full"),
    ],
)
def test_the_drawing_says_who_is_to_do_what_or_has_won(text: str, line: str) -> None:
    assert game(BASIC).parse_position(text).diagram().splitlines()[-1] == line


# --- positions as values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        MIDDLE.replace(" w", " r"),
        MIDDLE.replace("mhm", "mhh"),
        MIDDLE.replace("M1h", "H1h"),
        MIDDLE.replace("HM1/M1h", "HMM/2h"),
        MIDDLE.swapcase().replace(" W", " w"),
    ],
)
def test_positions_differ_in_turn_squares_kinds_and_colours(other: str) -> None:
    here, there = game(BASIC).parse_position(MIDDLE), game(BASIC).parse_position(other)
    assert here != there
    assert here.key() != there.key()


def test_positions_of_different_games_are_not_equal() -> None:
    assert len({game(game_id).parse_position(MIDDLE) for game_id in ALL}) == 3
    assert game(BASIC).parse_position(MIDDLE) != MIDDLE


@EACH_GAME
@pytest.mark.parametrize(("text", "move"), [(START, "hmhmhm"), (MIDDLE, "a4c6")])
def test_copies_and_pickles_stay_usable(game_id: str, text: str, move: str) -> None:
    there = game(game_id).parse_position(text)
    played = there.parse_move(move)
    for again, played_again in (
        (copy.deepcopy(there), copy.deepcopy(played)),
        (pickle.loads(pickle.dumps(there)), pickle.loads(pickle.dumps(played))),
    ):
        assert again == there
        assert played_again == played
        assert again.play(played_again) == there.play(played)


def test_skipping_a_turn_changes_nothing_else() -> None:
    there = game(BASIC).parse_position(MIDDLE)
    assert str(there.skip_turn()) == MIDDLE.replace(" w", " r")


# --- symmetry and counts -----------------------------------------------------------------------------------


def mirrored(text: str) -> str:
    """Left and right exchanged."""
    board, turn = text.split(" ")
    return f"{'/'.join(row[::-1] for row in board.split('/'))} {turn}"


def turned(text: str) -> str:
    """Each player in the other's place, the columns left as they are."""
    board, turn = text.split(" ")
    return f"{'/'.join(reversed(board.swapcase().split('/')))} {'rw'['wr'.index(turn)]}"


def moves(game_id: str, text: str) -> set[str]:
    return {str(move) for move in game(game_id).parse_position(text).legal_moves()}


def images(texts: set[str], names: str, images_of_names: str) -> set[str]:
    table = str.maketrans(names, images_of_names)
    return {text if text == "pass" else text.translate(table) for text in texts}


@EACH_GAME
@pytest.mark.parametrize("text", IN_PLAY)
def test_images_of_a_position_have_the_images_of_its_moves(game_id: str, text: str) -> None:
    here = moves(game_id, text)
    assert moves(game_id, mirrored(text)) == images(here, "abc", "cba")
    assert moves(game_id, turned(text)) == images(here, "12345678", "87654321")


@pytest.mark.parametrize(
    ("game_id", "text", "counts"),
    [
        (BASIC, START, [20, 400, 2420, 14641]),
        (EXPERT, START, [64, 4096, 24640]),
        (RAMPANTS, START, [20, 400, 2420, 14641]),
        (BASIC, OPENED, [12, 144, 1464, 14884]),
        (BASIC, MIDDLE, [12, 107, 1205, 9492]),
        (BASIC, "mmm/hhh/3/3/3/3/HHH/MMM w", [1, 1, 1, 1, 1]),
        (BASIC, "MHh/mHm/3/3/H2/M2/2h/Mhh w", [0, 0]),
        (RAMPANTS, "MHh/mHm/3/3/H2/M2/2h/Mhh w", [8, 63, 363, 2731]),
        (BASIC, "MHh/M1m/1M1/3/1Hm/3/2m/Hhh w", [9, 91, 598, 5387]),
        (RAMPANTS, "M1M/HMH/1M1/mm1/hh1/3/3/mh1 w", [9, 91, 775, 6483]),
        (RAMPANTS, "3/3/3/3/hmh/MHM/hmh/MHM r", [5, 17, 122, 801]),
    ],
)
def test_perft(game_id: str, text: str, counts: list[int]) -> None:
    there = game(game_id).parse_position(text)
    assert [perft(there, depth) for depth in range(1, len(counts) + 1)] == counts
    assert [slow_perft(Slow.read(game_id, text), depth) for depth in (1, 2)] == counts[:2]


def slow_perft(there: Slow, depth: int) -> int:
    return (
        1 if depth == 0 else sum(slow_perft(next_one, depth - 1) for next_one in there.successors().values())
    )
