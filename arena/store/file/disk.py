"""Why a disk fails: it is full, it is a network drive, or it has a fault. SQLite reports all three alike."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["FULL", "disk_fault", "no_log"]

FULL: Final = "the disk is full; make room and start again, all stored games are safe"

_NEEDED: Final = 128 * 1024
"""The free bytes that a new database, its log and its index of the log need at least."""

_NETWORK: Final = frozenset(
    ("9p", "afs", "afpfs", "ceph", "cifs", "davfs", "fuse.sshfs", "glusterfs", "nfs", "nfs4", "smb3", "smbfs")
)
_MOUNTS: Final = Path("/proc/mounts")


def disk_fault(path: Path, detail: str) -> str:
    """Return what is wrong with the disk of a database after an error of its input or output.

    Args:
        path: the database.
        detail: SQLite's name for the error.
    """
    if _is_full(path.parent):
        return FULL
    if kind := _network(path):
        return f"is on a network drive ({kind}), which SQLite cannot use; put the database on a local disk"
    return (
        f"the disk reports an error ({detail}); check the disk, and put the database on a local disk if this"
        " one is on the network"
    )


def no_log(path: Path) -> str:
    """Return why SQLite keeps no write-ahead log for a database."""
    if _is_full(path.parent):
        return FULL
    kind = _network(path)
    drive = f"a network drive ({kind})" if kind else "this drive"
    return f"SQLite cannot keep a write-ahead log on {drive}; put the database on a local disk"


def _is_full(folder: Path) -> bool:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    no_files = disk.f_files > 0 and disk.f_favail == 0
    return no_files or disk.f_bavail * disk.f_frsize < _NEEDED


def _network(path: Path) -> str:
    """Return the kind of the network drive that the file is on; "" for any other drive, or if unknown."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
        real = path.resolve()
    except OSError:
        return ""
    kinds = {}
    for _, point, kind, *_ in (line.split(" ") for line in lines if line.count(" ") >= 3):
        folder = Path(point.replace("\\040", " "))
        if folder == real or folder in real.parents:
            kinds[folder] = kind  # a later mount hides an earlier one at the same place
    kind = kinds[max(kinds, key=lambda folder: len(folder.parts))] if kinds else ""
    return kind if kind in _NETWORK else ""
