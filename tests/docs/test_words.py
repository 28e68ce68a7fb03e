"""The documentation stays short: words.toml has the number of words of pages and of all."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMITS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
ROOM = 1.03


def words(page: Path) -> int:
    return len(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", LIMITS["pages"])
def test_a_page_has_at_most_its_number_of_words(page: str) -> None:
    most = LIMITS["pages"][page] * ROOM
    assert words(ROOT / page) <= most, "cut elsewhere on the page, or find the fact another home"


def test_every_page_has_a_number_of_words() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert set(LIMITS["pages"]) == {str(page.relative_to(ROOT)) for page in pages}


def test_all_pages_have_at_most_the_number_of_words_of_all() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert sum(map(words, pages)) <= LIMITS["total"]
