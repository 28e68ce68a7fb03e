"""Write the output of a command to standard output, or to a file that is complete or not there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from arena.errors import ArenaError

__all__ = ["open_output"]


@contextmanager
def open_output(path: Path | None) -> Iterator[BinaryIO]:
    """Open the output. A file gets its name only after it is complete.

    Args:
        path: the file; None or ``-`` for standard output.

    Raises:
        ArenaError: the file cannot be written.
    """
    if path is None or str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    special = path.exists() and not path.is_file()  # a pipe or a device
    partial = path if special else path.with_name(f"{path.name}.part")
    try:
        with partial.open("wb") as out:
            yield out
        if not special:
            partial.replace(path)
    except BaseException as error:
        if not special:
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ArenaError(f"{path}: cannot be written: {error.strerror}") from error
        raise
