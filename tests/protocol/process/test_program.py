"""Tests of commands: how a text becomes words."""

import shlex

import pytest

from protocol.process.program import split_command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"C:\Users\me\engine.exe", [r"C:\Users\me\engine.exe"]),
        (r'"C:\Program Files\mine.exe" -x', [r"C:\Program Files\mine.exe", "-x"]),
        (r"wine 'C:\new bots\n.exe'", ["wine", r"C:\new bots\n.exe"]),
        (r"\\server\bots\mine.exe 1", [r"\\server\bots\mine.exe", "1"]),
    ],
)
def test_a_windows_path_keeps_its_backslashes(text: str, words: list[str]) -> None:
    assert split_command(text) == words


@pytest.mark.parametrize(
    "text", [r"./my\ engine --x=a\"b", "a 'b c' \"d e\"", "", "  ", "a # b", "C: d", "é"]
)
def test_any_other_text_is_split_as_by_a_shell(text: str) -> None:
    assert split_command(text) == shlex.split(text)


def test_an_open_quotation_mark_is_refused() -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        split_command("'a")
