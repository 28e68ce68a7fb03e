"""The seeds of random tests: fixed in `make test`, new in each run of `make test-slow`.

    @pytest.mark.parametrize("seed", seeds(20))
    def test_something(seed): ...

A test uses these seeds if it must pass with every seed. The environment variable ``TEST_SEED`` is the first
of them, and also the seed of hypothesis.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

__all__ = ["examples", "seeds"]

TEST_SEED = os.environ.get("TEST_SEED", "")
FIRST = int(TEST_SEED or 0)
AGAIN = f"seed {TEST_SEED}; `make test-slow SEED={TEST_SEED}` tests the same examples again"

# Without a database, hypothesis repeats no example of an earlier run.
# Without a deadline, a busy machine fails no test.
settings.register_profile(
    "fixed",
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", settings.get_profile("fixed"), max_examples=100, derandomize=False)

# hypothesis also tries constants of the loaded modules, but these depend on the tests that ran before.
assert callable(providers.is_local_module_file)
providers.is_local_module_file = lambda path: False


def seeds(count: int) -> range:
    """Return this number of seeds."""
    return range(FIRST, FIRST + count)


def examples(count: int) -> settings:
    """Return settings of hypothesis for this number of examples, and for four times as many with a seed."""
    return settings(max_examples=4 * count if TEST_SEED else count)


@pytest.hookimpl(tryfirst=True)  # hypothesis reads its option in the same hook
def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("explore" if TEST_SEED else "fixed")
    if TEST_SEED:
        config.option.hypothesis_seed = TEST_SEED


def pytest_report_header() -> list[str]:
    return [AGAIN] if TEST_SEED else []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    if TEST_SEED and exitstatus:
        terminalreporter.section("seed")
        terminalreporter.write_line(AGAIN)
