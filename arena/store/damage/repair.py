"""Open a damaged database to read it: the file as it is, or a copy of it with a new beginning.

The first hundred bytes of a file, its header, are nearly the same in all databases of arena. The rest of the
first page says where the tables begin, or names the pages that say this. It is the same in all files that
this version has created. So a copy of a file can get a new header, or a whole new first page. The file itself
is never changed.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from arena.errors import StoreError
from arena.store.damage.salvage import Salvage
from arena.store.errors import explained
from arena.store.file.connection import connect, log_of
from arena.store.file.schema import APPLICATION_ID, prepare

__all__ = ["open_repaired", "open_unchanged"]

_PAGE: Final = 4096
"""The size of the pages of the files that arena creates."""

_HEADER: Final = 100


@contextmanager
def open_unchanged(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file as it is, and change neither the file nor its log.

    Raises:
        StoreError: there is no such file, or it cannot be opened.
    """
    if not path.is_file():
        raise StoreError(f"{path}: there is no such database")
    with explained(path):
        connection = connect(path, "ro", immutable=not log_of(path).exists())
        with closing(connection):
            yield connection


@contextmanager
def open_repaired(path: Path) -> Iterator[Salvage]:
    """Open the file, or the repaired copy of it from which the most games can be read.

    Raises:
        StoreError: there is no such file, or the machine has a fault.
    """
    with ExitStack() as opened:
        best = Salvage(opened.enter_context(open_unchanged(path)))
        saved = _count(best)
        if best.problems or best.lost or not saved:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            for copy in _repaired_copies(path, folder):
                connection = opened.enter_context(closing(connect(copy, "rw")))
                candidate = Salvage(connection)
                count = _count(candidate)
                if count > saved:
                    candidate.problems[:0] = best.problems
                    best, saved = candidate, count
        yield best


def _count(salvage: Salvage) -> int:
    return sum(1 for _ in salvage.games())


def _repaired_copies(path: Path, folder: Path) -> Iterator[Path]:
    """Copy the file twice: once with a new header, once with a new first page."""
    template = _template(folder)
    for number, length in enumerate((_HEADER, _PAGE)):
        copy = folder / f"{number}.db"
        try:
            shutil.copyfile(path, copy)
            if log_of(path).exists():
                shutil.copyfile(log_of(path), log_of(copy))
            with copy.open("r+b") as file:
                pages = copy.stat().st_size // _PAGE
                file.write(template[:length])
                file.seek(28)
                file.write(pages.to_bytes(4, "big"))
        except OSError as error:
            raise StoreError(f"{folder}: a copy of {path} cannot be written: {error.strerror}") from error
        yield copy


def _template(folder: Path) -> bytes:
    """Return the first page of a new database."""
    from arena.store.file.database import FileDatabase

    path = folder / "template.db"
    database = FileDatabase(path)
    try:
        prepare(database, create=True)
    finally:
        database.close()
    page = path.read_bytes()[:_PAGE]
    assert APPLICATION_ID.to_bytes(4, "big") in page
    return page
