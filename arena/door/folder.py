"""The door's folder: submissions by the hash of their contents, and the folders of what was built.

A file or folder appears here whole or not at all: it is written in another folder, flushed to the disk, and
then moved.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from arena.config.door_keys import DOOR_ENGINES
from arena.door.upload import ArchiveLimits, SourceFile, packed, read_files
from arena.errors import ArenaError
from protocol.process.bubblewrap import SYSTEM_FOLDERS
from protocol.process.machine import scratch_folder

_MOST_STORED: Final = 2 << 30
"""The most bytes of all submissions together."""

_KEY_BYTES: Final = 32
_DISK_BLOCK: Final = 512  # bytes, in which the system counts
_SYSTEM: Final = tuple(f"{folder}/" for folder in SYSTEM_FOLDERS)


class DoorFolder:
    """The folder, which is made if it is missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._submissions = path / "submissions"
        self._engines = path / "engines"
        try:
            for folder in (self._submissions, self._engines):
                folder.mkdir(parents=True, exist_ok=True)
            self._submissions.chmod(0o700)
        except OSError as error:
            raise ArenaError(f"{error.filename}: {error.strerror}") from error

    def locked(self, command: str) -> IO[bytes]:
        """Return a file that, until it is closed, keeps other programs from a command of `arena door`."""
        path = self.path / f"{command}.lock"
        try:
            lock = path.open("wb")
        except OSError as error:
            raise ArenaError(f"{path}: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise ArenaError(
                f"{self.path}: another `arena door {command}` uses this folder; end it first"
            ) from None
        return lock

    # --- submissions

    def add(self, files: tuple[SourceFile, ...]) -> str:
        """Store a submission and return its hash. The same files are stored once."""
        data = packed(files)
        digest = hashlib.sha256(data).hexdigest()
        target = self._submission(digest)
        if target.exists():
            return digest
        used = sum(entry.stat().st_size for entry in os.scandir(self._submissions))
        if used + len(data) > _MOST_STORED:
            raise ArenaError("the disk space of all submissions is used up; ask the organiser for more")
        _write(target, data)
        return digest

    def remove(self, digest: str) -> None:
        """Remove a stored submission, if the disk lets that happen."""
        with suppress(OSError):
            self._submission(digest).unlink()

    def read(self, digest: str) -> bytes:
        """Return a stored submission as a tar. ArenaError: it is damaged. OSError: the disk is."""
        file = self._submission(digest)
        data = file.read_bytes() if file.exists() else b""
        if hashlib.sha256(data).hexdigest() != digest:
            raise ArenaError("the stored submission is damaged; hand it in again")
        return data

    def _submission(self, digest: str) -> Path:
        return self._submissions / f"{digest}.tar"

    # --- what was built

    def install(self, number: int, tar: bytes, limits: ArchiveLimits) -> Path:
        """Store the files of a built submission in a folder that only its engine sees, and return it.

        They come out of the sandbox, so they are read like an upload.
        """
        files = read_files("", io.BytesIO(tar), limits)
        target = self.engine(number)
        with scratch_folder(self._engines) as scratch:
            made = scratch / target.name
            made.mkdir()
            for file in files:
                path = made / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
                path.chmod(0o755 if file.executable else 0o644)
            for folder, _, _ in os.walk(made):
                Path(folder).chmod(0o755)
            self.discard(number)
            made.rename(target)
        return target

    def built(self, number: int) -> int:
        """Return how many bytes of the disk the engine takes that was built from a submission."""
        return sum(file.stat().st_blocks * _DISK_BLOCK for file in self.engine(number).rglob("*"))

    def discard(self, number: int) -> None:
        """Remove what was built from a submission, if the disk lets that happen."""
        shutil.rmtree(self.engine(number), ignore_errors=True)

    def engine(self, number: int) -> Path:
        """Return the folder of the engine that was built from a submission."""
        return (self._engines / str(number)).absolute()

    def without_paths(self, text: str) -> str:
        """Return a text for participants: no path of it tells where the door, or arena, is."""
        text = re.sub(rf"{re.escape(str(self._engines.absolute()))}/\d+(/|\b)", "", text)
        ours = (self.path.absolute().parent, Path(__file__).parents[2], sys.prefix, sys.base_prefix)
        for path in sorted((f"{path}/" for path in ours), key=len, reverse=True):
            if not path.startswith(_SYSTEM):
                text = text.replace(path, "")
        return text

    # --- the engines of the tournament

    def publish(self, engines: Sequence[dict[str, Any]]) -> None:
        """Tell the tournament which engines it takes from the door. Nothing is written if nothing changed."""
        data = json.dumps(list(engines), indent=1).encode()
        target = self.path / DOOR_ENGINES
        if not target.exists() or target.read_bytes() != data:
            _write(target, data)

    def secret(self) -> str:
        """Return the key with which cookies are signed. It is made at the first use."""
        target = self.path / "cookie.key"
        if not target.exists():
            _write(target, secrets.token_hex(_KEY_BYTES).encode(), mode=0o600)
        return target.read_text(encoding="ascii")


def _write(target: Path, data: bytes, mode: int = 0o644) -> None:
    try:
        with scratch_folder(target.parent) as scratch:
            part = scratch / target.name
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123 - the mode
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
    except OSError as error:
        raise ArenaError(f"{target.parent.name}/{target.name}: {error.strerror}") from error
