"""Counts the tests of each promise in docs/explanation/how-it-is-tested.md; `make counts` runs this.

A row of the page ends with two numbers: its tests, and how many of them are slow. The files and folders that
it names have these tests. A file that two rows name, itself or by its folder, belongs to the longer name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/how-it-is-tested.md"

_ROW = re.compile(r"(?P<text>\|.*) \| [\d,]+ \| [\d,]+ \|")
_PLACE = re.compile(r"`(tests(?:/[^`]*)?)`")
_TOTAL = re.compile(r"On \d{4}-\d\d-\d\d, .*")


def places(line: str) -> list[str]:
    """Return the files and folders of tests that a line of the page counts; none if it is no such row."""
    row = _ROW.fullmatch(line)
    return _PLACE.findall(row["text"]) if row else []


def belongs(file: str, names: Iterable[str]) -> str:
    """Return the one of ``names`` that counts the tests of a file; "" if there is none."""
    return max((name for name in names if f"{file}/".startswith(f"{name}/")), key=len, default="")


class _Collected:
    """A plug-in of pytest that keeps the tests."""

    items: list[pytest.Item]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = session.items


def _counted(lines: list[str], items: list[pytest.Item]) -> Iterator[str]:
    """Yield the lines of the page with new numbers."""
    names = [name for line in lines for name in places(line)]
    tests: Counter[str] = Counter()
    slow: Counter[str] = Counter()
    for item in items:
        name = belongs(item.path.relative_to(ROOT).as_posix(), names)
        tests[name] += 1
        slow[name] += item.get_closest_marker("slow") is not None
    today = datetime.now(UTC).date()
    total = f"On {today}, there were {tests.total():,} tests, {slow.total():,} of them slow."
    for line in lines:
        found = places(line)
        numbers = [f"{sum(count[name] for name in found):,}" for count in (tests, slow)]
        yield _ROW.sub(rf"\g<text> | {' | '.join(numbers)} |", line) if found else _TOTAL.sub(total, line)


def main() -> None:
    """Count the tests, and write their numbers into the page."""
    collected = _Collected()
    code = pytest.main(["--collect-only", "-qqq", str(ROOT / "tests")], plugins=[collected])
    if code:
        raise SystemExit(code)
    PAGE.write_text("\n".join(_counted(PAGE.read_text().split("\n"), collected.items)))


if __name__ == "__main__":
    main()
