"""Write a small working engine, with instructions to build and try it, into a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from arena.errors import ArenaError
from referee.game import GameInfo

__all__ = ["LANGUAGES", "Language", "engine_name", "try_line", "write_engine"]

_SUFFIX = ".in"
"""The suffix of all templates. It prevents tools from reading them as programs."""


@dataclass(frozen=True, slots=True)
class Language:
    """How to build and start an engine in one language.

    Attributes:
        title: the language's name for people.
        source: the file with ``choose``.
        build: the shell commands that build the engine; empty if it needs no build.
        note: the text for README.md if there are no build commands.
        command: the command that starts the engine in its folder.
        entry: the same command for a tournament file.
    """

    title: str
    source: str
    build: tuple[str, ...]
    note: str
    command: str
    entry: str


_NO_BUILD = "This engine needs no build."

LANGUAGES = {
    "python": Language(
        "Python",
        "engine.py",
        (),
        f"{_NO_BUILD} In commands, `{{python}}` is the Python in which `arena` is installed.",
        "{python} engine.py",
        "{python} engine.py",
    ),
    "c": Language("C", "engine.c", ("make",), "", "./engine", "./engine"),
    "cpp": Language("C++", "engine.cpp", ("make",), "", "./engine", "./engine"),
    "rust": Language(
        "Rust",
        "src/main.rs",
        ("cargo build --release",),
        "",
        "target/release/engine",
        "target/release/engine",
    ),
    "go": Language("Go", "engine.go", ("go build -o engine .",), "", "./engine", "./engine"),
    "js": Language("JavaScript", "engine.js", (), _NO_BUILD, "node engine.js", "node engine.js"),
    "java": Language(
        "Java",
        "Engine.java",
        ("javac -encoding UTF-8 Engine.java",),
        "",
        "java -cp . Engine",
        "java -cp . Engine",
    ),
    "kotlin": Language(
        "Kotlin",
        "Engine.kt",
        ("kotlinc Engine.kt -include-runtime -d engine.jar",),
        "",
        "java -jar engine.jar",
        "java -jar engine.jar",
    ),
    "lua": Language("Lua", "engine.lua", (), _NO_BUILD, "lua engine.lua", "lua engine.lua"),
    "ocaml": Language("OCaml", "engine.ml", ("ocamlopt -o engine engine.ml",), "", "./engine", "./engine"),
}
"""The languages by the value of ``--lang``."""


_ELSEWHERE_COMMAND = (
    "In a tournament file in another folder, `command` is the path from that folder to the program."
)
_ELSEWHERE_CWD = (
    'In a tournament file in another folder, add `cwd = "..."`: the path from that folder to this one.'
)
_TURN_TIME = (
    "The time: `turn.budget_ms()` is the time for the move in milliseconds, and `turn.out_of_time()` tells"
    " when to stop."
)
_MILLIS_TIME = "The time for the move, in milliseconds. `budget` computes it from the clock."


class _EngineTemplate(Template):
    delimiter = "@@"  # Makefiles use the dollar sign


def write_engine(folder: Path, language: str, game: GameInfo) -> list[Path]:
    """Write an engine for ``game`` into ``folder``, and return the paths of its files.

    Args:
        folder: a folder that is empty or does not exist yet.
        language: a key of `LANGUAGES`.
        game: the game that the engine plays.

    Raises:
        ArenaError: the folder is not empty or cannot be written.
    """
    values = _template_values(engine_name(folder), LANGUAGES[language], game)
    written: list[Path] = []
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise ArenaError(f"{folder} is not empty: name an empty folder or a new one")
        folder.mkdir(parents=True, exist_ok=True)
        templates = files("arena.engine_templates")
        for name, template in [("README.md", templates / "README.md.in"), *_walk(templates / language, "")]:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(
                _EngineTemplate(template.read_text(encoding="utf-8")).substitute(values), encoding="utf-8"
            )
            written.append(file)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be written: {error.strerror}") from error
    return written


def try_line(language: Language, game: GameInfo, arena: str = "arena") -> str:
    """Return the command that lets an engine play against itself, to be run in the engine's folder.

    Args:
        language: the engine's language.
        game: the game that it plays.
        arena: the word that starts arena in the user's shell.
    """
    seat = f'"{language.command}"' if " " in language.command else language.command
    return " ".join([arena, "play", game.id, *[f"--seat {seat}"] * game.players])


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """Yield the templates below a folder, each with the path of the file to write."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _walk(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield path + entry.name.removesuffix(_SUFFIX), entry


def engine_name(folder: Path) -> str:
    """Return the name of the engine in a folder: the folder's name in plain letters."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", folder.absolute().name).strip("-.") or "engine"


def _template_values(plain: str, language: Language, game: GameInfo) -> dict[str, str]:
    """Return the values of the names in the templates."""
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    commands = "\n".join(language.build)
    return {
        "name": plain,
        "slug": slug if slug[:1].isalpha() else f"engine-{slug}".strip("-"),
        "game": game.id,
        "title": game.title,
        "language": language.title,
        "source": language.source,
        "build": f"```sh\n{commands}\n```" if commands else language.note,
        "command": language.command,
        "entry": language.entry,
        "elsewhere": _ELSEWHERE_COMMAND if "/" in language.entry else _ELSEWHERE_CWD,
        "time": _TURN_TIME if language.title == "Python" else _MILLIS_TIME,
        "try": try_line(language, game),
    }
