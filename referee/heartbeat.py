"""Whether this process was stopped while it kept clocks: SIGSTOP, a debugger, a frozen container.

The engines' answers wait in their pipes meanwhile, and nobody can tell afterwards when they came: a game in
which this happens is void. A process that merely waits for a processor is not stopped, and must not pass for
it: else an engine that hogs the machine could make void what it is about to lose. So the time for which the
kernel says that we ran, or were ready to run, is taken off.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["LIMIT_NS", "PERIOD_NS", "Heartbeat", "busy_ns"]

PERIOD_NS = 250_000_000
"""How often `Heartbeat.beat` is to be called; the loop may sleep for so long."""

LIMIT_NS = 1_000_000_000
"""A shorter stop is left to the engines' margins."""


def busy_ns() -> int:
    """Nanoseconds for which the main thread ran or waited for a processor (the latter on Linux only)."""
    try:
        ran, waited, _ = Path("/proc/self/schedstat").read_text(encoding="ascii").split()
    except OSError:
        return time.thread_time_ns()
    return int(ran) + int(waited)


class Heartbeat:
    """Counts the stops of this process.

    Args:
        now: nanoseconds of a monotonic clock.
        busy: as `busy_ns`.

    Attributes:
        longest: nanoseconds of the longest stop.
        ended: when the last stop was noticed, on the clock of ``now``; 0 before the first.
    """

    __slots__ = ("_busy", "_busy_at", "_last", "_now", "_stops", "ended", "longest")

    def __init__(self, now: Callable[[], int] = time.monotonic_ns, busy: Callable[[], int] = busy_ns) -> None:
        self._now = now
        self._busy = busy
        self._last = now()
        self._busy_at = busy()
        self._stops = 0
        self.longest = 0
        self.ended = 0

    def beat(self) -> None:
        """Show that the process runs: to be called every `PERIOD_NS`."""
        self.stops()
        self._last, self._busy_at = self._now(), self._busy()

    def stops(self) -> int:
        """How often it was stopped so far, a stop that has just ended included; cheap."""
        gap = self._now() - self._last - PERIOD_NS
        if gap > LIMIT_NS:
            stopped = gap - (self._busy() - self._busy_at)
            if stopped > LIMIT_NS:
                self._stops += 1
                self.longest = max(self.longest, stopped)
                self._last, self._busy_at = self._now(), self._busy()
                self.ended = self._last
        return self._stops
