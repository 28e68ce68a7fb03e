"""Each promise of a page names the tests that fail when it is broken, and these tests exist.

A comment of the page's source has a line for each promise: the words of the page, a colon, and tests. It
stands after its paragraph, list or table. The tests of security.md are in security.toml.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

COMMENT = re.compile(r"^<!-- promises\n(.*?)^-->$", re.DOTALL | re.MULTILINE)
NOT_PROMISED = re.compile(r"^<!-- no promises: \S.*-->$", re.MULTILINE)
TEST = r"tests/[\w/]+\.py::test_\w+"
LINE = re.compile(rf"(.+): ({TEST}(?:, {TEST})*)")

NAMING = sorted(page for page in DOCS.rglob("*.md") if re.search(TEST, page.read_text(encoding="utf-8")))
"""The pages that name tests."""

HELD = [
    DOCS / "explanation/faults.md",
    DOCS / "howto/play-from-home.md",
    DOCS / "reference/database.md",
]
"""The pages in which each section names tests, or says why it promises nothing."""


def sections(page: Path) -> dict[str, str]:
    """The texts of a page by their headings."""
    parts = re.split(r"^#+ (.+)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def flat(text: str) -> str:
    """A text without its comments, on one line."""
    return " ".join(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL).split())


@cache
def functions_in(file: str) -> frozenset[str]:
    """The names of the tests in a file."""
    nodes = ast.parse((ROOT / file).read_text(encoding="utf-8")).body if (ROOT / file).is_file() else []
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("page", NAMING, ids=lambda page: page.name)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    named = {tuple(place.split("::")) for place in re.findall(TEST, page.read_text(encoding="utf-8"))}
    assert [f"{file}::{test}" for file, test in sorted(named) if test not in functions_in(file)] == []


@pytest.mark.parametrize("page", NAMING, ids=lambda page: page.name)
def test_a_line_of_a_comment_has_words_of_its_section_and_their_tests(page: Path) -> None:
    for heading, text in sections(page).items():
        for comment in COMMENT.findall(text):
            for line in comment.splitlines():
                promise = LINE.fullmatch(line)
                assert promise is not None, f"{heading}: {line}"
                assert promise[1] in flat(text), f"{heading}: these words are not there: {promise[1]}"


def test_every_section_of_a_page_of_promises_names_tests_or_says_why_not() -> None:
    for page in HELD:
        for heading, text in sections(page).items():
            if flat(text):
                assert re.search(TEST, text) or NOT_PROMISED.search(text), f"{page.name}: {heading}"
