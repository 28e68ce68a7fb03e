"""The pages of the documentation, from a wheel and a checkout alike."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from arena import samples
from arena.errors import ArenaError
from referee import game

_PACKAGED: Final = Path(__file__).parent / "documentation"
"""Where a wheel has the pages."""

_IN_CHECKOUT: Final = Path(__file__).parents[1] / "docs"

_COMMENT: Final = re.compile(r"^<!-- .*?-->\n", re.DOTALL | re.MULTILINE)

_CODE: Final = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_TERM: Final = re.compile(r"^\*\*(.+?)\*\*: (.+?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
_ROW: Final = re.compile(r"^\| `([^`]+)` \| (.*?) \|.*\| (.*) \|$", re.MULTILINE)

_FEW_PLACES: Final = 6
"""A word that fewer headings, terms and keys have is also looked up in the texts of sections."""

SECTIONS: Final = {
    "tutorial": "First steps",
    "howto": "How to",
    "reference": "Reference",
    "games": "The rules of the games",
    "explanation": "Background",
}
"""The folders of the pages and their titles."""

SMALLEST: Final = "tiny.py"
"""The smallest engine in Python, which servers show beside the page ``tiny``."""


def name(file: PurePath) -> str:
    """Return the name of a page; a README and an index have the name of their folder."""
    return file.parent.name if file.stem in ("README", "index") else file.stem


def _folder() -> Path:
    return _PACKAGED if _PACKAGED.is_dir() else _IN_CHECKOUT


def sections() -> dict[str, dict[str, Path]]:
    """Return the files of the pages by title of the section and name; ArenaError: there are none.

    The pages of the sample engines come last: ``samples``, and one for each folder that is here.
    """
    folder = _folder()
    by_section = {
        title: {name(file): file for file in sorted(folder.joinpath(section).rglob("*.md"))}
        for section, title in SECTIONS.items()
    }
    if not any(by_section.values()):
        raise ArenaError(f"the documentation is missing: there is no {folder}; install arena again")
    engines = samples.folder()
    sample_pages = {name(file): file for file in sorted(engines.glob("*/README.md"))}
    return by_section | {"The sample engines": {"samples": engines / "README.md", **sample_pages}}


def pages() -> dict[str, Path]:
    """Return the files of the pages by name, in the order of the sections; ArenaError: there are none."""
    return {named: file for section in sections().values() for named, file in section.items()}


@cache
def games() -> frozenset[str]:
    """Return the ids of the games whose rules have a page, which has their name."""
    return frozenset(file.stem for file in _folder().glob("games/*.md")) - {"index"}


def prose(file: Path) -> str:
    """Return a page without the comments of its source, which are for authors and tests."""
    return _COMMENT.sub("", file.read_text(encoding="utf-8"))


def rules(game_id: str) -> str:
    """Return the page with the rules of a game; for a game without a page, how its moves are written."""
    if game_id in games():
        return prose(pages()[game_id])
    return f"{game_id}: there is no page with its rules. A move is {game(game_id).info.notation}."


def title(file: Path) -> str:
    """Return the title of a page."""
    with file.open(encoding="utf-8") as lines:
        return next(lines).lstrip("# ").strip()


class Place(NamedTuple):
    """A place in the documentation; a term has no heading, and only terms and keys have a text."""

    page: str
    heading: str
    text: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, self))


def find(word: str) -> list[Place]:
    """Return the places that are about a word: headings, and what terms and keys mean.

    If there are few, the sections whose text has the word most often come after them.
    """
    whole = re.compile(rf"(?<!\w){re.escape(word)}s?(?!\w)", re.IGNORECASE)
    about: list[Place] = []
    counts: dict[Place, int] = {}
    for page, file in pages().items():
        for part in re.split(r"^(?=#+ )", _CODE.sub("", prose(file)), flags=re.MULTILINE):
            first, _, text = part.partition("\n")
            place = Place(page, first.lstrip("# "))
            if whole.search(first):
                about.append(place)
            elif number := len(whole.findall(text)):
                counts[place] = number
            if page == "terms":
                terms = [term for term in _TERM.finditer(text) if whole.search(term[1])]
                about += [Place(page, "", f"{term[1]}: {_line(term[2])}") for term in terms]
            if page == "tournament-file":
                rows = [row for row in _ROW.finditer(text) if _has(row, word)]
                about += [place._replace(text=f"`{row[1]}`: {_line(row[3])}") for row in rows]
    often = sorted(counts, key=lambda place: -counts[place])
    return about + often[: max(0, _FEW_PLACES - len(about))]


def _has(row: re.Match[str], word: str) -> bool:
    """Return whether a row of a table is about a key, or about a key that takes a value."""
    return word == row[1] or word in re.findall(r"[\w-]+", row[2])


def _line(text: str) -> str:
    """Return a paragraph as one line, with the words of its links."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
