"""Finds the program in an engine's command, and the arguments that are files.

A file that the system cannot run for one of the usual causes is refused here: some of the programs before the
engine's command would run it as a script of the shell.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from protocol.errors import EngineStartError

if TYPE_CHECKING:  # a bridge runs with an interpreter that has none of arena's libraries
    from protocol.spec import EngineSpec

PYTHON: Final = "{python}"
"""As the first word of a command, this stands for the Python interpreter that runs arena."""

CWD: Final = "{cwd}"
"""Stands for the engine's folder in a command. In a sandbox the engine starts in an empty folder instead."""


_WINDOWS_PATH = re.compile(r"""(?:^|[\s"'=])(?:[A-Za-z]:|\\)\\\w""")
"""Matches the start of a path such as ``C:\\engines`` or ``\\\\server\\engines`` in a command."""


_INTERPRETER = re.compile(
    r"(?:python|pypy|lua|luajit|node|nodejs|ruby|perl|php|tclsh|java|bash|dash|ksh|zsh|sh)[\d.]*(?:\.exe)?"
)
"""Matches the names of interpreters. Their first argument that is not an option is a script."""

_PLAIN_OPTIONS: Final = ("-u", "-B", "-E", "-I", "-O", "-OO", "-s", "-S", "-jar")
"""Options of interpreters that take no value: the next word is another option, or the file."""


_SOURCES: Final = frozenset({".c", ".cc", ".cpp", ".cs", ".cxx", ".go", ".hs", ".kt", ".ml", ".rs", ".zig"})
"""The endings of files that a compiler makes a program of."""

_HEAD: Final = 4096


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


def program_of(spec: EngineSpec) -> str:
    """Return the absolute path of the program of an engine, as `find_program`."""
    return find_program(spec.command, spec.cwd, spec.env.get("PATH"))


def _found(program: str, folder: Path, path: str | None) -> str:
    """Return the path of a program, or raise EngineStartError or OSError."""
    if not folder.is_dir():
        raise EngineStartError(f"there is no folder {folder} to start it in")
    if "/" not in program:
        located = shutil.which(program, path=path)
        if located is not None:
            _check_format(Path(located), path)
            return str(Path(located).absolute())
        advice = "install it, or write its path"
        if (folder / program).is_file():
            path_of_file = f"./{program}" if folder == Path() else str((folder / program).absolute())
            advice = f"write {shlex.quote(path_of_file)} for the one in its folder"
        raise EngineStartError(f"no program {program} is on the PATH; {_unquoted(program) or advice}")
    file = folder / program
    if file.is_dir():
        raise EngineStartError(f"{file} is a folder, not a program")
    if not file.is_file():
        advice = _unquoted(program) or "build the engine, or correct the path"
        raise EngineStartError(f"there is no file {file}; {advice}")
    _check_format(file, path)
    if not os.access(file, os.X_OK):
        raise EngineStartError(f"{file} is not executable; run: chmod +x {shlex.quote(str(file))}")
    return str(file.absolute())


def _unquoted(program: str) -> str:
    """Return advice if a whole command is quoted as one word; "" if not."""
    words = program.split()
    if len(words) < 2:
        return ""
    return f"leave out the quotes around the whole command: {words[0]} is the program"


# --- what the system can run -----------------------------------------------------------------------------


def _head(file: Path) -> bytes | None:
    """Return the first bytes of a file; None if this user may run it, but not read it."""
    try:
        with file.open("rb") as opened:
            return opened.read(_HEAD)
    except PermissionError:
        return None


def _check_format(file: Path, path: str | None) -> None:
    """Check that the system can run a file, or raise EngineStartError."""
    head = _head(file)
    if head is None:
        return
    if head.startswith(b"#!"):
        _check_first_line(file, head[2:].partition(b"\n")[0].decode(errors="replace"), path)
    elif sys.platform == "linux" and not _is_native(head):
        if file.suffix.lower() in _SOURCES:
            raise EngineStartError(f"{file} is source code; build it, and give the program that this makes")
        raise EngineStartError(
            f"{file} has no first line such as #!/usr/bin/env python3, and is no program for this system and"
            f" processor; write its interpreter before it, for example: python3 {shlex.quote(str(file))}, or"
            " build it on this machine"
        )


def _is_native(head: bytes) -> bool:
    """Return whether a file starts as the programs of this system do: ELF, for a processor such as this."""
    python = _head(Path(sys.executable)) or b""
    bits, processor = slice(4, 5), slice(18, 20)
    # A processor of 64 bits may run programs of 32 bits. If it does not, the system reports it.
    return head[:4] == python[:4] and (head[bits] != python[bits] or head[processor] == python[processor])


def _check_first_line(file: Path, line: str, path: str | None) -> None:
    """Check that the system finds the interpreter of a script, or raise EngineStartError."""
    if "\r" in line:
        raise EngineStartError(
            f"the first line of {file} ends with CR LF, so the system looks for an interpreter whose name"
            rf" ends with CR; run: sed -i 's/\r$//' {shlex.quote(str(file))}"
        )
    interpreter, *words = line.split() or ("(none)",)
    exists = interpreter.startswith("/") and os.access(interpreter, os.X_OK)
    if exists and Path(interpreter).name == "env":  # it starts its first word that is no option
        for word in [word for word in words if not word.startswith("-") and "=" not in word][:1]:
            interpreter, exists = word, shutil.which(word, path=path) is not None
    if not exists:
        raise EngineStartError(
            f"the first line of {file} names the interpreter {interpreter}, which is no program on this"
            " machine; install it, or correct the line; for example: #!/usr/bin/env python3"
        )


# --- the files among the arguments -----------------------------------------------------------------------


def check_script(command: tuple[str, ...], cwd: str | None = None) -> None:
    """Check that an interpreter's script exists, without which the engine would lose games as crashes."""
    name = Path(command[0]).name
    if not _INTERPRETER.fullmatch(name) or (name == "java" and "-jar" not in command):
        return
    script = next((word for word in command[1:] if word not in _PLAIN_OPTIONS), "-")
    file = Path(cwd or ".", script)
    if script.startswith("-"):
        return
    if not os.path.lexists(file):
        raise EngineStartError(f"there is no file {file}; correct the path of the script")


def argument_files(spec: EngineSpec) -> Iterator[tuple[str, Path]]:
    """Yield each argument that is a file, such as a script: its text in the command, and its path."""
    for word in spec.command[1:]:
        file = Path(spec.cwd or ".", word)
        try:
            is_file = file.is_file()
        except OSError:  # for example, too long for a file name
            continue
        if is_file:
            yield word, file
