"""No idiom that readers must read twice comes back: in docs, messages, comments and names of tests."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

INSTEAD = {
    "at once": "immediately, at the same time, in parallel",
    "that of|those of": "the noun again",
    "whatever|whoever": "any, anyone who; or nothing",
    "so many": "this many",
    "for ?ever": "permanently, without an end",
    "anew": "again",
    "besides": "beside, also, apart from",
    "say so|says so|said so": "what it says",
    "begin|begins|beginning|began|begun": "start",
}
"""Expressions, and what to write instead."""

WORST = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b".replace(" ", r"\s+"), re.IGNORECASE)

CODE = re.compile(r"`+[^`\n]*`+|\{[^{}\n]*\}|\b[A-Z]{2,}\b|\bbegin\(\)|\bserve_forever\b")
"""Code in a text: in backticks or braces, SQL, C++, and a method of Python."""

EXCEPTED = {
    "arena/engine_templates/c/engine.c.in": "begins",  # a function, with the name that C programmers expect
    "arena/ratings/lists.py": "begun",  # a stored word: another one would compute all ratings again
    "arena/web/templates": "began",  # an event of the API
}
"""Words of the API and of stored data, by file or folder."""


def sentences(file: Path) -> Iterator[str]:
    """Yield the texts in a file: all of a page, comments and strings of the product, names of tests."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield text
        return
    if file.is_relative_to(ROOT / "tests"):
        yield from (name.replace("_", " ") for name in re.findall(r"def (test_\w+)", text))
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and " " in token.string):
            yield token.string


FILES = {
    "docs": [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")],
    **{
        name: [
            file for ending in ("py", "in", "html", "js", "md") for file in (ROOT / name).rglob(f"*.{ending}")
        ]
        for name in ("arena", "engines", "protocol", "referee", "tests")
    },
}


@pytest.mark.parametrize("name", FILES)
def test_texts_use_plain_words(name: str) -> None:
    found = []
    for file in FILES[name]:
        path = str(file.relative_to(ROOT))
        excepted = [words for start, words in EXCEPTED.items() if path.startswith(start)]
        for text in sentences(file):
            for match in WORST.finditer(CODE.sub("", text)):
                if not any(re.fullmatch(words, match[0], re.IGNORECASE) for words in excepted):
                    instead = next(
                        text
                        for words, text in INSTEAD.items()
                        if re.fullmatch(words, match[0], re.IGNORECASE)
                    )
                    found.append(f"{path}: {match[0]}: write {instead}")
    assert found == []
