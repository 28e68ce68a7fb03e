"""Compares the page of the checks with the catalogue of checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.check import CHECKS, ConformanceCheck

PAGE = (Path(__file__).parents[2] / "docs/reference/check.md").read_text(encoding="utf-8")
ROWS = {int(row[1]): row[0] for row in re.finditer(r"^\| (\d+) \|.*$", PAGE, flags=re.MULTILINE)}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.number))
def test_every_check_is_on_the_page_with_its_name_severity_and_capability(check: ConformanceCheck) -> None:
    row = ROWS[check.number]
    assert f"**{check.name}**" in row
    assert f"| {check.severity} |" in row
    assert not check.capability or f"| `{check.capability}` |" in row
    assert not check.without or f"without `{check.without}`" in row
    assert row.count(" | ") == 3


def test_the_page_has_no_check_that_does_not_exist() -> None:
    assert list(ROWS) == [check.number for check in CHECKS]
