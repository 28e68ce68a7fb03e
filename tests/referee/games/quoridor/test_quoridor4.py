"""Quoridor for four: seats and goals, pawns behind pawns, passing."""

from __future__ import annotations

import pytest

from referee import IllegalMove, MoveSyntaxError
from referee.games.quoridor.position import QUORIDOR4
from tests.referee.games.texts import listed, refusal

position = QUORIDOR4.parse_position


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


def test_a_player_who_can_only_place_a_wall_may_not_pass() -> None:
    there = position("a8c8 / d1e1 / e1 e2 e3 i5 / 1 5 5 5 / 1")
    assert all(len(move) == 3 for move in listed(there))
    with pytest.raises(IllegalMove, match="player 1 may not pass while there is another move, such as a1h"):
        there.parse_move("pass")


def test_a_player_who_can_move_the_pawn_may_not_pass() -> None:
    with pytest.raises(IllegalMove, match="player 1 may not pass while there is another move, such as d1"):
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
