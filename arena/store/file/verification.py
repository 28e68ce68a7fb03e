"""Verify the results of a file in a thread, while a transaction reads them.

SQLite works without Python's lock, so the two use two processors: 100,000 games are verified and counted in
two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from arena.store.checksums import verify_results
from arena.store.errors import explained
from arena.store.file.engine import make_engine

__all__ = ["verifying"]


@contextmanager
def verifying(path: Path) -> Iterator[None]:
    """Verify the results of the file while the body of the ``with`` statement reads them.

    What the body has read is certain only after the end.

    Raises:
        ChangedRow: a row has changed. It replaces an error of the body, because the row may have caused it.
    """
    stopped = Event()
    with ThreadPoolExecutor(1) as pool:
        verification = pool.submit(_verify, path, stopped)
        try:
            try:
                with explained(path):  # a statement that Ctrl-C has interrupted raises KeyboardInterrupt
                    yield
            except Exception:
                verification.result()
                raise
            verification.result()
        finally:
            stopped.set()  # Ctrl-C ends the verification, too; only the main thread notices it


def _verify(path: Path, stopped: Event) -> None:
    pragmas = ("query_only=ON",)
    engine = make_engine(path, begin="BEGIN", connections=1, pragmas=pragmas, interrupted=stopped.is_set)
    try:
        with engine.begin() as connection:
            verify_results(connection)
    finally:
        engine.dispose()
