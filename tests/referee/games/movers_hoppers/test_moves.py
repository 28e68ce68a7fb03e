"""Movers & Hoppers and Rampants et sauteurs: why moves are refused."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Position, game
from tests.referee.games.movers_hoppers.slow_rules import BASIC, EXPERT, RAMPANTS, SPECIAL
from tests.referee.games.texts import after, listed, refusal

EACH_GAME = pytest.mark.parametrize("game_id", SPECIAL)

START = "3/3/3/3/3/3/3/3 w"
OPENED = "hhh/mmm/3/3/3/3/MMM/HHH w"
STUCK = "mmm/hhh/3/3/3/3/HHH/MMM w"
MIDDLE = "mhm/2h/3/1Hm/HM1/M1h/1HM/3 w"


def position(text: str, game_id: str = BASIC) -> Position:
    return game(game_id).parse_position(text)


@pytest.mark.parametrize("setup", ["mmmmmm", "hhhhhh", "mhhhhh", "mmmmhh"])
def test_another_number_of_movers_is_for_experts_only(setup: str) -> None:
    there = after(position(START, EXPERT), setup, setup)
    upper = setup.upper()
    assert str(there) == f"{setup[:3]}/{setup[3:]}/3/3/3/3/{upper[3:]}/{upper[:3]} w"
    for game_id in (BASIC, RAMPANTS):
        for text in (START, "3/3/3/3/3/3/MHM/HMH r", OPENED):
            with pytest.raises(
                MoveSyntaxError, match=r"^'[mh]*' is no move: in this game 3 of the six letters must"
            ):
                position(text, game_id).parse_move(setup)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("MMM/HMH/3/mm1/hh1/3/3/mh1 r", "the game is over: White has all six pieces in the opposite camp"),
        (
            "3/1M1/M1H/3/mHh/3/HhM/mhm w",
            "the game is over: Red has a piece in the opposite camp, which is full",
        ),
    ],
)
def test_a_finished_game_has_no_move(text: str, sentence: str) -> None:
    over = position(text)
    assert listed(over) == []
    for move in ("a5a4", "a7b6", "hhhmmm", "pass"):
        assert refusal(over, move) == (IllegalMove, sentence)
    with pytest.raises(MoveSyntaxError):
        over.parse_move("a9b9")


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        (START, "a2b3", "White has no pieces yet: the first move is a set-up such as hmhmhm"),
        (START, "pass", "White has no pieces yet: the first move is a set-up such as hmhmhm"),
        ("3/3/3/3/3/3/MMM/HHH r", "a2b3", "Red has no pieces yet: the first move is a set-up such as hmhmhm"),
        ("3/3/3/3/3/3/MMM/HHH r", "pass", "Red has no pieces yet: the first move is a set-up such as hmhmhm"),
        (OPENED, "hmhmhm", "White has set up already"),
        (OPENED.replace(" w", " r"), "hmhmhm", "Red has set up already"),
        (OPENED, "pass", "White may not pass while there is another move, such as a1a3"),
        (OPENED.replace(" w", " r"), "pass", "Red may not pass while there is another move, such as a7a6"),
        (OPENED, "a4a5", "there is no piece on a4"),
        (OPENED, "a7b6", "it is White's turn, and the piece on a7 is Red's"),
        (OPENED.replace(" w", " r"), "a2b3", "it is Red's turn, and the piece on a2 is White's"),
        (OPENED, "a2a4", "the piece on a2 is a mover: it goes one square, and a4 is farther away"),
        (MIDDLE, "b5c6", "the piece on b5 is a hopper: it only jumps, and c6 is next to it"),
        (OPENED, "a1a2", "the piece on a1 is a hopper: it only jumps, and a2 is next to it"),
        (OPENED, "a1a8", "the hopper on a1 cannot jump to a8: a3 is empty"),
        (MIDDLE, "a4a1", "the hopper on a4 cannot jump to a1: a2 is empty"),
        (OPENED, "a1c1", "White's piece is on c1 already"),
        ("hh1/mmm/3/3/3/h2/MMM/HHH w", "a1a3", "Red's piece is on a3 already"),
    ],
)
@EACH_GAME
def test_a_move_is_refused_with_its_reason(game_id: str, text: str, move: str, sentence: str) -> None:
    assert refusal(position(text, game_id), move) == (IllegalMove, sentence)


FORMS = "a move is a piece's square and its target such as a2b3, a set-up such as hmhmhm, or pass"
STRAIGHT = "a piece goes to another square in a straight line, along a row, a column or a diagonal"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", f"'' is no move: {FORMS}"),
        ("a2", f"'a2' is no move: {FORMS}"),
        ("a2b3c4", f"'a2b3c4' is no move: {FORMS}"),
        ("a2-b3", f"'a2-b3' is no move: {FORMS}"),
        ("hmhmh", f"'hmhmh' is no move: {FORMS}"),
        ("hmhmhmh", f"'hmhmhmh' is no move: {FORMS}"),
        ("a2b3\n", f"'a2b3\\n' is no move: {FORMS}"),
        ("a\u0662b3", f"'a\\u0662b3' is no move: {FORMS}"),
        ("a2a2", f"'a2a2' is no move: {STRAIGHT}"),
        ("a2b4", f"'a2b4' is no move: {STRAIGHT}"),
        ("a1c8", f"'a1c8' is no move: {STRAIGHT}"),
        ("a2d2", "'d2' in 'a2d2' is no square: the squares are a1 to c8"),
        ("a8a9", "'a9' in 'a8a9' is no square: the squares are a1 to c8"),
        ("A2B3", "'A2B3' is no move: moves are written in lower case"),
        ("HMHMHM", "'HMHMHM' is no move: moves are written in lower case"),
        ("Pass", "'Pass' is no move: moves are written in lower case"),
        ("m" * 201, "a text longer than 200 characters is no move"),
    ],
)
@pytest.mark.parametrize("where", [START, OPENED, STUCK])
def test_what_is_no_move_in_any_position_is_a_syntax_error(where: str, text: str, sentence: str) -> None:
    for game_id in SPECIAL:
        assert refusal(position(where, game_id), text) == (MoveSyntaxError, sentence)
