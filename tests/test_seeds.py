"""Tests draw the same examples in every run, unless a seed is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from tests import seeds

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.pluginmanager.register(seeds)
"""
TESTS = """
from pathlib import Path
from hypothesis import given, settings, strategies as st
from tests.seeds import seeds

@settings(max_examples=5)
@given(st.integers(), st.integers())
def test_drawn(one, other):
    with Path("drawn").open("a") as file:
        print(*seeds(2), one, other, file=file)

def test_fails(): assert False
"""


@pytest.mark.slow  # three processes of pytest; a seed is given only to `make test-slow`, which runs this
def test_the_same_seed_gives_the_same_examples_and_is_printed_at_the_start_and_after_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)
    drawn = []
    for seed in ("", "40", "40"):
        monkeypatch.setenv("TEST_SEED", seed)
        result = pytester.runpytest_subprocess("-p", "_hypothesis_pytestplugin")
        result.assert_outcomes(passed=1, failed=1)
        assert [line for line in result.outlines if line.startswith("seed ")] == (
            2 * ["seed 40; `make test-slow SEED=40` tests the same examples again"] if seed else []
        )
        file = pytester.path / "drawn"
        drawn.append(file.read_text())
        file.unlink()
    assert drawn[0] != drawn[1] == drawn[2]
    assert (drawn[0][:4], drawn[1][:6]) == ("0 1 ", "40 41 ")


def test_without_a_seed_the_examples_are_the_same_and_none_is_remembered() -> None:
    fixed = settings.get_profile("fixed")
    assert (fixed.derandomize, fixed.database, fixed.deadline) == (True, None, None)
    explore = settings.get_profile("explore")
    assert (explore.derandomize, explore.database, explore.deadline) == (False, None, None)
