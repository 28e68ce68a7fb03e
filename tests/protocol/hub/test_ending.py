"""Tests of the sentences about what an engine said instead of its answer."""

import pytest

from protocol.hub.ending import left_behind, said_before_its_end, said_instead


@pytest.mark.parametrize(
    ("expected", "lines", "message"),
    [
        ("bestmove", ["best_move d1"], "; it said 'best_move d1' instead of bestmove"),
        ("bestmove", ["BestMove d1"], "; it said 'BestMove d1' instead of bestmove"),
        ("bestmove", ["move d1"], "; it said 'move d1' instead of bestmove"),
        ("bestmove", ["> bestmove d1"], "; it said '> bestmove d1', but the line must begin with bestmove"),
        ("ugiok", ["\ufeffugiok"], "; it said '\\ufeffugiok', but the line must begin with ugiok"),
        ("bestmove", ["bestmove d1"], "; it said 'bestmove d1' before 'go', which is too early"),
        ("bestmove", ["thinking", "bestmove d1"], "; it said 'bestmove d1' before 'go', which is too early"),
        ("readyok", ["readyok!"], "; it said 'readyok!' instead of readyok"),
        ("readyok", ["readyok now"], "; it said 'readyok now', but readyok must be alone on its line"),
        ("ugiok", ["uciok"], "; it said 'uciok' instead of ugiok"),
        ("bestmove", ["d1"], "; it did not say bestmove, but 'd1'"),
        ("bestmove", ["one", "two"], "; it did not say bestmove, but 'one', 'two'"),
        (
            "bestmove",
            ["inof depth 3"],
            "; it did not say bestmove, but 'inof depth 3' (the nearest word of the protocol is info)",
        ),
        (
            "ugiok",
            ["who?"],
            (
                "; it did not say ugiok, but 'who?'"
                '; if it speaks UCI, set dialect = "uci" in a file, --dialect uci in a command'
            ),
        ),
        ("bestmove", ["", "  "], ""),
        ("bestmove", [], ""),
    ],
)
def test_what_was_said_instead_is_quoted_with_the_word_that_is_meant(
    expected: str, lines: list[str], message: str
) -> None:
    assert said_instead(expected, lines) == message


def test_an_error_on_standard_output_is_shortened_to_its_cause() -> None:
    lines = [
        "",
        "Warning: Undefined array key 0 in /bots/e.php on line 2",
        "Fatal error: Uncaught TypeError: choose(): null returned in /bots/e.php:2",
        "Stack trace:",
        "#0 /bots/e.php(3): choose()",
        "#1 {main}",
        "  thrown in /bots/e.php on line 2",
    ]
    said = said_before_its_end(lines)
    assert said.startswith("; it had said 'Warning: Undefined array key 0")
    assert "Fatal error: Uncaught TypeError: choose(): null returned" in said
    assert said_before_its_end([]) == ""


def test_an_unfinished_line_and_standard_error_are_quoted() -> None:
    assert left_behind("bestmove e2") == "; it printed 'bestmove e2' without a newline"
    assert left_behind("", "no book\n") == "; its standard error says: no book"
    assert left_behind("") == ""


def test_a_line_that_is_too_long_is_told_without_its_text() -> None:
    assert (
        left_behind("", dropped=True) == "; it printed a line longer than 65,536 bytes, which does not count"
    )
