"""The folder of a report. A new report is written beside the earlier one and replaces it at the end.

Unchanged files are linked from the earlier report, so a program that copies the folder copies only changes.
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

__all__ = ["MARKER_FILE", "SiteFolder", "replace_folder", "subject_of"]

MARKER_FILE = "arena-report.txt"
"""The file that marks a folder as a report. A folder without it is never overwritten."""

_MARKER_TEXT = "Made by arena report, which may replace this whole folder.\n"
_SUBJECT = "Subject: "


@dataclass(frozen=True, slots=True)
class SiteFolder:
    """A report while it is written.

    Attributes:
        new: the folder to write to.
        earlier: the folder of the report to replace; it may not exist.
    """

    new: Path
    earlier: Path

    def save(self, name: str, content: str | bytes) -> None:
        """Write a file, or link it from the earlier report if it has not changed."""
        file, old = self.new / name, self.earlier / name
        raw = content.encode() if isinstance(content, str) else content
        file.parent.mkdir(parents=True, exist_ok=True)
        if old.is_file() and old.stat().st_size == len(raw) and old.read_bytes() == raw:
            _link_or_copy(old, file)
        else:
            file.write_bytes(raw)

    def has(self, name: str) -> bool:
        """Whether this report has a file."""
        return (self.new / name).exists()

    def inside(self, name: str) -> SiteFolder:
        """Return a folder inside this one."""
        return SiteFolder(self.new / name, self.earlier / name)


def subject_of(target: Path) -> str:
    """Return what the report in a folder is about, as `replace_folder` was told; "" if that is unknown.

    Raises:
        ArenaError: the folder cannot be read.
    """
    try:
        lines = (target / MARKER_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ArenaError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return next((line.removeprefix(_SUBJECT) for line in lines if line.startswith(_SUBJECT)), "")


@contextmanager
def replace_folder(target: Path, subject: str) -> Iterator[SiteFolder]:
    """Yield a new folder to write to. It replaces ``target`` at the end, but not after an error.

    Args:
        target: the folder.
        subject: what the report is about, in one line.

    Raises:
        ArenaError: ``target`` is not a report or an empty folder, or the report cannot be written.
    """
    target = target.resolve()
    _check(target)
    scratch: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        new = scratch / "report"
        new.mkdir()
        (new / MARKER_FILE).write_text(f"{_MARKER_TEXT}{_SUBJECT}{subject}\n", encoding="utf-8")
        yield SiteFolder(new, target)
        _swap(new, target, scratch / "old")
    except OSError as error:
        raise ArenaError(f"{error.filename or target}: cannot write the report: {error.strerror}") from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _link_or_copy(old: Path, file: Path) -> None:
    try:
        os.link(old, file)
    except OSError:  # a file system without links
        shutil.copy2(old, file)


def _check(target: Path) -> None:
    if target.is_dir():
        if (target / MARKER_FILE).exists() or not any(target.iterdir()):
            return
        problem = "the folder has files in it and is not a report"
    elif target.exists() or target.is_symlink():
        problem = "it is not a folder"
    else:
        return
    raise ArenaError(f"{target}: {problem}; name an empty folder or one that does not exist yet")


def _swap(new: Path, target: Path, old: Path) -> None:
    if not target.exists():
        new.rename(target)
        return
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
