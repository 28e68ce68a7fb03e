"""Rôdeurs: why moves are refused."""

from __future__ import annotations

import pytest

from referee import Game, IllegalMove, MoveSyntaxError, Outcome, Position, game
from tests.referee.games.rodeurs.slow_rules import SPECIAL, Slow, placed
from tests.referee.games.texts import listed, refusal

RODEURS = game("rodeurs")
DIAGONAL = game("rodeurs-diagonal")


def with_pawns(pawns: str, player: int = 1, rules: Game = RODEURS) -> Position:
    return rules.parse_position(placed(pawns, player))


FEW = "gc3 yc4 rd5"


@pytest.mark.parametrize(
    ("pawns", "move", "sentence"),
    [
        (None, "c5c7", "there is no pawn on c5"),
        (None, "c4c6", "the pawn on c4 cannot jump to c6: c5 is empty"),
        (None, "c2c4", "the pawn on c2 cannot jump to c4: c4 is occupied"),
        (None, "c3c5,f3f5", "the first turn of the game is exactly one jump"),
        (None, "c3c5e5", "the first turn of the game is exactly one jump"),
        (FEW, "c3c5,c4c2", "after c3c5, there is no pawn on c4"),
        (FEW, "c3c5,c3c1", "after c3c5, there is no pawn on c3"),
        (FEW, "c4c2,d5b5", "after c4c2, the pawn on d5 cannot jump to b5: c5 is empty"),
        (FEW, "d5b5,c3c5", "the pawn on d5 cannot jump to b5: c5 is empty"),
        (FEW, "c3c5a5", "after c3c5, the pawn on c5 cannot jump to a5: b5 is empty"),
        (FEW, "c3c5e5g5", "after c3c5e5, the pawn on e5 cannot jump to g5: f5 is empty"),
        (f"{FEW} ge5", "c3c5e5", "after c3c5, the pawn on c5 cannot jump to e5: e5 is occupied"),
        ("gc3 yc5", "c3c5", "the game is over: no pawn can jump any more"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason(pawns: str | None, move: str, sentence: str) -> None:
    there = RODEURS.start() if pawns is None else with_pawns(pawns)
    assert refusal(there, move) == (IllegalMove, sentence)


PATHS = "a move is a pawn's path such as c3c5 or c3c5e5, or two pawns' single jumps such as c3c5,f7f5"
STRAIGHT = "jumps go two squares in a straight line up, down, left or right"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' in '' is no square: the squares are a1 to g9"),
        ("pass", "'pa' in 'pass' is no square: the squares are a1 to g9"),
        ("C3C5", "'C3' in 'C3C5' is no square: the squares are a1 to g9"),
        ("c3c5 ", "' ' in 'c3c5 ' is no square: the squares are a1 to g9"),
        ("c3\u0663c5", "'\\u0663c' in 'c3\\u0663c5' is no square: the squares are a1 to g9"),
        ("c3", f"'c3' is no move: {PATHS}"),
        ("c3c5,f7f5,a1a3", f"'c3c5,f7f5,a1a3' is no move: {PATHS}"),
        ("c3c5,f7", "'c3c5,f7' is no move: if two pawns move, each makes exactly one jump"),
        ("c3c5e5,f7f5", "'c3c5e5,f7f5' is no move: if two pawns move, each makes exactly one jump"),
        ("c3c5,f7f5d5", "'c3c5,f7f5d5' is no move: if two pawns move, each makes exactly one jump"),
        ("c3c5,c5e5", "'c3c5,c5e5' is no move: two jumps by the same pawn are written c3c5e5"),
        ("c3c4", f"c3 to c4 is no jump: {STRAIGHT}"),
        ("c3c3", f"c3 to c3 is no jump: {STRAIGHT}"),
        ("c3" * 101, "a text longer than 200 characters is no move"),
    ],
)
def test_what_is_no_move_in_any_position_is_a_syntax_error(text: str, sentence: str) -> None:
    assert refusal(RODEURS.start(), text) == (MoveSyntaxError, sentence)


def test_only_straight_lines_are_asked_for_where_jumps_may_be_diagonal() -> None:
    with pytest.raises(
        MoveSyntaxError, match=r"^c3 to d5 is no jump: jumps go two squares in a straight line$"
    ):
        DIAGONAL.start().parse_move("c3d5")


@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize(
    ("pawns", "outcome"),
    [
        pytest.param("ga1", Outcome((1, 2), "points", (0, 1)), id="one pawn in player 2's quarter"),
        pytest.param("rb1 ga1", None, id="a jump is left"),
        pytest.param("rb1 yd1 ga9", Outcome((2, 1), "points", (6, 0)), id="fewer points"),
        pytest.param("rc9 gc1 yg1 rd5", Outcome((2, 1), "reds", (3, 3)), id="player 2 has fewer reds"),
        pytest.param("ga9 ye9 rc1 gd5", Outcome((1, 2), "reds", (3, 3)), id="player 1 has fewer reds"),
        pytest.param("yc9 ga1 ge1", Outcome((2, 1), "yellows", (2, 2)), id="player 2 has fewer yellows"),
        pytest.param("ra9 gc9 gg9 yc1 re1", Outcome((1, 2), "yellows", (5, 5)), id="player 1 has fewer"),
        pytest.param("ga9 yc9 re9 ga1 yc1 re1 gc5", Outcome((1, 1), "equal", (6, 6)), id="equal"),
        pytest.param("ra5 rg5", Outcome((1, 1), "equal", (0, 0)), id="grey squares count for nobody"),
    ],
)
def test_the_end_and_who_has_won(pawns: str, outcome: Outcome | None, player: int) -> None:
    there = with_pawns(pawns, player)
    assert there.outcome() == outcome
    assert (outcome is None) == bool(listed(there))


@pytest.mark.parametrize(
    # Both games find the last jump by the same code.
    "game_id",
    [pytest.param(id_, marks=[] if id_ == "rodeurs" else pytest.mark.slow) for id_ in SPECIAL],
)
def test_every_square_is_looked_at_for_the_last_jump(game_id: str) -> None:
    for first in range(63):
        for second in range(first + 1, 63):
            names = ["abcdefg"[square % 7] + str(square // 7 + 1) for square in (first, second)]
            there = with_pawns(f"g{names[0]} y{names[1]}", rules=game(game_id))
            slow = Slow.read(game_id, str(there))
            assert (there.outcome() is None) == (slow.result() is None)
