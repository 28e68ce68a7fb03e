"""`arena serve` beside a run, for `arena run --serve`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protocol.process.parent import death_signal

__all__ = ["PageServer", "page_server"]


class PageServer:
    """A server of pages that ends with this process.

    Args:
        database: the database that it shows.
    """

    def __init__(self, database: Path) -> None:
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

    def end(self) -> None:
        """End it if it runs."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()


@contextmanager
def page_server(database: Path) -> Iterator[PageServer]:
    """Yield a server that can be started; end it at the end of the context."""
    server = PageServer(database)
    try:
        yield server
    finally:
        server.end()
