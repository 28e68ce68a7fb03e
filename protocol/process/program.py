"""Finds the program in an engine's command, and the arguments that are files.

A file that the system cannot run is refused here, in words for its author: the kernel says only "No such
file" or "Exec format error", and some of the programs before the engine's command then run it as a script of
the shell.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import struct
import sys
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
    r"(?:python|pypy|lua|luajit|node|nodejs|ruby|perl|php|tclsh|java|bash|dash|ksh|zsh|sh)[\d.]*(?:\.exe)?"
)
"""Matches the names of interpreters. Their first argument that is not an option is a script."""

_PLAIN_OPTIONS: Final = ("-u", "-B", "-E", "-I", "-O", "-OO", "-s", "-S", "-jar")
"""Options of interpreters that take no value: the next word is another option, or the file."""


_SHELL = re.compile(r"(?:ba|da|k|z)?sh")
"""Matches the names of interpreters that cannot read CR LF at the end of a line."""

_STARTED_BY: Final = {
    ".py": "python3",
    ".sh": "sh",
    ".js": "node",
    ".lua": "lua",
    ".rb": "ruby",
    ".pl": "perl",
    ".php": "php",
    ".jar": "java -jar",
}
_HEAD: Final = 4096
_BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_LOADER = re.compile(rb"(/[!-~]*/ld[!-~]*)\0")
"""Matches the path of the loader near the beginning of a program in ELF."""

NOEXEC: Final = "a drive that starts no programs (it is mounted with noexec)"

_ALSO_RUNS: Final = {62: 3, 183: 40}
"""The second architecture that a processor runs, by the numbers of ELF: of x86-64 and of AArch64."""


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
            _check_format(Path(located), path)
            return str(Path(located).absolute())
        advice = "install it, or write its path"
        if (folder / program).is_file():
            own = f"./{program}" if folder == Path() else str((folder / program).absolute())
            advice = f"write {shlex.quote(own)} for the one in its folder"
        raise EngineStartError(f"no program {program} is on the PATH; {_unquoted(program) or advice}")
    file = folder / program
    if file.is_dir():
        raise EngineStartError(f"{file} is a folder, not a program")
    if not file.is_file():
        advice = _unquoted(program) or "build the engine, or correct the path"
        raise EngineStartError(f"there is no file {file}; {advice}")
    _check_format(file, path)
    if not os.access(file, os.X_OK):
        if starts_nothing(file):
            raise EngineStartError(f"{file} is on {NOEXEC}; put it on another drive")
        raise EngineStartError(f"{file} is not executable; run: chmod +x {shlex.quote(str(file))}")
    return str(file.absolute())


def starts_nothing(path: Path) -> bool:
    """Return whether the drive of a path, which may not exist yet, is mounted as `NOEXEC` says (on Linux)."""
    there = next(place for place in (path, *path.parents) if place.exists())
    return bool(os.statvfs(there).f_flag & getattr(os, "ST_NOEXEC", 0))


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
    if not head:
        raise EngineStartError(f"{file} is empty; build or copy it again")
    mark = next((mark for mark in _BYTE_ORDER_MARKS if head.startswith(mark)), None)
    if mark is not None:
        raise EngineStartError(
            f"{file} begins with a byte order mark (BOM), so the system does not see its first line; save it"
            " as UTF-8 without BOM"
        )
    if head.startswith(b"#!"):
        script_interpreters(file, path)
    elif b"\0" not in head:
        raise EngineStartError(
            f"{file} is a text without a first line such as #!/usr/bin/env python3, so the system cannot run"
            f" it; add that line, or {_with_interpreter(file)}"
        )
    elif sys.platform == "linux":
        _check_binary(file, head)


def _with_interpreter(file: Path) -> str:
    interpreter = _STARTED_BY.get(file.suffix, "python3")
    return f"write its interpreter before it, for example: {interpreter} {shlex.quote(str(file))}"


def _check_binary(file: Path, head: bytes) -> None:
    """Check that this system can run a program that is no script, if it runs no foreign programs."""
    own = _machine_of(_head(Path(sys.executable)) or b"")
    machine = _machine_of(head)
    if machine is None or machine not in (own, _ALSO_RUNS.get(own or 0, own)):
        if own is None or _runs_foreign_programs():
            return
        kind = "a program of Windows" if head.startswith(b"MZ") else "no program of this system"
        advice = "build it on this machine"
        if machine is not None:
            kind = "a program for another processor"
        elif file.suffix in _STARTED_BY:
            advice = _with_interpreter(file)
        raise EngineStartError(f"{file} is {kind}; {advice}")
    loader = _LOADER.search(head)
    if loader is not None and not Path(os.fsdecode(loader[1])).exists():
        raise EngineStartError(
            f"{file} needs {os.fsdecode(loader[1])}, which is not on this machine, so it was built for"
            " another system; build it on this machine, or link it statically"
        )


def _machine_of(head: bytes) -> int | None:
    """Return the number of the processor for which a program in ELF is built; None for another format."""
    if not head.startswith(b"\x7fELF") or len(head) < 20:
        return None
    (number,) = struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)
    return int(number)


def _runs_foreign_programs() -> bool:
    """Return whether Linux is set up to start programs of other systems, such as those of Windows by Wine."""
    try:
        entries = [entry for entry in Path("/proc/sys/fs/binfmt_misc").iterdir() if entry.name != "register"]
        return any(entry.read_text().startswith("enabled\n") for entry in entries)
    except OSError:
        return False


def script_interpreters(file: Path, path: str | None = None) -> list[str]:
    """Return the programs in the first line of a script: the interpreter, and what ``env`` starts.

    ``path`` is searched instead of the PATH. An empty list: the file is no script. EngineStartError: the
    system cannot find one of them.
    """
    head = _head(file) or b""
    if not head.startswith(b"#!"):
        return []
    line = head[2:].partition(b"\n")[0].decode(errors="replace").strip(" \t")
    if "\r" in line:
        convert = r"s/\r$//" if line.find("\r") == len(line) - 1 else r"s/\r/\n/g"
        raise EngineStartError(
            f"the first line of {file} ends with CR LF or CR, so the system looks for an interpreter whose"
            f" name ends with CR; run: sed -i '{convert}' {shlex.quote(str(file))}"
        )
    interpreter, *rest = line.split(None, 1) or ("",)
    advice = "install it, or correct the line; for example: #!/usr/bin/env python3"
    if (
        not interpreter.startswith("/")
        or not Path(interpreter).is_file()
        or not os.access(interpreter, os.X_OK)
    ):
        raise EngineStartError(
            f"the first line of {file} names the interpreter {interpreter or '(none)'}, which is no program"
            f" on this machine; {advice}"
        )
    if Path(interpreter).name != "env" or not rest:
        return [interpreter]
    name = rest[0]  # Linux passes all other words as one
    if name.startswith(("-S", "--split-string")):
        words = [word for word in name.split()[1:] if "=" not in word]
        name = words[0] if words else "-"
    if name.startswith("-"):
        return [interpreter]
    started = shutil.which(name, path=path)
    if started is None:
        if len(name.split()) > 1:
            advice = f"write env -S {name}, because env takes the words as one name"
        raise EngineStartError(
            f"the first line of {file} asks env for {name}, which is not on the PATH; {advice}"
        )
    return [interpreter, started]


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
    if os.path.lexists(file):
        if file.is_file():
            _check_text(file, name)
        return
    raise EngineStartError(f"there is no file {file}; correct the path of the script")


def _check_text(file: Path, interpreter: str) -> None:
    head = _head(file)
    if head == b"":
        raise EngineStartError(f"{file} is empty; copy it again")
    if _SHELL.fullmatch(interpreter) and b"\r\n" in (head or b""):
        raise EngineStartError(
            f"the lines of {file} end with CR LF, as on Windows, which {interpreter} cannot read; run:"
            f" sed -i 's/\\r$//' {shlex.quote(str(file))}"
        )


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
