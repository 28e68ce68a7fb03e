"""Skip the tests whose tools are missing, and list them in a table at the end of the run.

    @needs("bwrap")
    def test_something(): ...

    pytest.param("c-alphabeta", marks=needs("cc", "make"))

`tests.tools` declares the tools. With ``CI=true`` a test fails if a required tool is missing. The table
counts every skipped test, so no skip is silent.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest

from tests.tools import TOOLS, missing

__all__ = ["needs"]

MISSING = "missing tool"
UNDECLARED = "(undeclared)"
HEADER = ("tool", "Debian package", "why", "tests", "not tested")


def needs(*names: str) -> pytest.MarkDecorator:
    """Mark a test, a parameter or a module (``pytestmark``) with the tools that it needs.

    Raises:
        KeyError: `tests.tools` has no such tool.
    """
    for name in names:
        TOOLS[name]
    return pytest.mark.needs(*names)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*tools): skipped without these tools of tests/tools.py")


@pytest.hookimpl(tryfirst=True)  # before any fixture is set up
def pytest_runtest_setup(item: pytest.Item) -> None:
    names = dict.fromkeys(name for mark in item.iter_markers("needs") for name in mark.args)
    reasons = {name: reason for name in names if (reason := missing(name))}
    item.user_properties += [(MISSING, [name, reason]) for name, reason in reasons.items()]
    message = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
    if os.environ.get("CI") == "true" and any(TOOLS[name].required for name in reasons):
        pytest.fail(f"required with CI=true: {message}", pytrace=False)
    if reasons:
        pytest.skip(message)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for kind in ("skipped", "error") for report in terminalreporter.stats.get(kind, [])]
    if lines := table(reports):
        terminalreporter.section("not tested, as tools are missing")
        terminalreporter.write_line("\n".join(lines))


def table(reports: Iterable[pytest.TestReport | pytest.CollectReport]) -> list[str]:
    """Return the lines of the table: a header and a row for each missing tool, or no lines."""
    files: defaultdict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[str, str] = {}
    for report in reports:
        found = [value for key, value in getattr(report, "user_properties", ()) if key == MISSING]
        if not found and report.skipped:
            found = [(UNDECLARED, str(report.longrepr[2]))]
        for name, reason in found:
            files[name][report.nodeid.partition("::")[0].removeprefix("tests/")] += 1
            reasons[name] = reason
    order = [*sorted(TOOLS, key=lambda name: not TOOLS[name].required), UNDECLARED]
    rows = [row(name, reasons[name], files[name]) for name in order if name in files]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(HEADER, *rows, strict=True)][:-1]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)), cells[-1]])
        for cells in (HEADER, *rows)
    ]


def row(name: str, reason: str, files: Counter[str]) -> tuple[str, ...]:
    """Return the cells of a tool's row."""
    tool = TOOLS.get(name)
    title = f"{name} (required)" if tool and tool.required else name
    where = ", ".join(f"{file} {count}" for file, count in files.items())
    return (
        title,
        (tool.packages if tool else "") or "-",
        " ".join(reason.split()),
        str(files.total()),
        f"{tool.tested}: {where}" if tool else where,
    )
