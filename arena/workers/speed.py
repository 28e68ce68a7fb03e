"""Compares the speed of machines, by a game in which an engine searches a fixed number of nodes."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.config import TournamentSpec
from arena.errors import ArenaError
from arena.run.batch import BatchOrder
from arena.run.executor import BatchEvent
from arena.workers.batch_process import run_batch
from protocol.spec import EngineSpec
from referee.match.adjudication import Adjudication
from referee.match.job import Job, JobFinished, JobSeat, RefereeEvent
from referee.match.time_control import TimeControl

SPEED: Final = "speed"  # the id of the game in which the speed of an engine is measured
_PLIES: Final = 8
_FIRST_NODES: Final = 1000
_SECONDS: Final = 2.0  # how long the game takes on the hub
_MOST_NODES: Final = 50_000_000
_LARGEST: Final = 20.0  # a worker is refused if it is slower or faster than the hub by a larger factor


class SpeedTest(msgspec.Struct, frozen=True):
    """A game of an engine against itself, in which its speed is measured."""

    job: Job
    nodes: int  # it searches as many in each move
    here: float  # nodes a second on the hub


def speed_test(spec: TournamentSpec, name: str) -> SpeedTest:
    """Measure how fast an engine is on this machine."""
    (entry,) = [entry for entry in spec.engines if entry.spec.name == name]
    first = _nodes_per_second(_play_here(_speed_job(entry.spec, entry.games[0], _FIRST_NODES)), _FIRST_NODES)
    if first is None:
        raise ArenaError(
            f"{spec.path}: [executor] scale: {name} does not play with a fixed number of nodes, so its speed"
            " cannot be measured; name another engine"
        )
    nodes = min(max(_FIRST_NODES, int(first * _SECONDS / _PLIES)), _MOST_NODES)
    job = _speed_job(entry.spec, entry.games[0], nodes)
    here = _nodes_per_second(_play_here(job), nodes)
    if here is None:
        raise ArenaError(f"{spec.path}: [executor] scale: the speed of {name} cannot be measured")
    return SpeedTest(job, nodes, here)


def _speed_job(engine: EngineSpec, game: str, nodes: int) -> Job:
    seat = JobSeat(engine, str(TimeControl(nodes=nodes)))
    return Job(SPEED, game, (seat, seat), adjudication=Adjudication(plies=_PLIES, repetition=None))


def _play_here(job: Job) -> JobFinished | None:
    found: list[BatchEvent] = []
    run_batch([job], frozenset(), found.extend, lambda: False)
    return next((event for event in found if isinstance(event, JobFinished)), None)


def _nodes_per_second(finished: JobFinished | None, nodes: int) -> float | None:
    """Return the speed of the engine in the game of a `SpeedTest`; None if it did not end as it should."""
    if finished is None or len(finished.record) < _PLIES or any(seat.forfeit for seat in finished.seats):
        return None
    return nodes * len(finished.record) / max(sum(ply.time for ply in finished.record) / 1e9, 1e-6)


def scale_of(speed: SpeedTest, finished: RefereeEvent) -> float | None:
    """Return the factor for time controls on a worker that has played the game; None if it is unusable."""
    there = _nodes_per_second(finished, speed.nodes) if isinstance(finished, JobFinished) else None
    factor = None if there is None else round(speed.here / there, 3)
    return factor if factor is not None and 1 / _LARGEST <= factor <= _LARGEST else None


def scaled(job: BatchOrder, factor: float) -> BatchOrder:
    """Return an order with longer or shorter time controls."""
    if factor == 1.0 or not isinstance(job, Job):
        return job
    seats = tuple(
        msgspec.structs.replace(seat, time_control=str(TimeControl.parse(seat.time_control).scaled(factor)))
        for seat in job.seats
    )
    return msgspec.structs.replace(job, seats=seats)
