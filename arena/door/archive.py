"""Read the files of an upload: one source file, a zip, a tar or a tar.gz. Nothing is written to the disk.

An archive may be malicious. The limits apply to the bytes that are really read, not to the sizes that the
archive announces. The result holds regular files only, at relative paths, so that writing them into an empty
folder cannot leave the folder.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from arena.errors import ArenaError

_CHUNK: Final = 1 << 16
_MIB: Final = 1 << 20
_DEEPEST: Final = 20
_LONGEST_NAME: Final = 100
_BLOCK: Final = 2048  # what a file may take in a tar besides its contents: headers and padding
_IGNORED_FOLDERS: Final = frozenset({"__MACOSX", ".git", "__pycache__"})
_IGNORED_FILES: Final = frozenset({".DS_Store", "Thumbs.db"})
_ZIP, _GZIP, _USTAR = b"PK\x03\x04", b"\x1f\x8b", b"ustar"
_USTAR_AT: Final = 257
_ARCHIVES: Final = (".zip", ".tar", ".gz", ".tgz", ".7z", ".rar", ".xz", ".bz2", ".zst")
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an upload may hold."""

    size: int = 50 * _MIB  # bytes of all files together
    files: int = 2000  # files and folders


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file."""

    path: str  # relative, with / between the parts
    content: bytes
    executable: bool = False


def read_files(name: str, data: IO[bytes], limits: ArchiveLimits) -> tuple[SourceFile, ...]:
    """Return the files of an upload, sorted by path; a folder around all of them is left out.

    The name of an upload matters only if it is no archive. An ArenaError says which file is wrong, and why.
    """
    head = data.read(_USTAR_AT + len(_USTAR))
    data.seek(0)
    try:
        if head.startswith(_ZIP):
            files = list(_zip(data, limits))
        elif head.startswith(_GZIP):
            with gzip.GzipFile(fileobj=data, mode="rb") as unpacked:
                files = list(_tar(unpacked, limits))
        elif head[_USTAR_AT:] == _USTAR:
            files = list(_tar(data, limits))
        else:
            files = [_single(name, data, limits)]
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RecursionError) as error:
        raise ArenaError(f"the archive is damaged: {str(error)[:200] or type(error).__name__}") from error
    except (ValueError, OverflowError, NotImplementedError, RuntimeError) as error:
        raise ArenaError(f"the archive cannot be read: {str(error)[:200]}") from error
    kept = [file for file in files if not _ignored(file.path)]
    if not kept:
        raise ArenaError("the upload has no files")
    _check_distinct(kept)
    return tuple(sorted(_without_top(kept), key=lambda file: file.path))


def packed(files: tuple[SourceFile, ...]) -> bytes:
    """Return the files as a tar that depends only on them: the same files always give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in files:
            member = tarfile.TarInfo(file.path)
            member.size = len(file.content)
            member.mode = 0o755 if file.executable else 0o644
            tar.addfile(member, io.BytesIO(file.content))
    return buffer.getvalue()


# --- the kinds of uploads


def _single(name: str, data: IO[bytes], limits: ArchiveLimits) -> SourceFile:
    path = safe_name(name.replace("\\", "/").rpartition("/")[2])
    if path.lower().endswith(_ARCHIVES):
        raise ArenaError(f"{path} is no zip, tar or tar.gz, whatever its name says; pack it again")
    return SourceFile(path, _Counted(limits).read(data, path))


def _zip(data: IO[bytes], limits: ArchiveLimits) -> Iterator[SourceFile]:
    counted = _Counted(limits)
    with zipfile.ZipFile(data) as archive:
        for info in archive.infolist():
            path = safe_name(info.filename)
            counted.add_file()
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.filename.endswith("/"):  # is_dir of Python 3.11 fails if there is no name
                continue
            if kind not in (0, stat.S_IFREG):
                raise ArenaError(_not_regular(path))
            if info.flag_bits & 1:
                raise ArenaError(f"{path} is encrypted; hand in an archive without a password")
            if info.compress_type not in _METHODS:
                raise ArenaError(f"{path} is compressed in an unusual way; use deflate, the default of zip")
            with archive.open(info) as member:
                yield SourceFile(
                    path, counted.read(member, path), bool(info.external_attr >> 16 & stat.S_IXUSR)
                )


