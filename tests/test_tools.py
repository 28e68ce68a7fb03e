"""Tests whose tools are missing are listed, and fail in CI; no test is skipped in another way."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.missing_tools import needs
from tests.tools import TOOLS

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
Run = Callable[..., pytest.RunResult]

CONFTEST = """
from tests import missing_tools
from tests.tools import TOOLS, Tool

TOOLS["lathe"] = Tool("turned pawns", "lathe-utils", ("no-such-lathe",), required=True)
TOOLS["saw"] = Tool("boards", "saw-utils", ("no-such-saw",))
TOOLS["broken"] = Tool("breaks", "", ("python3", "sh"), trouble=lambda: "it is\\nbroken")
TOOLS["shell"] = Tool("shells", "dash", ("no-such-shell", "sh"))

def pytest_configure(config):
    config.pluginmanager.register(missing_tools)
"""
TESTS = """
import pytest
from tests.missing_tools import needs

@pytest.fixture
def made():
    raise AssertionError("nothing is set up for a test whose tool is missing")

@needs("lathe")
def test_lathe(made): pass

@pytest.mark.parametrize("word", ["x", pytest.param("y", marks=needs("saw"))])
@needs("shell")
def test_saw(word): pass

@needs("saw", "broken")
def test_broken(made): pass

def test_silent(): pytest.skip("just so")
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the tests above with a value of the variable CI, and options of pytest."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)

    def result(ci: str, *options: str) -> pytest.RunResult:
        monkeypatch.setenv("CI", ci)
        return pytester.runpytest_subprocess(*options)

    return result


def rows(result: pytest.RunResult) -> list[list[str]]:
    """The cells of the table."""
    lines = result.outlines
    begin = next(number for number, line in enumerate(lines) if "not tested, as tools are missing" in line)
    end = next(number for number in range(begin + 1, len(lines)) if lines[number].startswith("==="))
    return [re.split(" {2,}", line) for line in lines[begin + 1 : end] if line]


def test_a_test_whose_tool_is_missing_is_skipped_and_every_skipped_test_is_in_the_table(
    run: Run, pytester: pytest.Pytester
) -> None:
    result = run("", "-p", "xdist", "-n1")  # the processes of xdist send their reports
    result.assert_outcomes(passed=1, skipped=4)
    (file,) = (path.name for path in pytester.path.glob("test_*.py"))
    assert rows(result) == [
        ["tool", "Debian package", "why", "tests", "not tested"],
        ["lathe (required)", "lathe-utils", "not installed", "1", f"turned pawns: {file} 1"],
        ["saw", "saw-utils", "not installed", "2", f"boards: {file} 2"],
        ["broken", "-", "it is broken", "1", f"breaks: {file} 1"],
        ["(undeclared)", "-", "Skipped: just so", "1", f"{file} 1"],
    ]


def test_in_ci_a_test_fails_whose_required_tool_is_missing_and_no_other(run: Run) -> None:
    result = run("true")
    result.assert_outcomes(passed=1, skipped=3, errors=1)
    result.stdout.fnmatch_lines(["*required with CI=true: lathe: not installed"])
    assert [row[0] for row in rows(result)[1:]] == ["lathe (required)", "saw", "broken", "(undeclared)"]


def test_a_tool_that_nobody_has_declared_is_an_error() -> None:
    with pytest.raises(KeyError, match="hammer"):
        needs("bwrap", "hammer")


def lines_with(pattern: str) -> list[str]:
    """Return where the tests have a pattern, but for the files that are about it."""
    mine = {Path(__file__), ROOT / "tests/missing_tools.py"}
    return [
        f"{file.relative_to(ROOT)}:{number}"
        for file in set((ROOT / "tests").rglob("*.py")) - mine
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_no_test_is_skipped_but_by_needs() -> None:
    assert lines_with(r"\bpytest\.(skip|importorskip|mark\.(skip|skipif))\b|\bunittest\.skip") == []


def test_no_test_takes_the_end_of_a_transaction_for_the_end_of_the_connection() -> None:
    """Since Python 3.13, a connection that is left open is a warning, in any later test."""
    assert lines_with(r"with sqlite3\.connect\(") == []


def test_the_product_s_tools_are_required() -> None:
    required = {name for name, tool in TOOLS.items() if tool.required}
    assert required >= {"bwrap", "cc", "chromium", "chromedriver", "stockfish"}
    assert all(TOOLS[name].packages for name in required)


def test_the_packages_of_required_tools_are_named_without_any_library(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", str(ROOT / "tests/tools.py")]
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "bubblewrap" in done.stdout.split()
    assert "golang-go" not in done.stdout.split()


def test_contributors_learn_which_packages_the_tests_need() -> None:
    page = (ROOT / "docs/explanation/how-it-is-tested.md").read_text(encoding="utf-8")
    section = page.partition("## What some tests need")[2].partition("\n## ")[0]
    told = {package for words in re.findall(r"`([a-z0-9+. -]+)`", section) for package in words.split()}
    assert {package for tool in TOOLS.values() for package in tool.packages.split()} <= told
