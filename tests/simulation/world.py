"""A world in one process: virtual time, an order of tasks drawn from a seed, and no threads.

`time` is replaced before the product is imported, because some functions have its clocks as defaults.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import trio
import trio.abc
import trio.lowlevel
from trio._core import _run

_T = TypeVar("_T")

EPOCH: Final = 1_700_000_000.0
"""The wall clock at the start of a world, in seconds since the epoch."""


class VirtualClock(trio.abc.Clock):
    """The clock of a run: when no task can go on, it shows the time at which the next task can."""

    now = 0.0  # seconds

    def start_clock(self) -> None:
        pass

    def current_time(self) -> float:
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        if deadline < math.inf:
            self.now = max(self.now, deadline)
        return 0.0


class World:
    """The clocks of a world.

    Attributes:
        draw: where everything random comes from.
        stepped: by how many seconds the wall clock was set.
        before: seconds of worlds before this run, so that time goes on from one run to the next.
    """

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)
        self.stepped = 0.0
        self.before = 0.0
        self.clock = VirtualClock()
        self.reads = 0

    def seconds(self) -> float:
        """Return the monotonic clock. It moves by a microsecond whenever it is read, as a busy program's."""
        self.reads += 1
        return self.before + self.clock.now + self.reads * 1e-6

    def run(self, main: Callable[[], Awaitable[_T]]) -> _T:
        """Run ``main`` in virtual time to its end."""
        _run._r.seed(self.draw.random())  # with it trio orders tasks
        try:
            return trio.run(main, clock=self.clock)
        finally:
            self.before += self.clock.now + 1.0
            self.clock = VirtualClock()


_worlds: Final[list[World]] = []
"""At most one: the world whose clocks this process shows."""


def enter(world: World) -> None:
    """Let the replaced clocks show the clocks of ``world``."""
    _worlds[:] = [world]


def _seconds() -> float:
    return _worlds[0].seconds() if _worlds else 0.0


def _wall() -> float:
    return EPOCH + _seconds() + (_worlds[0].stepped if _worlds else 0.0)


async def _inline(
    function: Callable[..., _T],
    *args: Any,
    thread_name: str | None = None,
    abandon_on_cancel: bool = False,
    limiter: object = None,
) -> _T:
    await trio.lowlevel.checkpoint()
    return function(*args)


def install() -> None:
    """Replace the clocks and the threads of this process. Call it before the product is imported."""
    import sqlalchemy  # noqa: F401 - how often it reads a clock depends on what it has in its caches

    vars(_run)["_ALLOW_DETERMINISTIC_SCHEDULING"] = True
    time.monotonic = time.perf_counter = time.thread_time = _seconds
    time.monotonic_ns = time.perf_counter_ns = time.thread_time_ns = lambda: round(_seconds() * 1e9)
    time.time = _wall
    time.time_ns = lambda: round(_wall() * 1e9)
    trio.to_thread.run_sync = _inline  # type: ignore[assignment]  # as far as the product uses it
