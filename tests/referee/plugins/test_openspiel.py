"""Games of OpenSpiel keep the laws of all games, and OpenSpiel's own rules decide them."""

from __future__ import annotations

from dataclasses import replace

import pyspiel
import pytest

from referee import IllegalMove, MoveSyntaxError, PositionError, UnknownGame, game
from referee.plugins import openspiel
from referee.plugins.openspiel import PREFIX
from referee.testing import check_game

PLAYED = [
    "amazons",
    "antichess",
    "breakthrough",
    "checkers",
    "chess",
    "chinese_checkers",
    "clobber",
    "connect_four",
    "crazyhouse",
    "cursor_go",
    "dots_and_boxes",
    "go(board_size=7)",
    "gomoku(size=7)",
    "havannah(board_size=4)",
    "hex(board_size=5)",
    "hive",
    "lines_of_action",
    "mancala",
    "mnk(m=5,n=5,k=4)",
    "nim",
    "nine_mens_morris",
    "othello",
    "oware",
    "pentago",
    "quoridor",
    "shogi",
    "tic_tac_toe",
    "twixt",
    "ultimate_tic_tac_toe",
    "xiangqi",
    "y(board_size=7)",
]
DRAWN = [
    "amazons",
    "antichess",
    "breakthrough",
    "checkers",
    "chess",
    "clobber",
    "connect_four",
    "crazyhouse",
    "cursor_go",
    "go(board_size=7)",
    "havannah(board_size=4)",
    "hex(board_size=5)",
    "lines_of_action",
    "mnk(m=5,n=5,k=4)",
    "nine_mens_morris",
    "othello",
    "pentago",
    "shogi",
    "tic_tac_toe",
    "y(board_size=7)",
]


@pytest.mark.parametrize("name", PLAYED)
def test_a_game_keeps_the_laws_of_all_games(name: str) -> None:
    rules = openspiel.game(PREFIX + name)
    assert (rules.info.drawn is not None) == (name in DRAWN)
    rules.info = replace(rules.info, ply_limit=16)
    check_game(rules, games=2, examined=2)


def test_every_game_of_two_that_hides_nothing_is_among_them() -> None:
    names = {name.partition("(")[0] for name in PLAYED}
    for kind in pyspiel.registered_games():
        if kind.default_loadable:
            try:
                openspiel.game(PREFIX + kind.short_name)
            except UnknownGame:
                assert kind.short_name not in names
            else:
                assert kind.short_name in names or kind.short_name == "leapfrog"


def test_openspiel_decides_who_has_won() -> None:
    position = game("openspiel:tic_tac_toe").parse_position("start x(0,0) o(1,0) x(0,1) o(1,1) x(0,2)")
    assert position.outcome().ranks == (1, 2)
    assert list(position.legal_moves()) == []
    drawn = "start x(0,0) o(0,1) x(0,2) o(1,1) x(1,0) o(1,2) x(2,1) o(2,0) x(2,2)"
    assert game("openspiel:tic_tac_toe").parse_position(drawn).outcome().ranks == (1, 1)


def squares(text: str, id_: str) -> dict[str, str]:
    return dict(game(id_).parse_position(text).scene().pieces)


def test_the_drawn_board_stands_as_openspiel_shows_it() -> None:
    start = squares("start", "openspiel:breakthrough")
    moved = squares("start a7a6", "openspiel:breakthrough")
    assert start.pop("a7") == moved.pop("a6")
    assert start == moved
    assert list(squares("start x3", "openspiel:connect_four")) == ["d1"]
    assert list(squares("start c2", "openspiel:hex(board_size=7)")) == ["c2"]
    assert len(squares("start e4", "openspiel:chess")) == 32
    assert list(squares("start B_c2", "openspiel:go(board_size=7)")) == ["c2"]


REFUSED = {
    "kuhn_poker": "cannot be played here: chance has a part in it and it hides something from a player",
    "dark_hex": "cannot be played here: it hides something from a player",
    "oshi_zumo": "cannot be played here: its players move at the same time",
    "backgammon": "cannot be played here: chance has a part in it",
    "cliff_walking": "cannot be played here: it is for 1 player, not 2",
    "hexx": "OpenSpiel has no game 'hexx'; did you mean hex?",
    "hex(size=3)": "OpenSpiel does not load 'hex(size=3)': Unknown parameter 'size'",
}


@pytest.mark.parametrize(("name", "why"), REFUSED.items())
def test_another_game_is_refused_in_a_sentence(name: str, why: str) -> None:
    with pytest.raises(UnknownGame) as refused:
        game(PREFIX + name)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_wrong_text_is_named() -> None:
    rules = game("openspiel:hex(board_size=3)")
    with pytest.raises(IllegalMove, match="it is not one of the 9 legal moves, such as a1"):
        rules.start().parse_move("d4")
    with pytest.raises(MoveSyntaxError, match="a move is a word"):
        rules.start().parse_move("a1 b2")
    with pytest.raises(PositionError, match="move 2: it is not one of the 8 legal moves"):
        rules.parse_position("start a1 a1")
    with pytest.raises(PositionError, match="has no set-ups"):
        rules.start("other")
