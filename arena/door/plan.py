"""Find out how a submission is built and started: by its ``engine.toml``, or by the files in it."""

from __future__ import annotations

import shlex
import shutil
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from arena import bridges
from arena.config.door_keys import REMOTE, DoorKeys
from arena.door.archive import SourceFile, safe_name
from arena.engine_templates import LANGUAGES
from arena.errors import ArenaError
from protocol.process.program import CWD, PYTHON

MANIFEST: Final = "engine.toml"
_KEYS: Final = frozenset({"command", "build", "language"})
_MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Plan:
    """How a submission is built and started."""

    language: str  # a key of `LANGUAGES`; "" if its author does not say
    build: tuple[str, ...]  # shell commands; empty if it needs no build
    command: tuple[str, ...]  # the words that start it in its folder; {python} is the Python of arena
    found: str  # the file from which this is known

    def sentence(self) -> str:
        """The plan in one sentence, for the participant."""
        title = LANGUAGES[self.language].title if self.language else "an engine"
        build = f"built by `{' && '.join(self.build)}`" if self.build else "not built"
        return f"{title} (by {self.found}): {build}, started by `{' '.join(map(_quoted, self.command))}`"


@dataclass(frozen=True, slots=True)
class _Single:
    """How a source file of any name is built and started; ``{}`` stands for its name."""

    build: str
    command: str


def remote_plan(name: str) -> Plan:
    """Return the plan of a bot that stays on the machine of a participant."""
    return Plan("", (), (f"{REMOTE}{name}",), "arena connect")


_BY_SUFFIX: Final[Mapping[str, tuple[str, _Single]]] = {
    ".py": ("python", _Single("", "{{python}} {}")),
    ".js": ("js", _Single("", "node {}")),
    ".mjs": ("js", _Single("", "node {}")),
    ".lua": ("lua", _Single("", "lua {}")),
    ".c": ("c", _Single("cc -O2 -o engine {} -lm -lpthread", "./engine")),
    ".cpp": ("cpp", _Single("c++ -O2 -std=c++17 -o engine {} -lpthread", "./engine")),
    ".cc": ("cpp", _Single("c++ -O2 -std=c++17 -o engine {} -lpthread", "./engine")),
    ".rs": ("rust", _Single("rustc -O -o engine {}", "./engine")),
    ".go": ("go", _Single("go build -o engine {}", "./engine")),
    ".java": ("java", _Single("javac -encoding UTF-8 {}", "java -cp . {stem}")),
    ".kt": ("kotlin", _Single("kotlinc {} -include-runtime -d engine.jar", "java -jar engine.jar")),
    ".ml": ("ocaml", _Single("ocamlopt -o engine {}", "./engine")),
}
"""Languages whose compiler needs nothing but one file, by the suffix of the file."""


def home_command(command: Sequence[str]) -> str:
    """Return the words after ``--`` for which arena starts a submission in its own folder, at home."""
    return " ".join(_quoted(word.replace(CWD, ".")) for word in command)


def _quoted(word: str) -> str:
    return word if word == PYTHON else shlex.quote(word)


def understand(files: Sequence[SourceFile], languages: Collection[str] | None) -> Plan:
    """Return how a submission is built and started; an ArenaError says what its author must do.

    If only some languages are allowed, it must be in one of them, or say so in its ``engine.toml``.
    """
    paths = {file.path: file for file in files}
    plan = _declared(paths[MANIFEST], languages) if MANIFEST in paths else _found(list(paths))
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
        and all(isinstance(word, str) and word.isprintable() and len(word) < _MOST for word in words)
    ):
        raise ArenaError(f"{MANIFEST}: command must be a text or a list of texts")
    if words[0].startswith(REMOTE):  # this would be the bot of somebody else
        raise ArenaError(f"{MANIFEST}: command: a bot plays from home by `arena connect`, and not by a file")
    return tuple(words)


def _found(paths: list[str]) -> Plan:
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
    language, single = _BY_SUFFIX[f".{suffix}"]
    name = shlex.quote(source if not source.startswith("-") else f"./{source}")
    values = {"stem": shlex.quote(stem)}
    build = single.build.format(name, **values)
    return Plan(
        language, (build,) if build else (), tuple(shlex.split(single.command.format(name, **values))), source
    )


def _template(paths: list[str]) -> Plan | None:
    """Return the plan of the language of `arena new-engine` whose files these are; None if there is none."""
    needs = {"c": "Makefile", "cpp": "Makefile", "rust": "Cargo.toml", "go": "go.mod"}
    for id_, language in LANGUAGES.items():
        if language.source in paths and needs.get(id_, language.source) in paths:
            return Plan(id_, language.build, tuple(shlex.split(language.command)), language.source)
    if "Makefile" in paths:
        sources = {
            _BY_SUFFIX[suffix][0] for path in paths if (suffix := f".{path.rpartition('.')[2]}") in _BY_SUFFIX
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
    limits = {field.name: getattr(door.playing, field.name) for field in fields(door.playing)}
    return {
        "name": name,
        "version": str(version),
        "command": [_program(first, folder), *(_argument(word, folder) for word in arguments)],
        "cwd": str(folder),
        "sandbox": "bwrap",
        "readable": [],
        "env": {},
        "limits": {key: value for key, value in limits.items() if value is not None},
    }


def _program(word: str, folder: Path) -> str:
    """Return the program of a command: one of the submission, or of the folders of the system."""
    if word == PYTHON:
        return word
    if "/" not in word:
        found = shutil.which(word, path=_PATH)
        if found is None:
            raise ArenaError(
                f"there is no program {word[:100]!a} on this machine; write ./ before one of your own"
            )
        return found
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
