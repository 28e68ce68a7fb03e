"""The messages and the ends of batches come from threads of Dask, at any time."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.lowlevel

from arena.workers.batch_process import TASKS, BatchEnd, BatchEvents, BatchTask
from arena.workers.scheduler import Scheduler, SchedulerLost
from referee.match.job import encode
from tests.arena.workers.jobs import finished

TASK = BatchTask((), 1, ())


class Client:
    """Dask's client; a test says what happens to the tasks that it was given."""

    def __init__(self) -> None:
        self.tasks: list[BatchTask] = []
        self.ended: list[Callable[[object], None]] = []
        self.released: list[str] = []
        self.error: Exception | None = None

    def submit(self, function: object, task: bytes, **options: object) -> Any:
        if self.error is not None:
            raise self.error
        self.tasks.append(TASKS.decode(task))
        name = self.tasks[-1].batch
        return SimpleNamespace(
            add_done_callback=self.ended.append, release=lambda: self.released.append(name)
        )

    def close(self, timeout: float) -> None:
        raise RuntimeError("the scheduler has gone")


def opened(client: Any) -> Scheduler:
    return Scheduler(client)


async def in_a_thread(function: Callable[..., object], *arguments: object) -> None:
    await trio.to_thread.run_sync(function, *arguments)
    await trio.lowlevel.checkpoint()


async def test_the_messages_of_a_batch_come_in_order_and_end_with_its_task() -> None:
    client = Client()
    scheduler = opened(client)
    async with scheduler.play("tls://1", TASK) as first, scheduler.play("tls://2", TASK) as second:
        names = [task.batch for task in client.tasks]
        sent = [
            BatchEvents(names[0], (finished(1),)),
            BatchEvents(names[1], (finished(2),)),
            BatchEvents("another run", (finished(3),)),
            BatchEvents(names[0], (), BatchEnd(0, "")),
        ]
        for message in sent:
            await in_a_thread(scheduler._take_message, (0.0, encode(message)))
        await in_a_thread(client.ended[0], None)
        await in_a_thread(scheduler._take_message, (0.0, encode(sent[0])))
        assert [message async for message in first] == [sent[0], sent[3]]
        assert await second.receive() == sent[1]
    assert sorted(client.released) == sorted(names)
    assert scheduler._mail == {}


async def test_a_batch_ends_when_the_connection_is_closed() -> None:
    scheduler = opened(Client())
    async with scheduler.play("tls://1", TASK) as messages:
        await scheduler.close()
        assert [message async for message in messages] == []


async def test_a_batch_that_cannot_be_sent_is_forgotten() -> None:
    client = Client()
    client.error = OSError("closed")
    scheduler = opened(client)
    with pytest.raises(SchedulerLost):
        async with scheduler.play("tls://1", TASK):
            pass
    assert scheduler._mail == {}
