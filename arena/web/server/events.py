"""Server-sent events: the changes of a tournament, numbered, so that a client that comes back misses nothing.

A client that comes without a number, or with one that the server no longer has, gets an event ``state`` with
the whole state, which is always the truth. See the standard, https://html.spec.whatwg.org/#server-sent-events.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import anyio
import msgspec

__all__ = ["EventLog"]

_KEPT: Final = 500
_KEEP_ALIVE_SECONDS: Final = 15.0


class EventLog:
    """The last events of one tournament.

    Attributes:
        listeners: the number of streams that are open.
        mark: part of every number, so that numbers of a server that ran before are not known.
    """

    def __init__(self) -> None:
        self.listeners = 0
        self.mark = secrets.token_hex(4)
        self._events: deque[tuple[int, bytes]] = deque(maxlen=_KEPT)
        self._last = 0
        self._news = anyio.Event()

    def add(self, kind: str, data: object) -> None:
        """Add an event, and wake the streams."""
        self._last += 1
        self._events.append((self._last, self._event(kind, data)))
        news, self._news = self._news, anyio.Event()
        news.set()

    def skip(self) -> None:
        """Forget all events: one was not added, because nobody listens."""
        self._last += 1
        self._events.clear()

    def renew(self) -> None:
        """Forget all events, and wake the streams, which send the whole state."""
        self.skip()
        news, self._news = self._news, anyio.Event()
        news.set()

    def _event(self, kind: str, data: object) -> bytes:
        text = msgspec.json.encode(data).decode()
        return f"id: {self.mark}-{self._last}\nevent: {kind}\ndata: {text}\n\n".encode()

    async def stream(self, last_id: str, state: Callable[[], Any], stop: anyio.Event) -> AsyncIterator[bytes]:
        """Yield the events after the one with ``last_id``, or the whole state and all events after it.

        Args:
            last_id: the number that the client has; "" for none.
            state: returns the whole state.
            stop: ends the stream.
        """
        server, _, number = last_id.partition("-")
        known = server == self.mark and number.isdecimal() and len(number) < 20
        seen = int(number) if known else -1
        self.listeners += 1
        try:
            yield b"retry: 2000\n\n"
            while not stop.is_set():
                if not self._has_all_after(seen):
                    seen = self._last  # events can come while the client takes this one
                    yield self._event("state", state())
                for sent, event in [one for one in self._events if one[0] > seen]:
                    yield event
                    seen = sent
                if seen == self._last and not await self._wait(stop):
                    yield b": nothing new\n\n"
        finally:
            self.listeners -= 1

    def _has_all_after(self, number: int) -> bool:
        """Whether no event after this one is missing."""
        first = self._events[0][0] if self._events else self._last + 1
        return first - 1 <= number <= self._last

    async def _wait(self, stop: anyio.Event) -> bool:
        """Wait for news or for the end; return False after a long time without either."""
        with anyio.move_on_after(_KEEP_ALIVE_SECONDS) as scope:
            async with anyio.create_task_group() as tasks:

                async def until(event: anyio.Event) -> None:
                    await event.wait()
                    tasks.cancel_scope.cancel()

                tasks.start_soon(until, self._news)
                tasks.start_soon(until, stop)
        return not scope.cancelled_caught
