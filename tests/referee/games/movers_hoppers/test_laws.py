"""Movers & Hoppers and Rampants et sauteurs: symmetry and counts."""

from __future__ import annotations

import pytest

from referee import game
from referee.perft import perft
from tests.referee.games.movers_hoppers.slow_rules import BASIC, EXPERT, IN_PLAY, RAMPANTS, SPECIAL, Slow
from tests.referee.games.texts import listed

START = "3/3/3/3/3/3/3/3 w"
OPENED = "hhh/mmm/3/3/3/3/MMM/HHH w"
MIDDLE = "mhm/2h/3/1Hm/HM1/M1h/1HM/3 w"


def mirrored(text: str) -> str:
    """The position with left and right exchanged."""
    board, turn = text.split(" ")
    return f"{'/'.join(row[::-1] for row in board.split('/'))} {turn}"


def turned(text: str) -> str:
    """The position with the players exchanged and the columns unchanged."""
    board, turn = text.split(" ")
    return f"{'/'.join(reversed(board.swapcase().split('/')))} {'rw'['wr'.index(turn)]}"


def images(texts: list[str], names: str, images_of_names: str) -> set[str]:
    table = str.maketrans(names, images_of_names)
    return {text if text == "pass" else text.translate(table) for text in texts}


@pytest.mark.parametrize("game_id", SPECIAL)
@pytest.mark.parametrize("text", IN_PLAY)
def test_images_of_a_position_have_the_images_of_its_moves(game_id: str, text: str) -> None:
    position = game(game_id).parse_position
    here = listed(position(text))
    assert set(listed(position(mirrored(text)))) == images(here, "abc", "cba")
    assert set(listed(position(turned(text)))) == images(here, "12345678", "87654321")


@pytest.mark.parametrize(
    ("game_id", "text", "counts"),
    [
        (BASIC, START, [20, 400, 2420, 14641]),
        (EXPERT, START, [64, 4096, 24640]),
        (RAMPANTS, START, [20, 400, 2420, 14641]),
        (BASIC, OPENED, [12, 144, 1464, 14884]),
        (BASIC, MIDDLE, [12, 107, 1205, 9492]),
        (BASIC, "mmm/hhh/3/3/3/3/HHH/MMM w", [1, 1, 1, 1, 1]),
        (BASIC, "MHh/mHm/3/3/H2/M2/2h/Mhh w", [0, 0]),
        (RAMPANTS, "MHh/mHm/3/3/H2/M2/2h/Mhh w", [8, 63, 363, 2731]),
        (BASIC, "MHh/M1m/1M1/3/1Hm/3/2m/Hhh w", [9, 91, 598, 5387]),
        (RAMPANTS, "M1M/HMH/1M1/mm1/hh1/3/3/mh1 w", [9, 91, 775, 6483]),
        (RAMPANTS, "3/3/3/3/hmh/MHM/hmh/MHM r", [5, 17, 122, 801]),
    ],
)
def test_perft(game_id: str, text: str, counts: list[int]) -> None:
    there = game(game_id).parse_position(text)
    assert [perft(there, depth) for depth in range(1, len(counts) + 1)] == counts
    assert [slow_perft(Slow.read(game_id, text), depth) for depth in (1, 2)] == counts[:2]


def slow_perft(there: Slow, depth: int) -> int:
    return (
        1 if depth == 0 else sum(slow_perft(next_one, depth - 1) for next_one in there.successors().values())
    )
