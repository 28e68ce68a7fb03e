"""Tell other programs of the same user, such as `arena serve`, what happens in a run.

The run listens on a Unix socket. Each listener gets the whole state and then every change; see
`arena.live.messages`. A listener that does not read is dropped, so it never delays a game. While nobody
listens, the referees do not send plies.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import trio

from arena.address import Address, full_name
from arena.live.messages import (
    Change,
    GameBegan,
    GameOver,
    LiveGame,
    Moved,
    NextGame,
    NextGames,
    NoticeGiven,
    Planned,
    RunState,
    StageBegan,
    Stopping,
    encode,
)
from arena.live.sockets import new_socket
from arena.model import Pairing, Stage
from arena.run.events import (
    EngineDisabled,
    FileReread,
    GameEnded,
    GameStarted,
    GameVoid,
    Notice,
    Progress,
    StopRequested,
    TournamentEvent,
)

__all__ = ["LiveFeed", "open_feed"]

_UNREAD: Final = 500
"""A listener that has not read this many messages is dropped."""

_UNSEEN: Final = logging.NullHandler()
"""Takes what a library logs if the program that uses arena has no handler for it."""


class LiveFeed:
    """The listeners of a run, and the state that they know.

    Args:
        tournament: the name of the tournament.
        database: its database.
        watch: called when the first listener comes, and when the last one goes.

    Attributes:
        state: what every listener knows.
        problem: why nobody can listen; "" if they can.
    """

    def __init__(self, tournament: str, database: Address, watch: Callable[[bool], None]) -> None:
        self.state = RunState(tournament, full_name(database))
        self.problem = ""
        self._watch = watch
        self._listeners: set[trio.MemorySendChannel[bytes]] = set()

    def begin(self, total: int | None, stored: int) -> None:
        """Tell how many games the tournament has, and how many were stored before this run."""
        self._change(Planned(total, stored))

    @property
    def watched(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def tell_next(self, pairings: Sequence[Pairing]) -> None:
        """Tell which games come next, if this has changed. Leave out games that have begun meanwhile."""
        waiting = [pairing for pairing in pairings if pairing.key not in self.state.games]
        games = [NextGame(game.key, game.number, game.game, game.seats) for game in waiting]
        if games != self.state.next:
            self._change(NextGames(tuple(games)))

    def observe(self, event: TournamentEvent) -> None:
        """Tell an event of the run."""
        for change in _changes(event):
            self._change(change)

    def _change(self, change: Change) -> None:
        self.state.apply(change)
        line = encode(change) if self._listeners else b""
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
        send, lines = trio.open_memory_channel[bytes](_UNREAD)
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


def _changes(event: TournamentEvent) -> list[Change]:
    """Return what an event changes."""
    match event:
        case GameStarted(pairing, worker, controls):
            opening = pairing.opening
            game = LiveGame(
                pairing.key,
                pairing.number,
                pairing.game,
                pairing.seats,
                opening.position,
                opening.moves,
                controls,
                worker=worker,
            )
            return [GameBegan(game)]
        case Progress(games):
            now = time.time()
            return [
                Moved(pairing.key, game.first, game.plies, game.turn, game.clocks_ms, now)
                for pairing, game in games
            ]
        case GameEnded(pairing, result):
            return [GameOver(pairing.key, stored=True, text=result.reason)]
        case GameVoid(pairing, text):
            return [GameOver(pairing.key, stored=False, text=text)]
        case Stage(game_id, text):
            return [StageBegan(game_id, text)]
        case StopRequested():
            return [Stopping()]
        case EngineDisabled(engine, text):
            return [NoticeGiven(f"{engine} is disabled: it failed three times in a row: {text}")]
        case Notice(engine, text):
            return [NoticeGiven(f"{engine}: {text}")]
        case FileReread(text):
            return [NoticeGiven(text)]


@asynccontextmanager
async def open_feed(
    tournament: str, database: Address, watch: Callable[[bool], Awaitable[object]]
) -> AsyncIterator[LiveFeed]:
    """Listen for programs that want to know what happens, until the end of the context.

    Args:
        tournament: the name of the tournament.
        database: its database.
        watch: called when the first listener comes, and when the last one goes.
    """
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
            unready = path.with_suffix("")  # nobody finds it before it listens
            await listener.bind(str(unready))
            listener.listen()
            unready.rename(path)
            # Without a file descriptor trio tries again, and logs each time: Python would print a traceback.
            logging.getLogger("trio.serve_listeners").addHandler(_UNSEEN)
            nursery.start_soon(trio.serve_listeners, feed.serve, [trio.SocketListener(listener)])
        except OSError as error:
            feed.problem = str(error)
        try:
            yield
        finally:
            if path is not None:
                path.unlink(missing_ok=True)
