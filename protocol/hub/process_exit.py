"""Waiting for the end of an engine's process."""

from __future__ import annotations

import trio
import trio.lowlevel

from protocol.hub.transport import Transport

__all__ = ["ended_within", "how_it_ended"]

_LAST_WORDS = 0.5
"""Seconds to wait for the exit status of an engine that closed its output."""

_ROUNDS = 3
"""Rounds of the loop in which the reader of standard error takes the last lines, even if it only begins."""


async def how_it_ended(transport: Transport) -> str:
    """The exit of an engine that closed its output, "" if it lives on; its standard error is read by then."""
    with trio.move_on_after(_LAST_WORDS):
        await transport.wait_exit()
    for _ in range(_ROUNDS):
        await trio.lowlevel.checkpoint()
    return transport.exit_text


async def ended_within(transport: Transport, seconds: float) -> bool:
    """Whether the process ends in time; its output is thrown away, so that it cannot block on it."""

    async def throw_away() -> None:
        while await transport.read():
            pass

    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(throw_away)
            await transport.wait_exit()
            nursery.cancel_scope.cancel()
        return True
    return False
