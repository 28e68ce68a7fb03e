"""Finds the program in an engine's command, and the arguments that are files."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from protocol.errors import EngineStartError

PYTHON: Final = "{python}"
"""As the first word of a command, this stands for the Python interpreter that runs arena."""

CWD: Final = "{cwd}"
"""Stands for the engine's folder in a command. In a sandbox the engine starts in an empty folder instead."""


_WINDOWS_PATH = re.compile(r"""(?:^|[\s"'=])(?:[A-Za-z]:|\\)\\\w""")
"""Matches the beginning of a path such as ``C:\\engines`` or ``\\\\server\\engines`` in a command."""


_INTERPRETER = re.compile(
    r"(?:python|pypy|lua|luajit|node|nodejs|ruby|perl|php|tclsh|java|bash|sh)[\d.]*(?:\.exe)?"
)
"""Matches the names of interpreters. Their first argument that is not an option is a script."""

_PLAIN_OPTIONS: Final = ("-u", "-B", "-E", "-I", "-O", "-OO", "-s", "-S", "-jar")
"""Options of interpreters that take no value: the next word is another option, or the file."""


def split_command(text: str) -> list[str]:
    """Split a command as a shell would, or raise ValueError. In a Windows path, a backslash is a letter."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if _WINDOWS_PATH.search(text):
        lexer.escape = ""
    return list(lexer)


def find_program(command: tuple[str, ...], cwd: str | None = None, path: str | None = None) -> str:
    """Return the absolute path of the program of a command; ``path`` is searched instead of the PATH."""
    program = command[0]
    try:
        return _found(program, Path(cwd or "."), path)
    except OSError as error:  # for example, a name is too long
        raise EngineStartError(f"{error.filename}: {error.strerror}") from error


def _found(program: str, folder: Path, path: str | None) -> str:
    """Return the path of a program, or raise EngineStartError or OSError."""
    if not folder.is_dir():
        raise EngineStartError(f"there is no folder {folder} to start it in")
    if "/" not in program:
        located = shutil.which(program, path=path)
        if located is not None:
            return str(Path(located).absolute())
        advice = "install it, or write its path"
        if (folder / program).is_file():
            advice = f"write ./{program} for the one in its folder"
        raise EngineStartError(f"no program {program} is on the PATH; {_unquoted(program) or advice}")
    file = folder / program
    if file.is_dir():
        raise EngineStartError(f"{file} is a folder, not a program")
    if not file.is_file():
        advice = _unquoted(program) or "build the engine, or correct the path"
        raise EngineStartError(f"there is no file {file}; {advice}")
    if not os.access(file, os.X_OK):
        raise EngineStartError(f"{file} is not executable; run: chmod +x {shlex.quote(str(file))}")
    return str(file.absolute())


def _unquoted(program: str) -> str:
    """Return advice if a whole command is quoted as one word; "" if not."""
    words = program.split()
    if len(words) < 2:
        return ""
    return f"leave out the quotes around the whole command: {words[0]} is the program"


def check_script(command: tuple[str, ...], cwd: str | None = None) -> None:
    """Check that an interpreter's script exists, without which the engine would lose games as crashes."""
    name = Path(command[0]).name
    if not _INTERPRETER.fullmatch(name) or (name == "java" and "-jar" not in command):
        return
    script = next((word for word in command[1:] if word not in _PLAIN_OPTIONS), "-")
    file = Path(cwd or ".", script)
    if script.startswith("-") or os.path.lexists(file):
        return
    raise EngineStartError(f"there is no file {file}; correct the path of the script")


def argument_files(command: tuple[str, ...], cwd: str | None = None) -> Iterator[tuple[str, Path]]:
    """Yield each argument that is a file, such as a script: its text in the command, and its path."""
    for word in command[1:]:
        file = Path(cwd or ".", word)
        try:
            is_file = file.is_file()
        except OSError:  # for example, too long for a file name
            continue
        if is_file:
            yield word, file
