"""Positions of all games as values: copies and pickles."""

from __future__ import annotations

import copy
import pickle

import pytest

from referee import game
from referee.registry import BUILT_IN
from tests.compiled import COMPILED
from tests.referee.games.rodeurs.slow_rules import placed

SET_UP = ("3/3/3/3/3/3/3/3 w", "hmhmhm")
JUMP = ("mhm/2h/3/1Hm/HM1/M1h/1HM/3 w", "a4c6")
MOVES = {
    "quoridor": [
        ("e3 / d8 / e4 e6 / 9 9 / 1", "e5"),
        ("/ / e1 e9 / 10 10 / 1", "e3h"),
        ("a1 / / e2 e9 / 9 10 / 2", "e8"),
    ],
    "quoridor4": [
        ("d4f4e7 / a2a8 / e4 e6 a4 h6 / 4 3 5 3 / 3", "b4"),
        ("a8c8g8 / d1e1 / e1 e2 e3 i5 / 0 5 5 5 / 1", "pass"),
    ],
    "movers-hoppers": [SET_UP, JUMP],
    "movers-hoppers-expert": [SET_UP, JUMP],
    "rampants": [SET_UP, JUMP],
    "eclaircissement": [("wrwrw/rr2w/1w2w/R1r2/wr1wr w", "a1a3c3+")],
    "quatre-en-ligne": [
        ("_____/_____/_____/_____ 0,0 6 6 w", "2,1"),
        ("_rww_/__rrr/rwwrw/____w 0,0 0 0 w", "4,0>4,-1@0,3"),
        ("_rww_/__rrr/rwwrw/____w 0,0 0 0 w", "4,0>3,0"),
        ("_w_w_/.www./_rWr_/.rrr./_r__. 0,0 0 0 w", "2,2>4,0@0,4"),
        ("wwwwwwrr________rrrr 0,0 0 0 w", "pass"),
    ],
    "rodeurs": [(placed("gc3 yc4 rd5"), "c3c5,d5b5")],
    "rodeurs-diagonal": [(placed("gc3 yc4 rd5"), "c3c5e5")],
    "hops": [
        ("rr1rr1r/7/7/4Br1/2r4/7/b1bbbbb r", "f4*d4b2#"),
        ("rrrrrrr/7/7/7/7/7/bbbBbbb b", "d1d2,a1a2"),
    ],
}
"""For each game some position strings, each with a legal move of another kind."""
EACH_MOVE = pytest.mark.parametrize(
    ("game_id", "text", "move"), [(game_id, *pair) for game_id in BUILT_IN for pair in MOVES[game_id]]
)


@EACH_MOVE
def test_copies_and_pickles_stay_usable(game_id: str, text: str, move: str) -> None:
    there = game(game_id).parse_position(text)
    if COMPILED:
        with pytest.raises(TypeError):
            pickle.loads(pickle.dumps(there))
        return
    played = there.parse_move(move)
    for again, played_again in (
        (copy.deepcopy(there), copy.deepcopy(played)),
        (pickle.loads(pickle.dumps(there)), pickle.loads(pickle.dumps(played))),
    ):
        assert (again, played_again) == (there, played)
        assert again.play(played_again) == there.play(played)
