"""How `pytest -n` shares the tests among its processes: by files, and all files of real time together.

A process runs the whole of a file, so that what its tests set up is set up once. The files of real time go to
one process, one after another, so that no two of these tests compete for the processors while they measure.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent

REAL_TIME = (
    "arena/run/test_faults.py",
    "arena/run/test_faults_machine.py",
    "referee/check/test_check.py",
    "referee/match/test_hostile.py",
    "referee/match/test_hostile_wire.py",
    "referee/match/test_play.py",
)
"""Files in whose tests an engine or a process has so many seconds, and no more."""

LONG = (
    "arena/run/test_run_process.py",
    "arena/run/test_formats_process.py",
    "engines/test_native.py",
    "referee/games/test_rules_agree.py",
)
"""Other files that take long: they are begun early, so that no process waits for one of them at the end."""

FIRST = {f"{FOLDER.name}/{file}": number for number, file in enumerate((*REAL_TIME, *LONG))}


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def unit(nodeid: str) -> str:
    """Tests with the same unit run in the same process."""
    file = file_of(nodeid)
    return "real time" if FIRST.get(file, len(REAL_TIME)) < len(REAL_TIME) else file


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what takes longest first, in the processes of xdist: without them order matters only to readers."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: FIRST.get(file_of(item.nodeid), len(FIRST)))


def pytest_collection_finish() -> None:
    """Spare the garbage collector the objects of thousands of tests: it takes a tenth less time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # there is no such hook without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A scheduler for `-n` without `--dist`."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduler(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    config.option.loadscopereorder = False  # else files are begun in the order of how many tests they have
    return Scheduler(config, log)
