"""How an engine ends: the steps that end it, how it exited, and its last lines, for error messages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from signal import SIGKILL, SIGTERM
from textwrap import shorten

import trio
import trio.lowlevel

from protocol.hub.transport import Transport
from protocol.wire.session import MAX_LINE
from protocol.words import printable, shortened

_QUIT_SECONDS = 1.0  # how long an engine may take to end after ``quit``, before SIGTERM
_TERMINATE_SECONDS = 1.0  # how long an engine may take to end after SIGTERM, before it is killed
_REAPED_SECONDS = 10.0  # how long a killed process may take to end, before `Transport.dispose`, which blocks
_EXIT_SECONDS = 0.5  # how long to wait for the exit status of an engine that closed its output
_ROUNDS = 3  # rounds of trio's loop to wait, so that `Transport.drain_stderr` reads the last lines


async def end(transport: Transport, quit_line: bytes) -> None:
    """End an engine with ``quit``, then with SIGTERM, then with SIGKILL, even if cancelled."""
    with trio.CancelScope(shield=True):
        try:
            transport.write_now(quit_line)
        except BrokenPipeError:
            pass
        transport.close_stdin()
        if not await ended_within(transport, _QUIT_SECONDS):
            transport.signal_group(SIGTERM)
            await ended_within(transport, _TERMINATE_SECONDS)
        await kill(transport)


async def kill(transport: Transport) -> None:
    """Kill the process group, wait for the exit, which can take a while, and free the resources."""
    with trio.CancelScope(shield=True):
        transport.signal_group(SIGKILL)
        await ended_within(transport, _REAPED_SECONDS)
        transport.dispose()


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


async def exit_status(transport: Transport) -> str:
    """Return the exit status, in words, after the rest of standard error; "" if the engine still runs."""
    with trio.move_on_after(_EXIT_SECONDS):
        await transport.wait_exit()
    for _ in range(_ROUNDS):
        await trio.lowlevel.checkpoint()
    return transport.exit_text


# --- its last lines --------------------------------------------------------------------------------------

_UNFINISHED_LENGTH = 60  # the most characters of a quoted line
_SENT_LINES, _SENT_LENGTH = 3, 40
"""The number of sent lines that an error message quotes, and the most characters of each."""

_PLACE = re.compile(r'  File ".*", line \d')

_LAST_LINES, _LAST_LENGTH = 4, 160
"""The number of lines of standard error that an error message quotes, and the most characters of each."""


def left_behind(unfinished: str, stderr: str = "", *, dropped: bool = False) -> str:
    """Quote an unfinished last line and the end of standard error, and say that a long line was dropped."""
    hint = f"; it printed a line longer than {MAX_LINE:,} bytes, which does not count" if dropped else ""
    hint += f"; it printed {_quoted(unfinished)} without a newline" if unfinished else ""
    # The lines of a stack trace are indented in most languages. A line of Python that names a place stays.
    lines = [
        line.strip()
        for line in stderr.splitlines()
        if line.strip() and (not line[0].isspace() or _PLACE.match(line))
    ]
    last = " | ".join(printable(shortened(line, _LAST_LENGTH)) for line in lines[-_LAST_LINES:])
    return hint + (f"; its standard error says: {last}" if last else "")


def last_sent(data: bytes) -> str:
    """Quote the last lines that were sent, shortened: an engine that ended was probably working on them."""
    lines = data.decode(errors="replace").splitlines()[-_SENT_LINES:]
    return ", ".join(f"'{shorten(line, _SENT_LENGTH, placeholder=' ...')}'" for line in lines)


def wrong_answers(lines: Iterable[str]) -> str:
    """Quote what an engine said that is no answer; "" without lines."""
    quoted = [_quoted(line) for line in lines if line.strip()]
    return f"; what it said is no answer: {', '.join(quoted[-_LAST_LINES:])}" if quoted else ""


def set_dialect(dialect: str) -> str:
    """Return how users set the dialect of an engine."""
    return f'set dialect = "{dialect}" in a file, --dialect {dialect} in a command'


def _quoted(line: str) -> str:
    return repr(line.strip()[:_UNFINISHED_LENGTH])
