"""A worker offers what this machine allows it to use."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.run.executors.dask import start_worker


@pytest.mark.parametrize(("cores", "offered"), [(None, 1), (2, 2)])
def test_a_worker_offers_the_cores_that_its_container_allows(
    monkeypatch, tmp_path: Path, cores, offered
) -> None:
    found = []

    async def serve(settings, name, tell) -> None:
        found.append(settings["nthreads"])

    monkeypatch.setattr(start_worker, "_serve", serve)
    monkeypatch.setattr(start_worker, "usable_cores", lambda: [0, 1, 2])
    monkeypatch.setattr("dask.system.cpu_count", lambda: 1)
    start_worker.run_worker("tcp://127.0.0.1:1", None, cores, tmp_path, print)
    assert found == [offered]
