"""Tests the page of the project's own terms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGE = DOCS / "explanation/terms.md"
TEXT = PAGE.read_text(encoding="utf-8")

ENTRIES = dict(re.findall(r"^\*\*(.+?)\*\*: (.+(?:\n.+)*)", TEXT, flags=re.MULTILINE))
"""The explanations by term."""

OTHERS = {
    page: " ".join(page.read_text(encoding="utf-8").split())
    for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("engines/**/*.md")]
    if page not in (PAGE, DOCS / "index.md")
}
"""The texts of all other pages but the index, with single spaces."""


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_there_are_at_most_twenty_terms_in_alphabetical_order() -> None:
    assert 0 < len(ENTRIES) <= 20
    assert list(ENTRIES) == sorted(ENTRIES, key=str.casefold)


def test_every_paragraph_after_the_first_explains_a_term() -> None:
    _, _, *paragraphs = TEXT.strip().split("\n\n")
    assert len(paragraphs) == len(ENTRIES)


@pytest.mark.parametrize("term", ENTRIES)
def test_a_term_is_explained_in_at_most_three_short_sentences(term: str) -> None:
    sentences = re.split(r"(?<=[.;]) ", " ".join(ENTRIES[term].split()))
    assert len(sentences) <= 3
    assert max(len(sentence.split()) for sentence in sentences) <= 30


@pytest.mark.parametrize("term", ENTRIES)
def test_a_term_is_used_on_at_least_two_other_pages(term: str) -> None:
    words = [re.escape(word) for word in term.split()]
    # "Void game" is also used as "the game is void".
    turned = rf"{words[-1]}s?\b[^.|]*?\b{words[0]}"
    used = re.compile(rf"\b(?:{' '.join(words)}|{turned if len(words) > 1 else words[0]})", re.IGNORECASE)
    assert len([page for page, text in OTHERS.items() if used.search(text)]) >= 2


@pytest.mark.parametrize("term", ENTRIES)
def test_the_links_of_a_term_lead_to_a_page_and_a_heading(term: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", ENTRIES[term]):
        path, _, anchor = link.partition("#")
        page = (PAGE.parent / path).resolve()
        assert page.exists()
        assert not anchor or anchor in anchors(page)


def test_the_index_lists_the_page() -> None:
    assert "(explanation/terms.md)" in DOCS.joinpath("index.md").read_text(encoding="utf-8")
