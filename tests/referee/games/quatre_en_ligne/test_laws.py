"""Quatre en ligne: symmetry and counts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from referee.games.quatre_en_ligne.position import QUATRE_EN_LIGNE
from referee.perft import perft
from tests.referee.games.quatre_en_ligne.slow_rules import Place, Slow
from tests.referee.games.texts import listed

START = "_____/_____/_____/_____ 0,0 6 6 w"
MIDDLE = "_rww_/__rrr/rwwrw/____w 0,0 0 0 w"
RING = "wrwrwr/_...._/w....r/_...._/r....w/_wr___ -3,-3 0 0 w"
ROW = "_wwwwrr______rrrrww_ -19,-1 0 0 w"
STUCK = "wwwwwwrr________rrrr 0,0 0 0 w"
WON = "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r"
VARIED = [
    MIDDLE,
    RING,
    ROW,
    STUCK,
    WON,
    "_w_w_/.www./_rWr_/.rrr./_r__. 0,0 0 0 w",
    "._w............./w._............./___wrwrwrwrrr___ 0,0 0 0 w",
    "wrw____wrw/rwr....rwr/__......__ 0,0 0 0 w",
    "WWW__/rrrrW/rrw__/w____ 2,2 0 0 w",
]
position = QUATRE_EN_LIGNE.parse_position


def image(text: str, change: Callable[[Place], Place], *, swap: bool = False) -> str:
    """The position with every place mapped, and with the colours swapped if asked."""
    old = Slow.read("quatre-en-ligne", text)
    colours = str.maketrans("wrWR", "rwRW" if swap else "wrWR")
    pieces = {change(place): piece.translate(colours) for place, piece in old.pieces.items()}
    return str(Slow({change(place) for place in old.tiles}, pieces, old.turn.translate(colours)))


def changed(move: str, change: Callable[[Place], Place]) -> str:
    def number(match: re.Match[str]) -> str:
        x, y = change((int(match[1]), int(match[2])))
        return f"{x},{y}"

    return re.sub(r"(-?\d+),(-?\d+)", number, move)


SYMMETRIES: dict[str, Callable[[Place], Place]] = {
    "mirrored": lambda place: (-place[0], place[1]),
    "a quarter turn": lambda place: (-place[1], place[0]),
    "shifted": lambda place: (place[0] - 71, place[1] + 30),
}


@pytest.mark.parametrize("how", SYMMETRIES)
@pytest.mark.parametrize("text", VARIED)
def test_images_of_a_position_have_the_images_of_its_moves(text: str, how: str) -> None:
    change = SYMMETRIES[how]
    images = sorted(listed(position(image(text, change))))
    assert images == sorted(changed(move, change) for move in listed(position(text)))
    assert images == sorted(listed(position(image(text, change, swap=True))))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (START, [20, 380, 6840]),
        (MIDDLE, [64, 4058]),
        (RING, [272]),
        (STUCK, [1, 4]),
        (WON, [0, 0]),
    ],
)
def test_perft(text: str, counts: list[int]) -> None:
    assert [perft(position(text), depth) for depth in range(1, len(counts) + 1)] == counts
