"""Tests of what an error message quotes of an engine."""

import pytest

from protocol.hub.ending import left_behind, wrong_answers


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["best_move d1"], "; what it said is no answer: 'best_move d1'"),
        (["", "one", *"abc"], "; what it said is no answer: 'one', 'a', 'b', 'c'"),
        (["", "  "], ""),
    ],
)
def test_the_last_lines_that_are_no_answer_are_quoted(lines: list[str], message: str) -> None:
    assert wrong_answers(lines) == message


TRACEBACK = """\
Traceback (most recent call last):
  File "/bots/e.py", line 2, in choose
    return legal[0]
           ~~~~~^^^
IndexError: list index out of range
"""


@pytest.mark.parametrize(
    ("stderr", "quoted"),
    [
        ("no book\n", "no book"),
        (
            TRACEBACK,
            (
                'Traceback (most recent call last): | File "/bots/e.py", line 2, in choose'
                " | IndexError: list index out of range"
            ),
        ),
        ("main: Overflow\n" + "\tat E.search(E.java:3)\n" * 1024, "main: Overflow"),
        ("\x1b[31mred", "?[31mred"),
    ],
)
def test_standard_error_is_quoted_without_a_trace_but_with_the_places_of_python(
    stderr: str, quoted: str
) -> None:
    assert left_behind("", stderr) == f"; its standard error says: {quoted}"


def test_an_unfinished_line_and_a_line_that_is_too_long_are_named() -> None:
    assert left_behind("bestmove e2", dropped=True) == (
        "; it printed a line longer than 65,536 bytes, which does not count"
        "; it printed 'bestmove e2' without a newline"
    )
    assert left_behind("", "  \n") == ""
