"""A site's folder: it is written beside its place and put there when it is whole.

Files that come out as they were are taken over from the earlier report: whatever copies folders sees what
changed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.errors import ArenaError

__all__ = ["MARK", "SiteFolder", "replaced"]

MARK = "arena-report.txt"
"""A file by which a folder is known as a report; without it nothing is overwritten."""

_TEXT = "Made by arena report, which may replace this whole folder.\n"


@dataclass(frozen=True, slots=True)
class SiteFolder:
    """A report that is being written.

    Attributes:
        fresh: where it is written.
        earlier: the report whose place it will take; there may be none.
    """

    fresh: Path
    earlier: Path

    def save(self, name: str, text: str) -> None:
        """Write a file, or take it over if it was the same."""
        file, old = self.fresh / name, self.earlier / name
        raw = text.encode()
        file.parent.mkdir(exist_ok=True)
        if old.is_file() and old.stat().st_size == len(raw) and old.read_bytes() == raw:
            _take_over(old, file)
        else:
            file.write_bytes(raw)


@contextmanager
def replaced(target: Path) -> Iterator[SiteFolder]:
    """A new folder to write to, which takes the target's place in the end, and not after an error.

    Raises:
        ArenaError: something else is there, or it cannot be written.
    """
    target = target.resolve()
    _check(target)
    scratch: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        fresh = scratch / "report"
        fresh.mkdir()
        (fresh / MARK).write_text(_TEXT, encoding="utf-8")
        yield SiteFolder(fresh, target)
        _swap(fresh, target, scratch / "old")
    except OSError as error:
        raise ArenaError(f"{error.filename or target}: cannot write the report: {error.strerror}") from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _take_over(old: Path, file: Path) -> None:
    try:
        os.link(old, file)
    except OSError:  # a file system without links
        shutil.copy2(old, file)


def _check(target: Path) -> None:
    if target.is_dir():
        if (target / MARK).exists() or not any(target.iterdir()):
            return
        problem = "there are files in this folder that are no report"
    elif target.exists() or target.is_symlink():
        problem = "this is no folder"
    else:
        return
    raise ArenaError(f"{target}: {problem}; name an empty folder, or one that does not exist yet")


def _swap(fresh: Path, target: Path, old: Path) -> None:
    if not target.exists():
        fresh.rename(target)
        return
    target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        old.rename(target)
        raise