def _tar(data: IO[bytes] | gzip.GzipFile, limits: ArchiveLimits) -> Iterator[SourceFile]:
    counted = _Counted(limits)
    # tarfile reads extended headers into memory whole, so the stream itself has a limit.
    limited = _LimitedStream(data, limits)
    with tarfile.open(fileobj=limited, mode="r|", errorlevel=2) as archive:
        for member in archive:
            path = safe_name(member.name)
            counted.add_file()
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                raise ArenaError(_not_regular(path))
            content = archive.extractfile(member)
            assert content is not None
            yield SourceFile(path, counted.read(content, path), bool(member.mode & stat.S_IXUSR))


class _Counted:
    """Counts the files and bytes that are read."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self._limits = limits
        self._files = self._bytes = 0

    def add_file(self) -> None:
        self._files += 1
        if self._files > self._limits.files:
            raise ArenaError(f"the archive has more than {self._limits.files} files and folders")

    def read(self, data: IO[bytes], path: str) -> bytes:
        if not path:
            raise ArenaError("a file in the archive has no name")
        parts = []
        while part := data.read(_CHUNK):
            self._bytes += len(part)
            if self._bytes > self._limits.size:
                raise ArenaError(f"{path}: {_too_large(self._limits)}")
            parts.append(part)
        return b"".join(parts)


class _LimitedStream(io.RawIOBase):
    """A stream that raises an error when it is longer than any archive within the limits."""

    def __init__(self, data: IO[bytes] | gzip.GzipFile, limits: ArchiveLimits) -> None:
        self._data = data
        self._limits = limits
        self._left = limits.size + _BLOCK * limits.files + _MIB

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._data.read(min(size, _CHUNK) if size >= 0 else _CHUNK)
        self._left -= len(data)
        if self._left < 0:
            raise ArenaError(_too_large(self._limits))
        return data


def _too_large(limits: ArchiveLimits) -> str:
    return f"the files of the upload take more than {limits.size // _MIB} MiB"


def _not_regular(path: str) -> str:
    return f"{path} is a link, a device or another special file; hand in ordinary files only"


# --- paths


def safe_name(path: str) -> str:
    """Return a relative path without ``.`` and double slashes; refuse one that leaves its folder."""
    shown = ascii(path)[:_LONGEST_NAME]
    if path.startswith("/"):
        raise ArenaError(f"{shown} is an absolute path; hand in an archive with relative paths")
    if "\\" in path or not path.isprintable():
        raise ArenaError(f"{shown} has a character that no file name may have here")
    parts = [part for part in unicodedata.normalize("NFC", path).split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ArenaError(f"{shown} leads out of its folder")
    if len(parts) > _DEEPEST or any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise ArenaError(
            f"{shown} is too long: a path has at most {_DEEPEST} parts of at most {_LONGEST_NAME} bytes"
        )
    return "/".join(parts)


def _ignored(path: str) -> bool:
    *folders, name = path.split("/")
    return name in _IGNORED_FILES or not _IGNORED_FOLDERS.isdisjoint(folders)


def _check_distinct(files: list[SourceFile]) -> None:
    """Check that every system would store the files as different ones."""
    known: dict[str, str] = {}
    folders: dict[str, str] = {}
    for file in files:
        key = unicodedata.normalize("NFKC", file.path).casefold()
        if key in known:
            raise ArenaError(f"{known[key]} and {file.path} are the same file name; rename one of them")
        known[key] = file.path
        parts = key.split("/")
        for end in range(1, len(parts)):
            folders["/".join(parts[:end])] = file.path
    for key, path in known.items():
        if key in folders:
            raise ArenaError(
                f"{path} is a file, but {folders[key]} needs a folder of this name; rename one of them"
            )


def _without_top(files: list[SourceFile]) -> list[SourceFile]:
    """Remove the folder around all files, if there is one."""
    tops = {file.path.partition("/")[0] for file in files}
    if len(tops) != 1 or not all("/" in file.path for file in files):
        return files
    return [SourceFile(file.path.partition("/")[2], file.content, file.executable) for file in files]
