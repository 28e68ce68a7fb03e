"""The page for users of other managers has all options of both, and its tournament file can be loaded."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from arena.config import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/howto/coming-from.md").read_text(encoding="utf-8")
MANAGERS = tomllib.loads((ROOT / "tests/data/managers.toml").read_text(encoding="utf-8"))
ROWS = re.findall(r"^\| (`.*?) \| (\w+) \| (.+) \|$", PAGE, re.MULTILINE)


LISTS = re.findall(r"^- (both|fastchess|cutechess): (.+(?:\n  .+)*)$", PAGE, re.MULTILINE)
"""Options that are not needed, or have no replacement."""


def named(cell: str) -> list[str]:
    """The options in the first cell of a row; parts of one are behind a colon: `-draw`: `moves`, `score`."""
    option, colon, parts = cell.partition(":")
    if colon:
        return [f"{option.strip('`')} {part}" for part in re.findall("`(.+?)`", parts)]
    return [name if name.startswith("-") else f"-engine {name}" for name in re.findall("`(.+?)`", cell)]


@pytest.mark.parametrize("program", MANAGERS)
def test_every_option_of_another_manager_is_on_the_page_once(program: str) -> None:
    manager = MANAGERS[program]
    parts = [f"{option} {part}" for option, text in manager["parts"].items() for part in text.split()]
    rows = [name for cell, of, _ in ROWS if of in (program, "both") for name in named(cell)]
    listed = [name for of, names in LISTS if of in (program, "both") for name in re.findall("`(.+?)`", names)]
    assert sorted(rows + listed) == sorted(manager["options"].split() + parts)


def test_the_rows_are_of_these_programs_and_the_page_names_their_versions() -> None:
    assert {program for _, program, _ in ROWS} == {"both", *MANAGERS}
    assert len(ROWS) == len(re.findall(r"^\| `", PAGE, re.MULTILINE))
    assert all(f"({manager['version']})" in PAGE for manager in MANAGERS.values())
    for manager in MANAGERS.values():
        assert all(word.split()[0] in manager["options"].split() for word in manager["not_in_the_help"])


def test_a_row_says_what_to_write_or_why_there_is_nothing() -> None:
    assert [cell for cell, _, answer in ROWS if answer.strip() in ("", "none")] == []


def test_the_tournament_on_the_page_can_be_loaded(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "match.toml").write_text(block, encoding="utf-8")
    (tmp_path / "book.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n")
    for name in ("new", "old"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    spec = load(tmp_path / "match.toml")
    assert (spec.format_keys.max_games, spec.concurrency, spec.seed) == (10_000, 4, 7)
