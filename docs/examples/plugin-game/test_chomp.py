"""Chomp keeps the laws of all games and its own rules."""

import pytest
from arena_chomp import CHOMP

from referee import IllegalMove
from referee.testing import check_game


def test_the_rules_keep_all_laws() -> None:
    """``positions`` has one that random games rarely reach. The counts in ``perft`` were made by hand."""
    check_game(CHOMP, positions=["0/0/0/2 1"], perft={"0/0/1/1 1": [2, 1], "5/5/5/5 1": [20]})


def test_what_is_eaten_stays_eaten() -> None:
    """A rule of this game alone."""
    bar = CHOMP.parse_position("1/2/5/5 1")
    with pytest.raises(IllegalMove, match="c3 has been eaten"):
        bar.parse_move("c3")
    assert str(bar.play(bar.parse_move("b2"))) == "1/1/1/5 2"
