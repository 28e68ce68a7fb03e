"""Quoridor for four: seats and goals, pawns behind pawns, passing."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError, Outcome
from referee.games.quoridor.position import QUORIDOR4
from tests.referee.games.texts import after, listed, refusal

# Player 1 is in a corridor one square wide, with player 2 and player 3 in front.
STUCK = "a8c8g8 / d1e1 / e1 e2 e3 i5 / 0 5 5 5 / 1"
position = QUORIDOR4.parse_position


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("/ / e4 e5 h8 b8 / 5 5 5 5 / 1", "e3 d4 f4 e6", id="nobody behind: a jump"),
        pytest.param("/ / e4 e5 e6 b8 / 5 5 5 5 / 1", "e3 d4 f4", id="a pawn behind: no jump, no side-step"),
        pytest.param(
            "e5 / / e4 e5 e6 b8 / 4 5 5 5 / 1", "e3 d4 f4 d5 f5", id="a wall, then a pawn: side-steps"
        ),
        pytest.param("e5 / / e4 e5 h8 d5 / 4 5 5 5 / 1", "e3 d4 f4 f5", id="wall behind, one side taken"),
        pytest.param(
            "e5 / d5 / e4 e5 h8 f5 / 4 4 5 5 / 1", "e3 d4 f4", id="wall behind, one side walled, one taken"
        ),
        pytest.param("/ / e4 e5 d4 h8 / 5 5 5 5 / 1", "e3 f4 e6 c4", id="two neighbours: a jump over each"),
        pytest.param("/ / e8 e9 d9 h5 / 5 5 5 5 / 1", "e7 d8 f8 f9", id="edge behind, one side taken"),
        pytest.param("/ / e5 h8 d5 c5 / 5 5 5 5 / 1", "e4 f5 e6", id="a pawn behind, sideways"),
    ],
)
def test_the_pawn_can_go_to(text: str, expected: str) -> None:
    moves = [move for move in listed(position(text)) if len(move) == 2]
    assert sorted(moves) == sorted(expected.split())


def test_a_pawn_behind_is_the_reason_given() -> None:
    there = position("/ / e4 e5 e6 b8 / 5 5 5 5 / 1")
    for move, sentence in {
        "e6": "the pawn on e4 cannot reach e6: player 3's pawn is there",
        "d5": "the pawn on e4 cannot reach d5: behind the pawn on e5 is another pawn, not a barrier",
    }.items():
        assert refusal(there, move) == (IllegalMove, sentence)


def test_each_of_two_ways_round_gives_its_own_reason() -> None:
    there = position("/ / e4 e5 h8 d4 / 5 5 5 5 / 1")
    sentence = (
        "the pawn on e4 cannot reach d5: no barrier is behind the pawn on e5; "
        "no barrier is behind the pawn on d4"
    )
    assert refusal(there, "d5") == (IllegalMove, sentence)


@pytest.mark.parametrize(
    ("text", "move", "winner"),
    [
        ("/ / d8 b5 e5 h6 / 5 5 5 5 / 1", "d9", 0),
        ("/ / e2 h3 e5 h6 / 5 5 5 5 / 2", "i3", 1),
        ("/ / e7 b5 c2 h6 / 5 5 5 5 / 3", "c1", 2),
        ("/ / e7 d5 c2 b6 / 5 5 5 5 / 4", "a6", 3),
        ("/ / e7 b5 e5 h6 / 5 5 5 5 / 2", "a5", None),  # the start row is not a goal
        ("/ / b8 b5 e5 h6 / 5 5 5 5 / 2", "b6", None),
        ("/ / a8 b5 e5 h6 / 5 5 5 5 / 1", "a7", None),  # column a is the goal of player 4 only
    ],
)
def test_each_seat_has_the_opposite_side_as_its_goal(text: str, move: str, winner: int | None) -> None:
    there = after(position(text), move)
    assert there.outcome() == (None if winner is None else Outcome.win(winner, 4, "goal"))
    assert (listed(there) == []) == (winner is not None)


def test_the_winner_is_first_and_the_others_share_second_place() -> None:
    outcome = position("/ / d8 b5 c1 h6 / 5 5 5 5 / 4").outcome()
    assert outcome is not None
    assert outcome.ranks == (2, 2, 1, 2)


def test_seats_move_clockwise_in_turn() -> None:
    there = QUORIDOR4.start()
    turns = []
    for move in ("e2", "b5", "e8", "h5", "e3"):
        turns.append(there.turn)
        there = after(there, move)
    assert turns == [0, 1, 2, 3, 0]
    assert str(there) == "/ / e3 b5 e8 h5 / 5 5 5 5 / 2"


def test_a_wall_may_cut_off_nobody_whoever_places_it() -> None:
    there = position("a3c3e3g3 / h3 / e1 a5 e9 i5 / 3 4 4 4 / 3")
    with pytest.raises(IllegalMove, match=r"^a wall at h4h would leave player 1 no path to row 9$"):
        there.parse_move("h4h")
    there = position("h8 / h1h3h5h7 / e1 a5 e9 h5 / 4 4 4 3 / 1")
    with pytest.raises(IllegalMove, match=r"^a wall at g8v would leave player 2 no path to column i$"):
        there.parse_move("g8v")


def test_a_player_without_a_move_passes() -> None:
    there = position(STUCK)
    assert listed(there) == ["pass"]
    assert there.count_moves() == 1
    assert str(after(there, "pass")) == STUCK[:-1] + "2"


def test_a_player_who_can_only_place_a_wall_may_not_pass() -> None:
    there = position("a8c8 / d1e1 / e1 e2 e3 i5 / 1 5 5 5 / 1")
    assert all(len(move) == 3 for move in listed(there))
    with pytest.raises(IllegalMove, match=r"^player 1 may not pass while it has another move, such as a1h$"):
        there.parse_move("pass")


def test_a_player_who_can_move_the_pawn_may_not_pass() -> None:
    with pytest.raises(IllegalMove, match=r"^player 1 may not pass while it has another move, such as d1$"):
        QUORIDOR4.start().parse_move("pass")


def test_passing_in_a_finished_game_is_refused() -> None:
    with pytest.raises(IllegalMove, match=r"^the game is over: player 3 has reached row 1$"):
        position("/ / d8 b5 c1 h6 / 5 5 5 5 / 4").parse_move("pass")


def test_the_forms_of_a_move_include_the_pass() -> None:
    with pytest.raises(MoveSyntaxError, match=r"a wall such as e3h or e3v, or pass$"):
        QUORIDOR4.start().parse_move("skip")


def test_removed_seats_can_be_passed_over() -> None:
    there = QUORIDOR4.start().skip_turn().skip_turn()
    assert str(there) == "/ / e1 a5 e9 i5 / 5 5 5 5 / 3"
    assert listed(there)[:3] == ["e8", "d9", "f9"]
