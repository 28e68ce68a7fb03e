"""A fixture for tests of standard error, which has one more warning if root runs the tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_warning_for_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no engine count as one that runs with the rights of root."""
    monkeypatch.setattr("protocol.process.sandbox.runs_as_root", lambda spec: False)
