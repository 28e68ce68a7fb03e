"""Tests of commands: how a text becomes words, and which script an interpreter is given."""

import re
import shlex
from pathlib import Path

import pytest

from protocol.errors import EngineStartError
from protocol.process.program import check_script, split_command


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


@pytest.mark.parametrize(
    "command",
    [
        "python3 bot.py",
        "python3.12 -u bot.py --level 3",
        "/usr/bin/lua5.4 bot.lua",
        "java -jar bot.jar",
    ],
)
def test_a_script_that_is_not_there_is_named_before_a_game(command: str, tmp_path: Path) -> None:
    words = tuple(command.split())
    script = next(word for word in words if word.startswith("bot"))
    message = f"there is no file {tmp_path / script}; correct the path of the script"
    with pytest.raises(EngineStartError, match=re.escape(message)):
        check_script(words, str(tmp_path))
    (tmp_path / script).touch()
    check_script(words, str(tmp_path))


@pytest.mark.parametrize(
    "command",
    ["python3 -m bot", "python3 -c pass", "sh", "perl -e 1", "java Bot", "./mine bot.py", "node --x y"],
)
def test_words_that_may_be_no_script_are_left_to_the_program(command: str, tmp_path: Path) -> None:
    check_script(tuple(command.split()), str(tmp_path))
