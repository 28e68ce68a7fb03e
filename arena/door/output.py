"""The output of a program, passed on while it comes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio

__all__ = ["Output"]

_FLUSH_SECONDS: Final = 0.5


class Output:
    """Passes output on in pieces of half a second, up to a largest size.

    Args:
        tell: called with each piece as text.
        most: how many bytes are passed on.
    """

    def __init__(self, tell: Callable[[str], Awaitable[None]], most: int) -> None:
        self._tell = tell
        self._piece = bytearray()
        self._left = most

    @property
    def full(self) -> bool:
        """Whether nothing more is passed on."""
        return self._left <= 0

    def add(self, data: bytes | bytearray) -> None:
        """Pass data on with the next piece."""
        if self._left <= 0:
            return
        self._piece += data[: self._left]
        self._left -= len(data)
        if self._left <= 0:
            self._piece += b"\n(the rest of the output is not kept)"

    @asynccontextmanager
    async def passed_on(self) -> AsyncIterator[None]:
        """Pass on what is added in this block."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._flush_often)
            yield
            nursery.cancel_scope.cancel()
        await self._flush()

    async def _flush_often(self) -> None:
        while True:
            await trio.sleep(_FLUSH_SECONDS)
            await self._flush()

    async def _flush(self) -> None:
        if self._piece:
            text = self._piece.decode("utf-8", "replace").replace("\0", "\ufffd")
            self._piece.clear()
            await self._tell(text)
