"""Finds the files of an engine, compares them with the files of another machine, and packs them for it.

The files of an engine are: the files that its command names, with all files in their folders; what its key
``readable`` names; and the files that its options name. A program of the system or on the PATH is not sent:
it must be installed on the other machine, too. The interpreter of the other machine's arena takes the place
of the hub's.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import shutil
import stat
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.config.engines import python_paths
from arena.errors import ArenaError
from arena.run import engines
from protocol.errors import EngineStartError
from protocol.process.machine import scratch_folder
from protocol.process.program import argument_files, program_of
from protocol.spec import EngineSpec

MAX_BYTES: Final = 1 << 31  # the most bytes of the files of an engine
UNUSED_DAYS: Final = 14
"""An engine that was sent is removed if no game needed it for this time."""

_PYTHON: Final = f"{sys.version_info[0]}.{sys.version_info[1]}"

_SYSTEM: Final = ("/bin/", "/usr/", "/lib", "/sbin/", "/opt/", "/nix/", "/snap/")
"""Where the system and its packages are: these files must be installed."""


class EngineFiles(msgspec.Struct, frozen=True):
    """The files that an engine needs. Its paths are valid on the hub."""

    engine: str  # its name
    python: str  # the version of arena's interpreter, if that is its program, else ""
    programs: dict[str, str]  # hashes of programs that must be installed, by their word in the command
    files: dict[str, str]  # hashes of the other files, by their absolute paths
    python_paths: tuple[str, ...]  # as from `python_paths`
    build: tuple[str, ...] = ()  # shell commands that make its program on the other machine
    folder: str = ""  # in which they would run
    environment: dict[str, str] = {}  # variables that are added for a build

    @property
    def digest(self) -> str:
        """A name for these files: the same files have the same name."""
        content = msgspec.json.encode(
            (self.files, self.programs, self.python, self.build, self.environment), order="deterministic"
        )
        return hashlib.sha256(content).hexdigest()[:32]


def file_hash(path: Path) -> str:
    """Return the hash of the contents of a file, and of whether it is executable."""
    status = path.stat()
    return _hash(path, status.st_mtime_ns, status.st_size, status.st_mode)


@cache  # a worker compares all files of an engine before each batch, and the weights of a network are large
def _hash(path: Path, _mtime: int, _size: int, mode: int) -> str:
    with path.open("rb") as file:
        return f"{'x' if mode & stat.S_IXUSR else '-'}{hashlib.file_digest(file, 'sha256').hexdigest()}"


def files_of(spec: EngineSpec, outside: Path, build: tuple[str, ...] = ()) -> EngineFiles:
    """Return the files that an engine needs, as the hub would start it; without its program if it is built.

    ``outside`` is the folder of the tournament file, which is never taken as a whole: the database is there.
    """
    is_python = spec.command[0] == sys.executable
    programs: dict[str, str] = {}
    files: dict[str, str] = {}
    python = python_paths() if is_python else ()
    made = {Path(spec.command[0])} if build else set()
    folder = str(spec.cwd) if build else ""
    try:
        roots = [Path(path) for path in (*spec.readable, folder) if path and path not in python]
        if not is_python and not (build and "/" in spec.command[0]):
            program = Path(program_of(spec))
            if "/" not in spec.command[0] or _is_system(program):
                programs[spec.command[0]] = file_hash(program)
            else:
                roots.append(_home(program, outside))
        roots += [_home(file.absolute(), outside) for _, file in argument_files(spec)]
        roots += _option_files(spec)
        size = 0
        for path in set(_walk(roots)) - made:
            size += path.stat().st_size
            if size > MAX_BYTES:
                raise ArenaError(
                    f"engine {spec.name}: its files have more than {MAX_BYTES >> 30} GiB; install it on every"
                    " machine in a folder of the system, for example below /opt"
                )
            files[str(path)] = file_hash(path)
    except (EngineStartError, OSError) as error:
        raise ArenaError(f"engine {spec.name}: its files cannot be read: {error}") from error
    version, environment = _PYTHON if is_python else "", spec.env if build else {}
    return EngineFiles(spec.name, version, programs, files, python, build, folder, environment)


def _is_system(path: Path) -> bool:
    return str(path).startswith(_SYSTEM)


def _home(file: Path, outside: Path) -> Path:
    """Return the folder that is sent with a file; the file itself if its folder also has other things."""
    folder = file.parent
    if folder == outside or folder in outside.parents or folder in (Path.home(), Path("/"), Path("/tmp")):  # noqa: S108 - it is compared
        return file
    return file if _is_system(file) else folder


def _option_files(spec: EngineSpec) -> Iterator[Path]:
    """Yield the files that the values of options name, for example the weights of a network."""
    for value in spec.options.values():
        file = Path(spec.cwd or ".", value)
        try:
            if value and file.is_file() and not _is_system(file):
                yield file.absolute()
        except OSError:
            continue  # for example, too long for a file name


def _walk(roots: list[Path]) -> Iterator[Path]:
    """Yield the files in these files and folders, without compiled Python and repositories of git."""
    for root in roots:
        if root.is_file():
            yield root
            continue
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(set(folders) - {"__pycache__", ".git"})
            yield from (path for name in sorted(names) if (path := Path(folder, name)).is_file())


# --- on the other machine


def problem(files: EngineFiles) -> str:
    """Return why this machine cannot play with an engine, even if it gets its files; "" if it can."""
    if files.python not in ("", _PYTHON):
        return f"it needs Python {files.python}, but here is {_PYTHON}"
    for word, digest in files.programs.items():
        program = shutil.which(word)
        if program is None:
            return f"its program {word} is not installed"
        if file_hash(Path(program)) != digest:
            return f"its program {program} is not the hub's; install the same version"
    return ""


def missing(files: EngineFiles) -> list[str]:
    """Return the files that this machine lacks, or has with other contents."""

    def same(path: str, digest: str) -> bool:
        try:
            return file_hash(Path(path)) == digest
        except OSError:
            return False

    return [path for path, digest in files.files.items() if not same(path, digest)]


def packed(files: EngineFiles) -> bytes:
    """Return an archive of the files; their names in it are their paths without the first slash."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=3, dereference=True) as archive:
        for path in sorted(files.files):
            archive.add(path, arcname=path.lstrip("/"), recursive=False)
    return buffer.getvalue()


