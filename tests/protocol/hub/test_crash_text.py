"""Tests of the excerpt from standard error: it has the cause of a crash, in every language."""

from pathlib import Path

import pytest

from protocol.hub.ending import crash_text

CHATTER = "reading book.bin\n12345 positions\nhash 16 MB\nready\n"

CRASHES = Path(__file__).parents[2] / "data" / "crashes.txt"


def crashes() -> list[tuple[str, str, list[str]]]:
    """Return languages, each with what it writes to standard error, and the parts that must be kept of it."""
    table = []
    for section in CRASHES.read_text(encoding="utf-8").split("== ")[1:]:
        language, *lines = section.splitlines(keepends=True)
        stderr = "".join(line for line in lines if not line.startswith(">> "))
        table.append((language.strip(), stderr, [line[3:-1] for line in lines if line.startswith(">> ")]))
    return table


@pytest.mark.parametrize("chatter", ["", CHATTER], ids=["alone", "after-chatter"])
@pytest.mark.parametrize(
    ("language", "stderr", "causes"), crashes(), ids=[language for language, *_ in crashes()]
)
def test_the_cause_of_a_crash_is_kept(language: str, stderr: str, causes: list[str], chatter: str) -> None:
    assert causes, language
    excerpt = crash_text(chatter + stderr)
    assert [cause for cause in causes if cause not in excerpt] == []
    assert len(excerpt) < 600


def test_neighbours_and_gaps_are_told_apart_and_the_first_and_the_last_line_are_kept() -> None:
    lines = [f"line {number}" for number in range(50)]
    assert crash_text("\n".join(lines)) == "line 0 … line 46 | line 47 | line 48 | line 49"


def test_the_message_before_a_very_long_trace_is_kept() -> None:
    trace = "\tat E.search(E.java:3)\n" * 1024
    excerpt = crash_text(f'Exception in thread "main" java.lang.StackOverflowError\n{trace}')
    assert excerpt.startswith(
        'Exception in thread "main" java.lang.StackOverflowError | at E.search(E.java:3)'
    )


def test_long_lines_are_cut_in_their_middle_and_control_characters_are_replaced() -> None:
    excerpt = crash_text(f"\x1b[31mbegin{'x' * 60_000}end\n   ^^^^^^\n\n")
    assert excerpt.startswith("?[31mbeginxxx")
    assert excerpt.endswith("xxxend")
    assert len(excerpt) < 250


def test_silence_and_mere_underlines_are_no_cause() -> None:
    assert crash_text("") == crash_text("\n   ~~^~~\n====\n") == ""
