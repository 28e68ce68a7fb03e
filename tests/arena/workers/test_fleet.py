"""A worker that cannot play is refused, whatever it answers."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from arena.config import TournamentSpec, load
from arena.errors import ArenaError
from arena.workers import capabilities, fleet
from arena.workers import worker as at_worker
from arena.workers.batches import Worker
from arena.workers.cluster import SeenWorker
from arena.workers.executor import DaskExecutor, open_cluster


class OtherCluster:
    """A scheduler with one worker, whose arena is too old to understand the question."""

    def __init__(self, *arguments: object) -> None:
        pass

    def workers(self) -> list[SeenWorker]:
        return [SeenWorker("tls://1", "old", 0.0)]

    def ask(self, function: object, worker: str, needs: bytes) -> bytes:
        return b'{"version": "0.0.1"}'

    def close(self) -> None:
        pass


async def test_a_worker_whose_answer_is_not_understood_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]\n' for name in "ab")
    file = tmp_path / "t.toml"
    file.write_text(f'game = "quoridor"\n[executor]\nkind = "dask"\nscheduler = "tls://hub:1"\n{engines}')
    other: Any = OtherCluster
    monkeypatch.setattr(fleet, "Cluster", other)
    with trio.fail_after(20), pytest.raises(ExceptionGroup) as raised:
        async with open_cluster(load(file)):
            await trio.sleep_forever()
    (error,) = _leaves(raised.value)
    assert isinstance(error, ArenaError)
    assert "worker old cannot say what it can do; install leapfrog-arena[dask] as on the hub" in str(error)


class BuildingCluster(OtherCluster):
    """A scheduler with one worker on this machine; its second build waits until it may end."""

    may_end = threading.Event()
    builds = 0

    def ask(self, function: object, worker: str, *arguments: Any, seconds: float = 0) -> Any:
        if function is at_worker.announce:
            needs = msgspec.json.decode(arguments[0], type=capabilities.Needs)
            return msgspec.json.encode(capabilities.announce(needs, Path.cwd(), 1, Path.cwd()))
        if function is at_worker.build:
            type(self).builds += 1
            if self.builds == 2:
                assert self.may_end.wait(20)
        return ""


async def test_a_worker_plays_on_while_it_builds_an_engine_that_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.toml"
    (tmp_path / "engine").mkdir()
    table = '[[engines]]\nname = "{}"\ncwd = "engine"\ncommand = "{{python}} x"\nbuild = "true"\n'

    def spec(*names: str) -> TournamentSpec:
        head = 'game = "quoridor"\nformat = "ladder"\n[executor]\nkind = "dask"\nscheduler = "tls://hub:1"\n'
        first = f'[[engines]]\nname = "z"\ncommand = ["{sys.executable}"]\n'
        file.write_text(head + first + "".join(map(table.format, names)))
        return load(file)

    building: Any = BuildingCluster
    monkeypatch.setattr(fleet, "Cluster", building)
    with trio.fail_after(30):
        async with open_cluster(spec("a")) as cluster:
            worker = await cluster._fleet.idle_worker("a")
            await cluster.change(spec("a", "b"))
            with trio.move_on_after(0.5):
                await cluster._fleet.idle_worker("b")
            assert (worker.ready, worker.has("a"), worker.has("z"), worker.has("b")) == (
                True,
                True,
                True,
                False,
            )
            BuildingCluster.may_end.set()
            assert await cluster._fleet.idle_worker("b") is worker


async def test_what_a_worker_says_about_the_engines_before_a_change_says_nothing_about_those_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capabilities, "lateness_ms", lambda most: 0.0)
    file = tmp_path / "t.toml"
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]\n' for name in "ab")
    file.write_text(f'game = "quoridor"\n[executor]\nkind = "dask"\nscheduler = "tls://hub:1"\n{engines}')
    spec = load(file)
    examining = DaskExecutor(spec)._fleet
    before, after = capabilities.prepare(spec), capabilities.prepare(spec)
    worker = Worker("tls://1", "w", unknown={"a"})

    class ChangingCluster(BuildingCluster):
        def ask(self, function: object, worker: str, *arguments: Any, seconds: float = 0) -> Any:
            examining._prepared = after
            return super().ask(function, worker, *arguments)

    changing: Any = ChangingCluster()
    examining._workers, examining._cluster, examining._prepared = {worker.address: worker}, changing, before
    await examining._examine(worker)
    assert (worker.ready, worker.has("a")) == (False, False)
    await examining._examine(worker)
    assert (worker.ready, worker.has("a")) == (True, True)


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]