def mark_used(files: EngineFiles, cache: Path) -> None:
    """Keep what was made of an engine's files for the next `UNUSED_DAYS`."""
    for path in cache.glob(f"{files.digest}*"):
        with suppress(OSError):  # another worker may remove it, or another user have made it
            os.utime(path)


def remove_unused(cache: Path) -> None:
    """Remove what was made of the files of engines that were not used for `UNUSED_DAYS`."""
    oldest = time.time() - UNUSED_DAYS * 24 * 3600
    with scratch_folder(cache) as scratch:
        for path in sorted(cache.glob("[0-9a-f]*"), reverse=True):  # a folder after the note that it is built
            with suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.rename(scratch / path.name)  # whole: a part of it would be taken for an engine


def unpack(files: EngineFiles, archive: bytes, cache: Path) -> Path:
    """Unpack an archive from `packed` into a folder named after its contents, and return the folder."""
    folder = cache / files.digest
    if folder.is_dir():
        return folder
    with scratch_folder(cache) as scratch:
        unready = scratch / "engine"
        unready.mkdir()
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as contents:
            for member in contents:
                _extract(contents, member, unready)
        hashes = {str(Path("/", path.relative_to(unready))): file_hash(path) for path in _walk([unready])}
        if hashes != files.files:
            raise ArenaError(
                f"engine {files.engine}: its archive does not have the files that it should have"
            )
        try:
            unready.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process may have been quicker
                raise
    return folder


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write one file of an archive, whose name must not lead out of the folder."""
    source = archive.extractfile(member) if member.isreg() else None
    if source is None or member.name.startswith("/") or ".." in Path(member.name).parts:
        raise ArenaError(f"an archive of an engine must not have {member.name[:200]!a}")
    path = folder / member.name
    path.parent.mkdir(parents=True, exist_ok=True)
    with source, path.open("xb") as target:
        shutil.copyfileobj(source, target)
    path.chmod(0o755 if member.mode & stat.S_IXUSR else 0o644)


def adapted(spec: EngineSpec, files: EngineFiles, root: Path | None, spare: Path) -> EngineSpec:
    """Return an engine as this machine starts it.

    ``root`` is the folder from `unpack`; None if its files are at the same places as on the hub. Then it
    starts in the folder ``spare`` if this machine lacks its ``cwd``, often the folder of the tournament.
    """

    def here(word: str) -> str:
        if root is None or not word.startswith("/"):
            return word
        path = root / word.lstrip("/")
        return str(path) if path.exists() else word

    command = [here(word) for word in spec.command]
    readable = [here(path) for path in spec.readable if path not in files.python_paths]
    if files.python:
        command[0] = sys.executable
        readable += python_paths()
    cwd = spec.cwd
    if cwd is not None and (root is not None or not Path(cwd).is_dir()):
        folder = spare if root is None else root / cwd.lstrip("/")
        folder.mkdir(parents=True, exist_ok=True)
        cwd = str(folder)
    return replace(
        spec,
        command=tuple(command),
        cwd=cwd,
        options={name: here(value) for name, value in spec.options.items()},
        readable=tuple(readable),
    )


def build(files: EngineFiles, cache: Path) -> str:
    """Build an engine once for each content of its sources; the workers of a machine wait for each other.

    Return why it cannot be built, as the end of a sentence; "" if it is built.
    """
    done = cache / f"{files.digest}.built"
    with (cache / f"{files.digest}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            return ""
        folder = cache / files.digest / files.folder.lstrip("/")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            trio.run(engines.build, files.build, str(folder), files.environment)
        except ArenaError as error:
            return str(error)
        except OSError as error:
            return f"it cannot be built: {error}"
        done.touch()
        return ""
