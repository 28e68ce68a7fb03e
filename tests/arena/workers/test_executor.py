"""The executor for many machines takes one result of each game, whatever its workers do."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
import trio
import trio.testing

from arena.config import load
from arena.run.executor import BatchEvent, ExecutorEvent, JobLost, JobPlayed
from arena.workers.batches import Batch, Worker
from arena.workers.executor import MOST_GAMES, DaskExecutor, GameTimes, WaitingJobs, batch_size
from protocol.spec import EngineSpec
from referee.match.job import (
    EngineTried,
    EngineWarning,
    JobStarted,
    OrderRefused,
    TryOrder,
    VoidCause,
)
from tests.arena.workers.jobs import finished, job


@pytest.fixture
def executor(tmp_path: Path) -> DaskExecutor:
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]\n' for name in "ab")
    file = tmp_path / "t.toml"
    file.write_text(f'game = "quoridor"\n{engines}')
    return DaskExecutor(load(file))


def batch(executor: DaskExecutor, worker: Worker, *numbers: int) -> Batch:
    """Give waiting games to a worker, without sending them."""
    jobs = {str(number): executor._open[str(number)] for number in numbers}
    for id_ in jobs:
        executor._waiting.remove(id_)
    made = Batch(f"b{numbers}", worker, jobs)
    worker.batches.add(made)
    return made


def told(executor: DaskExecutor) -> list[ExecutorEvent]:
    events = []
    while executor.events.statistics().current_buffer_used:
        events.append(executor.events.receive_nowait())
    return events


async def test_the_first_result_counts_and_the_second_is_dropped(executor: DaskExecutor) -> None:
    slow, quick = Worker("tls://1", "slow"), Worker("tls://2", "quick")
    await executor.submit(job(1))
    first = batch(executor, slow, 1)
    executor._lose(first, "its worker has gone")
    second = batch(executor, quick, 1)
    executor._take_event(first, finished(1, seconds=7))  # it was only cut off
    executor._take_event(second, finished(1, seconds=3))
    assert told(executor) == [JobPlayed(finished(1, seconds=7), "slow", 1.0)]


async def test_a_result_has_the_name_and_the_scale_of_the_worker_that_played(executor: DaskExecutor) -> None:
    slow, quick = Worker("tls://1", "slow", scale=1.5), Worker("tls://2", "quick", scale=0.5)
    for number in (1, 2):
        await executor.submit(job(number))
    first, second = batch(executor, slow, 1), batch(executor, quick, 2)
    executor._take_event(second, finished(2))
    executor._take_event(first, finished(1))
    assert told(executor) == [JobPlayed(finished(2), "quick", 0.5), JobPlayed(finished(1), "slow", 1.5)]


async def test_a_late_result_is_taken_while_the_game_waits_for_another_worker(executor: DaskExecutor) -> None:
    worker = Worker("tls://1", "w")
    await executor.submit(job(1))
    lost = batch(executor, worker, 1)
    executor._lose(lost, "")
    assert len(executor._waiting) == 1
    executor._take_event(lost, finished(1))
    assert len(executor._waiting) == 0
    assert [type(event) for event in told(executor)] == [JobPlayed]


@pytest.mark.parametrize("event", [JobStarted("1"), JobLost("1", ""), OrderRefused("1", "")])
async def test_a_game_with_a_late_result_neither_begins_nor_fails_on_its_new_worker(
    executor: DaskExecutor, event: BatchEvent
) -> None:
    slow, quick = Worker("tls://1", "slow"), Worker("tls://2", "quick")
    await executor.submit(job(1))
    first = batch(executor, slow, 1)
    executor._lose(first, "its worker has gone")
    second = batch(executor, quick, 1)
    executor._take_event(first, finished(1))
    executor._take_event(second, event)
    assert told(executor) == [JobPlayed(finished(1), "slow", 1.0)]


async def test_a_batch_that_ends_late_does_not_take_the_game_that_is_played_again_for_its_own(
    executor: DaskExecutor,
) -> None:
    first_try, again = job(1), job(1)
    await executor.submit(first_try)
    old = batch(executor, Worker("tls://1", "old"), 1)
    executor._lose(old, "its worker has gone")
    new = batch(executor, Worker("tls://2", "new"), 1)
    executor._take_event(old, finished(1))  # without a result that counts, so the run submits it again
    await executor.submit(again)
    executor._lose(new, "its batch ended")
    (taken,) = executor._waiting.take(9, anything, more_come=False)
    assert taken is again


async def test_only_the_games_without_a_result_are_played_elsewhere(executor: DaskExecutor) -> None:
    worker = Worker("tls://1", "w")
    for number in (1, 2, 3):
        await executor.submit(job(number))
    made = batch(executor, worker, 1, 2, 3)
    executor._take_event(made, JobStarted("1"))
    executor._take_event(made, finished(1))
    executor._lose(made, "")
    assert told(executor) == [JobStarted("1", "w"), JobPlayed(finished(1), "w", 1.0)]
    assert executor._waiting.clear() == ["2", "3"]


async def test_a_game_with_which_three_workers_were_lost_may_be_the_cause(executor: DaskExecutor) -> None:
    await executor.submit(job(1))
    for number in range(3):
        executor._lose(batch(executor, Worker(f"tls://{number}", "w"), 1), "its worker w has gone")
    assert told(executor) == [JobLost("1", "its worker w has gone")]
    assert len(executor._waiting) == 0


async def test_a_loss_that_an_abandoned_batch_reports_does_not_take_the_game_from_another(
    executor: DaskExecutor,
) -> None:
    await executor.submit(job(1))
    old = batch(executor, Worker("tls://1", "old"), 1)
    executor._lose(old, "")
    new = batch(executor, Worker("tls://2", "new"), 1)
    executor._take_event(old, JobLost("1", "its referee died"))
    executor._take_event(old, JobStarted("1"))
    assert told(executor) == []
    executor._take_event(new, finished(1))
    assert [type(event) for event in told(executor)] == [JobPlayed]


async def test_recalled_games_are_those_that_no_worker_has(executor: DaskExecutor) -> None:
    for number in (1, 2, 3):
        await executor.submit(job(number))
    made = batch(executor, Worker("tls://1", "w"), 1)
    assert await executor.recall() == ["2", "3"]
    executor._take_event(made, finished(1))
    assert [type(event).__name__ for event in told(executor)] == ["Snapshot", "JobPlayed"]


async def test_a_run_that_recalls_its_games_again_and_again_is_not_woken_by_that(
    executor: DaskExecutor,
) -> None:
    await executor.submit(job(1))
    assert [await executor.recall() for _ in range(3)] == [["1"], [], []]
    assert [type(event).__name__ for event in told(executor)] == ["Snapshot"]


async def test_a_machine_that_fails_three_times_in_a_row_gets_no_more_games(executor: DaskExecutor) -> None:
    good, bad = Worker("tls://1", "good", ready=True), Worker("tls://2", "bad", ready=True)
    fleet = executor._fleet
    fleet._workers = {good.address: good, bad.address: bad}
    async with trio.open_nursery() as fleet._nursery:
        for number in range(4):
            await executor.submit(job(number))
            made = batch(executor, bad, number)
            # The second game is not void: the count begins anew after it.
            executor._take_event(made, finished(number, void=None if number == 0 else VoidCause.MACHINE))
    assert fleet.ready() == [good]
    texts = [event.text for event in told(executor) if hasattr(event, "text")]
    assert texts == ["this worker could not play 3 games in a row: why"]


async def test_each_trial_of_an_engine_gets_its_own_answer_whichever_ends_first(
    executor: DaskExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker("tls://1", "w", ready=True)
    orders: dict[str, TryOrder] = {}
    problems: dict[str, str] = {}

    async def play(chosen: Worker, jobs: object, trials: list[TryOrder]) -> None:
        orders.update({order.engine.name: order for order in trials})
        await trio.lowlevel.checkpoint()

    async def try_one(name: str) -> None:
        problems[name] = await executor.try_engine(EngineSpec(name, ("x",)), "quoridor")

    def end(name: str) -> None:
        executor._take_event(Batch("b", worker, {}), EngineTried(orders[name].id, f"problem of {name}"))

    executor._fleet._workers = {worker.address: worker}
    monkeypatch.setattr(executor._fleet, "play", play)
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
async def test_the_executor_remembers_nothing_of_games_that_have_ended(
    executor: DaskExecutor, games: int
) -> None:
    """Openings differ, so each game is of a new kind; some games are lost, declined, refused or recalled."""
    worker, first = Worker("tls://1", "w"), job(0)
    for number in range(games):
        played = msgspec.structs.replace(first, id=str(number), moves=(f"m{number}",))
        await executor.submit(played)
        if number % 10 == 1:
            assert await executor.recall() == [played.id]
        elif number % 10 == 2:
            executor._lose(batch(executor, worker, number), "its worker has gone")
            executor._take_event(batch(executor, worker, number), finished(number))
        elif number % 10 == 3:
            executor._lose(batch(executor, worker, number), "its worker has gone")
            executor._take_event(batch(executor, worker, number), JobLost(played.id, ""))
        else:
            (taken,) = executor._waiting.take(1, anything, more_come=False)
            made = Batch(f"b{number}", worker, {taken.id: taken})
            executor._take_event(made, EngineWarning("a", f"warning {number}"))
            executor._take_event(made, finished(number))
        told(executor)
    # What has a length is a container.
    owners = (executor, executor._waiting, executor._fleet, executor._fleet._batches)
    kept = {
        f"{type(owner).__name__}.{name}": value for owner in owners for name, value in vars(owner).items()
    }
    sizes = {name: len(value) for name, value in kept.items() if hasattr(value, "__len__")}
    assert sizes.pop("DaskExecutor._warnings") == 1000
    assert {name for name, size in sizes.items() if size and not isinstance(kept[name], str)} == set()


def anything(_: object) -> bool:
    return True


def ids(jobs: list[object]) -> list[str]:
    return [one.id for one in jobs]  # type: ignore[attr-defined]


def waiting(*jobs: object) -> WaitingJobs:
    made = WaitingJobs()
    for one in jobs:
        made.add(one)  # type: ignore[arg-type]
    return made


PAIRS = job(1, "ab", "e2"), job(2, "ac"), job(3, "ba", "e2"), job(4, "ca"), job(5, "ab", "e3")


def test_both_games_of_an_opening_are_taken_together_in_the_order_of_the_first() -> None:
    games = waiting(*PAIRS)
    assert ids(games.take(1, anything, more_come=True)) == ["1", "3"]
    assert ids(games.take(1, anything, more_come=True)) == ["2", "4"]
    assert len(games) == 1


def test_half_a_pair_waits_for_the_other_half_while_more_may_come() -> None:
    games = waiting(PAIRS[4])
    assert games.take(9, anything, more_come=True) == []
    assert ids(games.take(9, anything, more_come=False)) == ["5"]


def test_games_without_an_opening_are_paired_two_by_two() -> None:
    games = waiting(*(job(n, "ab" if n % 2 else "ba") for n in range(6)))
    assert [ids(games.take(1, anything, more_come=False)) for _ in range(3)] == [
        ["0", "1"],
        ["2", "3"],
        ["4", "5"],
    ]


def test_games_of_four_are_taken_in_groups_of_four() -> None:
    games = waiting(*(job(n, "abcd") for n in range(5)))
    assert ids(games.take(1, anything, more_come=True)) == ["0", "1", "2", "3"]
    assert games.take(1, anything, more_come=True) == []


def test_a_worker_gets_no_game_that_it_cannot_play() -> None:
    games = waiting(*PAIRS)
    with_c = games.take(9, lambda one: any(seat.engine.name == "c" for seat in one.seats), more_come=False)
    assert ids(with_c) == ["2", "4"]
    assert len(games) == 3


def test_lost_games_come_first_and_stay_together() -> None:
    games = waiting(*PAIRS)
    lost = games.take(1, anything, more_come=True)
    games.put_back(lost)
    assert ids(games.take(1, anything, more_come=True)) == ["1", "3"]


def test_a_removed_game_is_not_taken_and_all_can_be_given_back() -> None:
    games = waiting(*PAIRS)
    games.remove("3")
    games.remove("none")
    assert ids(games.take(1, anything, more_come=True)) == ["1"]
    assert games.clear() == ["2", "4", "5"]
    assert len(games) == 0


def test_a_batch_takes_half_a_minute_and_the_last_games_are_spread_over_all_workers() -> None:
    times = GameTimes()
    assert batch_size(times, waiting=100, slots=4) == 1  # nothing is known yet
    times.add(3.0)
    assert batch_size(times, waiting=1000, slots=4) == 10
    assert batch_size(times, waiting=8, slots=4) == 2
    assert batch_size(times, waiting=0, slots=0) == 1
    for _ in range(200):
        times.add(120.0)
    assert batch_size(times, waiting=1000, slots=4) == 1
    for _ in range(200):
        times.add(0.001)
    assert batch_size(times, waiting=10_000, slots=4) == MOST_GAMES
