"""A hidden folder for what is not complete yet, beside the place where it will be.

The folder is locked while it is used. The kernel unlocks it when the process ends, in whatever way. So the
next program that makes one there knows which folders killed programs have left, also in other containers.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = ".leapfrog-new-"


@contextmanager
def scratch_folder(place: Path) -> Iterator[Path]:
    """Yield an empty folder in a folder, which is made if it is missing. OSError: the disk refuses it.

    It is removed after the block. Before it, those are removed that killed programs have left.
    """
    place.mkdir(parents=True, exist_ok=True)
    for left in place.glob(f"{_PREFIX}*"):
        with suppress(OSError), ExitStack() as stack:  # another program may use it, or have removed it
            descriptor = os.open(left, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left)
    while True:
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        try:
            descriptor = os.open(made, os.O_RDONLY)
        except FileNotFoundError:  # another program has taken it for a left one
            continue
        try:
            with suppress(OSError):  # a drive that knows no locks: nobody removes a folder there
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if made.is_dir():  # no other program has removed it before it was locked
                yield made
                return
        finally:
            shutil.rmtree(made, ignore_errors=True)
            os.close(descriptor)
