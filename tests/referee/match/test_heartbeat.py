"""Tests of the heartbeat: what counts as a stop of the process, and in which game."""

import time

import pytest

from referee.match import heartbeat
from referee.match.heartbeat import LIMIT_NS, PERIOD_NS, Heartbeat, busy_ns

MS = 1_000_000
SECOND = 1000 * MS


class Machine:
    """A fake clock, with the time during which the process ran or could have run."""

    def __init__(self):
        self.time = 50 * SECOND
        self.busy = 7 * SECOND

    def run(self, ns):
        self.time += ns
        self.busy += ns

    def sleep(self, ns):
        """Wait, or be stopped: the process cannot see the difference."""
        self.time += ns


@pytest.fixture
def machine():
    return Machine()


@pytest.fixture
def heart(machine):
    return Heartbeat(lambda: machine.time, lambda: machine.busy)


def test_the_loop_sleeps_a_quarter_of_a_second_and_a_stop_is_longer_than_a_second():
    assert (PERIOD_NS, LIMIT_NS) == (250 * MS, SECOND)


def test_before_the_first_stop_there_is_none(machine, heart):
    assert heart.stopped == 0
    assert not heart.stopped_since(machine.time)
    assert not heart.stopped_since(machine.time - LIMIT_NS)
    machine.sleep(PERIOD_NS)
    heart.beat()
    assert heart.stopped == 0


def test_a_stop_is_longer_than_a_second_beside_the_sleep_of_the_loop(machine, heart):
    machine.sleep(1250 * MS)
    heart.beat()
    assert heart.stopped == 0
    machine.sleep(1250 * MS + 1)
    heart.beat()
    assert heart.stopped == SECOND + 1


def test_time_for_which_the_process_ran_or_waited_for_a_processor_is_no_stop(machine, heart):
    machine.run(3 * SECOND)
    machine.sleep(1250 * MS)
    heart.beat()
    assert heart.stopped == 0
    machine.run(3 * SECOND)
    machine.sleep(1250 * MS + 1)
    heart.beat()
    assert heart.stopped == SECOND + 1


def test_a_stop_is_measured_from_the_last_beat(machine, heart):
    machine.run(SECOND)
    heart.beat()
    machine.sleep(900 * MS)
    heart.beat()
    machine.sleep(900 * MS)
    heart.beat()
    assert heart.stopped == 0


def test_a_stop_belongs_to_what_started_before_it(machine, heart):
    start = machine.time
    machine.run(10 * MS)
    machine.sleep(5 * SECOND)
    assert heart.stopped_since(start)
    assert heart.stopped == 4750 * MS
    assert heart.stopped_since(machine.time - LIMIT_NS - 1)
    assert not heart.stopped_since(machine.time - LIMIT_NS)
    assert not heart.stopped_since(machine.time)


def test_a_stop_that_was_noticed_is_not_noticed_again(machine, heart):
    machine.sleep(5 * SECOND)
    heart.stopped_since(0)
    resumed = machine.time
    machine.run(2 * SECOND)
    assert not heart.stopped_since(resumed)
    heart.beat()
    machine.sleep(3 * SECOND)
    heart.beat()
    assert heart.stopped == 2750 * MS


def test_what_the_process_did_counts_on_from_each_beat_and_each_stop(machine, heart):
    machine.run(9 * SECOND)
    heart.beat()
    machine.sleep(5 * SECOND)
    heart.beat()
    machine.run(9 * SECOND)
    assert not heart.stopped_since(machine.time - 2 * LIMIT_NS)
    machine.sleep(3 * SECOND)
    heart.beat()
    assert heart.stopped == 2750 * MS


def test_running_and_waiting_for_a_processor_are_added(monkeypatch, tmp_path):
    file = tmp_path / "schedstat"
    file.write_text("123 4000 56\n")
    monkeypatch.setattr(heartbeat, "Path", lambda _: file)
    assert busy_ns() == 4123


def test_where_the_kernel_does_not_tell_only_running_counts(monkeypatch, tmp_path):
    monkeypatch.setattr(heartbeat, "Path", lambda _: tmp_path / "nothing")
    monkeypatch.setattr(time, "thread_time_ns", lambda: 99)
    assert busy_ns() == 99
