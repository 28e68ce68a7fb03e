"""Games between real processes of the hostile engine, for tests."""

import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from protocol.spec import EngineSpec, Timeouts
from referee.match.adjudication import Adjudication
from referee.match.job import Job, JobSeat
from referee.match.play import RefereedGame
from referee.match.pool import EnginePool

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
PATIENT = {"handshake": 60.0, "ready": 60.0}
IMPATIENT = {"never-says-ok": {"handshake": 0.3}, "never-ready": {"ready": 0.3}}


@pytest.fixture(autouse=True)
def quick_end(monkeypatch):
    """Kill engines that ignore ``quit`` soon; a test module imports this."""
    monkeypatch.setattr("protocol.hub.ending._QUIT_SECONDS", 0.3)


def seat(mode, control="60+0", **settings):
    command = (sys.executable, "-S", str(HOSTILE), mode)
    timeouts = Timeouts(**PATIENT | IMPATIENT.get(mode, {}))
    return JobSeat(EngineSpec(mode, command, timeouts=timeouts, **settings), control)


def job(*seats, game="quoridor", plies=12, resign=None, **settings):
    return Job("7", game, seats, adjudication=Adjudication(plies=plies, resign=resign), **settings)


@asynccontextmanager
async def open_pool(keep=8):
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, keep, lambda *_: None)
        try:
            yield pool
        finally:
            pool.close()


async def play_in(pool, *seats, **settings):
    return await RefereedGame(job(*seats, **settings), pool, lambda: None).play()


async def play(*seats, **settings):
    async with open_pool() as pool:
        return await play_in(pool, *seats, **settings)
