"""HOPS: why moves are refused."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Outcome
from referee.games.hops.position import HOPS
from tests.referee.games.texts import after, listed, refusal

START = "rrrrrrr/7/7/7/7/7/bbbBbbb b"
FIGURE_5 = "r1rr1rr/7/1r5/1B5/2b4/4r2/bbb1b1b r"
FIGURE_7 = "rr1rr1r/7/7/4Br1/2r4/7/b1bbbbb r"
ATTACK = "rrrrrrr/7/7/7/2bB3/7/bb2bbb b"  # c3 can jump the carrier on d3
DEFENCE = "rr1rrr1/7/2R4/1r5/1b5/7/bb1bbbb b"  # b3 can jump to b5, and from there the carrier on c5
LAST_ROW = "rrrrrrB/7/7/7/7/5b1/bbbbbr1 b"
CORNER = "1rrrrrr/7/7/7/7/1r5/Bbbbbbb r"  # b2 can jump the carrier in the corner
BEFORE_LAST = "1rrrrrr/B6/7/7/7/6r/bbbbbb1 b"
AGAIN = "7/3brrr/3Rbrr/5br/3bbbb/7/7 b"  # e5 comes back to e5 with the ball
LOOP = "7/7/7/3rbbb/3R2r/3bbbr/3rrrb r"  # a round trip from g3 over g5 and e3
CIRCLE = "1r1rrrr/1rr4/7/7/1b5/7/b1bBbbb r"  # a round trip from c7 over a7 and c5; e7 can join it
BLOCKED = "7/7/b1b1b2/1b1b3/r1r4/rr2b2/Brr3r b"
position = HOPS.parse_position


@pytest.mark.parametrize(
    ("text", "move", "expected"),
    [
        pytest.param(FIGURE_5, "b5*b3d3f1,a7a6", "2rr1rr/r6/7/1b5/2b4/4r2/bbb1bRb b", id="5bis"),
        pytest.param(FIGURE_7, "f4*d4b2#", "rr1rr1r/7/7/4b2/2r4/7/b1bbbbb b", id="7"),
    ],
)
def test_the_turns_in_the_figures_of_the_rule_sheet(text: str, move: str, expected: str) -> None:
    assert str(after(position(text), move)) == expected


ONCE = "cannot take the ball: it changes its square only once a turn"
NOWHERE = "cannot end its action where it started: it has not taken the ball on its way"
MUST = (
    "{} has the ball and must change its square in this turn: "
    "the carrier on {} moves, or another pawn takes the ball"
)
WAYS_OUT = (
    "cannot go out: a pawn goes out by a step from row {0}, or by a jump from row {1} over a pawn on row {0}"
)
UP = WAYS_OUT.format(7, 6)


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        (START, "d4d5,d1d2", "there is no pawn on d4"),
        (START, "d1d2,d1e2", "there is no pawn on d1"),
        (START, "a7a6,d1d2", "it is Blue's turn, and the pawn on a7 is Red's"),
        (FIGURE_5, "a7a6,a1a2", "it is Red's turn, and the pawn on a1 is Blue's"),
        (START, "d1d2,d2d3", "the pawn on d2 has moved already: a turn moves two different pawns"),
        (ATTACK, "c3*e3,e3e4", "the pawn on e3 has moved already: a turn moves two different pawns"),
        (START, "d1e1,a1a2", "the pawn on d1 cannot step to e1: it is occupied"),
        (START, "d1d4,a1a2", "d1 to d4 is neither a step nor a jump over one pawn"),
        (START, "d1d1,a1a2", "d1 to d1 is neither a step nor a jump over one pawn"),
        (START, "d1d3,a1a2", "the pawn on d1 cannot jump to d3: d2 is empty"),
        (DEFENCE, "b3d3,a1a2", "the pawn on b3 cannot jump to d3: c3 is empty"),
        (START, "d1f1,a1a2", "the pawn on d1 cannot jump e1: f1 is occupied"),
        (START, "d1d2d3,a1a2", "d1 to d2 is a step: it takes no ball and nothing follows it in an action"),
        (ATTACK, "c3*d4,a1a2", "c3 to d4 is a step: it takes no ball and nothing follows it in an action"),
        (LAST_ROW, "g7f7#", "g7 to f7 is a step: it takes no ball and nothing follows it in an action"),
        (
            ATTACK,
            "c3e3e4,d3d4",
            "the pawn on e3 cannot step to e4: an action is one step or jumps, not both",
        ),
        (START, "a1a2,b1b2", MUST.format("Blue", "d1")),
        (ATTACK, "c3e3,a1a2", MUST.format("Blue", "d3")),
        (ATTACK, "c3*e3,d3*f3", f"the pawn on d3 {ONCE}"),
        (ATTACK, "d3d4,c3*e5", f"the pawn on c3 {ONCE}"),
        (DEFENCE, "b3b5*d5,b1*b3", f"the pawn on b1 {ONCE}"),
        (ATTACK, "d3*b3,a1a2", "the pawn on d3 cannot take the ball: it has it already"),
        (DEFENCE, "b3*b5,a1a2", "the pawn on b3 cannot take the ball from b4: it is on c5"),
        (DEFENCE, "b3b5b3,a1a2", "the pawn jumps from b3 to b5 and back again in one action"),
        (FIGURE_5, "b5*b3b5,a7a6", "the pawn jumps from b5 to b3 and back again in one action"),
        (FIGURE_5, "b5b3*b5,a7a6", "the pawn jumps from b5 to b3 and back again in one action"),
        (AGAIN, "e5*c5e5c7,d3d2", "the pawn jumps from e5 to c5 and back again in one action"),
        (AGAIN, "e5*c5e7e5,e5d6", "the pawn on e5 has moved already: a turn moves two different pawns"),
        (AGAIN, "e5c5e7e5,d3d2", f"the pawn on e5 {NOWHERE}"),
        (LOOP, "d1c1,g3e5e3g5g3", f"the pawn on g3 {NOWHERE}"),
        (LOOP, "d3f5f3d5d3,d1c1", f"the pawn on d3 {NOWHERE}"),
        (LOOP, "e1e3e5c3e3,d1c1", MUST.format("Red", "d3")),
        (LOOP, "g3g5e3g5,d1c1", "the pawn jumps from g5 to e3 and back again in one action"),
        (CIRCLE, "e7c7a7c5c7e7,g7g6", "the pawn jumps from e7 to c7 and back again in one action"),
        (START, "a1#", "the pawn on a1 cannot go out: it does not have the ball"),
        (FIGURE_7, "f4d4b2#", "the pawn on b2 cannot go out: it does not have the ball"),
        (CORNER, "b2#", "the pawn on b2 cannot go out: it does not have the ball"),
        (START, "d1#", f"the pawn on d1 {UP}"),
        (START, "a1a2,d1#", f"the pawn on d1 {UP}"),
        (FIGURE_7, "f4*d4#", f"the pawn on d4 {WAYS_OUT.format(1, 2)}"),
        (FIGURE_7, "f4d4b2*#", "the pawn on b2 cannot jump out over the carrier, which is on e4"),
        (LAST_ROW, "g7*#", "the pawn on g7 cannot take the ball: it has it already"),
        (BEFORE_LAST, "a6*#", "the pawn on a6 cannot take the ball: it has it already"),
        (
            "2rrrrr/B6/7/7/7/6r/bbbbbbr b",
            "a6#",
            "the pawn on a6 cannot jump out: none of a7, b7 has a pawn to jump",
        ),
        (
            "3rrrr/1r5/B6/7/7/5rr/bbbbbb1 b",
            "a5c7#",
            "the pawn cannot step out from c7: an action is one step or jumps, not both",
        ),
    ],
)
def test_a_turn_is_refused_with_its_reason(text: str, move: str, sentence: str) -> None:
    assert refusal(position(text), move) == (IllegalMove, sentence)


FORMS = "a move is two actions such as d1d2,a1a2, or one that carries the ball out such as f4*d4b2#"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", f"'' is no move: {FORMS}"),
        ("pass", f"'pass' is no move: {FORMS}"),
        ("d1", f"'d1' is no move: {FORMS}"),
        ("d1,a1", f"'d1,a1' is no move: {FORMS}"),
        ("d1d2,", f"'d1d2,' is no move: {FORMS}"),
        ("d1d2, a1a2", f"'d1d2, a1a2' is no move: {FORMS}"),
        ("d1d2,h1h2", f"'d1d2,h1h2' is no move: {FORMS}"),
        ("d1d8,a1a2", f"'d1d8,a1a2' is no move: {FORMS}"),
        ("d1d2,a1a2*", f"'d1d2,a1a2*' is no move: {FORMS}"),
        ("d1d2,a1a2,b1b2", f"'d1d2,a1a2,b1b2' is no move: {FORMS}"),
        ("d1d2,a1a\u0662", f"'d1d2,a1a\\u0662' is no move: {FORMS}"),
        ("d1d2,a1a2\n", f"'d1d2,a1a2\\n' is no move: {FORMS}"),
        ("d1d2", "'d1d2' is no move: a turn is two actions, unless the first carries the ball out"),
        ("D1D2,A1A2", "'D1D2,A1A2' is no move: moves are written in lower case"),
        ("d1#,a1a2", "'d1#,a1a2' is no move: # ends the game, and nothing follows it"),
        ("d1d2,c1*e1*g1", "'d1d2,c1*e1*g1' is no move: an action takes the ball only once"),
        ("d1" * 101, "a text longer than 200 characters is no move"),
    ],
)
def test_what_is_no_move_in_any_position_is_a_syntax_error(text: str, sentence: str) -> None:
    assert refusal(HOPS.start(), text) == (MoveSyntaxError, sentence)


@pytest.mark.parametrize(
    ("text", "winner", "reason", "sentence"),
    [
        (
            "rrrrrrr/7/7/7/7/7/bbb1bbb r",
            0,
            "goal",
            "the game is over: Blue has carried the ball out beyond row 7",
        ),
        (
            "rrrrrr1/7/7/7/7/7/bbbbbbb b",
            1,
            "goal",
            "the game is over: Red has carried the ball out beyond row 1",
        ),
        (BLOCKED, 1, "blocked", "the game is over: Blue cannot complete a turn, and Red has won"),
    ],
)
def test_a_finished_game_has_no_move(text: str, winner: int, reason: str, sentence: str) -> None:
    over = position(text)
    assert over.outcome() == Outcome.win(winner, 2, reason)
    assert listed(over) == []
    for move in ("d1d2,a1a2", "c5c6,e4e3"):
        assert refusal(over, move) == (IllegalMove, sentence)
    for move in ("zz", "z" * 201):
        with pytest.raises(MoveSyntaxError):
            over.parse_move(move)
