"""A worker offers what this machine allows it to use."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.workers import worker


@pytest.mark.parametrize(("cores", "offered"), [(None, 3), (2, 2)])
def test_a_worker_offers_the_cores_that_this_process_may_use_or_fewer(
    monkeypatch, tmp_path: Path, cores, offered
) -> None:
    threads = []

    async def serve(settings, name, tell) -> None:
        threads.append(settings["nthreads"])

    monkeypatch.setattr(worker, "_serve", serve)
    monkeypatch.setattr(worker, "usable_cores", lambda: [0, 1, 2])
    worker.run_worker("tcp://127.0.0.1:1", None, cores, tmp_path, print)
    assert threads == [offered]
