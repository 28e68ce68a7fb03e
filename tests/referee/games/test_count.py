"""The count of each game, by which the ply limit can decide, in positions that were counted by hand."""

from __future__ import annotations

import pytest

from referee import CountingGame, game
from referee.registry import BUILT_IN
from tests.referee.games.rodeurs.slow_rules import placed

COUNTS = [
    # A wall above e8 and f8 makes player 1 go round by d8 and d9. Player 2 has the way from d5 down to d1.
    pytest.param("quoridor", "e8 / / e8 d5 / 9 10 / 1", (-2, -4), id="quoridor"),
    # The pawns are in each other's way. The counts are the steps to row 9, column i, row 1 and column a.
    pytest.param("quoridor4", "/ / e4 b5 e5 c5 / 5 5 5 5 / 1", (-5, -7, -4, -2), id="quoridor4"),
    # White: b8 is there, a2 and a1 are at home. Red: c2 and c1 are there, c8 and a7 at home.
    pytest.param("movers-hoppers", "1Hh/m2/M2/H2/M2/hm1/H1h/M1h r", (-1, 0), id="movers-hoppers"),
    # White has set up six pieces at home, Red has none yet.
    pytest.param(
        "movers-hoppers-expert", "3/3/3/3/3/3/MMM/HHH r", (-6, 0), id="movers-hoppers-expert, setting up"
    ),
    # White: three there, one at home. Red: three there, three at home.
    pytest.param("rampants", "MHh/mHm/3/3/H2/M2/2h/Mhh w", (2, 0), id="rampants"),
    # White: a5 and b5 are lit; c3 is lit, but not on the border. Red: a4, e3 and b1 are lit.
    pytest.param("eclaircissement", "WWrrw/R3r/w1W1R/r3w/wR1rw w", (2, 3), id="eclaircissement"),
    # White: the diagonal 0,3 1,2 2,1. Red: 2,3 over 2,2; 4,0 is alone, and 3,1 is face down.
    pytest.param("quatre-en-ligne", "W_R_r/wWR_r/w_Wr_/__w_R 0,0 0 0 w", (3, 2), id="quatre-en-ligne"),
    # Player 1: a green and a yellow pawn. Player 2: a green and a red one. One on row 5 is nobody's.
    pytest.param("rodeurs", placed("gc3 yc4 rb5 gf6 rf7"), (-3_00_01, -4_01_00), id="rodeurs"),
    # Equal points: player 2 has a red pawn.
    pytest.param("rodeurs-diagonal", placed("yc4 rb5 gf6 rf7"), (-3_00_01, -3_01_00), id="rodeurs-diagonal"),
    # The ball is on b5: four rows from row 1, two from row 7.
    pytest.param("hops", "rrrrrrr/7/1B5/7/7/7/bbb1bbb r", (4, 2), id="hops"),
]


@pytest.mark.parametrize(("game_id", "position", "counts"), COUNTS)
def test_the_count_is_what_the_page_of_the_game_says(
    game_id: str, position: str, counts: tuple[int, ...]
) -> None:
    rules = game(game_id)
    assert isinstance(rules, CountingGame)
    assert rules.count(rules.parse_position(position)) == counts


def test_every_built_in_game_is_counted_here_and_chess_has_no_count() -> None:
    assert [param.values[0] for param in COUNTS] == [*BUILT_IN]
    assert not isinstance(game("chess"), CountingGame)
