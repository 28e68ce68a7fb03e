"""Plain connections to a file: each says whether it may write the file, and whether it may create it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

__all__ = ["BUSY_TIMEOUT", "Mode", "connect", "log_of"]

BUSY_TIMEOUT: Final = 5.0
"""Seconds to wait for another program's transaction."""

Mode = Literal["ro", "rw", "rwc"]
"""Read only; write; write, and create the file if there is none."""


def connect(path: Path, mode: Mode, *, immutable: bool = False) -> sqlite3.Connection:
    """Open a plain connection; the caller begins transactions.

    Args:
        path: the file.
        mode: what the connection may do.
        immutable: no other program has the file open, so SQLite needs no files beside it.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    address = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}{'&immutable=1' if immutable else ''}"
    # The pool gives a connection to one thread at a time, so sqlite3 need not check that.
    return sqlite3.connect(
        address,
        timeout=BUSY_TIMEOUT,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )


def log_of(path: Path) -> Path:
    """Return the path of the write-ahead log of a file."""
    return path.with_name(f"{path.name}-wal")
