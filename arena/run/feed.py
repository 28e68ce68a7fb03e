"""Tell other programs of the same user, such as `arena serve`, what happens in a run.

Each listener of a Unix socket gets the whole state and then every change (`arena.events`). One that does not
read is dropped, so it never delays a game.

Each socket has a locked folder, see `protocol.process.machine`, which only the user who started the run can
enter. The next program that looks for sockets removes the socket of a killed run. The folders are always in
``/tmp``: a folder that the environment names can be another one for a server, or go when the user logs out.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import trio

from arena.address import Address, full_name
from arena.config import TournamentSpec
from arena.errors import OpeningError
from arena.events import NextGames, RunEvent, RunState
from arena.formats.contest import ScheduleState
from arena.model import Pairing
from arena.run.upcoming import next_games
from protocol.process import machine
from referee.match.job import encode

_UNREAD_MESSAGES: Final = 500  # a listener that has more is dropped
NEXT_GAMES_SHOWN: Final = 6
_FORECAST_SECONDS: Final = 1.0  # the least number of seconds between two forecasts of the schedule
_PAUSE_FACTOR: Final = 50  # a forecast costs at most a fiftieth of a processor: a large schedule takes long
_PLACE: Final = Path("/tmp")  # noqa: S108 - nobody else can make the same folder
_NAMES: Final = f"arena-live-{os.geteuid()}-"  # of the folders in it
_SOCKET: Final = "socket"


class LiveFeed:
    """The listeners of a run, and the state that they know; `problem` says why nobody can listen, if so.

    ``watch`` is called when the first listener comes, and when the last one goes.
    """

    def __init__(self, tournament: str, database: Address, watch: Callable[[bool], None]) -> None:
        self.state = RunState(tournament, full_name(database))
        self.problem = ""
        self._watch = watch
        self._listeners: set[trio.MemorySendChannel[bytes]] = set()

    @property
    def watched(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def tell_next(self, pairings: Sequence[Pairing]) -> None:
        """Tell which games come next, if this has changed. Leave out games that have started meanwhile."""
        waiting = [pairing for pairing in pairings if pairing.key not in self.state.games]
        shown = tuple(waiting[:NEXT_GAMES_SHOWN])
        if shown != self.state.next:
            self.observe(NextGames(shown))

    def observe(self, event: RunEvent) -> None:
        """Tell an event."""
        self.state.apply(event)
        line = encode(event) if self._listeners else b""
        for listener in list(self._listeners):
            try:
                listener.send_nowait(line)
            except trio.WouldBlock:
                self._drop(listener)

    def _drop(self, listener: trio.MemorySendChannel[bytes]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)
            listener.close()
            if not self._listeners:
                self._watch(False)

    async def serve(self, stream: trio.SocketStream) -> None:
        """Tell one listener the state and all changes, until it goes or is dropped."""
        send, lines = trio.open_memory_channel[bytes](_UNREAD_MESSAGES)
        send.send_nowait(encode(self.state))
        self._listeners.add(send)
        if len(self._listeners) == 1:
            self._watch(True)
        try:
            async with stream, trio.open_nursery() as nursery:
                nursery.start_soon(_wait_for_end, stream, nursery.cancel_scope)
                async for line in lines:
                    await stream.send_all(line)
                nursery.cancel_scope.cancel()
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # it has gone
        finally:
            self._drop(send)


async def _wait_for_end(stream: trio.SocketStream, scope: trio.CancelScope) -> None:
    """Cancel ``scope`` when the listener has gone. Ignore what it says."""
    while await stream.receive_some(4096):
        pass
    scope.cancel()


@asynccontextmanager
async def open_feed(
    tournament: str, database: Address, watch: Callable[[bool], Awaitable[object]]
) -> AsyncIterator[LiveFeed]:
    """Listen for programs that want to know what happens, until the end of the context."""
    async with trio.open_nursery() as nursery:
        feed = LiveFeed(tournament, database, lambda watched: nursery.start_soon(watch, watched))
        async with _listening(feed, nursery):
            yield feed
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _listening(feed: LiveFeed, nursery: trio.Nursery) -> AsyncIterator[None]:
    """Serve the listeners of a new socket. If there can be none, `LiveFeed.problem` says why."""
    with trio.socket.socket(trio.socket.AF_UNIX, trio.socket.SOCK_STREAM) as listener:
        path: Path | None = None
        try:
            path = new_socket()
            unready = path.with_name("unready")  # nobody finds it before it listens
            await listener.bind(str(unready))
            listener.listen()
            unready.rename(path)
            nursery.start_soon(trio.serve_listeners, feed.serve, [trio.SocketListener(listener)])
        except OSError as error:
            feed.problem = str(error)
        try:
            yield
        finally:
            if path is not None:
                machine.remove_folder(str(path.parent))


async def tell_next_games(spec: TournamentSpec, state: ScheduleState, feed: LiveFeed) -> None:
    """Tell the games that come next whenever they change, while somebody listens. It never returns.

    These are the games that wait for a referee, and then the next games of the schedule. A ladder has
    no schedule: its next game depends on the games that are running.
    """
    while True:
        cost = 0.0
        if feed.watched:
            start = time.perf_counter()
            coming: list[Pairing] = []
            if spec.plan.format.decided_by != "ratings":
                forecast = partial(_next_games, spec, _copy(state))
                coming = await trio.to_thread.run_sync(forecast, abandon_on_cancel=True)
            started = state.running.keys() | state.results.keys()  # some started meanwhile
            coming = [pairing for pairing in coming if pairing.key not in started]
            feed.tell_next([*state.running.values(), *coming])
            cost = time.perf_counter() - start
        await trio.sleep(max(_FORECAST_SECONDS, _PAUSE_FACTOR * cost))


def _copy(state: ScheduleState) -> ScheduleState:
    """Copy what the run changes: another thread reads it."""
    return replace(
        state,
        results=dict(state.results),
        running=dict(state.running),
        skipped=set(state.skipped),
        disabled=list(state.disabled),
        numbers=dict(state.numbers),
    )


def _next_games(spec: TournamentSpec, state: ScheduleState) -> list[Pairing]:
    """Return the next games of the schedule that will be played."""
    disabled = frozenset(state.disabled)
    games = (pairing for pairing in next_games(spec, state) if not disabled & set(pairing.seats))
    try:
        return list(islice(games, NEXT_GAMES_SHOWN))
    except OpeningError:  # the run reports the error when it comes to this game
        return []


def new_socket() -> Path:
    """Return a path for the socket of a run, in a new folder; an OSError says that there can be none."""
    return Path(machine.make_locked_folder(_PLACE, _NAMES), _SOCKET)


def sockets() -> list[Path]:
    """Return the sockets of the running tournaments of this user; remove the sockets of killed runs."""
    machine.remove_abandoned_folders(_PLACE, f"{_NAMES}*")
    return sorted(filter(_is_own, _PLACE.glob(f"{_NAMES}*/{_SOCKET}")))


def _is_own(path: Path) -> bool:
    """Return whether this user has made the folder of a socket."""
    with suppress(OSError):  # the run has just ended
        return path.parent.lstat().st_uid == os.geteuid()
    return False
