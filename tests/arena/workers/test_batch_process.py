"""The process that plays a batch on a worker: its events, its end, and its cores."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from arena.run.cores import leased_cores
from arena.workers.batch_process import run_batch
from protocol.spec import EngineSpec
from referee.match.adjudication import Adjudication
from referee.match.job import Job, JobFinished, JobSeat, JobStarted, Snapshot
from tests.processes import wait_for, with_argument

pytestmark = pytest.mark.system

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"


def game(mode: str, number: int = 1, plies: int = 6) -> Job:
    engine = EngineSpec(mode, (sys.executable, "-S", str(HOSTILE), mode))
    seat = JobSeat(engine, "60+0")
    return Job(str(number), "quoridor", (seat, seat), adjudication=Adjudication(plies=plies))


def test_results_come_in_order_and_the_process_ends_by_itself() -> None:
    events: list[object] = []
    cores = frozenset(list(os.sched_getaffinity(0))[:1])
    end = run_batch([game("honest", 1), game("honest", 2)], cores, events.extend, lambda: False)
    assert (end.code, "without a result" in end.text) == (0, False)
    kinds = [type(event) for event in events if not isinstance(event, Snapshot)]
    assert kinds == [JobStarted, JobFinished, JobStarted, JobFinished]
    assert all(event.termination.name != "CRASH" for event in events if isinstance(event, JobFinished))
    assert len(os.sched_getaffinity(0)) >= len(cores)


def test_a_cancelled_batch_ends_immediately_and_leaves_no_engine() -> None:
    asked_at: list[float] = []

    def cancelled() -> bool:
        asked_at.append(time.monotonic())
        return bool(with_argument("hangs-in-search"))

    end = run_batch([game("hangs-in-search")], frozenset(), lambda _: None, cancelled)
    assert end.code == 130
    wait_for(lambda: not with_argument("hangs-in-search"), "engines are left")


def never() -> bool:
    return False


def immediately() -> bool:
    return True


def test_two_leases_have_different_cores_and_a_third_gets_none_until_one_ends(tmp_path: Path) -> None:
    with (
        leased_cores(1, [4, 7], never, tmp_path) as first,
        leased_cores(1, [4, 7], never, tmp_path) as second,
    ):
        assert (first, second) == ({4}, {7})
        with leased_cores(1, [4, 7], immediately, tmp_path) as none:
            assert none == set()
    with leased_cores(2, [4, 7], never, tmp_path) as both:
        assert both == {4, 7}


def test_who_waits_for_two_cores_holds_none_meanwhile(tmp_path: Path) -> None:
    asked = 0

    def gives_up_later() -> bool:
        nonlocal asked
        asked += 1
        if asked == 2:
            with leased_cores(1, [7], never, tmp_path) as free:  # otherwise this would never end
                assert free == {7}
        return asked > 2

    with leased_cores(1, [4], never, tmp_path), leased_cores(2, [4, 7], gives_up_later, tmp_path) as none:
        assert none == set()
