"""From an engine's command to the files that it means, or what to do when there is no program."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from protocol.errors import EngineStartError

__all__ = ["PYTHON", "argument_files", "find_program"]

PYTHON: Final = "{python}"
"""As the first word of a command: the interpreter that runs arena, with all that is installed for it."""


def find_program(command: tuple[str, ...], cwd: str | None = None, path: str | None = None) -> str:
    """The absolute path of the program that ``command`` means.

    Args:
        command: program and arguments; a program without a ``/`` is looked up on the PATH.
        cwd: the engine's directory, from which a relative path is seen; None for ours.
        path: the PATH to look at; None for ours.

    Raises:
        EngineStartError: there is none, or it may not be executed; the message says what to do.
    """
    program = command[0]
    folder = Path(cwd or ".")
    if not folder.is_dir():
        raise EngineStartError(f"there is no folder {folder} to start it in")
    if "/" not in program:
        found = shutil.which(program, path=path)
        if found is not None:
            return str(Path(found).absolute())
        here = (folder / program).is_file()
        advice = f"write ./{program} for the one in its folder" if here else "install it, or write its path"
        raise EngineStartError(f"no program {program} is on the PATH; {advice}")
    file = folder / program
    try:
        if file.is_dir():
            raise EngineStartError(f"{file} is a folder, not a program")
        if not file.is_file():
            raise EngineStartError(f"there is no file {file}; build the engine, or correct the path")
    except OSError as error:
        raise EngineStartError(f"{file}: {error.strerror}") from error
    if not os.access(file, os.X_OK):
        raise EngineStartError(f"{file} is not executable; run: chmod +x {shlex.quote(str(file))}")
    return str(file.absolute())


def argument_files(command: tuple[str, ...], cwd: str | None = None) -> Iterator[tuple[str, Path]]:
    """The arguments that are files, as a script mostly is: as they are written, and where they are.

    Args:
        command: program and arguments.
        cwd: as in `find_program`.
    """
    for word in command[1:]:
        file = Path(cwd or ".", word)
        try:
            found = file.is_file()
        except OSError:  # too long for a name, for one
            continue
        if found:
            yield word, file
