"""Éclaircissement: why moves are refused."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError
from referee.games.eclaircissement.position import ECLAIRCISSEMENT
from tests.referee.games.texts import after, listed, refusal

position = ECLAIRCISSEMENT.parse_position


START = "wrwrw/r3r/w3w/r3r/wrwrw w"
# A white pawn is on the centre, and all squares round it are empty.
ALONE = "wrwrw/r3r/w1w1w/r3r/wrw1r w"
# From a3 a white pawn jumps b3 to the centre, and d3 from there.
THROUGH = "wrwrw/r3r/wr1r1/w4/wrwrw w"
# From a1 a white pawn jumps a dark pawn to c1, or a lit one to a3; b3 and c2 let it go on through the centre.
ROUND = "wrwrw/rr2w/1w2w/R1r2/wr1wr w"
# Above a white pawn on the centre are a dark pawn and an empty square.
BACK = "wr1rw/rwrwr/w1w1r/4r/w2rw w"


REFUSED = [
    (START, "b1b2", "it is White's turn, and the pawn on b1 is Red's"),
    (START.replace(" w", " r"), "a1b2", "it is Red's turn, and the pawn on a1 is White's"),
    (START, "c3c4", "there is no pawn on c3"),
    (START, "a1b1", "the pawn on a1 cannot step to b1: a pawn of Red's is on b1"),
    (THROUGH, "a1a2", "the pawn on a1 cannot step to a2: a pawn of White's is on a2"),
    (START, "a1a1", "the pawn on a1 cannot go to a1: a path leads from square to square"),
    (START, "a1b2c3", "the pawn on a1 cannot step to b2: a turn is one step, or jumps alone"),
    (THROUGH, "a3c3c4", "the pawn on a3 cannot step from c3 to c4: a turn is one step, or jumps alone"),
    (START, "a1c3", "the pawn on a1 cannot jump to c3: jumps go up, down, left or right, not diagonally"),
    (START, "a1b3", "the pawn on a1 cannot go to b3: that is neither a step nor a jump over one pawn"),
    (START, "a1d1", "the pawn on a1 cannot go to d1: that is neither a step nor a jump over one pawn"),
    (START, "a1e5+", "the pawn on a1 cannot go to e5: that is neither a step nor a jump over one pawn"),
    (START, "c1c3", "the pawn on c1 cannot jump to c3: c2 is empty"),
    (START, "a1c1", "the pawn on a1 cannot jump to c1: a pawn of White's is on c1"),
    (THROUGH, "a3c3c1", "the pawn on a3 cannot jump from c3 to c1: c2 is empty"),
    (ROUND, "d1b1", "the pawn on d1 cannot jump to b1: c1 is empty"),
    (ROUND, "a1c1e1", "the pawn on a1 cannot jump from c1 to e1: a pawn of Red's is on e1"),
    (ROUND, "a1b2+", "the pawn on a1 cannot be lit: it neither lands on c3 nor jumps a lit pawn"),
    (ROUND, "a1c1+", "the pawn on a1 cannot be lit: it neither lands on c3 nor jumps a lit pawn"),
    (ROUND, "a1c1a1+", "the pawn on a1 cannot be lit: it neither lands on c3 nor jumps a lit pawn"),
    (ALONE, "c3c4+", "the pawn on c3 cannot be lit: it neither lands on c3 nor jumps a lit pawn"),
    (BACK, "c3c5+", "the pawn on c3 cannot be lit: it neither lands on c3 nor jumps a lit pawn"),
    (
        BACK.replace("/w1w", "/w1W"),
        "c3c5c3+",
        "the pawn on c3 is lit already: its moves are written without +",
    ),
    (
        ROUND.replace("/1w2w", "/1W2w"),
        "b3c3+",
        "the pawn on b3 is lit already: its moves are written without +",
    ),
    (ROUND, "a1c1a1", "the pawn comes back to a1 and nothing changes: a move must change the position"),
    (ROUND, "a1a3a1", "the pawn comes back to a1 and nothing changes: a move must change the position"),
    (START, "pass", "White may not pass while there is another move, such as a1b2"),
    (START.replace(" w", " r"), "pass", "Red may not pass while there is another move, such as a2b2"),
]


@pytest.mark.parametrize(("text", "move", "sentence"), REFUSED)
def test_an_illegal_move_is_refused_with_its_reason(text: str, move: str, sentence: str) -> None:
    assert refusal(position(text), move) == (IllegalMove, sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' in '' is no square: the squares are a1 to e5"),
        ("A1B2", "'A1' in 'A1B2' is no square: the squares are a1 to e5"),
        ("a1f2", "'f2' in 'a1f2' is no square: the squares are a1 to e5"),
        ("a1b", "'b' in 'a1b' is no square: the squares are a1 to e5"),
        ("a1 b2", "' b' in 'a1 b2' is no square: the squares are a1 to e5"),
        ("a1-b2", "'-b' in 'a1-b2' is no square: the squares are a1 to e5"),
        ("a1c3++", "'+' in 'a1c3+' is no square: the squares are a1 to e5"),
        ("a3c3+e3", "'+e' in 'a3c3+e3' is no square: the squares are a1 to e5"),
        ("pass+", "'pa' in 'pass' is no square: the squares are a1 to e5"),
        ("a1b\u0662", "'b\\u0662' in 'a1b\\u0662' is no square: the squares are a1 to e5"),
        ("c3+", "'c3+' is no move: a move is pass, or a path such as a1b2 or a1c1c3, with + at its end when"),
        ("a1", "'a1' is no move: a move is pass, or a path such as a1b2 or a1c1c3, with + at its end when"),
        ("a1c1" * 50 + "a", "a text longer than 200 characters is no move"),
    ],
)
def test_what_is_no_move_in_any_position_is_a_syntax_error(text: str, sentence: str) -> None:
    kind, reason = refusal(position(START), text)
    assert kind is MoveSyntaxError
    assert reason.startswith(sentence)


def test_a_chain_may_be_as_long_as_a_text() -> None:
    there = position(ROUND)
    assert after(there, "a1c1" * 50) == after(there, "a1c1")
    assert after(there, "a1a3" * 49 + "a1+") == after(there, "a1a3a1+")
    with pytest.raises(MoveSyntaxError):
        there.parse_move("a1a3" * 50 + "+")


@pytest.mark.parametrize("move", ["b1b2", "pass", "a1c1e1+"])
def test_a_finished_game_has_no_move(move: str) -> None:
    over = position("WrWrW/r3r/W3W/r3r/WrWrW r")
    assert listed(over) == []
    sentence = "the game is over: White has won with every pawn lit and on the border"
    assert refusal(over, move) == (IllegalMove, sentence)


@pytest.mark.parametrize("text", ["a1", "zz", "", "a1c1" * 51])
def test_what_is_no_move_anywhere_is_none_in_a_finished_game(text: str) -> None:
    with pytest.raises(MoveSyntaxError):
        position("WrWrW/r3r/W3W/r3r/WrWrW r").parse_move(text)
