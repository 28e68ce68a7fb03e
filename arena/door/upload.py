"""An upload: its files, and how they are built and started. Nothing is written to the disk.

An archive may be malicious. The limits apply to the bytes that are really read, not to the sizes that the
archive announces. The result holds regular files only, at relative paths, so that writing them into an empty
folder cannot leave the folder.
"""

from __future__ import annotations

import gzip
import io
import re
import shlex
import shutil
import stat
import tarfile
import tomllib
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, NamedTuple

from arena import bridges
from arena.config.door_keys import REMOTE, DoorKeys
from arena.engine_templates import LANGUAGES
from arena.errors import ArenaError
from protocol.process.program import CWD, PYTHON

_CHUNK: Final = 1 << 16
_MIB: Final = 1 << 20
_DEEPEST: Final = 20
_LONGEST_PART: Final = 100
_BLOCK: Final = 2048  # what the headers and the padding of a file may take in a tar
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
            files = _read(_zip(data), limits)
        elif head.startswith(_GZIP):
            with gzip.GzipFile(fileobj=data, mode="rb") as unpacked:
                files = _read(_tar(unpacked, limits), limits)
        elif head[_USTAR_AT:] == _USTAR:
            files = _read(_tar(data, limits), limits)
        else:
            files = _read([_single(name, data)], limits)
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


class _Member(NamedTuple):
    """A file or folder of an upload, as it announces it."""

    name: str
    is_folder: bool
    is_regular: bool
    mode: int
    open: Callable[[], IO[bytes] | None]


def _read(members: Iterable[_Member], limits: ArchiveLimits) -> list[SourceFile]:
    """Read the files of an upload within the limits."""
    files, size = [], 0
    for number, member in enumerate(members, 1):
        path = safe_name(member.name)
        if number > limits.files:
            raise ArenaError(f"the archive has more than {limits.files} files and folders")
        if member.is_folder:
            continue
        if not member.is_regular:
            raise ArenaError(
                f"{path} is a link, a device or another special file; hand in ordinary files only"
            )
        if not path:
            raise ArenaError("a file in the archive has no name")
        content, parts = member.open(), []
        assert content is not None
        while part := content.read(_CHUNK):
            size += len(part)
            if size > limits.size:
                raise ArenaError(f"{path}: {_too_large(limits)}")
            parts.append(part)
        files.append(SourceFile(path, b"".join(parts), bool(member.mode & stat.S_IXUSR)))
    return files


def _single(name: str, data: IO[bytes]) -> _Member:
    path = name.replace("\\", "/").rpartition("/")[2]
    if path.lower().endswith(_ARCHIVES):
        raise ArenaError(
            f"{safe_name(path)} is no zip, tar or tar.gz, although its name ends like one; pack it again"
        )
    return _Member(path, is_folder=False, is_regular=True, mode=0, open=lambda: data)


def _zip(data: IO[bytes]) -> Iterator[_Member]:
    with zipfile.ZipFile(data) as archive:
        for info in archive.infolist():
            if info.compress_type not in _METHODS:  # others can fill the memory
                path = safe_name(info.filename)
                raise ArenaError(f"{path} is compressed in an unusual way; use deflate, the default of zip")
            mode = info.external_attr >> 16
            is_folder = info.filename.endswith("/")  # is_dir of Python 3.11 fails if there is no name
            is_regular = stat.S_IFMT(mode) in (0, stat.S_IFREG)
            yield _Member(info.filename, is_folder, is_regular, mode, partial(archive.open, info))


def _tar(data: IO[bytes] | gzip.GzipFile, limits: ArchiveLimits) -> Iterator[_Member]:
    # tarfile reads extended headers into memory whole, so the stream itself has a limit.
    limited = _LimitedStream(data, limits)
    with tarfile.open(fileobj=limited, mode="r|", errorlevel=2) as archive:
        for member in archive:
            is_regular = member.isreg() and not member.issparse()
            content = partial(archive.extractfile, member)
            yield _Member(member.name, member.isdir(), is_regular, member.mode, content)


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


# --- paths


