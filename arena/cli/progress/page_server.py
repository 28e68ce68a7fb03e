"""`arena serve` beside a run, for `arena run --serve`."""

from __future__ import annotations

import subprocess
import sys
from typing import Self

from arena.address import Address
from protocol.process.lifetime import death_signal

__all__ = ["PageServer"]


class PageServer:
    """A server of pages that ends with the context, and with this process.

    Args:
        database: the database that it shows.
    """

    def __init__(self, database: Address) -> None:
        self._database = database
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it. The database must be there. Standard error then says where it serves, or why not."""
        words = [sys.executable, "-m", "arena", "serve", str(self._database)]
        self._process = subprocess.Popen(
            [*death_signal("TERM"), *words],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
