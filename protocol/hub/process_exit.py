"""Waits for the end of an engine's process."""

from __future__ import annotations

import trio
import trio.lowlevel

from protocol.hub.transport import Transport

__all__ = ["ended_within", "how_it_ended"]

_EXIT_SECONDS = 0.5
"""Seconds to wait for the exit status of an engine that closed its output."""

_ROUNDS = 3
"""Rounds of trio's loop to wait, so that `Transport.drain_stderr` reads the last lines."""


async def how_it_ended(transport: Transport) -> str:
    """Return the exit status, in words, of an engine that closed its output; "" if it is still running.

    Its standard error has been read when this returns.
    """
    with trio.move_on_after(_EXIT_SECONDS):
        await transport.wait_exit()
    for _ in range(_ROUNDS):
        await trio.lowlevel.checkpoint()
    return transport.exit_text


async def ended_within(transport: Transport, seconds: float) -> bool:
    """Return whether the process ends in time. Discard its output, so that no full pipe blocks it."""

    async def discard_output() -> None:
        while await transport.read():
            pass

    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(discard_output)
            await transport.wait_exit()
            nursery.cancel_scope.cancel()
        return True
    return False
