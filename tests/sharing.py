"""Distribute the tests among the processes of `pytest -n`: by file, or by group of files that measure time.

One process runs all tests of a file, so that its fixtures are set up once. One process runs all files of such
a group, one after another, so that these tests hardly compete for the processors while they measure time.
These tests mostly wait, so two groups can run at the same time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent

REAL_TIME = (
    (
        "arena/run/test_faults.py",
        "arena/run/test_faults_machine.py",
        "arena/run/test_silence.py",
        "engines/test_conformance.py",
    ),
    (
        "referee/check/test_check.py",
        "referee/check/test_explanations.py",
        "referee/check/test_remedies.py",
        "referee/match/test_hostile.py",
        "referee/match/test_hostile_wire.py",
        "referee/match/test_play.py",
    ),
)
"""Files with tests that give an engine or a process a limited number of seconds. All groups take as long."""

LONG = (
    "arena/store/test_files.py",
    "arena/cli/test_openings.py",
    "arena/run/test_run_process.py",
    "engines/test_uci.py",
)
"""Other files that take long. They start early, so that no process waits for one of them at the end."""

SELDOM = 7000
"""New objects between two runs of the garbage collector: ten times as many as usual, which saves time."""

GROUPS = {f"{FOLDER.name}/{file}": group for group, files in enumerate(REAL_TIME, 1) for file in files}
FIRST = {file: number for number, file in enumerate((*GROUPS, *(f"{FOLDER.name}/{file}" for file in LONG)))}


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def unit(nodeid: str) -> str:
    """Return the unit of a test: tests with the same unit run in the same process."""
    file = file_of(nodeid)
    return f"real time {GROUPS[file]}" if file in GROUPS else file


def is_seen(event: str, values: dict[str, Any]) -> bool:
    """Return whether an event in a test is shown or counted by the process that reports.

    Nobody sees that a test starts, or that its fixtures were set up or torn down without an error.
    """
    if event == "testreport":
        return bool(values["data"]["when"] == "call" or values["data"]["outcome"] != "passed")
    return event != "logstart"


def pytest_configure(config: pytest.Config) -> None:
    """Send only what is seen: in small tests, the rest takes a fifth of the time.

    A table of durations, or a file for another program, needs everything. The process that reports starts
    the fork server for all.
    """
    if not hasattr(config, "workerinput") and config.getoption("dist", "no") != "no":
        from tests.arena.forked import share

        share()
    if not hasattr(config, "workerinput") or config.option.durations is not None or config.option.xmlpath:
        return
    (worker,) = (plugin for plugin in config.pluginmanager.get_plugins() if hasattr(plugin, "sendevent"))
    send = worker.sendevent

    def send_what_is_seen(name: str, **values: Any) -> None:
        if is_seen(name, values):
            send(name, **values)

    worker.sendevent = send_what_is_seen


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the garbage collector from the objects of thousands of tests: it takes a tenth less time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(SELDOM)
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first in the processes of xdist; without xdist, keep the usual order."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: FIRST.get(file_of(item.nodeid), len(FIRST)))


@pytest.hookimpl(optionalhook=True)  # there is no such hook without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return the scheduler for `-n` without `--dist`."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduler(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    config.option.loadscopereorder = False  # otherwise files with more tests start first
    return Scheduler(config, log)
