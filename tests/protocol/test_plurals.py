"""Tests of `protocol.plurals`."""

import pytest

from protocol.plurals import counted


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 games"), (1, "1 game"), (2, "2 games"), (-1, "-1 games"), (101, "101 games")]
)
def test_one_alone_is_singular(number, words):
    assert counted(number, "game") == words


def test_an_irregular_plural_is_given():
    assert [counted(number, "ply", "plies") for number in (0, 1, 2)] == ["0 plies", "1 ply", "2 plies"]
