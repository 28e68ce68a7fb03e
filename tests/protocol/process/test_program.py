"""Tests of commands: how a text becomes words, which script an interpreter is given, and what can be run."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import EngineStartError
from protocol.process import sandbox
from protocol.process.program import check_script, find_program, split_command
from protocol.spec import EngineSpec
from tests.missing_tools import needs


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
    (tmp_path / script).write_bytes(b"print(1)\r\n")
    check_script(words, str(tmp_path))


@pytest.mark.parametrize(
    "command",
    ["python3 -m bot", "python3 -c pass", "sh", "perl -e 1", "java Bot", "./mine bot.py", "node --x y"],
)
def test_words_that_may_be_no_script_are_left_to_the_program(command: str, tmp_path: Path) -> None:
    check_script(tuple(command.split()), str(tmp_path))


ELF = Path("/bin/true").read_bytes()
CRLF = (
    r"ends with CR LF, so the system looks for an interpreter whose name ends with CR; run: sed -i 's/\r$//' "
)
NO_PROGRAM = (
    "has no first line such as #!/usr/bin/env python3, and is no program for this system and processor"
)
NO_INTERPRETER = "which is no program on this machine; install it, or correct the line"
CANNOT_RUN = [
    ("crlf", b"#!/bin/bash\r\nexec python3 x.py\r\n", CRLF),
    ("crlf-env", b"#!/usr/bin/env python3\r\n", CRLF),
    ("no-program", b"#!/usr/bin/pyton3\n", f"the interpreter /usr/bin/pyton3, {NO_INTERPRETER}"),
    ("no-path", b"#!python3\n", f"the interpreter python3, {NO_INTERPRETER}"),
    ("nothing", b"#!\n", f"the interpreter (none), {NO_INTERPRETER}"),
    ("env-s", b"#!/usr/bin/env -S A=1 pyton3 -u\n", f"the interpreter pyton3, {NO_INTERPRETER}"),
    ("bot.py", b"import sys\n", NO_PROGRAM),
    ("other-elf", ELF[:18] + b"\x16\x00" + ELF[20:], NO_PROGRAM),
    ("bot.exe", b"MZ\x90\0\3\0", NO_PROGRAM),
    ("bot.cpp", b"int main() {}\n", "is source code; build it, and give the program that this makes"),
]


@pytest.mark.parametrize("box", ["none", "folder", pytest.param("bwrap", marks=needs("bwrap"))])
def test_a_file_that_the_system_cannot_run_is_refused_with_the_cause(box: Any, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for name, content, cause in CANNOT_RUN:
        file = tmp_path / name
        file.write_bytes(content)
        file.chmod(0o755)
        for program in (str(file), f"./{name}"):
            with pytest.raises(EngineStartError, match=re.escape(cause)) as caught:
                sandbox.check(EngineSpec("x", (program,), cwd=str(tmp_path), sandbox=box))
            assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"#!/bin/sh",
        b"#!/bin/sh\necho 1\r\n",
        b"#!\t/usr/bin/env\tsh\n",
        b"#!/usr/bin/env -S sh -u\n",
        b"#!/usr/bin/env -i sh\n",
        ELF,
    ],
)
def test_a_file_that_the_system_can_run_is_found(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "engine"
    file.write_bytes(content)
    with pytest.raises(EngineStartError, match=f"{file} is not executable; run: chmod"):
        find_program((str(file),))
    file.chmod(0o755)
    assert find_program((str(file),)) == str(file)


@pytest.mark.parametrize(("cwd", "own"), [(True, "{}/engine"), (False, "./engine")])
def test_the_advice_for_a_program_in_the_engines_folder_works(
    cwd: bool, own: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "engine").chmod(0o755)
    folder, own = str(tmp_path) if cwd else None, own.format(tmp_path)
    with pytest.raises(EngineStartError, match=f"write {own} for the one in its folder"):
        find_program(("engine",), folder)
    assert find_program((own,), folder) == str(tmp_path / "engine")
