"""Plugins for pytest, and a small database with known games, for all tests."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from multiprocessing.util import Finalize
from pathlib import Path

import pytest

from tests import compiled, missing_tools, postgres, seeds, sharing
from tests.sample_games import autumn, spring

# The matrices of tests are small. The threads of numpy's library only wait for each other, with full power.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(optionalhook=True)  # there is no such hook without xdist
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of processes for `-n logical`: one more than processors, because many tests wait."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # A script starts `pytest &` with SIGINT ignored. The programs that tests interrupt would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for plugin in (compiled, missing_tools, postgres, seeds, sharing):
        config.pluginmanager.register(plugin)
    # In a folder of its own, as /tmp is, the runs of a test find nothing of another process of tests.
    # pytest's own folders stay outside, because the path of a socket in them has at most 107 bytes.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
    folder = tempfile.mkdtemp(prefix="t-", dir=os.environ["PYTEST_DEBUG_TEMPROOT"])
    Path(folder).chmod(0o1777)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    # The folder of multiprocessing is in this one, and goes before it, with the priority -100.
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=-200)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user reaches; pytest's own are closed to other users."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o700)  # a test may have taken away the right to remove files
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def sample_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the tournaments spring (games 1 to 6) and autumn (game 7); do not write to it."""
    from arena.store import Store

    path = tmp_path_factory.mktemp("sample") / "arena.db"
    store = Store.open(path, create=True)
    for records, begun in ((spring(), 1_700_000_000.0), (autumn(), 1_710_000_000.0)):
        name = records[0].result.tournament
        store.begin_tournament(name, {"time_control": "10+0.1"}, created=begun)
        store.add_games(records)
    store.close()
    return path
