"""The executor for many machines takes one result of each game, even if its workers repeat or lose it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from arena.config import TournamentSpec, load
from arena.errors import ArenaError, leaves
from arena.run.executor import ExecutorEvent, JobLost
from arena.workers import capabilities
from arena.workers import cluster as cluster_module
from arena.workers import worker as at_worker
from arena.workers.batch_process import BatchEnd, BatchEvents, BatchTask
from arena.workers.cluster import Batch, Cluster, KnownWorker, open_cluster
from arena.workers.scheduler import SchedulerLost, SeenWorker
from protocol.spec import EngineSpec
from referee.match.job import (
    EngineTried,
    EngineWarning,
    JobStarted,
    TryOrder,
    VoidCause,
)
from tests.arena.workers.jobs import finished, job, played_by


def tournament(folder: Path) -> TournamentSpec:
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]\n' for name in "ab")
    file = folder / "t.toml"
    file.write_text(f'game = "quoridor"\n[executor]\nscheduler = "tls://hub:1"\n{engines}')
    return load(file)


@pytest.fixture
def executor(tmp_path: Path, nursery: trio.Nursery) -> Cluster:
    return Cluster(tournament(tmp_path), nursery)


def known(address: str, name: str, scheduler: Any = None, **values: Any) -> KnownWorker:
    return KnownWorker(scheduler, address, name, **values)


def batch(executor: Cluster, worker: KnownWorker, *numbers: int) -> Batch:
    """Give waiting games to a worker, without sending them."""
    waiting = {job.id: job for job in executor._waiting.take(100, lambda _: True, more_come=False)}
    made = Batch(worker, {str(number): waiting.pop(str(number)) for number in numbers})
    executor._waiting.put_back(waiting.values())
    worker.batches.add(made)
    return made


def told(executor: Cluster) -> list[ExecutorEvent]:
    events = []
    while executor.events.statistics().current_buffer_used:
        events.append(executor.events.receive_nowait())
    return events


async def test_a_result_has_the_name_of_the_worker_that_played(executor: Cluster) -> None:
    slow, quick = known("tls://1", "slow"), known("tls://2", "quick")
    for number in (1, 2):
        await executor.submit(job(number))
    first, second = batch(executor, slow, 1), batch(executor, quick, 2)
    executor._take_event(second, finished(2))
    executor._take_event(first, finished(1))
    assert told(executor) == [played_by(finished(2), "quick"), played_by(finished(1), "slow")]


async def test_only_the_games_without_a_result_are_played_elsewhere(executor: Cluster) -> None:
    worker = known("tls://1", "w")
    for number in (1, 2, 3):
        await executor.submit(job(number))
    made = batch(executor, worker, 1, 2, 3)
    executor._take_event(made, JobStarted("1"))
    for _ in range(2):  # a result may come twice
        executor._take_event(made, finished(1))
    executor._give_up(made, "")
    assert told(executor) == [JobStarted("1", "w"), played_by(finished(1), "w")]
    assert executor._waiting.clear() == ["2", "3"]


async def test_a_game_with_which_three_workers_were_lost_may_be_the_cause(executor: Cluster) -> None:
    await executor.submit(job(1))
    for number in range(3):
        executor._give_up(batch(executor, known(f"tls://{number}", "w"), 1), "its worker w has gone")
    assert told(executor) == [JobLost("1", "its worker w has gone")]
    assert len(executor._waiting) == 0


async def test_recalled_games_are_those_that_no_worker_has(executor: Cluster) -> None:
    for number in (1, 2, 3):
        await executor.submit(job(number))
    made = batch(executor, known("tls://1", "w"), 1)
    assert await executor.recall() == ["2", "3"]
    executor._take_event(made, finished(1))
    assert [type(event).__name__ for event in told(executor)] == ["Snapshot", "JobFinished"]


async def test_a_run_that_recalls_its_games_again_and_again_is_not_woken_by_that(
    executor: Cluster,
) -> None:
    await executor.submit(job(1))
    assert [await executor.recall() for _ in range(3)] == [["1"], [], []]
    assert [type(event).__name__ for event in told(executor)] == ["Snapshot"]


async def test_a_machine_that_fails_three_times_in_a_row_gets_no_more_games(executor: Cluster) -> None:
    good, bad = known("tls://1", "good", ready=True), known("tls://2", "bad", ready=True)
    executor._workers = {good.address: good, bad.address: bad}
    for number in range(4):
        await executor.submit(job(number))
        made = batch(executor, bad, number)
        # The second game is not void: the count starts again after it.
        executor._take_event(made, finished(number, void=None if number == 0 else VoidCause.MACHINE))
    assert executor._ready() == [good]
    texts = [event.text for event in told(executor) if hasattr(event, "text")]
    assert texts == ["this worker could not play 3 games in a row: why"]


async def test_each_trial_of_an_engine_gets_its_own_answer_whichever_ends_first(
    executor: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = known("tls://1", "w", ready=True)
    batches: dict[str, Batch] = {}
    problems: dict[str, str] = {}

    async def play(made: Batch, orders: list[TryOrder]) -> None:
        batches[orders[0].engine.name] = made
        await trio.lowlevel.checkpoint()

    async def try_one(name: str) -> None:
        problems[name] = await executor.try_engine(EngineSpec(name, ("x",)), "quoridor")

    def end(name: str) -> None:
        executor._take_event(batches[name], EngineTried("try", f"problem of {name}"))

    executor._workers = {worker.address: worker}
    monkeypatch.setattr(executor, "_play", play)
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for name in "ab":
                nursery.start_soon(try_one, name)
                await trio.testing.wait_all_tasks_blocked()
            end("a")
            nursery.start_soon(try_one, "c")
            await trio.testing.wait_all_tasks_blocked()
            end("b")
            end("c")
    assert problems == {name: f"problem of {name}" for name in "abc"}


@pytest.mark.parametrize("games", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
async def test_the_executor_remembers_nothing_of_games_that_have_ended(executor: Cluster, games: int) -> None:
    """Openings differ, so each game is of a new kind; some games are lost, declined, refused or recalled."""
    worker, first = known("tls://1", "w"), job(0)
    for number in range(games):
        played = msgspec.structs.replace(first, id=str(number), moves=(f"m{number}",))
        await executor.submit(played)
        if number % 10 == 1:
            assert await executor.recall() == [played.id]
        elif number % 10 == 2:
            executor._give_up(batch(executor, worker, number), "its worker has gone")
            executor._take_event(batch(executor, worker, number), finished(number))
        elif number % 10 == 3:
            executor._give_up(batch(executor, worker, number), "its worker has gone")
            executor._take_event(batch(executor, worker, number), JobLost(played.id, ""))
        else:
            (taken,) = executor._waiting.take(1, lambda _: True, more_come=False)
            made = Batch(worker, {taken.id: taken})
            executor._take_event(made, EngineWarning("a", f"warning {number}"))
            executor._take_event(made, finished(number))
        told(executor)
    # What has a length is a container.
    owners = executor, executor._waiting
    kept = {
        f"{type(owner).__name__}.{name}": value for owner in owners for name, value in vars(owner).items()
    }
    sizes = {name: len(value) for name, value in kept.items() if hasattr(value, "__len__")}
    assert sizes.pop("Cluster._warnings") == 1000
    assert {name for name, size in sizes.items() if size and not isinstance(kept[name], str)} == set()


class PlayingScheduler:
    """A scheduler whose worker sends these messages of a batch, or raises an error."""

    def __init__(self, *messages: BatchEvents, error: Exception | None = None) -> None:
        self.sending = trio.Lock()
        self._messages = messages
        self._error = error

    @asynccontextmanager
    async def play(
        self, worker: str, task: BatchTask
    ) -> AsyncIterator[trio.MemoryReceiveChannel[BatchEvents]]:
        if self._error is not None:
            raise self._error
        send, messages = trio.open_memory_channel[BatchEvents](len(self._messages))
        with send:
            for message in self._messages:
                send.send_nowait(message)
        yield messages


async def played(executor: Cluster, scheduler: PlayingScheduler, *numbers: int) -> KnownWorker:
    """Let the only worker play these games; return it."""
    worker = known("tls://1", "w", scheduler, ready=True)
    executor._workers[worker.address] = worker
    executor._needs = capabilities.needs_of(executor._spec)
    for number in numbers:
        await executor.submit(job(number))
    made = batch(executor, worker, *numbers)
    await executor._play(made, list(made.jobs.values()))
    assert not worker.batches
    return worker


async def test_a_worker_is_blamed_for_a_batch_that_ends_without_a_result(executor: Cluster) -> None:
    messages = BatchEvents("1", (finished(1),)), BatchEvents("1", (), BatchEnd(-9, "why"))
    worker = await played(executor, PlayingScheduler(*messages), 1, 2)
    assert (worker.void, worker.ready) == (1, True)
    assert told(executor) == [played_by(finished(1), "w")]
    assert executor._waiting.clear() == ["2"]


async def test_a_batch_without_an_end_is_played_again(executor: Cluster) -> None:
    worker = await played(executor, PlayingScheduler(), 1)
    assert (worker.void, executor._waiting.clear()) == (1, ["1"])


async def test_a_batch_that_cannot_be_sent_is_played_again(executor: Cluster) -> None:
    worker = await played(executor, PlayingScheduler(error=SchedulerLost("")), 1)
    assert (worker.void, worker.ready, executor._waiting.clear()) == (0, True, ["1"])


async def test_a_worker_that_does_not_take_a_batch_gets_no_more_games(executor: Cluster) -> None:
    executor._workers["tls://2"] = known("tls://2", "other", ready=True)
    worker = await played(executor, PlayingScheduler(error=ArenaError("a full disk")), 1)
    assert (worker.ready, executor._waiting.clear()) == (False, ["1"])
    (warning,) = told(executor)
    assert warning == EngineWarning("w", "this worker does not take games: a full disk")


class OtherScheduler:
    """A scheduler with one worker, whose arena is too old to understand the question."""

    def __init__(self) -> None:
        self.sending = trio.Lock()

    @classmethod
    async def connect(cls, *arguments: object) -> OtherScheduler:
        await trio.lowlevel.checkpoint()
        return cls()

    async def workers(self) -> list[SeenWorker]:
        await trio.lowlevel.checkpoint()
        return [SeenWorker("tls://1", "old", 0.0)]

    async def ask(self, function: object, worker: str, *arguments: Any, seconds: float = 0) -> Any:
        await trio.lowlevel.checkpoint()
        return b'{"version": "0.0.1"}'

    async def close(self) -> None:
        await trio.lowlevel.checkpoint()


async def test_a_worker_whose_answer_is_not_understood_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "connect", OtherScheduler.connect)
    with trio.fail_after(20), pytest.raises(ExceptionGroup) as raised:
        async with open_cluster(tournament(tmp_path)):
            await trio.sleep_forever()
    (error,) = leaves(raised.value)
    assert isinstance(error, ArenaError)
    assert "worker old cannot say what it can do; install leapfrog-arena[dask] as on the hub" in str(error)


async def test_a_run_that_no_worker_can_play_says_of_each_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ManyWorkers(OtherScheduler):
        async def workers(self) -> list[SeenWorker]:
            await trio.lowlevel.checkpoint()
            return [SeenWorker(f"tls://{name}", name, 0.0) for name in "abc"]

    monkeypatch.setattr(cluster_module, "connect", ManyWorkers.connect)
    names = []

    async def run() -> None:
        async with open_cluster(tournament(tmp_path)) as cluster:
            async for event in cluster.events:
                names.append(event.engine)  # type: ignore[union-attr]  # there are only warnings
                await trio.sleep(0.001)

    with trio.fail_after(20), pytest.raises(ExceptionGroup):
        await run()
    assert sorted(names) == ["a", "b", "c"]


class BuildingScheduler(OtherScheduler):
    """A scheduler with one worker on this machine; its second build waits until it may end."""

    may_end = trio.Event()
    builds = 0

    async def ask(self, function: object, worker: str, *arguments: Any, seconds: float = 0) -> Any:
        if function is at_worker.announce:
            needs = msgspec.json.decode(arguments[0], type=capabilities.Needs)
            return msgspec.json.encode(capabilities.announce(needs, 1))
        if function is at_worker.build:
            type(self).builds += 1
            if self.builds == 2:
                await self.may_end.wait()
        await trio.lowlevel.checkpoint()
        return ""


async def test_a_worker_plays_on_while_it_builds_an_engine_that_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.toml"
    (tmp_path / "engine").mkdir()
    table = '[[engines]]\nname = "{}"\ncwd = "engine"\ncommand = "{{python}} x"\nbuild = "true"\n'

    def spec(*names: str) -> TournamentSpec:
        head = 'game = "quoridor"\nformat = "ladder"\n[executor]\nscheduler = "tls://hub:1"\n'
        first = f'[[engines]]\nname = "z"\ncommand = ["{sys.executable}"]\n'
        file.write_text(head + first + "".join(map(table.format, names)))
        return load(file)

    monkeypatch.setattr(cluster_module, "connect", BuildingScheduler.connect)
    monkeypatch.setattr(capabilities, "lateness_ms", lambda most: 0.0)
    with trio.fail_after(30):
        async with open_cluster(spec("a")) as cluster:
            worker = await cluster._worker_with("a")
            await cluster.change(spec("a", "b"))
            with trio.move_on_after(0.5):
                await cluster._worker_with("b")
            assert (worker.ready, worker.has("a"), worker.has("z"), worker.has("b")) == (
                True,
                True,
                True,
                False,
            )
            BuildingScheduler.may_end.set()
            assert await cluster._worker_with("b") is worker


async def test_what_a_worker_says_about_the_engines_before_a_change_says_nothing_about_those_after_it(
    executor: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capabilities, "lateness_ms", lambda most: 0.0)
    before, after = capabilities.needs_of(executor._spec), capabilities.needs_of(executor._spec)

    class ChangingScheduler(BuildingScheduler):
        async def ask(self, function: object, worker: str, *arguments: Any, seconds: float = 0) -> Any:
            executor._needs = after
            return await super().ask(function, worker, *arguments)

    worker = known("tls://1", "w", ChangingScheduler(), unknown={"a"})
    executor._workers, executor._needs = {worker.address: worker}, before
    await executor._examine(worker)
    assert (worker.ready, worker.has("a")) == (False, False)
    await executor._examine(worker)
    assert (worker.ready, worker.has("a")) == (True, True)
