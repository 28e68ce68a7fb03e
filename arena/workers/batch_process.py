"""The process of `arena batch` that plays a batch on a worker."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import IO, Final

import msgspec

from arena.run.batch import BatchOrder
from arena.run.cores import Cores, pinned
from arena.run.executor import BatchEvent, JobLost, decode_batch_event
from arena.workers.engine_files import EngineFiles
from protocol.process.lifetime import death_signal
from referee.match.job import JobFinished, OrderRefused, RunningGame, Snapshot, encode

_PERIOD: Final = 0.2
"""Seconds between two checks whether the batch is cancelled, and the least time between two messages."""

_SNAPSHOT_SECONDS: Final = 1.0  # the least seconds between two states of a game, which are only for viewers
_GRACE: Final = 5.0  # seconds that the process has to end after SIGINT
_READ_BYTES: Final = 1 << 16
_TAIL_BYTES: Final = 1 << 14  # of the end of standard error, of which at most so many lines are told:
_TAIL_LINES: Final = 20


class BatchTask(msgspec.Struct, frozen=True):
    """Orders for a worker: games, and engines to try."""

    orders: tuple[BatchOrder, ...]
    cores: int  # that it leases
    engines: tuple[EngineFiles, ...]
    watched: bool = False
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


TASKS: Final[msgspec.json.Decoder[BatchTask]] = msgspec.json.Decoder(BatchTask)
EVENTS: Final[msgspec.json.Decoder[BatchEvents]] = msgspec.json.Decoder(BatchEvents)


def run_batch(
    orders: Iterable[BatchOrder],
    cores: Cores,
    send: Callable[[tuple[BatchEvent, ...]], None],
    cancelled: Callable[[], bool],
    watched: Callable[[], bool] = lambda: False,
) -> BatchEnd:
    """Play a batch in a process of its own, to its end or until it is cancelled.

    Events are sent a few times a second at most, and states of games have plies only while they are watched.
    ``cancelled`` is called several times a second.
    """
    command = [*death_signal(), sys.executable, "-P", "-m", "arena", "batch", "-", "--events"]
    unsent = _Unsent(watched)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.writelines(map(encode, orders))
        given.seek(0)
        with pinned(cores):
            process = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=errors)
        with process:
            try:
                if not _follow(process, unsent, send, cancelled):
                    process.send_signal(signal.SIGINT)
                process.communicate(timeout=_GRACE)
            except subprocess.TimeoutExpired:
                pass
            finally:
                process.kill()  # if it has not ended
        if events := unsent.take():
            send(events)
        return BatchEnd(process.returncode, _last_lines(errors))


def _follow(
    process: subprocess.Popen[bytes],
    unsent: _Unsent,
    send: Callable[[tuple[BatchEvent, ...]], None],
    cancelled: Callable[[], bool],
) -> bool:
    """Send the events of a process until it closes its output; return False if it is cancelled before."""
    assert process.stdout is not None
    rest = b""
    sent = time.monotonic()
    with selectors.DefaultSelector() as output:
        output.register(process.stdout, selectors.EVENT_READ)
        while not cancelled():
            if output.select(_PERIOD):
                data = os.read(process.stdout.fileno(), _READ_BYTES)
                if not data:
                    return True
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    unsent.add(decode_batch_event(line))
            if time.monotonic() - sent >= _PERIOD:
                sent = time.monotonic()
                if events := unsent.take():
                    send(events)
    return False


def _last_lines(errors: IO[bytes]) -> str:
    errors.seek(max(errors.seek(0, os.SEEK_END) - _TAIL_BYTES, 0))
    return "\n".join(errors.read().decode(errors="replace").splitlines()[-_TAIL_LINES:])


class _Unsent:
    """The events that were not sent yet; it keeps all plies, because somebody may begin to watch."""

    def __init__(self, watched: Callable[[], bool]) -> None:
        self._watched = watched
        self._events: list[BatchEvent] = []
        self._games: dict[str, RunningGame] = {}
        self._changed: set[str] = set()
        self._sent: dict[str, int] = {}  # how many plies of a game the watchers have
        self._shown = time.monotonic()

    def add(self, event: BatchEvent) -> None:
        """Note what has happened."""
        if isinstance(event, Snapshot):
            for game in event.games:
                self._games[game.id] = _merged(self._games.get(game.id), game)
                self._changed.add(game.id)
            return
        self._events.append(event)
        if isinstance(event, JobFinished | JobLost | OrderRefused):
            self._games.pop(event.id, None)
            self._sent.pop(event.id, None)
            self._changed.discard(event.id)

    def take(self) -> tuple[BatchEvent, ...]:
        """Return the events, and now and then the states of the games, which have begun before."""
        events, self._events = self._events, []
        now = time.monotonic()
        if self._changed and (events or now - self._shown >= _SNAPSHOT_SECONDS):
            events.append(self._snapshot())
            self._shown = now
        return tuple(events)

    def _snapshot(self) -> Snapshot:
        """Return the states that have changed, with the plies that the watchers do not have."""
        games = [self._games[id_] for id_ in self._games if id_ in self._changed]
        self._changed.clear()
        if not self._watched():
            self._sent.clear()
            return Snapshot(tuple(msgspec.structs.replace(game, first=0, plies=()) for game in games))
        states = []
        for game in games:
            sent = self._sent.get(game.id, 0)
            states.append(msgspec.structs.replace(game, first=game.first + sent, plies=game.plies[sent:]))
            self._sent[game.id] = len(game.plies)
        return Snapshot(tuple(states))


def _merged(earlier: RunningGame | None, later: RunningGame) -> RunningGame:
    """Return the later state of a game, with the plies of both."""
    if earlier is None:
        return later
    kept = earlier.plies[: max(later.first - earlier.first, 0)]
    return msgspec.structs.replace(later, first=earlier.first, plies=kept + later.plies)
