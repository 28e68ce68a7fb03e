"""Éclaircissement: symmetry, counts, and that every player always has a move."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest

from referee.games.eclaircissement.position import ECLAIRCISSEMENT
from referee.perft import perft
from tests.referee.games.eclaircissement.slow_rules import EIGHT, ORTHOGONAL, SQUARES, away, random_position
from tests.referee.games.texts import after, listed
from tests.seeds import seeds

START = "wrwrw/r3r/w3w/r3r/wrwrw w"
position = ECLAIRCISSEMENT.parse_position


Map = Callable[[int, int], tuple[int, int]]
MAPS: list[Map] = [
    lambda column, row: (4 - column, row),
    lambda column, row: (column, 4 - row),
    lambda column, row: (row, column),
    lambda column, row: (row, 4 - column),
    lambda column, row: (4 - column, 4 - row),
]


def mapped_names(names: str, way: Map) -> str:
    """A move's text with each of its squares moved."""
    pairs = [names[start : start + 2] for start in range(0, len(names) - 1, 2)]
    moved = [way("abcde".index(pair[0]), int(pair[1]) - 1) for pair in pairs]
    return "".join("abcde"[column] + str(row + 1) for column, row in moved) + "+" * names.count("+")


def mapped(text: str, way: Map) -> str:
    """A position string with each of its squares moved."""
    board, turn = text.split(" ")
    cells = [list("".join("." * int(c) if c.isdigit() else c for c in row)) for row in board.split("/")]
    moved = [row[:] for row in cells]
    for row in range(5):
        for column in range(5):
            to_column, to_row = way(column, row)
            moved[4 - to_row][to_column] = cells[4 - row][column]
    lines = "/".join("".join(row) for row in moved)
    for gap in range(5, 0, -1):
        lines = lines.replace("." * gap, str(gap))
    return f"{lines} {turn}"


def colours_exchanged(text: str) -> str:
    return text.translate(str.maketrans("wrWR", "rwRW"))


def endings(texts: Iterable[str]) -> list[tuple[str, str, bool, int]]:
    """The effect of each move. The canonical texts may differ: another path can be smaller."""
    return sorted((text[:2], text.removesuffix("+")[-2:], text.endswith("+"), len(text)) for text in texts)


@pytest.mark.parametrize("way", MAPS)
def test_a_turned_or_mirrored_position_has_the_turned_or_mirrored_moves(way: Map) -> None:
    for seed in seeds(10):
        text = random_position(random.Random(seed))
        there, image = position(text), position(mapped(text, way))
        moves = listed(there)
        images = [mapped_names(move, way) for move in moves]
        assert endings(listed(image)) == endings(images), text
        for move, moved in zip(moves, images, strict=True):
            assert str(after(image, moved)) == mapped(str(after(there, move)), way), (text, move)


@pytest.mark.parametrize("seed", seeds(20))
def test_exchanging_the_colours_changes_no_move(seed: int) -> None:
    text = random_position(random.Random(seed))
    there, image = position(text), position(colours_exchanged(text))
    assert list(there.legal_moves()) == list(image.legal_moves())


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (START, [16, 280, 6384]),
        ("rrrrr/r3w/r3w/r3w/wwwww w", [16, 264, 6157]),
        ("WrWrW/r3W/3rW/R3r/wrWrW w", [18, 365, 7956]),
    ],
)
def test_perft(text: str, counts: list[int]) -> None:
    assert [perft(position(text), depth) for depth in (1, 2, 3)] == counts


def test_nobody_ever_lacks_a_move() -> None:
    # A pawn can move only if an empty square is next to it, or two squares away in its row or column.
    # Nine empty squares and eight blocked pawns leave at most 17 squares empty or near an empty one.
    near = {
        square: (
            {away(square, *step) for step in EIGHT}
            | {away(square, 2 * across, 2 * up) for across, up in ORTHOGONAL}
        )
        - {None}
        for square in SQUARES
    }

    def can_be_blocked(first: int, empty: int, touched: frozenset[str | None]) -> bool:
        """Whether nine empty squares can leave eight pawns blocked, with ``empty`` among the nine."""
        if len(touched) > 17:
            return False
        return empty == 9 or any(
            can_be_blocked(
                next_square + 1, empty + 1, touched | near[SQUARES[next_square]] | {SQUARES[next_square]}
            )
            for next_square in range(first, 25)
        )

    assert not can_be_blocked(0, 0, frozenset())
