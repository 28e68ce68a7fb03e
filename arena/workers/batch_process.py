"""The process of `arena worker` that plays a batch on a worker."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import IO, Final, TypeAlias

import msgspec

from arena.run.batch import BatchOrder
from arena.run.cores import Cores, pinned
from arena.run.executor import BatchEvent, decode_batch_event
from arena.workers.engine_files import EngineFiles
from protocol.process.lifetime import death_signal
from referee.match.job import encode

_PERIOD: Final = 0.2
"""Seconds between two checks whether the batch is cancelled, and the least time between two messages."""

_GRACE: Final = 5.0  # seconds that the process has to end after SIGINT
_READ_BYTES: Final = 1 << 16
_TAIL_BYTES: Final = 1 << 14  # of the end of standard error that are read
_TAIL_LINES: Final = 20  # of it that a message shows


class BatchTask(msgspec.Struct, frozen=True):
    """Orders for a worker: games, and engines to try."""

    orders: tuple[BatchOrder, ...]
    cores: int  # that it leases
    engines: tuple[EngineFiles, ...]
    batch: str = ""  # its name
    topic: str = ""  # of its events


class BatchEnd(msgspec.Struct, frozen=True):
    """The end of the process of a batch."""

    code: int  # its exit code; negative for a signal
    text: str  # the end of its standard error


class BatchEvents(msgspec.Struct, frozen=True):
    """What happened in a batch since the last message."""

    batch: str
    events: tuple[BatchEvent, ...]
    end: BatchEnd | None = None


SendEvents: TypeAlias = Callable[[tuple[BatchEvent, ...]], None]

TASKS: Final[msgspec.json.Decoder[BatchTask]] = msgspec.json.Decoder(BatchTask)
EVENTS: Final[msgspec.json.Decoder[BatchEvents]] = msgspec.json.Decoder(BatchEvents)


def run_batch(
    orders: Iterable[BatchOrder],
    cores: Cores,
    send: SendEvents,
    cancelled: Callable[[], bool],
) -> BatchEnd:
    """Play a batch in a process of its own, to its end or until it is cancelled.

    Events are sent a few times a second at most. ``cancelled`` is called several times a second.
    """
    command = [*death_signal(), sys.executable, "-P", "-m", "arena", "worker", "-", "--events"]
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.writelines(map(encode, orders))
        given.seek(0)
        with pinned(cores):
            process = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=errors)
        with process:
            try:
                if not _follow(process, send, cancelled):
                    process.send_signal(signal.SIGINT)
                process.communicate(timeout=_GRACE)
            except subprocess.TimeoutExpired:
                pass
            finally:
                process.kill()  # if it has not ended
        return BatchEnd(process.returncode, _last_lines(errors))


def _follow(
    process: subprocess.Popen[bytes],
    send: SendEvents,
    cancelled: Callable[[], bool],
) -> bool:
    """Send the events of a process until it closes its output; return False if it is cancelled before."""
    assert process.stdout is not None
    events: list[BatchEvent] = []
    rest, ended = b"", False
    sent = time.monotonic()
    with selectors.DefaultSelector() as output:
        output.register(process.stdout, selectors.EVENT_READ)
        while not ended and not cancelled():
            if output.select(_PERIOD):
                data = os.read(process.stdout.fileno(), _READ_BYTES)
                ended = not data
                *lines, rest = (rest + data).split(b"\n")
                events += map(decode_batch_event, lines)
            if events and (ended or time.monotonic() >= sent + _PERIOD):
                send(tuple(events))
                events, sent = [], time.monotonic()
    return ended


def _last_lines(errors: IO[bytes]) -> str:
    errors.seek(max(errors.seek(0, os.SEEK_END) - _TAIL_BYTES, 0))
    return "\n".join(errors.read().decode(errors="replace").splitlines()[-_TAIL_LINES:])
