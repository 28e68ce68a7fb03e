"""Detects that this process was stopped during a game, by SIGSTOP, a debugger or a frozen container.

Meanwhile the engines' answers wait in their pipes, and the referee cannot find out when they came. So a game
in which this happens is void.

A process that only waits for a processor is not stopped. It must not count as stopped, because then an engine
that occupies the machine could make a lost game void. So the heartbeat subtracts the time during which,
according to the kernel, this process ran or was ready to run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PERIOD_NS = 250_000_000
"""The time between two calls of `Heartbeat.beat`."""

LIMIT_NS = 1_000_000_000
"""The shortest stop that makes a game void. The engines' margins must cover a shorter one."""


def busy_ns() -> int:
    """Return the nanoseconds during which the main thread ran or, on Linux only, waited for a processor."""
    try:
        ran, waited, _ = Path("/proc/self/schedstat").read_text(encoding="ascii").split()
    except OSError:
        return time.thread_time_ns()
    return int(ran) + int(waited)


class Heartbeat:
    """Remembers the last time that this process was stopped, and for how many nanoseconds."""

    __slots__ = ("_busy", "_busy_at", "_last", "_now", "_resumed", "stopped")

    def __init__(self, now: Callable[[], int] = time.monotonic_ns, busy: Callable[[], int] = busy_ns) -> None:
        self._now = now
        self._busy = busy
        self._last = now()
        self._busy_at = busy()
        self._resumed = self._last - LIMIT_NS
        self.stopped = 0

    def beat(self) -> None:
        """Note that the process is running. Call this every `PERIOD_NS`."""
        self._check()
        self._last, self._busy_at = self._now(), self._busy()

    def stopped_since(self, start: int) -> bool:
        """Return whether the process was stopped after ``start``, a time on the clock of ``now``. Cheap."""
        self._check()
        return self._resumed - start > LIMIT_NS  # otherwise at most LIMIT_NS of it was after `start`

    def _check(self) -> None:
        """Record a stop that has just ended."""
        gap = self._now() - self._last - PERIOD_NS
        if gap > LIMIT_NS:
            stopped = gap - (self._busy() - self._busy_at)
            if stopped > LIMIT_NS:
                self.stopped = stopped
                self._last, self._busy_at = self._now(), self._busy()
                self._resumed = self._last
