"""Referee processes that die, with fake processes: no order goes astray, and no game is reported twice."""

from __future__ import annotations

import errno
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
import trio

from arena.errors import ArenaError
from arena.run import local_referees
from arena.run.cores import ANY
from arena.run.executor import JobLost
from arena.run.local_referees import LocalReferees, open_referees
from protocol.spec import EngineSpec
from referee.match.job import SIGN_OF_LIFE, Job, JobSeat, RefereeReady, decode_order, encode
from tests.arena.run.referees import finished

ENGINE = EngineSpec("a", (sys.executable,))


class Input:
    """The standard input of a referee, whose pipe may be full."""

    def __init__(self) -> None:
        self.orders: list[object] = []
        self.full = False
        self._closed = trio.Event()

    async def send_all(self, data: bytes) -> None:
        if self.full:
            await self._closed.wait()
        await trio.lowlevel.checkpoint()
        if self._closed.is_set():
            raise trio.ClosedResourceError
        self.orders.append(decode_order(data))

    async def aclose(self) -> None:
        self._closed.set()
        await trio.lowlevel.checkpoint()


class Process:
    """A referee process that does what a test says."""

    all: list[Process]

    def __init__(self, *options: str) -> None:
        self.pid = 0
        self.returncode: int | None = None
        self.stdin = Input()
        self._out, self.stdout = trio.testing.memory_stream_one_way_pair()
        self._err, self.stderr = trio.testing.memory_stream_one_way_pair()
        self.gone = trio.Event()
        self.all.append(self)

    async def say(self, event: msgspec.Struct) -> None:
        await self._out.send_all(encode(event))

    async def wait(self) -> None:
        await self.gone.wait()

    def end_output(self) -> None:
        self._out.close()
        self._err.close()

    def kill(self) -> None:
        self.returncode = 0
        self.end_output()
        self.gone.set()


