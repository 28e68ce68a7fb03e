"""Tests of `protocol.printable`."""

from protocol.printable import printable, shortened


def test_what_would_move_a_cursor_becomes_a_question_mark():
    assert printable("a\x1b[2Jb\n\u202ec") == "a?[2Jb??c"
    assert printable("a\x1bb\nc", keep="\n") == "a?b\nc"
    assert printable("Éclair 日本") == "Éclair 日本"


def test_a_long_text_is_cut_in_its_middle():
    assert shortened("x" * 100, 100) == "x" * 100
    assert shortened("a" * 100 + "b" * 100, 100) == "a" * 50 + " … " + "b" * 50
