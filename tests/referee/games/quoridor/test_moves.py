"""Quoridor for two: legal moves, the reasons why other moves are illegal, and wins."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Outcome
from referee.games.quoridor.position import QUORIDOR
from tests.referee.games.texts import after, listed, refusal

START = "/ / e1 e9 / 10 10 / 1"
position = QUORIDOR.parse_position


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("/ / e5 e9 / 10 10 / 1", "e4 d5 f5 e6", id="open board: four steps"),
        pytest.param("/ / a1 e9 / 10 10 / 1", "b1 a2", id="corner: the edge bars two of them"),
        pytest.param("e4d5 / e5 / e5 b9 / 9 8 / 1", "d5", id="walls bar three sides"),
        pytest.param("/ / e4 e5 / 10 10 / 1", "e3 d4 f4 e6", id="a jump straight on"),
        pytest.param("/ / e5 e4 / 10 10 / 1", "e3 d5 f5 e6", id="a jump backwards"),
        pytest.param("/ / e5 f5 / 10 10 / 2", "f4 d5 g5 f6", id="a jump sideways"),
        pytest.param("e5 / / e4 e5 / 9 10 / 1", "e3 d4 f4 d5 f5", id="wall behind: to both sides"),
        pytest.param("d5 / / e4 e5 / 9 10 / 1", "e3 d4 f4 d5 f5", id="the other half of a wall behind"),
        pytest.param(
            "e5 / d5 / e4 e5 / 9 9 / 1", "e3 d4 f4 f5", id="wall behind and on the left: to the right"
        ),
        pytest.param("d5 / d4e5 / e4 e5 / 9 8 / 1", "e3 f4", id="walled in: to neither side"),
        pytest.param("/ d5 / e4 e5 / 10 9 / 1", "e3 d4 f4 e6", id="a wall only beside: straight on"),
        pytest.param("e4 / / e4 e5 / 9 10 / 1", "e3 d4 f4", id="a wall between the pawns: no jump"),
        pytest.param("/ / e8 e9 / 10 10 / 1", "e7 d8 f8 d9 f9", id="top edge behind: to both sides"),
        pytest.param("/ / e2 d2 / 10 10 / 2", "d1 c2 f2 d3", id="no edge behind: no side-steps"),
        pytest.param("/ / a5 b5 / 10 10 / 2", "b4 a4 c5 a6 b6", id="left edge behind: to both sides"),
        pytest.param("/ a5 / i2 h2 / 10 9 / 2", "h1 i1 g2 h3 i3", id="right edge behind: to both sides"),
        pytest.param("/ / a8 a9 / 10 10 / 1", "a7 b8 b9", id="corner: the edge behind and on one side"),
    ],
)
def test_the_pawn_can_go_to(text: str, expected: str) -> None:
    moves = [move for move in listed(position(text)) if len(move) == 2]
    assert sorted(moves) == sorted(expected.split())


@pytest.mark.parametrize(
    ("text", "move", "sentence"),
    [
        (START, "e1", "the pawn on e1 cannot reach e1: it stands there already"),
        (START, "e9", "the pawn on e1 cannot reach e9: player 2's pawn is there"),
        (START, "e3", "the pawn on e1 cannot reach e3: e2 is empty"),
        (START, "d2", "the pawn on e1 cannot reach d2: e2 and d1 are empty"),
        (START, "h7", "the pawn on e1 cannot reach h7: it is too far away"),
        ("e4 / / e4 e5 / 9 10 / 1", "e5", "the pawn on e4 cannot reach e5: player 2's pawn is there"),
        ("e4 / / e4 e7 / 9 10 / 1", "e5", "the pawn on e4 cannot reach e5: a wall stands between e4 and e5"),
        ("e4 / / e4 e5 / 9 10 / 1", "e6", "the pawn on e4 cannot reach e6: a wall stands between e4 and e5"),
        (
            "e5 / / e4 e5 / 9 10 / 1",
            "e6",
            "the pawn on e4 cannot reach e6: a wall stands behind the pawn on e5",
        ),
        (
            "e5 / d5 / e4 e5 / 9 9 / 1",
            "d5",
            "the pawn on e4 cannot reach d5: a wall stands between e5 and d5",
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


def test_walls_may_touch_and_end_at_each_other() -> None:
    there = position("e3 / / e1 e9 / 9 10 / 1")
    for text in ("c3h", "g3h", "d3v", "f3v", "e2v", "e4v", "d2v", "f4v"):
        assert str(there.parse_move(text)) == text


def test_a_wall_may_enclose_a_region_that_nobody_needs() -> None:
    # Walls enclose a1, b1, a2 and b2. No pawn is there, and no pawn needs these squares.
    there = position("a2 / / e1 e9 / 9 10 / 1")
    assert str(after(there, "b1v")) == "a2 / b1 / e1 e9 / 8 10 / 2"


def test_a_wall_may_pass_between_a_pawn_and_a_goal_that_it_can_reach_round_the_wall() -> None:
    there = position("a3c3e3 / / e1 e9 / 7 10 / 1")
    assert str(there.parse_move("g3h")) == "g3h"  # leaves the gap above i3


def test_a_pawn_does_not_close_the_path_of_another() -> None:
    # The gap above i3 is the only path up, and the opponent's pawn stands in it.
    there = position("a3c3e3 / / e1 i3 / 7 10 / 1")
    assert str(there.parse_move("g3h")) == "g3h"


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


def test_legal_moves_are_listed_pawn_first_then_horizontal_then_vertical_by_row_and_column() -> None:
    moves = listed(position("/ / e5 e9 / 10 10 / 1"))
    assert moves[:7] == ["e4", "d5", "f5", "e6", "a1h", "b1h", "c1h"]
    assert moves[4 + 8] == "a2h"
    assert moves[4 + 64] == "a1v"
    assert moves[-1] == "h8v"


def test_with_no_walls_in_hand_only_the_pawn_moves() -> None:
    there = position("a1c1e1g1a3c3e3g3a5c5 / / e2 e9 / 0 10 / 1")
    assert listed(there) == ["d2", "f2", "e3"]
    assert there.count_moves() == 3


@pytest.mark.parametrize(
    ("text", "move", "winner"),
    [
        ("/ / d8 e2 / 10 10 / 1", "d9", 0),
        ("/ / d8 e2 / 10 10 / 2", "e1", 1),
        ("/ / e8 e9 / 10 10 / 1", "f9", 0),  # a side-step
        ("/ / e3 e2 / 10 10 / 1", "e1", None),  # a jump to the own side
        ("/ / e3 e4 / 10 10 / 1", "e5", None),
        ("/ / e7 e8 / 10 10 / 1", "e9", 0),  # a jump
    ],
)
def test_reaching_the_goal_side_wins_at_once(text: str, move: str, winner: int | None) -> None:
    before = position(text)
    assert before.outcome() is None
    assert after(before, move).outcome() == (None if winner is None else Outcome.win(winner, 2, "goal"))


def test_a_finished_game_has_no_move() -> None:
    over = position("/ / d9 e2 / 10 10 / 2")
    assert listed(over) == []
    assert over.count_moves() == 0
    with pytest.raises(IllegalMove, match=r"^the game is over: player 1 has reached row 9$"):
        over.parse_move("e1")


def test_a_text_that_is_no_move_is_that_in_a_finished_game_too() -> None:
    with pytest.raises(MoveSyntaxError):
        position("/ / d9 e2 / 10 10 / 2").parse_move("zz")
