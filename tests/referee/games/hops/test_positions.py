"""HOPS: position strings, the drawn board, and laws that hold on the whole board."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from referee import PositionError, game
from referee.games.hops.position import HopsPosition
from referee.perft import perft
from tests.referee.games.hops.slow_rules import SPECIAL, Slow

HOPS = game("hops")
START = "rrrrrrr/7/7/7/7/7/bbbBbbb b"
ON = [text for text in SPECIAL["hops"] if "B" in text or "R" in text]


def position(text: str) -> HopsPosition:
    found = HOPS.parse_position(text)
    assert isinstance(found, HopsPosition)
    return found


# --- position strings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", [None, "default", START])
def test_the_start_position(setup: str | None) -> None:
    assert str(HOPS.start(setup)) == START


@pytest.mark.parametrize("setup", ["wide", "random:1"])
def test_there_is_no_other_set_up(setup: str) -> None:
    with pytest.raises(PositionError, match=r"^setup: .* there is default or a position string$"):
        HOPS.start(setup)


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ("", "position", "2 fields with single spaces between them (board, player to move) were expected"),
        ("rrrrrrr/7/7/7/7/7/bbbBbbb", "position", "2 fields"),
        (f"{START} ", "position", "2 fields"),
        (f"{START} 1", "position", "2 fields"),
        ("rrrrrrr/7/7/7/7/7/bbbBbbb  b", "position", "2 fields"),
        ("rrrrrrr/7/7/7/7/bbbBbbb b", "board", "7 rows were expected, not 6"),
        ("rrrrrrr/7/7/7/7/7/7/bbbBbbb b", "board", "7 rows were expected, not 8"),
        ("rrrrrrr/7/7/7/7/7/bbbBbb b", "board", "row 1, 'bbbBbb', has 6 squares, not 7"),
        ("rrrrrrr/7/7/7/7/8/bbbBbbb b", "board", "row 2, '8', has 8 squares, not 7"),
        ("rrrrrrr/7/34/7/7/7/bbbBbbb b", "board", "row 5, '34', is to be written 7"),
        ("rrrrrrr/7/07/7/7/7/bbbBbbb b", "board", "'0' in row 5 is none of bBrR and no digit"),
        ("rrrrrrx/7/7/7/7/7/bbbBbbb b", "board", "'x' in row 7 is none of"),
        ("rrrrrrr/7/7/7/7/7/bbbBbb\u0431 b", "board", "'\\u0431' in row 1 is none of"),
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
        ("rrrrrrr/7/7/7/7/7/bbbbbbb b", "board", "7 blue pawns and 7 red ones and no carrier, but a ball"),
        ("rrrrrr1/7/7/7/7/7/bbbBbbb b", "board", "7 blue pawns and 6 red ones are not seven of each"),
        ("rrrrrrr/7/7/7/7/7/bbbB1bb r", "board", "6 blue pawns and 7 red ones are not seven of each"),
        ("rrrrrrr/b6/7/7/7/7/bbbBbbb b", "board", "8 blue pawns and 7 red ones are not seven of each"),
        ("rrrrrrr/r6/7/7/7/7/1bbBbbb b", "board", "6 blue pawns and 8 red ones are not seven of each"),
        ("rrrrrr1/7/7/7/7/7/bbb1bbb r", "board", "6 blue pawns and 6 red ones and no carrier"),
        ("rrrrrrr/r6/7/7/7/7/bbb2bb r", "board", "5 blue pawns and 8 red ones and no carrier"),
        ("7/7/7/7/7/7/7 b", "board", "0 blue pawns and 0 red ones and no carrier"),
        ("rrrrrrr/7/7/7/7/7/bbb1bbb b", "player to move", "Blue has just won by carrying the ball out"),
        ("rrrrrr1/7/7/7/7/7/bbbbbbb r", "player to move", "Red has just won by carrying the ball out"),
        ("rrrrrrr/7/7/7/7/7/bbbBbbb w", "player to move", "'w' is neither b nor r"),
        ("rrrrrrr/7/7/7/7/7/bbbBbbb B", "player to move", "'B' is neither b nor r"),
        ("rrrrrrr/7/7/7/7/7/bbbBbbb br", "player to move", "'br' is neither b nor r"),
    ],
)
def test_a_damaged_string_is_refused_and_its_field_named(text: str, field: str, problem: str) -> None:
    with pytest.raises(PositionError) as caught:
        HOPS.parse_position(text)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "rrrrrrr/7/7/7/7/7/bbb1bbb r",
        "bbbbbbb/7/7/7/7/7/1rrrrrr b",
        "bbbBbbb/7/7/7/7/7/rrrrrrr b",
        "bbbBbbb/7/7/7/7/7/rrrrrrr r",
        "r5b/1r5/2r4/3R3/4r2/5r1/bbbbbbr b",
        *SPECIAL["hops"],
    ],
)
def test_what_could_come_about_is_read_and_printed(text: str) -> None:
    assert str(position(text)) == text


# --- the drawn board ---------------------------------------------------------------------------------------


def test_the_board_is_drawn_with_the_carrier_in_upper_case() -> None:
    assert position("rrrr1rr/4r2/7/7/3B3/7/bbb1bbb r").diagram().splitlines() == [
        "   ┌───────────────┐",
        " 7 │ r r r r · r r │",
        " 6 │ · · · · r · · │",
        " 5 │ · · · · · · · │",
        " 4 │ · · · · · · · │",
        " 3 │ · · · B · · · │",
        " 2 │ · · · · · · · │",
        " 1 │ b b b · b b b │",
        "   └───────────────┘",
        "     a b c d e f g",
        "the ball is Blue's, on d3",
        "Red to move, towards row 1",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (START, ["the ball is Blue's, on d1", "Blue to move, towards row 7"]),
        (
            "rrrrrrr/7/7/7/7/7/bbb1bbb r",
            ["the ball has gone out beyond row 7", "Blue has carried it there and won"],
        ),
        (
            "rrr1rrr/7/7/7/7/7/bbbbbbb b",
            ["the ball has gone out beyond row 1", "Red has carried it there and won"],
        ),
        (
            "7/7/b1b1b2/1b1b3/r1r4/rr2b2/Brr3r b",
            ["the ball is Blue's, on a1", "Blue cannot complete a turn: Red has won"],
        ),
    ],
)
def test_below_the_board_is_where_the_ball_is_and_whose_turn(text: str, lines: list[str]) -> None:
    drawn = position(text).diagram(ascii_only=True)
    assert drawn.isascii()
    assert drawn.splitlines()[-2:] == lines


# --- the whole board ---------------------------------------------------------------------------------------


def left_right(text: str) -> str:
    board, side = text.split()
    return "/".join(row[::-1] for row in board.split("/")) + " " + side


def up_down(text: str) -> str:
    """Upside down, with the colours and the turn exchanged."""
    board, side = text.split()
    swapped = str.maketrans("bBrR", "rRbB")
    return ("/".join(reversed(board.split("/"))) + " " + side).translate(swapped)


@pytest.mark.parametrize("mirror", [left_right, up_down])
@pytest.mark.parametrize("text", SPECIAL["hops"])
def test_the_mirrored_board_has_the_mirrored_turns(text: str, mirror: Callable[[str], str]) -> None:
    here, there = position(text), position(mirror(text))
    after_here = {str(here.play(move)) for move in here.legal_moves()}
    after_there = {str(there.play(move)) for move in there.legal_moves()}
    assert after_there == {mirror(after) for after in after_here}
    assert (here.outcome() is None) == (there.outcome() is None)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (START, [100, 21600]),
        ("7/7/7/b1br3/brrr3/brb4/bBrr3 b", [2, 1414]),
        ("2b2r1/7/7/2b4/2b1rrr/2b2rr/3brbB b", [1, 660]),
        ("3Rbbb/3brbr/4rrb/4rrb/7/7/7 b", [149, 26326]),
        ("rr1rr1r/7/7/4Br1/2r4/7/b1bbbbb r", [741]),
    ],
)
def test_perft(text: str, counts: list[int]) -> None:
    for mirrored in (text, left_right(text), up_down(text)):
        assert perft(position(mirrored), 1) == counts[0]
    assert [perft(position(text), depth) for depth in range(1, len(counts) + 1)] == counts


def crowded(seed: int) -> str:
    """Pawns close together, where jumps abound and now and then a player is shut in."""
    rng = random.Random(seed)
    column, row = rng.choice([(0, 0), (6, 0), (0, 6), (6, 6), (3, 3)])
    board = sorted(
        [(c, r) for c in range(7) for r in range(7)],
        key=lambda square: max(abs(square[0] - column), abs(square[1] - row)) + 2 * rng.random(),
    )
    pawns = {square: "br"[index % 2] for index, square in enumerate(board[:14])}
    return str(Slow(pawns, rng.choice(board[:14]), rng.choice("br")))


@pytest.mark.parametrize("seed", range(8))
def test_both_implementations_agree_on_crowded_boards(seed: int) -> None:
    text = crowded(seed)
    there, slow = position(text), Slow.read("hops", text)
    successors = slow.successors()
    assert {str(there.play(move)) for move in there.legal_moves()} == set(successors.values())
    assert {move: str(there.play(there.parse_move(move))) for move in successors} == successors
    assert (there.outcome() is None) == (slow.result() is None)


@pytest.mark.parametrize("text", ON)
def test_whoever_has_a_turn_has_not_lost_and_the_other_way_round(text: str) -> None:
    there = position(text)
    for here in (there, there.skip_turn()):
        assert (here.outcome() is None) == any(True for _ in here.legal_moves())
