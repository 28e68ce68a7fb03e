"""Movers & Hoppers and Rampants et sauteurs: position strings, and the equality of positions."""

from __future__ import annotations

import pytest

from referee import PositionError, game
from tests.referee.games.movers_hoppers.slow_rules import BASIC, EXPERT, RAMPANTS, SPECIAL
from tests.referee.games.texts import damage

EACH_GAME = pytest.mark.parametrize("game_id", SPECIAL)

START = "3/3/3/3/3/3/3/3 w"
OPENED = "hhh/mmm/3/3/3/3/MMM/HHH w"


@EACH_GAME
def test_a_game_starts_with_an_empty_board(game_id: str) -> None:
    rules = game(game_id)
    assert str(rules.start()) == START
    assert rules.start("default") == rules.start() == rules.parse_position(START)
    assert rules.start().turn == 0
    assert rules.start(OPENED) == rules.parse_position(OPENED)


@EACH_GAME
@pytest.mark.parametrize("setup", ["hmhmhm", "random:1", ""])
def test_there_is_no_other_set_up(game_id: str, setup: str) -> None:
    with pytest.raises(PositionError, match=r"^setup: '.*' is no set-up of this game: use default or a"):
        game(game_id).start(setup)


DAMAGED = [
    ("", "position", "2 fields with single spaces between them (board, player to move) were expected"),
    ("hhh/mmm/3/3/3/MMM/HHH w", "board", "8 rows were expected, not 7"),
    ("hhh/mmm/3/3/3/3/MMM/HHX w", "board", "'X' in row 1 is neither one of MHmh nor a digit"),
    ("hhh/mmm/3/3/3//MMM/HHH w", "board", "row 3, '', has 0 squares, not 3"),
    ("hhh/mmm/3/3/3/3/MM1/HHH w", "board", "White has 5 pieces, not 6"),
    ("hhh/mmm/3/3/3/M2/MMM/HHH w", "board", "White has 7 pieces, not 6"),
    ("h2/3/3/3/3/3/MMM/HHH r", "board", "Red has 1 piece, not 6"),
    ("hhh/mmm/3/3/3/3/3/3 w", "board", "Red has set up, and White, who sets up first, has not"),
    ("hhh/mmm/3/3/3/3/3/3 r", "board", "Red has set up, and White, who sets up first, has not"),
    ("3/3/3/3/3/M2/MM1/HHH r", "board", "until Red has set up, White's pieces are in rows 1 and 2"),
    ("HHH/MMM/3/3/3/3/3/3 r", "board", "until Red has set up, White's pieces are in rows 1 and 2"),
    ("3/3/3/3/3/3/MMM/HHH w", "player to move", "Red is the next to set up, not White"),
    ("3/3/3/3/3/3/3/3 r", "player to move", "White is the next to set up, not Red"),
    ("3/3/3/3/3/3/3/3 x", "player to move", "'x' is neither w nor r"),
]


@EACH_GAME
@pytest.mark.parametrize(("text", "field", "problem"), DAMAGED)
def test_a_damaged_string_is_refused_and_its_field_named(
    game_id: str, text: str, field: str, problem: str
) -> None:
    named, sentence = damage(game(game_id), text)
    assert named == field
    assert problem in sentence


@pytest.mark.parametrize(
    ("board", "movers"), [("MMM/MMM", 6), ("HHH/HHH", 0), ("MMH/HHH", 2), ("MMM/MHH", 4)]
)
def test_whites_set_up_has_three_movers_unless_the_players_are_experts(board: str, movers: int) -> None:
    text = f"3/3/3/3/3/3/{board} r"
    assert str(game(EXPERT).parse_position(text)) == text
    for game_id in (BASIC, RAMPANTS):
        with pytest.raises(PositionError, match=rf"^board: White has set up {movers} movers, not 3$"):
            game(game_id).parse_position(text)
