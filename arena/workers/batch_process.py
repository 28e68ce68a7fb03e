"""The process of `arena batch` that plays a batch on a worker."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import IO, Final

import msgspec

from arena.run.batch import BatchOrder
from arena.run.cores import Cores, pinned
from arena.run.executor import BatchEvent, JobLost, decode_batch_event
from arena.workers.engine_files import EngineFiles
from protocol.process.lifetime import death_signal
from referee.match.job import JobFinished, JobStarted, OrderRefused, RunningGame, Snapshot, encode

_PERIOD: Final = 0.2
"""Seconds between two checks whether the batch is cancelled, and the least time between two messages."""

_SNAPSHOT_SECONDS: Final = 1.0  # the least seconds between two states of a game, which are only for viewers
_GRACE: Final = 5.0  # seconds that the process has to end after SIGINT
_TAIL: Final = 20  # lines of standard error that are kept


class BatchTask(msgspec.Struct, frozen=True):
    """Orders for a worker: games, and engines to try."""

    batch: str  # its name
    topic: str  # of its events
    orders: tuple[BatchOrder, ...]
    cores: int  # that it leases
    engines: tuple[EngineFiles, ...]
    watched: bool = False


class BatchEvents(msgspec.Struct, frozen=True):
    """What happened in a batch since the last message."""

    batch: str
    events: tuple[BatchEvent, ...]


class BatchEnd(msgspec.Struct, frozen=True):
    """The end of the process of a batch."""

    code: int  # its exit code; negative for a signal
    text: str  # the end of its standard error


TASKS: Final[msgspec.json.Decoder[BatchTask]] = msgspec.json.Decoder(BatchTask)
EVENTS: Final[msgspec.json.Decoder[BatchEvents]] = msgspec.json.Decoder(BatchEvents)
ENDS: Final[msgspec.json.Decoder[BatchEnd]] = msgspec.json.Decoder(BatchEnd)


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
    with pinned(cores):
        process = subprocess.Popen(
            [*death_signal(), sys.executable, "-P", "-m", "arena", "batch", "-", "--events"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    tail: deque[str] = deque(maxlen=_TAIL)
    mailbox = _Mailbox(watched)
    threads = [
        threading.Thread(target=_write, args=(process.stdin, b"".join(map(encode, orders))), daemon=True),
        threading.Thread(target=mailbox.read, args=(process.stdout,), daemon=True),
        threading.Thread(target=_read_errors, args=(process.stderr, tail), daemon=True),
    ]
    try:
        for thread in threads:
            thread.start()
        while not mailbox.wait(_PERIOD):
            if events := mailbox.take():
                send(events)
            if cancelled():
                process.send_signal(signal.SIGINT)
                break
        try:
            code = process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        for thread in threads:
            thread.join(_GRACE)
        if events := mailbox.take(everything=True):
            send(events)
        return BatchEnd(code, "\n".join(tail))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _write(stream: IO[bytes], data: bytes) -> None:
    try:
        with stream:
            stream.write(data)
    except BrokenPipeError:
        pass  # the process has ended


def _read_errors(stream: IO[bytes], tail: deque[str]) -> None:
    with stream:
        for line in stream:
            tail.append(line.decode(errors="replace").rstrip())


class _Mailbox:
    """The events that were not sent yet; it keeps all plies, because somebody may begin to watch."""

    def __init__(self, watched: Callable[[], bool]) -> None:
        self._watched = watched
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._events: list[BatchEvent] = []
        self._games: dict[str, RunningGame] = {}
        self._changed: set[str] = set()
        self._over: set[str] = set()
        self._sent: dict[str, int] = {}  # how many plies of a game the watchers have
        self._shown = time.monotonic()

    def read(self, stream: IO[bytes]) -> None:
        """Read all events of the process."""
        try:
            with stream:
                for line in stream:
                    self._add(decode_batch_event(line))
        finally:
            self._ended.set()

    def _add(self, event: BatchEvent) -> None:
        with self._lock:
            if not isinstance(event, Snapshot):
                self._events.append(event)
                if isinstance(event, JobFinished | JobLost | OrderRefused):
                    self._over.add(event.id)
                return
            for game in event.games:
                self._games[game.id] = _merged(self._games.get(game.id), game)
                self._changed.add(game.id)

    def wait(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for the end of the output; return whether it has come."""
        return self._ended.wait(seconds)

    def take(self, *, everything: bool = False) -> tuple[BatchEvent, ...]:
        """Return the events, and now and then the states of the games."""
        with self._lock:
            events, self._events = self._events, []
            now = time.monotonic()
            if self._changed and (everything or events or now - self._shown >= _SNAPSHOT_SECONDS):
                # A listener must know of a game before it hears of its state.
                begun = [place for place, event in enumerate(events, 1) if isinstance(event, JobStarted)]
                events.insert(max(begun, default=0), self._snapshot())
                self._shown = now
            for id_ in self._over:
                self._games.pop(id_, None)
                self._sent.pop(id_, None)
            self._over.clear()
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
