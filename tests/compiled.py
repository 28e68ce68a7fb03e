"""The compiled modules among those that the tests import, as a plugin for pytest.

`make fast` compiles modules in the checkout. Python loads a compiled module instead of its source, so a
compiled module that is older than its source would make every test a test of yesterday's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def compiled_modules() -> Iterator[tuple[Path, Path]]:
    """Yield the path of each compiled module and the path of its source."""
    for package in ("protocol", "referee"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        for library in sorted(Path(spec.origin).parent.rglob("*.so")):
            yield library, library.with_name(library.name.partition(".")[0] + ".py")


COMPILED = any(compiled_modules())


def pytest_report_header() -> list[str]:
    count, session = len(list(compiled_modules())), find_spec("protocol.wire.session")
    return [f"compiled modules: {count}, one is {session and session.origin}"] if count else []


def pytest_configure() -> None:
    """Stop immediately if a source of the checkout changed after it was compiled."""
    for library, source in compiled_modules():
        if not library.is_relative_to(ROOT):
            continue  # in an installed wheel
        if not source.exists() or source.stat().st_mtime > library.stat().st_mtime:
            raise pytest.UsageError(
                f"{source.relative_to(ROOT)} changed after it was compiled: `make fast` compiles it again, "
                "`make pure` removes what is compiled"
            )