def safe_name(path: str) -> str:
    """Return a relative path without ``.`` and double slashes; refuse a path that leaves its folder."""
    shown = ascii(path)[:_LONGEST_PART]
    if path.startswith("/"):
        raise ArenaError(f"{shown} is an absolute path; hand in an archive with relative paths")
    if "\\" in path or not path.isprintable():
        raise ArenaError(f"{shown} has a character that no file name may have here")
    parts = [part for part in unicodedata.normalize("NFC", path).split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ArenaError(f"{shown} leads out of its folder")
    if len(parts) > _DEEPEST or any(len(part.encode()) > _LONGEST_PART for part in parts):
        raise ArenaError(
            f"{shown} is too long: a path has at most {_DEEPEST} parts of at most {_LONGEST_PART} bytes"
        )
    return "/".join(parts)


def _ignored(path: str) -> bool:
    *folders, name = path.split("/")
    return name in _IGNORED_FILES or not _IGNORED_FOLDERS.isdisjoint(folders)


def _check_distinct(files: list[SourceFile]) -> None:
    """Check that every system would store the files under different names, none of them a folder's."""
    paths = [PurePosixPath(unicodedata.normalize("NFKC", file.path).casefold()) for file in files]
    folders = {folder for path in paths for folder in path.parents}
    for name, count in Counter((*paths, *folders)).items():
        if count > 1:
            raise ArenaError(f"{name} is there twice, or also as a folder; rename one of the two")


def _without_top(files: list[SourceFile]) -> list[SourceFile]:
    """Remove the folder around all files, if there is one."""
    tops = {file.path.partition("/")[0] for file in files}
    if len(tops) != 1 or not all("/" in file.path for file in files):
        return files
    return [SourceFile(file.path.partition("/")[2], file.content, file.executable) for file in files]


# --- how it is built and started


MANIFEST: Final = "engine.toml"
_KEYS: Final = frozenset({"command", "build", "language"})
_WORD_LENGTH: Final = 1000
_LARGEST_MANIFEST: Final = 10_000  # the time for a dotted key grows with the square of its length


@dataclass(frozen=True, slots=True)
class Plan:
    """How a submission is built and started."""

    language: str  # a key of `LANGUAGES`; "" if its author does not say
    build: tuple[str, ...]  # shell commands; empty if it needs no build
    command: tuple[str, ...]  # the words that start it in its folder; {python} is the Python of arena
    source: str  # the file from which this is known

    def sentence(self) -> str:
        """The plan in one sentence, for the participant."""
        title = LANGUAGES[self.language].title if self.language else "an engine"
        build = f"built by `{' && '.join(self.build)}`" if self.build else "not built"
        return f"{title} (by {self.source}): {build}, started by `{' '.join(map(_quoted, self.command))}`"


class _OneFile(NamedTuple):
    """How a single source file is built and started; ``{}`` is its name."""

    language: str
    build: str
    command: str


def remote_plan(name: str) -> Plan:
    """Return the plan of a bot that stays on the machine of a participant."""
    return Plan("", (), (f"{REMOTE}{name}",), "arena connect")


_BY_SUFFIX: Final[Mapping[str, _OneFile]] = {
    ".py": _OneFile("python", "", "{{python}} {}"),
    ".js": _OneFile("js", "", "node {}"),
    ".mjs": _OneFile("js", "", "node {}"),
    ".lua": _OneFile("lua", "", "lua {}"),
    ".c": _OneFile("c", "cc -O2 -o engine {} -lm -lpthread", "./engine"),
    ".cpp": _OneFile("cpp", "c++ -O2 -std=c++17 -o engine {} -lpthread", "./engine"),
    ".cc": _OneFile("cpp", "c++ -O2 -std=c++17 -o engine {} -lpthread", "./engine"),
    ".rs": _OneFile("rust", "rustc -O -o engine {}", "./engine"),
    ".go": _OneFile("go", "go build -o engine {}", "./engine"),
    ".java": _OneFile("java", "javac -encoding UTF-8 {}", "java -cp . {stem}"),
    ".kt": _OneFile("kotlin", "kotlinc {} -include-runtime -d engine.jar", "java -jar engine.jar"),
    ".ml": _OneFile("ocaml", "ocamlopt -o engine {}", "./engine"),
}
"""Languages whose compiler needs nothing but a single file, by the suffix of the file."""


def home_command(command: Sequence[str]) -> str:
    """Return the words after ``--`` for which arena starts a submission in its own folder, at home."""
    return " ".join(_quoted(word.replace(CWD, ".")) for word in command)


def _quoted(word: str) -> str:
    return word if word == PYTHON else shlex.quote(word)


def understand(files: Sequence[SourceFile], languages: Collection[str] | None) -> Plan:
    """Return how a submission is built and started; an ArenaError says what its author must do.

    If only some languages are allowed, its files or its ``engine.toml`` must show that it is in one of them.
    """
    paths = {file.path: file for file in files}
    if MANIFEST in paths:
        plan = _declared(paths[MANIFEST], languages)
    else:
        _refuse_class(files)
        plan = _recognised(list(paths))
    if languages is None or plan.language in languages:
        return plan
    allowed = ", ".join(titles(languages))
    if plan.language:
        title = LANGUAGES[plan.language].title
        raise ArenaError(f"{title} is not allowed in this tournament; allowed: {allowed}")
    raise ArenaError(
        f"{MANIFEST}: language is missing, and this tournament allows only some ({allowed}); write e.g."
        f' language = "{min(languages)}"'
    )


def titles(languages: Collection[str]) -> list[str]:
    """Return the names of languages for people."""
    return [language.title for id_, language in LANGUAGES.items() if id_ in languages]


def _declared(file: SourceFile, languages: Collection[str] | None) -> Plan:
    """Return what ``engine.toml`` says."""
    if len(file.content) > _LARGEST_MANIFEST:
        raise ArenaError(f"{MANIFEST}: it has more than {_LARGEST_MANIFEST} bytes")
    try:
        values = tomllib.loads(file.content.decode())
    except (ValueError, RecursionError) as error:  # ValueError: no TOML, no UTF-8, or a number too long
        raise ArenaError(f"{MANIFEST}: {str(error)[:200]}") from None
    for key in values.keys() - _KEYS:
        raise ArenaError(f"{MANIFEST}: there is no key {key[:50]!a}; the keys are {', '.join(sorted(_KEYS))}")
    if "command" not in values:
        raise ArenaError(f'{MANIFEST}: command is missing; write e.g. command = "./engine"')
    language = values.get("language", "")
    if language not in ("", *LANGUAGES):
        allowed = [id_ for id_ in LANGUAGES if languages is None or id_ in languages]
        raise ArenaError(f"{MANIFEST}: language must be one of {', '.join(allowed)}")
    build = values.get("build", [])
    build = [build] if isinstance(build, str) else build
    if not (isinstance(build, list) and all(isinstance(line, str) and line.isprintable() for line in build)):
        raise ArenaError(f"{MANIFEST}: build must be a command, or a list of commands")
    return Plan(language, tuple(build), _command(values["command"]), MANIFEST)


def _command(value: object) -> tuple[str, ...]:
    """Return the words of a command."""
    try:
        words = shlex.split(value) if isinstance(value, str) else value
    except ValueError as error:
        raise ArenaError(f"{MANIFEST}: command: {error}") from None
    if not (
        isinstance(words, list)
        and words
        and all(isinstance(word, str) and word.isprintable() and len(word) < _WORD_LENGTH for word in words)
    ):
        raise ArenaError(f"{MANIFEST}: command must be a text or a list of texts")
    if words[0].startswith(REMOTE):  # this would be the bot of somebody else
        raise ArenaError(f"{MANIFEST}: command: a bot plays from home by `arena connect`, and not by a file")
    return tuple(words)


_STRINGS: Final = re.compile(rb"(\"{3}|'{3}).*?\1", re.DOTALL)
_RUNS: Final = re.compile(
    rb"^(?!class |def |async def |import |from |[@#)\]}]|[\w., ]+(?::[^=\n]*)?=(?!=))\S", re.MULTILINE
)
"""The start of a line of Python that does more than define a name."""
_CLASS: Final = re.compile(rb"^class (\w+).{0,2000}?^[ \t]+def ([a-z]\w*)\(self,", re.MULTILINE | re.DOTALL)


def _refuse_class(files: Sequence[SourceFile]) -> None:
    """Raise an ArenaError if the only file of Python, or engine.py, has a class and runs nothing."""
    sources = [file for file in files if "/" not in file.path and file.path.endswith(".py")]
    for file in sources if len(sources) == 1 else [file for file in sources if file.path == "engine.py"]:
        code = _STRINGS.sub(b"", file.content[:100_000])
        if (match := _CLASS.search(code)) and not _RUNS.search(code):
            name, method = match[1].decode(), match[2].decode()
            raise ArenaError(
                f"{file.path} has a class {name} and runs nothing: add a file {MANIFEST} with"
                f' command = "bridge:class {file.path}:{name} --method {method}(legal)", and in the brackets'
                " the values that the method takes; `arena docs bridges` lists them, and courses with --like"
            )


def _recognised(paths: list[str]) -> Plan:
    """Return how the files are built and started, as `arena new-engine` lays them out."""
    template = _template(paths)
    if template is not None:
        return template
    sources = [path for path in paths if "/" not in path and f".{path.rpartition('.')[2]}" in _BY_SUFFIX]
    if len(sources) != 1:
        several = "several source files, and none is named engine" if sources else "no source file"
        raise ArenaError(
            f"the upload has {several}: name the main file e.g. engine.py, or add a file {MANIFEST} with"
            ' command = "..."'
        )
    (source,) = sources
    stem, _, suffix = source.rpartition(".")
    language, build, command = _BY_SUFFIX[f".{suffix}"]
    name = shlex.quote(source if not source.startswith("-") else f"./{source}")
    words = shlex.split(command.format(name, stem=shlex.quote(stem)))
    return Plan(language, (build.format(name),) if build else (), tuple(words), source)


def _template(paths: list[str]) -> Plan | None:
    """Return the plan of the language of `arena new-engine` whose files these are; None if there is none."""
    needs = {"c": "Makefile", "cpp": "Makefile", "rust": "Cargo.toml", "go": "go.mod"}
    for id_, language in LANGUAGES.items():
        if language.source in paths and needs.get(id_, language.source) in paths:
            return Plan(id_, language.build, tuple(shlex.split(language.command)), language.source)
    if "Makefile" in paths:
        sources = {
            _BY_SUFFIX[suffix].language
            for path in paths
            if (suffix := f".{path.rpartition('.')[2]}") in _BY_SUFFIX
        }
        if sources and sources <= {"c", "cpp"}:
            return Plan("cpp" if "cpp" in sources else "c", ("make",), ("./engine",), "Makefile")
    return None


_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""The PATH for programs. The sandbox shows a program's folder, so none of them is the organiser's."""


def engine_keys(
    name: str, version: int, command: Sequence[str], folder: Path, door: DoorKeys
) -> dict[str, Any]:
    """Return the keys of ``[[engines]]`` for a built submission.

    The engine starts in an empty folder, so arguments that name files of the submission get their whole path.
    """
    if command[0].startswith(bridges.PREFIX):
        try:
            command = bridges.expanded(tuple(command))
        except ValueError as error:
            raise ArenaError(f"{MANIFEST}: command: {error}") from None
    first, *arguments = command
    if first.startswith(REMOTE):
        return {"name": name, "version": str(version), "command": [first], "options": {}}
    return {
        "name": name,
        "version": str(version),
        "command": [_program(first, folder), *(_argument(word, folder) for word in arguments)],
        "cwd": str(folder),
        "sandbox": "bwrap",
        "readable": [],
        "env": {},
        "limits": {key: value for key, value in asdict(door.playing).items() if value is not None},
    }


def _program(word: str, folder: Path) -> str:
    """Return the program of a command: a file of the submission, or of the folders of the system."""
    if word == PYTHON:
        return word
    if "/" not in word:
        program = shutil.which(word, path=_PATH)
        if program is None:
            raise ArenaError(
                f"there is no program {word[:100]!a} on this machine; write ./ before a program of yours"
            )
        return program
    path = safe_name(word)
    if not (folder / path).is_file():
        raise ArenaError(f"there is no file {path!a} after the build; correct the command or the build")
    return str(folder / path)


def _argument(word: str, folder: Path) -> str:
    word = word.replace(CWD, str(folder))
    if word.startswith(("/", "-")):
        return word
    try:
        path = safe_name(word)
    except ArenaError:
        return word  # not a path, or not a path in the submission
    return str(folder / path) if (folder / path).exists() else word
