"""The name of this program and short paths, for the commands that arena prints for the user to type."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

__all__ = ["own_name", "short_path"]


def own_name() -> str:
    """Return the word that starts this arena in the user's shell: ``arena``, or the path of the program.

    ``uvx`` puts the folder of the program on ``PATH`` only for the program itself. So ``arena`` on ``PATH``
    is not enough: its environment must be activated, or the program must be outside of an environment, as a
    link of pipx is.
    """
    called = Path(sys.argv[0]).absolute()
    own = called if called.name == "arena" else Path(sys.executable).with_name("arena")
    if not own.is_file():
        return "arena"
    on_path = shutil.which("arena")
    outside = sys.prefix == sys.base_prefix or own.parent != Path(sys.prefix, "bin")
    if on_path is None or Path(on_path).absolute() != own:
        return str(own)
    return "arena" if outside or os.environ.get("VIRTUAL_ENV") == sys.prefix else str(own)


def short_path(path: str) -> str:
    """Convert a path below the current folder to a relative path; return any other text unchanged."""
    relative = os.path.relpath(path)
    return relative if Path(path).is_absolute() and not relative.startswith("..") else path
