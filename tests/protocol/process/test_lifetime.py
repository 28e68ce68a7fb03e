"""Tests of the list of this process's children, among which orphans are looked for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from protocol.process import lifetime
from tests.missing_tools import needs

pytestmark = needs("linux")


@pytest.fixture
def started() -> Iterator[set[int]]:
    """The process ids of two children, which different threads have started."""
    with ThreadPoolExecutor(1) as thread:
        processes = [
            thread.submit(subprocess.Popen, ["cat"], stdin=subprocess.PIPE).result(),
            subprocess.Popen(["cat"], stdin=subprocess.PIPE),
        ]
        yield {process.pid for process in processes}
        for process in processes:
            process.communicate()


def found() -> set[int]:
    return {pid for pid, _ in lifetime._children()}


def test_the_children_of_all_threads_are_found_and_no_other_process(started: set[int]) -> None:
    before = found()
    assert started <= before
    assert os.getppid() not in before
    child = subprocess.Popen(["true"])
    assert found() == before | {child.pid}
    child.wait()
    assert found() == before
