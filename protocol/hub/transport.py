"""The interface through which a client exchanges bytes with its engine."""

from __future__ import annotations

from collections.abc import Callable
from signal import Signals
from typing import Protocol

import trio

from protocol.errors import EngineError


class Transport(Protocol):
    """Carries the bytes: to a process (`protocol.process`), over a line (`protocol.remote`), or to a fake."""

    def write_now(self, data: bytes) -> int:
        """Write what needs no waiting, and return its length. BrokenPipeError: the input is closed."""

    async def wait_writable(self) -> None:
        """Wait until more bytes can be written."""

    async def read(self) -> bytes:
        """Wait for output and return it; b"" at end of file."""

    def read_soon(self, seconds: float) -> bytes | None:
        """Return output that comes within ``seconds``; None if none does. No other task runs meanwhile."""

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """Read standard error until its end, and call ``note`` with each chunk."""

    @property
    def stderr_tail(self) -> str:
        """The last part of standard error."""

    @property
    def exit_text(self) -> str:
        """The exit status of the engine in words; "" while it is running."""

    def set_alarm(self, alarm: trio.CancelScope, seconds: float) -> None:
        """Set the deadline of a scope in which somebody waits, in seconds of the engine's own time."""

    @property
    def excused(self) -> Callable[[], int] | None:
        """A function: how many nanoseconds since the last write are the line's. None without a line."""

    def shortage(self, *, greeted: bool) -> EngineError | None:
        """Return the error if the line is gone, or this machine lacked a resource to start the engine.

        An engine that has ``greeted`` the hub has been started.
        """

    async def wait_exit(self) -> None:
        """Wait until the engine has ended."""

    def close_stdin(self) -> None:
        """Close the engine's standard input, so that it reads end of file."""

    def signal_group(self, number: Signals) -> None:
        """Send a signal to the engine and to the processes that it started."""

    def dispose(self) -> None:
        """Kill all processes of the engine that remain, and free its resources."""
