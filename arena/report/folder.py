"""A site's folder: it is written beside its place and put there when it is whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ArenaError

__all__ = ["MARK", "replaced"]

MARK = "arena-report.txt"
"""A file by which a folder is known as a report; without it nothing is overwritten."""

_TEXT = "Made by arena report, which may replace this whole folder.\n"


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
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
        yield fresh
        _swap(fresh, target, scratch / "old")
    except OSError as error:
        raise ArenaError(f"{error.filename or target}: cannot write the report: {error.strerror}") from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


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
