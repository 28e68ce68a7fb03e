"""What carries the bytes between a client and its engine: a process, or a fake of `protocol.testing`."""

from __future__ import annotations

from collections.abc import Callable
from signal import Signals
from typing import Protocol

__all__ = ["Transport"]


class Transport(Protocol):
    """Carries the bytes: an engine process (`protocol.process`), or a fake (`protocol.testing`)."""

    def write_now(self, data: bytes) -> int:
        """Write what fits without waiting; how many bytes that was. BrokenPipeError: nobody reads."""
        ...

    async def wait_writable(self) -> None:
        """Wait until more fits."""
        ...

    async def read(self) -> bytes:
        """Wait for output; b"" at end of file."""
        ...

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """Read standard error until its end; ``note`` is called with what comes."""
        ...

    @property
    def stderr_tail(self) -> str:
        """The last of standard error."""
        ...

    @property
    def exit_text(self) -> str:
        """How the engine ended; "" while it runs."""
        ...

    def shortage(self) -> str:
        """Find out what this machine was short of, if that ended it before it ran; "" for every other end."""
        ...

    async def wait_exit(self) -> None:
        """Wait until it has ended."""
        ...

    def close_stdin(self) -> None:
        """Let it see the end of its input."""
        ...

    def signal_group(self, number: Signals) -> None:
        """Signal it and what it started."""
        ...

    def dispose(self) -> None:
        """Kill what is left and give everything back."""
        ...
