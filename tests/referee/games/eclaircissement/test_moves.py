"""Éclaircissement: legal moves, the reasons why other moves are illegal, and wins."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Outcome
from referee.games.eclaircissement.position import ECLAIRCISSEMENT
from tests.referee.games.texts import after, listed, refusal

position = ECLAIRCISSEMENT.parse_position


def moves(text: str, pawn: str = "") -> str:
    """The listed moves of the pawn on a square, or all of them."""
    return " ".join(move for move in listed(position(text)) if move.startswith(pawn))


START = "wrwrw/r3r/w3w/r3r/wrwrw w"
# A white pawn stands on the centre, and all squares round it are empty.
ALONE = "wrwrw/r3r/w1w1w/r3r/wrw1r w"
# From a3 a white pawn jumps b3 to the centre, and d3 from there.
THROUGH = "wrwrw/r3r/wr1r1/w4/wrwrw w"
# From a1 a white pawn jumps a dark pawn to c1, or a lit one to a3; b3 and c2 let it go on through the centre.
ROUND = "wrwrw/rr2w/1w2w/R1r2/wr1wr w"
# Above a white pawn on the centre are a dark pawn and an empty square.
BACK = "wr1rw/rwrwr/w1w1r/4r/w2rw w"


def test_the_first_moves_shortest_texts_first_and_then_in_ascii_order() -> None:
    assert moves(START) == "a1b2 a3b2 a3b3 a3b4 a5b4 c1b2 c1c2 c1d2 c5b4 c5c4 c5d4 e1d2 e3d2 e3d3 e3d4 e5d4"
    assert moves(THROUGH).endswith(" e5e3 a3c3+ a3c3e3 e5e3c3 a3c3a3+ a3c3e3+ e5e3c3+ e5e3c3e3+ e5e3c3e3e5+")


@pytest.mark.parametrize(
    ("text", "pawn", "expected"),
    [
        pytest.param(ALONE, "c3", "c3b2 c3b3 c3b4 c3c2 c3c4 c3d2 c3d3 c3d4", id="steps in eight directions"),
        pytest.param(START, "a1", "a1b2", id="no step to a taken square"),
        pytest.param("wrwrw/r3r/w3w/rr2r/www1r w", "a1", "", id="no jump over a diagonal neighbour"),
        pytest.param("wrwrw/r3r/4w/r2wr/wrwrw w", "e3", "e3d3 e3d4", id="no jump over an empty square"),
        pytest.param(START, "b1", "", id="nobody moves the other player's pawn"),
        pytest.param("wrwrw/r3r/wr2w/4r/wrwrw r", "b3", "b3a2 b3b2 b3b4 b3c2 b3c3 b3c3+ b3c4", id="Red"),
        pytest.param("wrwrw/r3r/wwr2/r4/wrwrw w", "a3", "a3b2 a3b4", id="not over two pawns"),
        pytest.param(
            "wrwrw/r3r/wr2w/4r/wrwrw w",
            "a3",
            "a3a2 a3b2 a3b4 a3c3 a3c3+ a3c3a3+",
            id="over an enemy pawn, the centre behind it",
        ),
        pytest.param(
            "wrwrw/r3r/ww2w/r3r/1rwrw w",
            "a3",
            "a3a1 a3b2 a3b4 a3c3 a3c3+ a3c3a3+ a3c3a3a1+",
            id="over an own pawn to the centre, over an enemy one to the corner",
        ),
        pytest.param(
            THROUGH,
            "a3",
            "a3b2 a3b4 a3c3 a3c3+ a3c3e3 a3c3a3+ a3c3e3+",
            id="chains may end anywhere; the centre lights in mid-chain too",
        ),
        pytest.param(
            ROUND,
            "a1",
            "a1a3 a1b2 a1c1 a1a3+ a1a3c3 a1a3a1+ a1a3c3+ a1a3a1c1+",
            id="the lit way to c1 is longer than the dark one; of two the smaller text is listed",
        ),
        pytest.param(
            BACK,
            "c3",
            "c3b2 c3b3 c3c2 c3c5 c3d2 c3d3 c3c5c3+ c3c5c3c5+",
            id="to leave the centre lights nothing, to come back does",
        ),
        pytest.param(
            BACK.replace("w1w1r/", "w1W1r/"),
            "c3",
            "c3b2 c3b3 c3c2 c3c5 c3d2 c3d3",
            id="a lit pawn is not lit again and may not come back",
        ),
        pytest.param(
            "r1R2/w1wwr/wrw1w/Wr1r1/1wr1r w",
            "b1",
            "b1a1 b1c2 b1d1 b1d1d3 b1d1d3d5 b1d1d3d5b5 b1d1d3d5b5+ b1d1d3d5b5d5+ b1d1d3d5b5d5d3+ "
            "b1d1d3d5b5d5d3d1+ b1d1d3d5b5d5d3d1b1+",
            id="a long way to the light, and all the way back",
        ),
    ],
)
def test_a_pawns_moves(text: str, pawn: str, expected: str) -> None:
    assert sorted(moves(text, pawn).split()) == sorted(expected.split())


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        ("a1b2", "wrwrw/rr2w/1w2w/Rwr2/1r1wr r"),
        ("a1a3", "wrwrw/rr2w/ww2w/R1r2/1r1wr r"),
        ("a1a3+", "wrwrw/rr2w/Ww2w/R1r2/1r1wr r"),
        ("a1a3a1+", "wrwrw/rr2w/1w2w/R1r2/Wr1wr r"),
        ("a1a3a1a3a1+", "wrwrw/rr2w/1w2w/R1r2/Wr1wr r"),
        ("a1a3c3", "wrwrw/rr2w/1ww1w/R1r2/1r1wr r"),
        ("a1a3c3+", "wrwrw/rr2w/1wW1w/R1r2/1r1wr r"),
        ("a1c1c3+", "wrwrw/rr2w/1wW1w/R1r2/1r1wr r"),
        ("a1a3c3c1", "wrwrw/rr2w/1w2w/R1r2/1rwwr r"),
        ("a1c1c3c1+", "wrwrw/rr2w/1w2w/R1r2/1rWwr r"),
        ("a1c1a1a3a1c1+", "wrwrw/rr2w/1w2w/R1r2/1rWwr r"),
        ("a1c1a1c1", "wrwrw/rr2w/1w2w/R1r2/1rwwr r"),
        ("b3c3", "wrwrw/rr2w/2w1w/R1r2/wr1wr r"),
        ("b3c3+", "wrwrw/rr2w/2W1w/R1r2/wr1wr r"),
    ],
)
def test_a_move_along_any_path_leads_to(move: str, expected: str) -> None:
    there = position(ROUND)
    assert str(there.parse_move(move)) == move
    assert str(after(there, move)) == expected


@pytest.mark.parametrize("text", ["wrwrw/r3r/w3w/r1w1r/wR1rw w", "wrwrw/r3r/w3w/r1r1r/wW1rw w"])
def test_a_lit_pawn_of_either_colour_gives_light(text: str) -> None:
    assert moves(text, "a1") == "a1b2 a1c1 a1c1+ a1c1c3 a1c1a1+ a1c1c3+"


def test_a_lit_pawn_stays_lit_when_it_moves() -> None:
    lit = position(ROUND.replace("/wr1wr", "/Wr1wr"))
    assert str(after(lit, "a1a3c3c1")) == "wrwrw/rr2w/1w2w/R1r2/1rWwr r"
    assert str(after(lit, "a1b2")) == "wrwrw/rr2w/1w2w/RWr2/1r1wr r"


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
    kind, found = refusal(position(START), text)
    assert kind is MoveSyntaxError
    assert found.startswith(sentence)


def test_a_chain_may_be_as_long_as_a_text() -> None:
    there = position(ROUND)
    assert after(there, "a1c1" * 50) == after(there, "a1c1")
    assert after(there, "a1a3" * 49 + "a1+") == after(there, "a1a3a1+")
    with pytest.raises(MoveSyntaxError):
        there.parse_move("a1a3" * 50 + "+")


# --- the end -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "move", "winner"),
    [
        pytest.param("WrWrW/r3r/W2W1/r3r/WrWrW w", "d3e3", 0, id="the last one steps to the border"),
        pytest.param("WrWrW/r3r/W2W1/r3r/WrWrW w", "d3d2", None, id="the last one stays inside"),
        pytest.param("WrWrW/r3W/3rW/R3r/wrWrW w", "a1a3+", 0, id="the last one is lit by its jump"),
        pytest.param("WrWrW/r3W/3rW/R3r/wrWrW w", "a1a3a1+", 0, id="or lit where it stood"),
        pytest.param("WrWrW/r3W/3rW/R3r/wrWrW w", "a1a3", None, id="it stays dark"),
        pytest.param("WrWrW/r3W/1w2W/r2rr/1rWrW w", "b3c3+", None, id="lit on the centre, not on the border"),
        pytest.param("wRwRw/R3R/w3w/R2R1/wRwRw r", "d2e2", 1, id="Red wins likewise"),
    ],
)
def test_a_player_wins_with_every_pawn_lit_and_on_the_border(
    text: str, move: str, winner: int | None
) -> None:
    before = position(text)
    assert before.outcome() is None
    assert after(before, move).outcome() == (None if winner is None else Outcome.win(winner, 2, "border"))


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        ("WrWrW/r3r/W3W/r3r/WrWrW r", 0),
        ("WrWrW/r3r/W3W/r3r/WrWrW w", 0),  # Red moved last, but White has all pawns lit on the border
        ("wRwRw/R3R/w3w/R3R/wRwRw w", 1),
        ("wRwRw/R3R/w3w/R3R/wRwRw r", 1),
        ("WRWRW/R3R/W3W/R3R/WRWRW w", 1),
        ("WRWRW/R3R/W3W/R3R/WRWRW r", 0),
    ],
)
def test_in_a_bare_position_the_player_before_comes_first(text: str, winner: int) -> None:
    assert position(text).outcome() == Outcome.win(winner, 2, "border")


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
