"""The events and the ends of batches come from threads of Dask, at any time."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from arena.workers import batches as batches_module
from arena.workers.batch_process import BatchEnd, BatchEvents
from arena.workers.batches import Batch, Batches, Worker
from arena.workers.cluster import ClusterLost
from arena.workers.engine_files import files_of
from protocol.spec import EngineSpec
from referee.match.job import encode
from tests.arena.workers.jobs import finished, job

PREPARED: Any = SimpleNamespace(files={})
ENDED: Any = SimpleNamespace(
    status="finished", result=lambda timeout: encode(BatchEnd(0, "")), release=lambda: None
)
EVENTS = encode(BatchEvents("1", (finished(1),)))


@pytest.mark.parametrize("ends", [False, True], ids=["during the run", "at its end"])
async def test_a_batch_that_ends_at_the_end_of_the_run_is_ignored(monkeypatch, ends: bool) -> None:
    monkeypatch.setattr(batches_module, "_LATE_SECONDS", 0)
    told: list[object] = []
    callbacks: list[Any] = []
    sent, lost = trio.Event(), trio.Event()

    def play(worker: str, task: bytes, done: Any) -> None:
        callbacks.append(done)
        trio.from_thread.run_sync(sent.set)

    def lose(batch: Batch, text: str) -> None:
        told.append(text)
        lost.set()

    cluster: Any = SimpleNamespace(play=play)
    batches = Batches(
        1,
        event=lambda batch, event: told.append(event),
        lose=lose,
        blame=lambda worker, text: told.append(text),
        refuse=lambda worker, text: told.append(text),
        wake=lambda: None,
    )

    async def end() -> None:
        await trio.to_thread.run_sync(batches.take_message, EVENTS)
        await trio.to_thread.run_sync(callbacks[0], ENDED)

    async with trio.open_nursery() as nursery:
        with batches.running_in(nursery):
            await batches.play(cluster, PREPARED, Worker("tls://1", "w"), {"1": job(1)}, [])
            await sent.wait()
            if not ends:
                await end()
                await lost.wait()
    if ends:
        await end()
        await trio.testing.wait_all_tasks_blocked()
    assert told == ([] if ends else [finished(1), "worker w has gone"])


async def test_a_batch_that_cannot_be_sent_is_forgotten() -> None:
    lost: list[str] = []
    batches = Batches(
        1,
        event=lambda batch, event: None,
        lose=lambda batch, text: lost.append(text),
        blame=lambda worker, text: None,
        refuse=lambda worker, text: None,
        wake=lambda: None,
    )
    async with trio.open_nursery() as nursery:
        with batches.running_in(nursery):
            await batches.play(None, PREPARED, Worker("tls://1", "w"), {"1": job(1)}, [])
            await trio.testing.wait_all_tasks_blocked()
    assert (lost, batches._batches) == (["its worker has gone"], {})


async def test_files_that_did_not_reach_a_worker_are_sent_again(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(batches_module, "packed", lambda files: b"")
    told: list[object] = []
    batches = Batches(1, told.append, told.append, told.append, told.append, told.append)  # type: ignore[arg-type]  # not called
    answers = iter([ClusterLost("the worker has gone"), None])

    def ask(*given: object) -> None:
        if (error := next(answers)) is not None:
            raise error

    cluster: Any = SimpleNamespace(ask=ask)
    worker = Worker("tls://1", "w", missing={"a"})
    files = files_of(EngineSpec("a", (sys.executable,)), tmp_path, ())
    with pytest.raises(ClusterLost):
        await batches.send_files(cluster, worker, files)
    assert worker.missing == {"a"}
    await batches.send_files(cluster, worker, files)
    assert worker.missing == set()
