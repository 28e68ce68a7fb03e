"""Makes temporary folders for engines without bubblewrap and for workers, and removes them.

The name of a folder has the id of the process that made it. If that is killed, a later process removes the
folder.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from protocol.process.machine import running

_PREFIX: Final = "leapfrog-"


def make_folder() -> str:
    """Create an empty folder, which only this user can enter, or raise OSError."""
    return tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")


def remove_folder(folder: str) -> None:
    """Remove such a folder with all of its files; blocks.

    This runs ``rm``, because removing a million files in Python would delay the clocks in another thread.
    """
    try:
        Path(folder).rmdir()  # most folders are empty
    except OSError:
        for words in (["rm", "-rf"], ["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            if not Path(folder).exists():
                return
            try:
                subprocess.run([*words, "--", folder], capture_output=True, check=False)
            except OSError:
                return  # the next run removes it


def remove_abandoned() -> None:
    """Remove the folders that killed processes have left; blocks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}[0-9]*-*"):
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            ours = folder.lstat().st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink()
            if ours and number.isdigit() and not running(int(number)):
                remove_folder(str(folder))
        except OSError:
            pass  # another process has removed it
