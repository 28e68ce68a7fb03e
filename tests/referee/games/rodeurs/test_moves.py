"""Rôdeurs: legal moves, the reasons why other moves are illegal, and wins."""

from __future__ import annotations

import pytest

from referee import Game, IllegalMove, MoveSyntaxError, Outcome, Position, game
from tests.referee.games.rodeurs.slow_rules import SPECIAL, Slow, placed
from tests.referee.games.texts import after, listed, refusal

RODEURS = game("rodeurs")
DIAGONAL = game("rodeurs-diagonal")


def with_pawns(pawns: str, player: int = 1, rules: Game = RODEURS) -> Position:
    return rules.parse_position(placed(pawns, player))


# --- turns -------------------------------------------------------------------------------------------------


def test_the_first_turn_of_the_game_is_exactly_one_jump() -> None:
    straight = "a3a5 b3b5 c3c5 d3d5 e3e5 f3f5 g3g5 a7a5 b7b5 c7c5 d7d5 e7e5 f7f5 g7g5"
    oblique = (
        "a3c5 b3d5 c3a5 c3e5 d3b5 d3f5 e3c5 e3g5 f3d5 g3e5 a7c5 b7d5 c7a5 c7e5 d7b5 d7f5 e7c5 e7g5 f7d5 g7e5"
    )
    assert listed(RODEURS.start()) == sorted(straight.split())
    assert listed(DIAGONAL.start()) == sorted(straight.split() + oblique.split())


def test_the_second_turn_may_be_one_jump_two_or_a_chain() -> None:
    moves = listed(after(RODEURS.start(), "c3c5"))
    assert {"c6c4", "a3c3", "b3b5d5", "c6c4,f3f5", "a3c3,e3e5"} < set(moves)
    assert {len(move) for move in moves} == {4, 6, 9}


@pytest.mark.parametrize(
    ("pawns", "expected"),
    [
        pytest.param("gc3 yc4", "c3c5 c4c2", id="neighbours: either jumps the other"),
        pytest.param("ga1 ya2", "a1a3", id="at the edge there is nowhere to land"),
        pytest.param("gc3 yc5", "", id="a gap between"),
        pytest.param("gd5 ye6", "", id="diagonal neighbours"),
        pytest.param("gg3 ya4", "", id="neighbours by number only"),
        pytest.param("gc3 yc4 rd5", "c3c5 c4c2 c3c5e5 c3c5,d5b5", id="on with the same pawn, or over it"),
        pytest.param(
            "gc3 yc4 re3 gd3",
            "c3c5 c4c2 d3b3 d3f3 c3c5,d3f3 c3c5,e3c3 c4c2,d3f3 c4c2,e3c3",
            id="onto a square that the first jump has left or emptied",
        ),
        pytest.param("ga1 ya2 gg1 yg2", "a1a3 g1g3 a1a3,g1g3", id="two jumps in either order are one move"),
    ],
)
def test_all_moves_of_a_position(pawns: str, expected: str) -> None:
    assert listed(with_pawns(pawns)) == expected.split()


def test_diagonal_jumps_belong_to_the_other_game() -> None:
    assert listed(with_pawns("gd5 ye6", rules=DIAGONAL)) == ["d5f7", "e6c4"]
    assert listed(with_pawns("gg3 ya4", rules=DIAGONAL)) == []


def test_the_second_jump_may_go_over_the_pawn_that_has_just_landed() -> None:
    assert str(after(with_pawns("gc3 yc4 rd5"), "c3c5,d5b5")) == placed("rb5", 2)


def test_two_jumps_are_read_in_either_order_where_both_are_possible() -> None:
    there = with_pawns("ga1 ya2 gg1 yg2")
    assert after(there, "g1g3,a1a3") == after(there, "a1a3,g1g3")
    assert str(there.parse_move("g1g3,a1a3")) == "g1g3,a1a3"


def test_one_jump_alone_is_a_turn_even_where_a_second_would_be_possible() -> None:
    assert str(after(with_pawns("gc3 yc4 rd5", 2), "c3c5")) == placed("gc5 rd5", 1)


def test_a_chain_may_come_back_to_its_beginning_and_either_way_round_is_the_same_move() -> None:
    there = with_pawns("gd8 yd7 re6 yf7 re8")
    assert [move for move in listed(there) if move[:2] == move[-2:]] == ["d8d6f6f8d8"]
    assert str(after(there, "d8d6f6f8d8")) == str(after(there, "d8f8f6d6d8")) == placed("gd8", 2)


def test_a_chain_may_land_on_a_square_twice() -> None:
    there = with_pawns("yc3 gb3 ya4 yb5 ya6 yb7 gc6 yd5")
    assert str(after(there, "c3a3a5a7c7c5e5")) == placed("yb5 ye5", 2)
    assert str(after(there, "c3a3a5c5c7a7a5")) == placed("ya5 yd5", 2)
    assert after(there, "c3a3a5c5c7a7a5") == after(there, "c3a3a5a7c7c5a5")


def test_chains_of_two_pawns_that_take_the_same_ones_and_come_home_are_one_move() -> None:
    there = with_pawns("gd3 ge4 gd4 ye5 yd6 ye6", rules=DIAGONAL)
    ways = ["d3d5d7f5d3", "d3f5d7d5d3", "e5e3c5e7e5", "e5e7c5e3e5"]
    assert {str(after(there, way)) for way in ways} == {placed("gd3 ye5", 2)}
    assert [way for way in ways if way in listed(there)] == ["d3d5d7f5d3"]


def test_the_colour_of_a_jumped_pawn_tells_moves_apart() -> None:
    # From c3 to e5 around either corner. The results differ only if the pawns differ.
    same, different = with_pawns("gc3 yc4 yd5 yd3 ye4"), with_pawns("gc3 yc4 yd5 yd3 re4")
    assert {"c3c5e5", "c3e3e5"} < set(listed(same))
    assert after(different, "c3c5e5") != after(different, "c3e3e5")
    assert str(after(different, "c3c5e5")) == placed("ge5 yd3 re4", 2)


def test_moves_are_listed_by_length_and_then_in_ascii_order() -> None:
    for text in SPECIAL["rodeurs-diagonal"]:
        moves = listed(DIAGONAL.parse_position(text))
        assert moves == sorted(moves, key=lambda move: (len(move), move))


def test_a_chain_of_many_jumps_is_read() -> None:
    there = with_pawns("ga1 ya2 rb3 yc2 gd1 re2 yf3 rg4 yf5 ge4 yd5 rc6 yb5 ra6 yb7 rc8")
    longest = listed(there)[-1]
    assert len(longest) >= 24
    assert str(there.parse_move(longest)) == longest


# --- illegal moves -----------------------------------------------------------------------------------------

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
        (FEW, "c3c5c3", "after c3c5, the pawn on c5 cannot jump to c3: c4 is empty"),
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
        ("c3e5", f"c3 to e5 is no jump: {STRAIGHT}"),
        ("g3b4", f"g3 to b4 is no jump: {STRAIGHT}"),
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


# --- the end -----------------------------------------------------------------------------------------------


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


def test_the_square_colours_of_the_position_decide_whose_a_pawn_is() -> None:
    squares = "wwwwwww/wwwwwww/wwwwwww/wwwwwww/-------/bbbbbbb/bbbbbbb/bbbbbbb/bbbbbbb"
    there = RODEURS.parse_position(f"{squares} r6/7/7/7/7/7/7/7/y6 1")
    assert there.outcome() == Outcome((2, 1), "points", (3, 2))


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
