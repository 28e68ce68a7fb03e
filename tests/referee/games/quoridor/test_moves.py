"""Quoridor for two: why moves are refused."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError
from referee.games.quoridor.position import QUORIDOR
from tests.referee.games.texts import listed, refusal

START = "/ / e1 e9 / 10 10 / 1"
position = QUORIDOR.parse_position


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        (START, "e1", "the pawn on e1 cannot reach e1: it is there already"),
        (START, "e9", "the pawn on e1 cannot reach e9: player 2's pawn is there"),
        (START, "e3", "the pawn on e1 cannot reach e3: e2 is empty"),
        (START, "d2", "the pawn on e1 cannot reach d2: e2 and d1 are empty"),
        (START, "h7", "the pawn on e1 cannot reach h7: it is too far away"),
        ("e4 / / e4 e5 / 9 10 / 1", "e5", "the pawn on e4 cannot reach e5: player 2's pawn is there"),
        ("e4 / / e4 e7 / 9 10 / 1", "e5", "the pawn on e4 cannot reach e5: a wall is between e4 and e5"),
        ("e4 / / e4 e5 / 9 10 / 1", "e6", "the pawn on e4 cannot reach e6: a wall is between e4 and e5"),
        (
            "e5 / / e4 e5 / 9 10 / 1",
            "e6",
            "the pawn on e4 cannot reach e6: a wall is behind the pawn on e5",
        ),
        (
            "/ / e4 e5 / 10 10 / 1",
            "d5",
            "the pawn on e4 cannot reach d5: no barrier is behind the pawn on e5",
        ),
    ],
)
def test_a_pawn_move_is_refused_with_its_reason(text: str, move: str, sentence: str) -> None:
    assert refusal(position(text), move) == (IllegalMove, sentence)


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        ("e3 / / e1 e9 / 9 10 / 1", "e3h", "there is a wall at e3h already"),
        ("/ e3 / e1 e9 / 9 10 / 1", "e3h", "a wall at e3h would cross the wall e3v"),
        ("e3 / / e1 e9 / 9 10 / 1", "e3v", "a wall at e3v would cross the wall e3h"),
        ("e3 / / e1 e9 / 9 10 / 1", "d3h", "a wall at d3h would overlap the wall e3h"),
        ("e3 / / e1 e9 / 9 10 / 1", "f3h", "a wall at f3h would overlap the wall e3h"),
        ("/ e3 / e1 e9 / 9 10 / 1", "e2v", "a wall at e2v would overlap the wall e3v"),
        ("/ e3 / e1 e9 / 9 10 / 1", "e4v", "a wall at e4v would overlap the wall e3v"),
        ("a3c3e3g3 / h3 / e1 e9 / 7 8 / 1", "h4h", "a wall at h4h would leave player 1 no path to row 9"),
        ("e8 / d8 / e1 e9 / 9 9 / 2", "f8v", "a wall at f8v would leave player 2 no path to row 1"),
        ("a1c1e1g1a3c3e3g3a5c5 / / e1 e9 / 0 10 / 1", "e7h", "player 1 has no walls left"),
    ],
)
def test_a_wall_is_refused_with_its_reason(text: str, move: str, sentence: str) -> None:
    assert refusal(position(text), move) == (IllegalMove, sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("E2", "'E2' is no move: moves are written in lower case"),
        ("E3H", "'E3H' is no move: moves are written in lower case"),
        ("e9h", "'e9h' is no move: the places of walls are a1 to h8"),
        ("i1v", "'i1v' is no move: the places of walls are a1 to h8"),
        ("z1", "'z1' is no move: a move is a square such as e2, or a wall such as e3h or e3v"),
        ("e10", "'e10' is no move: a move is a square such as e2, or a wall such as e3h or e3v"),
        ("e2 ", "'e2 ' is no move: a move is a square such as e2, or a wall such as e3h or e3v"),
        ("", "'' is no move: a move is a square such as e2, or a wall such as e3h or e3v"),
        ("e\u0662", "'e\\u0662' is no move: a move is a square such as e2, or a wall such as e3h or e3v"),
        ("pass", "'pass' is no move: with 2 players there is no pass"),
        ("e" * 201, "a text longer than 200 characters is no move"),
    ],
)
def test_what_is_no_move_in_any_position_is_a_syntax_error(text: str, sentence: str) -> None:
    assert refusal(QUORIDOR.start(), text) == (MoveSyntaxError, sentence)


def test_a_finished_game_has_no_move() -> None:
    over = position("/ / d9 e2 / 10 10 / 2")
    assert listed(over) == []
    assert over.count_moves() == 0
    with pytest.raises(IllegalMove, match=r"^the game is over: player 1 has reached row 9$"):
        over.parse_move("e1")


def test_a_text_that_is_no_move_is_that_in_a_finished_game_too() -> None:
    with pytest.raises(MoveSyntaxError):
        position("/ / d9 e2 / 10 10 / 2").parse_move("zz")
