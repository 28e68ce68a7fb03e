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
    """Knows when this process was stopped last.

    Args:
        now: nanoseconds of a monotonic clock.
        busy: as `busy_ns`.

    Attributes:
        stopped: nanoseconds that the last stop took; 0 before the first.
    """

    __slots__ = ("_busy", "_busy_at", "_last", "_now", "_resumed", "stopped")

    def __init__(self, now: Callable[[], int] = time.monotonic_ns, busy: Callable[[], int] = busy_ns) -> None:
        self._now = now
        self._busy = busy
        self._last = now()
        self._busy_at = busy()
        self._resumed = self._last - LIMIT_NS
        self.stopped = 0

    def beat(self) -> None:
        """Show that the process runs: to be called every `PERIOD_NS`."""
        self._look()
        self._last, self._busy_at = self._now(), self._busy()

    def stopped_since(self, began: int) -> bool:
        """Whether a stop fell into what began then, on the clock of ``now``, and has just ended; cheap."""
        self._look()
        return self._resumed - began > LIMIT_NS  # else it began when the stop was over

    def _look(self) -> None:
        """Notice a stop that has just ended."""
        gap = self._now() - self._last - PERIOD_NS
        if gap > LIMIT_NS:
            stopped = gap - (self._busy() - self._busy_at)
            if stopped > LIMIT_NS:
                self.stopped = stopped
                self._last, self._busy_at = self._now(), self._busy()
                self._resumed = self._last
