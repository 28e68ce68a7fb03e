"""Tests the page of the promises against malicious engines: each promise names tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/security.md"

HEADS = (r"promise \|(?: `none` \| `folder` \| `bwrap` \|)?", r"what is sent or held open \| its bound \|")
HEAD = rf"\| (?:{'|'.join(HEADS)}) tests \|"
TABLES = re.findall(rf"^{HEAD}\n\|[-|]+\|\n((?:\|.*\|\n)+)", PAGE.read_text(), flags=re.MULTILINE)
PROMISES = {
    cells[0]: cells[1:]
    for rows in TABLES
    for cells in ([cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines())
}
"""The other cells of each row by its sentence."""

SANDBOXED = [promise for promise, cells in PROMISES.items() if len(cells) == 4]
"""The promises about engines on this machine. A bot on its author's machine needs no sandbox here."""


@cache
def functions_in(file: str) -> dict[str, list[str]]:
    """Return the tests of a file, with their decorators."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {node.name: [ast.unparse(mark) for mark in node.decorator_list] for node in functions}


def test_every_row_of_the_page_is_in_a_table_of_promises() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(rows) == len(TABLES) + len(PROMISES)
    assert len(PROMISES) > 30


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_tests_that_exist_and_are_not_slow(promise: str) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PROMISES[promise][-1])
    assert ", ".join(f"`{file}::{test}`" for file, test in named) == PROMISES[promise][-1] != ""
    for file, test in named:
        assert test in functions_in(file)
        assert "pytest.mark.slow" not in functions_in(file)[test]


@pytest.mark.parametrize("promise", SANDBOXED)
def test_a_promise_says_for_each_sandbox_how_far_it_holds(promise: str) -> None:
    none, folder, bwrap = PROMISES[promise][:3]
    ranks = {"no": 0, "faulty": 1, "limits": 2, "yes": 2}
    assert ranks[none] <= ranks[folder] <= ranks[bwrap] == 2
    assert "yes" not in (none, folder) or promise.endswith("arena warns.")
