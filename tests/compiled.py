"""The modules that `make fast` compiled, as a plugin for pytest.

Python loads a compiled module instead of its source, so a compiled module that is older than its source
would make every test a test of yesterday's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def compiled_modules() -> Iterator[tuple[Path, Path]]:
    """Yield the path of each compiled module and the path of its source."""
    for package in ("protocol", "referee"):
        for library in sorted((ROOT / package).rglob("*.so")):
            yield library, library.with_name(library.name.partition(".")[0] + ".py")


COMPILED = any(compiled_modules())


def pytest_report_header() -> list[str]:
    count = len(list(compiled_modules()))
    return [f"compiled modules: {count}"] if count else []


def pytest_configure() -> None:
    """Stop at once if a source changed after it was compiled."""
    for library, source in compiled_modules():
        if not source.exists() or source.stat().st_mtime > library.stat().st_mtime:
            raise pytest.UsageError(
                f"{source.relative_to(ROOT)} changed after it was compiled: `make fast` compiles it again, "
                "`make pure` removes what is compiled"
            )
