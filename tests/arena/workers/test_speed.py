"""The speed of a machine, and the time controls that follow from it."""

from __future__ import annotations

import msgspec
import pytest

from arena.workers.speed import SpeedTest, scale_of, scaled
from referee.match.job import SeatResult
from referee.outcome import Termination
from referee.ply import Ply
from tests.arena.workers.jobs import finished, job

SPEED = SpeedTest(job(1), 1000, here=100_000.0)


def played(plies: int, ms: int, forfeit: Termination | None = None):
    record = tuple(Ply(n % 2, "x", ms * 1_000_000, "", None) for n in range(plies))
    seats = tuple(SeatResult("", "", 1, forfeit, 0, 0) for _ in range(2))
    return msgspec.structs.replace(finished(1), record=record, seats=seats)


def test_a_machine_of_half_the_speed_gets_twice_the_time() -> None:
    assert scale_of(SPEED, played(8, 20)) == 2.0
    assert scale_of(SPEED, played(8, 5)) == 0.5
    seats = scaled(job(1), 2.0).seats
    assert [seat.time_control for seat in seats] == ["20+0.2", "20+0.2"]
    assert scaled(job(1), 1.0) == job(1)


@pytest.mark.parametrize(
    "game", [played(7, 10), played(8, 10, Termination.CRASH), played(8, 1000), played(8, 0)]
)
def test_a_machine_that_cannot_be_compared_has_no_scale(game) -> None:
    assert scale_of(SPEED, game) is None
