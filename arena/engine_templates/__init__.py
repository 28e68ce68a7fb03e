"""A folder with a small engine that works, to start an own one from."""

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

__all__ = ["LANGUAGES", "Language", "try_line", "write_engine"]

_SUFFIX = ".in"
"""Of all templates: so that no tool takes them for programs."""


@dataclass(frozen=True, slots=True)
class Language:
    """How an engine in one language is built and started.

    Attributes:
        title: the language's name for people.
        source: the file that the author goes on with.
        build: the shell commands that build it; () where nothing is to be built.
        note: what its user must know instead.
        command: how it is started, in its folder.
        entry: the same in a tournament file.
    """

    title: str
    source: str
    build: tuple[str, ...]
    note: str
    command: str
    entry: str


_NOTHING = "There is nothing to build."

LANGUAGES = {
    "python": Language(
        "Python",
        "engine.py",
        (),
        f"{_NOTHING} `python3` must be the Python that `arena` is installed for: activate its environment.",
        "python3 engine.py",
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
    "js": Language("JavaScript", "engine.js", (), _NOTHING, "node engine.js", "node engine.js"),
    "java": Language(
        "Java",
        "Engine.java",
        ("javac -encoding UTF-8 Engine.java",),
        "",
        "java -cp . Engine",
        "java -cp . Engine",
    ),
}
"""By the word that ``--lang`` takes."""


_BY_PATH = "In a file that lies elsewhere, `command` is the way from there to the program."
_BY_FOLDER = 'In a file that lies elsewhere, add `cwd = "..."`: the way from there to this folder.'
_TURN = (
    "The time: `turn.budget_ms()` is what the move should take, `turn.out_of_time()` says when to break off."
)
_MILLIS = "The time that the move may take, in milliseconds; `budget` works it out of the clock."


class _Text(Template):
    delimiter = "@@"  # the dollar belongs to Makefiles


def write_engine(folder: Path, language: str, game: GameInfo) -> list[Path]:
    """Write an engine for ``game`` into ``folder``, and return its files, the folder's name in front.

    Args:
        folder: is made if it is not there; may be there if it is empty.
        language: a key of `LANGUAGES`.
        game: what it is to play.

    Raises:
        ArenaError: the folder has something in it, or cannot be written.
    """
    about = LANGUAGES[language]
    words = _words(folder.absolute().name, about, game)
    written: list[Path] = []
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise ArenaError(f"{folder} is not empty: name a folder that is, or a new one")
        folder.mkdir(parents=True, exist_ok=True)
        templates = files("arena.engine_templates")
        for name, template in [("README.md", templates / "README.md.in"), *_walk(templates / language, "")]:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_Text(template.read_text(encoding="utf-8")).substitute(words), encoding="utf-8")
            written.append(file)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be written: {error.strerror}") from error
    return written


def try_line(language: Language, game: GameInfo) -> str:
    """The command that has an engine, in its folder, play against itself."""
    seat = f'"{language.command}"' if " " in language.command else language.command
    return " ".join(["arena play", game.id, *[f"--seat {seat}"] * game.players])


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """The templates below a folder, each with the path of the file that it becomes."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _walk(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield path + entry.name.removesuffix(_SUFFIX), entry


def _words(name: str, language: Language, game: GameInfo) -> dict[str, str]:
    """What the templates' names stand for."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "engine"
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    sh = "\n".join(language.build)
    return {
        "name": plain,
        "slug": slug if slug[:1].isalpha() else f"engine-{slug}".strip("-"),
        "game": game.id,
        "title": game.title,
        "language": language.title,
        "source": language.source,
        "build": f"```sh\n{sh}\n```" if sh else language.note,
        "command": language.command,
        "entry": language.entry,
        "elsewhere": _BY_PATH if "/" in language.entry else _BY_FOLDER,
        "time": _TURN if language.title == "Python" else _MILLIS,
        "try": try_line(language, game),
    }
