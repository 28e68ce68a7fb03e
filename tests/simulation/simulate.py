"""Plays the tournament of a seed in a process that is a world, and checks it."""

from __future__ import annotations

import faulthandler
import gc
import shutil
import signal
import tempfile
import time
import traceback
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SHARED_MEMORY: Final = Path("/dev/shm")

_LONGEST: Final = 20.0
"""Seconds of a processor after which a tournament counts as endless: it takes less than one."""

_HANGS: Final = 300.0
"""Seconds after which the process ends, because a tournament cannot be ended."""


class Endless(BaseException):
    """A tournament has computed for too long."""


def _end_it(number: int, frame: object) -> None:
    raise Endless


@dataclass(frozen=True, slots=True)
class Played:
    """A simulated tournament as it went."""

    seed: str
    text: str
    faults: tuple[str, ...]
    digest: str = ""
    runs: int = 0
    games: int = 0
    seconds: float = 0.0  # of virtual time
    occurred: tuple[str, ...] = ()
    processor: float = 0.0  # seconds

    def __str__(self) -> str:
        faults = "".join(f"\n  {fault}" for fault in self.faults)
        return f"FAILED seed {self.seed}; again: make simulate SEED={self.seed}{faults}\n  {self.text}"


def become_world() -> None:
    """Make this process a world. Nothing of the product may have been imported."""
    from tests.simulation.world import install

    install()
    from tests.simulation.play import prepare

    prepare()
    gc.freeze()
    gc.set_threshold(50_000)


def simulate(seed: str, plant: str = "") -> Played:
    """Play the tournament of a seed, in a process that is a world."""
    from tests.simulation.check import faults
    from tests.simulation.plan import draw_plan
    from tests.simulation.planted import PLANTS
    from tests.simulation.play import play

    start = time.process_time()
    plan = draw_plan(seed)
    folder = Path(tempfile.mkdtemp(dir=_SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None))
    faulthandler.dump_traceback_later(_HANGS, exit=True)
    signal.signal(signal.SIGVTALRM, _end_it)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST, 1.0)
    try:
        with PLANTS[plant]() if plant else nullcontext():
            history = play(plan, folder)
        return Played(
            seed,
            str(plan),
            tuple(faults(history)),
            history.digest(),
            len(history.runs),
            sum(len(run.ended) for run in history.runs),
            sum(run.seconds for run in history.runs),
            history.occurred(),
            time.process_time() - start,
        )
    except (Exception, Endless):  # a fault of the simulation itself, or of what reads the database
        return Played(seed, str(plan), (traceback.format_exc(),))
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        faulthandler.cancel_dump_traceback_later()
        shutil.rmtree(folder)
