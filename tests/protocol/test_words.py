"""Tests of `protocol.words`."""

import pytest

from protocol.words import counted, printable, shortened


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 games"), (1, "1 game"), (2, "2 games"), (-1, "-1 games"), (101, "101 games")]
)
def test_one_alone_is_singular(number, words):
    assert counted(number, "game") == words


def test_an_irregular_plural_is_given():
    assert [counted(number, "ply", "plies") for number in (0, 1, 2)] == ["0 plies", "1 ply", "2 plies"]


def test_what_would_move_a_cursor_becomes_a_question_mark():
    assert printable("a\x1b[2Jb\n\u202ec") == "a?[2Jb??c"
    assert printable("a\x1bb\nc", keep="\n") == "a?b\nc"
    assert printable("Éclair 日本") == "Éclair 日本"


def test_a_long_text_is_cut_in_its_middle():
    assert shortened("x" * 100, 100) == "x" * 100
    assert shortened("a" * 100 + "b" * 100, 100) == "a" * 50 + " … " + "b" * 50
