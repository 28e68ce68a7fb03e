"""The keys of an engine from the door, as if the organiser had written them into the tournament file."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from arena.config.door_keys import DoorKeys
from arena.door.archive import safe_name
from arena.errors import ArenaError
from protocol.process.program import CWD, PYTHON

__all__ = ["engine_keys"]

_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""The PATH for programs. The sandbox shows a program's folder, so none of them is the organiser's."""


def engine_keys(
    name: str, version: int, command: Sequence[str], folder: Path, door: DoorKeys
) -> dict[str, Any]:
    """Return the keys of ``[[engines]]`` for a built submission.

    Arguments that name files of the submission get their whole path, because the engine starts in an empty
    folder.

    Args:
        name: the participant's name.
        version: the version of the submission.
        command: the words that start it in its folder.
        folder: its folder.
        door: the limits.

    Raises:
        ArenaError: the command starts no program of the submission or of the system.
    """
    first, *arguments = command
    limits = {field.name: getattr(door.playing, field.name) for field in fields(door.playing)}
    return {
        "name": name,
        "version": str(version),
        "command": [_program(first, folder), *(_argument(word, folder) for word in arguments)],
        "cwd": str(folder),
        "sandbox": "bwrap",
        "readable": [],
        "env": {},
        "limits": {key: value for key, value in limits.items() if value is not None},
    }


def _program(word: str, folder: Path) -> str:
    """Return the program of a command.

    Raises:
        ArenaError: it is neither in the submission nor in the folders of the system.
    """
    if word == PYTHON:
        return word
    if "/" not in word:
        found = shutil.which(word, path=_PATH)
        if found is None:
            raise ArenaError(
                f"there is no program {word[:100]!a} on this machine; write ./ before one of your own"
            )
        return found
    path = safe_name(word)
    if not (folder / path).is_file():
        raise ArenaError(f"there is no file {path!a} after the build; correct the command or the build")
    return str(folder / path)


def _argument(word: str, folder: Path) -> str:
    word = word.replace(CWD, str(folder))
    if word.startswith(("/", "-")):
        return word
    try:
        path = safe_name(word)
    except ArenaError:
        return word  # not a path, or not a path in the submission
    return str(folder / path) if (folder / path).exists() else word
