"""The interface through which a client exchanges bytes with its engine."""

from __future__ import annotations

from collections.abc import Callable
from signal import Signals
from typing import Protocol

from protocol.errors import HubFault

__all__ = ["Transport"]


class Transport(Protocol):
    """Carries the bytes: an engine process (`protocol.process`), or a fake (`protocol.testing`)."""

    def write_now(self, data: bytes) -> int:
        """Write as many bytes as possible without waiting.

        Returns:
            The number of bytes written.

        Raises:
            BrokenPipeError: the engine has closed its input.
        """
        ...

    async def wait_writable(self) -> None:
        """Wait until more bytes can be written."""
        ...

    async def read(self) -> bytes:
        """Wait for output and return it; b"" at end of file."""
        ...

    def read_soon(self, seconds: float) -> bytes | None:
        """Return output that comes within ``seconds``; None if none does. No other task runs meanwhile."""
        ...

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """Read standard error until its end, and call ``note`` with each chunk."""
        ...

    @property
    def stderr_tail(self) -> str:
        """The last part of standard error."""
        ...

    @property
    def exit_text(self) -> str:
        """The exit status of the engine in words; "" while it is running."""
        ...

    def shortage(self) -> HubFault | None:
        """Return the error if this machine lacked a resource to start the engine; None otherwise."""
        ...

    async def wait_exit(self) -> None:
        """Wait until the engine has ended."""
        ...

    def close_stdin(self) -> None:
        """Close the engine's standard input, so that it reads end of file."""
        ...

    def signal_group(self, number: Signals) -> None:
        """Send a signal to the engine and to the processes that it started."""
        ...

    def dispose(self) -> None:
        """Kill all processes of the engine that remain, and free its resources."""
        ...
