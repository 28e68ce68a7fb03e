"""Tests the page of the promises against malicious engines: security.toml names tests for each of them."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/explanation/security.md").read_text(encoding="utf-8")
NAMED = tomllib.loads(Path(__file__).with_name("security.toml").read_text(encoding="utf-8"))
"""For each section, the tests by the words of the page."""

TESTS = {words: tests for section in NAMED.values() for words, tests in section.items()}
HEADS = {"promise": "`none`, `folder`", "what is sent or held open": "its bound"}
ROWS = [[cell.strip() for cell in row.split("|")] for row in re.findall(r"^\| (.*) \|$", TEXT, re.MULTILINE)]


def sections() -> dict[str, str]:
    """The texts of the page by their headings."""
    parts = re.split(r"^#+ (.+)\n", TEXT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@cache
def functions_in(file: str) -> dict[str, list[str]]:
    """Return the tests of a file, with their decorators."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {node.name: [ast.unparse(mark) for mark in node.decorator_list] for node in functions}


def test_each_row_and_each_promise_of_the_door_has_tests() -> None:
    items = re.findall(r"^- (.+(?:\n  .+)*)", sections()["The door"], re.MULTILINE)
    promised = {cells[0] for cells in ROWS if cells[0] not in HEADS} | {
        " ".join(item.split()) for item in items
    }
    assert len(promised) > 70
    assert promised <= TESTS.keys()


def test_each_section_has_promises_and_the_words_of_its_own_or_says_why_not() -> None:
    for heading, text in sections().items():
        assert heading in NAMED or "<!-- no promises: " in text, heading
        flat = " ".join(text.split())
        assert [words for words in NAMED.get(heading, {}) if words not in flat] == []


@pytest.mark.parametrize("words", TESTS)
def test_the_tests_of_a_promise_exist_and_are_not_slow(words: str) -> None:
    assert TESTS[words]
    for named in TESTS[words]:
        file, test = named.split("::")
        assert test in functions_in(file)
        assert "pytest.mark.slow" not in functions_in(file)[test]


def test_the_tables_say_how_far_a_promise_holds_without_bubblewrap() -> None:
    for promise, *cells in ROWS:
        if promise in HEADS:
            head = promise
            assert cells == [HEADS[head]]
        elif head == "promise":
            allowed = (
                {"yes"} if promise.endswith("arena warns.") else {"no", "faulty", "no; `folder`: faulty"}
            )
            assert {*cells} <= allowed
