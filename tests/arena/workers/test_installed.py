"""The packages for many machines are an extra: without them, one sentence says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena.config import tournament_keys
from arena.errors import ConfigError


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament_keys.check_installed()
    monkeypatch.setattr(tournament_keys, "find_spec", lambda name: None)
    with pytest.raises(
        ConfigError, match=r"need the package distributed: pip install 'leapfrog-arena\[dask\]'"
    ):
        tournament_keys.check_installed()


@pytest.mark.slow  # it imports everything in a new process
def test_a_run_on_one_machine_imports_nothing_for_many() -> None:
    code = "import arena.cli.run, arena.run.tournament, arena.run.batch, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert not {name for name in modules if name.partition(".")[0] in ("dask", "distributed", "cryptography")}
    assert not {name for name in modules if name.startswith("arena.workers")}
