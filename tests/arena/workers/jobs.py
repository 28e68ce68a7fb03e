"""Jobs for tests of the executor for many machines."""

from __future__ import annotations

import msgspec

from protocol.spec import EngineSpec
from referee.match.job import Job, JobFinished, JobSeat, SeatResult, VoidCause
from referee.outcome import Termination


def job(number: int, names: str = "ab", opening: str = "") -> Job:
    seats = tuple(JobSeat(EngineSpec(name, ("x",)), "10+0.1") for name in names)
    return Job(str(number), "quoridor", seats, moves=tuple(opening.split()))


def finished(number: int, seconds: float = 1.0, void: VoidCause | None = None) -> JobFinished:
    why = Termination.VOID if void else Termination.NORMAL
    seats = (SeatResult("", "", 1, None, 5, 5), SeatResult("", "", 2, None, 5, 5))
    return JobFinished(str(number), why, why.value, "why", seats, (), "x", 0.0, round(seconds * 1e9), void)


def played_by(event: JobFinished, worker: str) -> JobFinished:
    return msgspec.structs.replace(event, worker=worker)
