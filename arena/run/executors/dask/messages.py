"""The messages between the hub and its workers, as JSON."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.run.batch import BatchOrder
from arena.run.executors.dask.engine_files import EngineFiles
from arena.run.executors.interface import BatchEvent
from referee.match.job_lines import decode_with

__all__ = ["BatchEnd", "BatchEvents", "BatchTask", "decode_end", "decode_events", "decode_task"]


class BatchTask(msgspec.Struct, frozen=True):
    """Orders for a worker.

    Attributes:
        batch: a name for them.
        topic: the topic of the events.
        orders: the games, and engines to try.
        cores: how many cores to lease for them.
        engines: the files of the engines that play.
        watched: whether anybody watches the games.
    """

    batch: str
    topic: str
    orders: tuple[BatchOrder, ...]
    cores: int
    engines: tuple[EngineFiles, ...]
    watched: bool = False


class BatchEvents(msgspec.Struct, frozen=True):
    """What happened in a batch.

    Attributes:
        batch: its name.
        events: the events since the last message.
    """

    batch: str
    events: tuple[BatchEvent, ...]


class BatchEnd(msgspec.Struct, frozen=True):
    """The end of a batch.

    Attributes:
        code: the exit code of the process that played it; negative for a signal.
        text: the end of its standard error.
    """

    code: int
    text: str


_TASKS: Final[msgspec.json.Decoder[BatchTask]] = msgspec.json.Decoder(BatchTask)
_EVENTS: Final[msgspec.json.Decoder[BatchEvents]] = msgspec.json.Decoder(BatchEvents)
_ENDS: Final[msgspec.json.Decoder[BatchEnd]] = msgspec.json.Decoder(BatchEnd)


def decode_task(line: bytes) -> BatchTask:
    """Parse the message."""
    return decode_with(_TASKS, line)


def decode_events(line: bytes) -> BatchEvents:
    """Parse the message."""
    return decode_with(_EVENTS, line)


def decode_end(line: bytes) -> BatchEnd:
    """Parse the message."""
    return decode_with(_ENDS, line)
