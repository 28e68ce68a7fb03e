"""Quatre en ligne: why moves are refused."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Outcome
from referee.games.quatre_en_ligne.position import QUATRE_EN_LIGNE
from tests.referee.games.texts import listed, refusal

START = "_____/_____/_____/_____ 0,0 6 6 w"
FULL = "wrwrw/rwrwr/_____/__w_r 0,0 0 0 w"  # all pieces are placed, and no tile has been moved
MIDDLE = "_rww_/__rrr/rwwrw/____w 0,0 0 0 w"
JUMPS = "_w_w_/.www./_rWr_/.rrr./_r__. 0,0 0 0 w"
BRIDGE = "wrw____wrw/rwr....rwr/__......__ 0,0 0 0 w"
ELBOW = "wrwrwrwrwr_......../.........._____wr__ 0,0 0 0 w"
WON = "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r"
position = QUATRE_EN_LIGNE.parse_position


def test_a_finished_game_has_no_move() -> None:
    over = position(WON)
    assert over.outcome() == Outcome.win(0, 2, "line")
    assert listed(over) == []
    assert over.count_moves() == 0
    for move in ("0,2>0,1", "9,9", "pass"):
        assert refusal(over, move) == (IllegalMove, "the game is over: White has four in a line")
    with pytest.raises(MoveSyntaxError):
        over.parse_move("zz")


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        (START, "5,0", "there is no tile at 5,0"),
        (START, "-1,2", "there is no tile at -1,2"),
        (START, "999999,-999999", "there is no tile at 999999,-999999"),
        ("_____/_____/__w__/_____ 0,0 5 6 r", "2,1", "White's piece is at 2,1 already"),
        (START, "0,0>1,1", "no piece moves before all twelve are placed"),
        (START, "pass", "White may not pass while there is another move, such as 0,0"),
        (
            FULL,
            "0,0",
            "all twelve pieces are placed: a move names the piece's place and its target, as in 2,1>3,2",
        ),
        (MIDDLE, "pass", "White may not pass while there is another move, such as 4,0>3,0"),
        (MIDDLE, "1,0>2,0", "there is no piece at 1,0"),
        (MIDDLE, "8,8>9,9", "there is no piece at 8,8"),
        (MIDDLE, "999999,0>999998,0", "there is no piece at 999999,0"),
        (MIDDLE, "3,1>3,0", "it is White's turn, and the piece at 3,1 is Red's"),
        (MIDDLE, "4,0>5,0", "there is no tile at 5,0"),
        (MIDDLE, "4,0>3,1", "Red's piece is at 3,1 already"),
        (MIDDLE, "3,3>2,3", "White's piece is at 2,3 already"),
        (MIDDLE, "4,0>2,0", "the piece at 4,0 cannot jump to 2,0: there is no piece at 3,0"),
        (MIDDLE, "4,0>6,0@0,0", "no tile can be laid at 6,0: it would share no side with another tile"),
        (MIDDLE, "3,3>4,4@4,3", "no tile can be laid at 4,4: it would share no side with another tile"),
        (MIDDLE, "3,3>4,3@0,0", "no tile can be laid at 4,3: there is one already"),
        (MIDDLE, "3,3>3,4@5,5", "there is no tile at 5,5"),
        (MIDDLE, "3,3>3,4@1,3", "the tile at 1,3 cannot be taken: Red's piece is on it"),
        (MIDDLE, "3,3>3,4@1,2", "the tile at 1,2 cannot be taken: none of its sides is free"),
        (MIDDLE, "3,3>3,4@1,0", "the tile at 1,0 cannot be taken: only one of its sides is free"),
        (
            BRIDGE,
            "2,2>2,3@4,2",
            "the tile at 4,2 cannot be taken: the others would not be connected without it",
        ),
        (
            ELBOW,
            "8,1>8,2@10,1",
            "the tile at 10,1 cannot be taken: the others would not be connected without it",
        ),
        (JUMPS, "1,4>-1,4@4,4", "the piece at 1,4 cannot jump to -1,4: there is no piece at 0,4"),
    ],
)
def test_a_move_is_refused_with_its_reason(text: str, move: str, sentence: str) -> None:
    assert refusal(position(text), move) == (IllegalMove, sentence)


FORMS = (
    "a move is a place such as 2,1, a step or jump such as 2,1>3,2, a step or jump onto a tile from another "
    "place such as 3,1>5,1@4,0, or pass"
)
NUMBERS = "coordinates are from -999999 to 999999, without a plus sign, leading zeros or a minus before 0"
WAYS = "a piece steps to one of the eight places around it, or jumps two places in a straight line"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", FORMS),
        ("PASS", FORMS),
        ("2,1 ", FORMS),
        ("2;1", FORMS),
        ("2", FORMS),
        ("2,1>", FORMS),
        ("2,1@3,1", FORMS),
        ("2,1>3,1>4,1", FORMS),
        ("2,1>3,1@0,0@1,1", FORMS),
        ("--1,2", FORMS),
        ("\u0662,1", FORMS),
        ("02,1", NUMBERS),
        ("+2,1", NUMBERS),
        ("-0,1", NUMBERS),
        ("2,-01", NUMBERS),
        ("1000000,0", NUMBERS),
        ("2,1>3,02", NUMBERS),
        ("2,1>3,2@00,0", NUMBERS),
        ("2,1>2,1", WAYS),
        ("2,1>5,1", WAYS),
        ("2,1>4,2", WAYS),
        ("2,1>3,-1", WAYS),
        ("2,1>3,2@3,2", "a tile must be laid at another place"),
        ("2,1>3,2@2,1", "the tile under the moving piece cannot be taken"),
    ],
)
@pytest.mark.parametrize("where", [START, MIDDLE])
def test_what_is_no_move_in_any_position_is_a_syntax_error(where: str, text: str, reason: str) -> None:
    kind, sentence = refusal(position(where), text)
    assert kind is MoveSyntaxError
    assert sentence.endswith(f" is no move: {reason}")


def test_a_text_that_is_too_long_is_no_move() -> None:
    with pytest.raises(MoveSyntaxError, match=r"^a text longer than 200 characters is no move$"):
        position(START).parse_move("1" * 201)


def test_no_tile_is_laid_beyond_the_last_coordinate() -> None:
    at = "___r_/__wwr/rwwrR/_wwr_ {} 0 0 w".format
    end, free, last = (listed(position(at(corner))) for corner in ("999995,-999999", "5,5", "999994,-999998"))
    assert [move for move in end if "1000000" in move] == []
    assert len(end) < len(free) == len(last)