@pytest.fixture(autouse=True)
def processes(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    Process.all = []
    monkeypatch.setattr(local_referees, "RefereeProcess", Process)
    # They leave nothing to clear up. It would be done in threads, for which a test does not wait.
    monkeypatch.setattr(local_referees, "adopts_orphans", lambda: False)
    return Process.all


@asynccontextmanager
async def one_referee() -> AsyncIterator[LocalReferees]:
    async with open_referees((ANY,)) as referees:
        await trio.testing.wait_all_tasks_blocked()
        try:
            yield referees
        finally:
            Process.all[-1].kill()


def job(number: int) -> Job:
    seats = (JobSeat(ENGINE, "10+0.1"),) * 2
    return Job(str(number), "quoridor", seats)


async def lost(referees: LocalReferees) -> str:
    event = await referees.events.receive()
    assert isinstance(event, JobLost)
    return event.id


async def test_a_game_for_a_referee_that_dies_while_its_pipe_is_full_is_lost_once(
    processes: list[Process], autojump_clock: trio.testing.MockClock
) -> None:
    async with one_referee() as referees, trio.open_nursery() as nursery:
        processes[0].stdin.full = True
        for number in (1, 2, 3):
            nursery.start_soon(referees.submit, job(number))
        nursery.start_soon(referees.watch, True)
        await trio.testing.wait_all_tasks_blocked()
        processes[0].kill()
        assert sorted([await lost(referees) for _ in range(3)]) == ["1", "2", "3"]
        await trio.sleep(1)
        assert not any(isinstance(order, Job) for order in processes[1].stdin.orders)
        await referees.submit(job(4))
        assert [order.id for order in processes[1].stdin.orders if isinstance(order, Job)] == ["4"]


async def test_a_game_that_is_given_between_the_death_of_a_referee_and_the_next_one_is_lost_once(
    processes: list[Process], autojump_clock: trio.testing.MockClock
) -> None:
    async with one_referee() as referees:
        await referees.submit(job(1))
        processes[0].end_output()  # it has died, and arena waits for its end
        await trio.testing.wait_all_tasks_blocked()
        await referees.submit(job(2))
        assert sorted([await lost(referees) for _ in range(2)]) == ["1", "2"]
        await trio.sleep(1)
        assert processes[1].stdin.orders == []


async def test_an_engine_whose_referee_dies_while_it_is_tried_has_no_problem_with_its_options(
    processes: list[Process], autojump_clock: trio.testing.MockClock
) -> None:
    async with one_referee() as referees, trio.open_nursery() as nursery:
        problems: list[str] = []

        async def try_engine() -> None:
            problems.append(await referees.try_engine(ENGINE, "quoridor"))

        nursery.start_soon(try_engine)
        await trio.testing.wait_all_tasks_blocked()
        processes[0].end_output()
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(try_engine)
        await trio.sleep(10)
        assert problems == ["", ""]


async def test_a_referee_that_dies_loses_only_the_games_that_have_not_ended_and_each_of_them_once(
    processes: list[Process], autojump_clock: trio.testing.MockClock
) -> None:
    async with one_referee() as referees:
        for number in (1, 2):
            await referees.submit(job(number))
        await processes[0].say(finished(job(1)))
        assert await referees.events.receive() == finished(job(1))
        processes[0].kill()
        assert await lost(referees) == "2"
        await trio.testing.wait_all_tasks_blocked()
        processes[1].kill()
        await trio.sleep(10)
        assert referees.events.statistics().current_buffer_used == 0


@pytest.mark.parametrize(("ready", "seconds"), [(True, 10), (False, 60)])
async def test_a_referee_without_a_sign_of_life_is_killed_and_any_output_is_one(
    processes: list[Process], autojump_clock: trio.testing.MockClock, ready: bool, seconds: float
) -> None:
    async with one_referee() as referees:
        await referees.submit(job(1))
        await trio.sleep(seconds / 2)
        await processes[0].say(RefereeReady(1) if ready else SIGN_OF_LIFE)
        start = trio.current_time()
        event = await referees.events.receive()
        assert trio.current_time() - start == pytest.approx(seconds)
        assert isinstance(event, JobLost)
        assert f"gave no sign of life for {seconds} s, so arena killed it" in event.text


@pytest.mark.parametrize("played", [False, True])
async def test_only_a_referee_that_dies_five_times_without_playing_ends_the_run(
    processes: list[Process], autojump_clock: trio.testing.MockClock, played: bool
) -> None:
    async def die(times: int) -> None:
        for _ in range(times):
            await trio.testing.wait_all_tasks_blocked()
            processes[-1].kill()

    async def run() -> None:
        async with one_referee() as referees:
            await die(4)
            await trio.testing.wait_all_tasks_blocked()
            if played:
                await referees.submit(job(1))
                await processes[-1].say(RefereeReady(1))
                await processes[-1].say(finished(job(1)))
            await die(4)
            await trio.testing.wait_all_tasks_blocked()

    if played:
        await run()
        assert len(processes) == 9
        return
    with pytest.RaisesGroup(pytest.RaisesExc(ArenaError, match="died 5 times"), flatten_subgroups=True):
        await run()
    assert len(processes) == 5


async def test_the_referee_of_a_server_is_started_again_after_every_end(
    processes: list[Process],
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make = local_referees.RefereeProcess

    def fork(*_options: str) -> None:
        raise BlockingIOError(errno.EAGAIN, "fork failed")

    async with open_referees((ANY,), lasting=True) as referees:
        for _ in range(5):
            await trio.testing.wait_all_tasks_blocked()
            processes[-1].kill()
        await trio.testing.wait_all_tasks_blocked()
        monkeypatch.setattr(local_referees, "RefereeProcess", fork)
        await trio.sleep(30)
        await referees.submit(job(1))
        monkeypatch.setattr(local_referees, "RefereeProcess", make)
        await trio.sleep(30)
        assert [order.id for order in processes[-1].stdin.orders if isinstance(order, Job)] == ["1"]
        processes[-1].kill()
    assert capsys.readouterr().err.splitlines() == [
        "the referee: the referee process died 5 times without playing; it is tried again",
        "the referee: this machine cannot start a referee process: fork failed; it is tried again",
    ]
