"""Keeps engine processes between games: starts them when needed, and replaces those that failed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

import trio

from protocol.errors import EngineError, EngineOptionError, EngineStalled
from protocol.hub.client import EngineClient
from protocol.hub.dialogue import Patience
from protocol.hub.ending import kill
from protocol.hub.transcript import Transcript
from protocol.process import sandbox
from protocol.process.engine_process import EngineProcess
from protocol.remote.engine import RemoteEngine
from protocol.spec import EngineSpec
from protocol.wire.codec import LINE_DIALECTS, Dialect
from protocol.wire.states import State
from referee.errors import RefereeError
from referee.match.seats import for_game
from referee.registry import game as find_game

_CALM_WITHIN: Final = 10.0
"""The most seconds for which a game waits until no engine is being started."""

_Key = tuple[EngineSpec, str]
"""An engine can play another game if its configuration and the id of the game are the same."""


async def spoken_dialect(spec: EngineSpec, seconds: float = 2.0) -> Dialect | None:
    """Return the other dialect in which an engine answers a greeting within ``seconds``; None if in none."""
    timeouts = replace(spec.timeouts, handshake=seconds)
    for dialect in LINE_DIALECTS if spec.dialect in LINE_DIALECTS else ():
        if dialect == spec.dialect:
            continue
        other = replace(spec, dialect=dialect, options={}, timeouts=timeouts)
        with suppress(EngineError):
            process = await EngineProcess.start(other)
            try:
                await EngineClient(other, process).handshake(None)
                return dialect
            finally:
                await kill(process)
    return None


class EnginePool:
    """The engines of one referee, of which it keeps some that are idle.

    It keeps ``keep`` idle engines, and more as long as it has had more engines in games than now: then many
    games that end at the same time do not end engines that the next games need. The engine that has been idle
    longest is ended first. ``warn`` gets an engine's name and a sentence for the user. If an engine does not
    answer in its dialect, ``wrong_dialect`` gets its configuration and the dialect in which it answers;
    without it nobody asks.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        keep: int,
        warn: Callable[[str, str], None],
        patience: Patience | None = None,
        wrong_dialect: Callable[[EngineSpec, Dialect], None] | None = None,
    ) -> None:
        self._nursery = nursery
        self._keep = keep
        self._warn = warn
        self._wrong_dialect = wrong_dialect
        self._patience = patience or Patience()
        self._idle: list[tuple[_Key, EngineClient]] = []
        self._alive: dict[EngineClient, _Key] = {}
        self._peak = 0  # the most engines that were busy at the same time
        self._starting = 0
        self._calm = trio.Event()

    async def acquire(
        self, spec: EngineSpec, game: str, transcript: Transcript | None = None
    ) -> EngineClient:
        """Return an engine after its handshake: an idle one, or a new process, or raise EngineError.

        If this is cancelled, no process stays behind. The transcript records the handshake of a new process.
        """
        key = (spec, game)
        for index, (idle_key, client) in enumerate(self._idle):
            if idle_key == key:
                del self._idle[index]
                if client.alive:
                    self._drop_surplus()
                    return client
                self._kill(client)
                break
        spec = for_game(spec, find_game(game).info)
        process = await self._start(spec) if spec.remote is None else RemoteEngine(spec)
        client = EngineClient(spec, process, transcript=transcript, patience=self._patience)
        self._alive[client] = key
        self._drop_surplus()
        self._nursery.start_soon(client.supervise)
        try:
            await client.handshake(game)
        except EngineStalled:
            self._kill(client)
            if (
                self._wrong_dialect is not None
                and spec.remote is None
                and (spoken := await spoken_dialect(spec))
            ):
                self._wrong_dialect(spec, spoken)
            raise
        except BaseException:  # also when the game is abandoned meanwhile: nobody else knows this engine
            self._kill(client)
            raise
        for text in sandbox.warnings(spec):
            self._warn(spec.name, text)
        return client

    async def _start(self, spec: EngineSpec) -> EngineProcess:
        self._starting += 1
        try:
            return await EngineProcess.start(spec)
        finally:
            self._starting -= 1
            if not self._starting:
                self._calm.set()
                self._calm = trio.Event()

    async def calm(self) -> None:
        """Wait until no engine is being started: that takes processors from the engines whose clocks run."""
        with trio.move_on_after(_CALM_WITHIN):
            while self._starting:
                await self._calm.wait()

    async def try_out(self, spec: EngineSpec, game: str) -> str:
        """Start an engine and end it. Return its problem with its options or the game; "" if it has none.

        An engine that fails in another way has no such problem: its first game will show the failure.
        """
        try:
            find_game(game)
            self._kill(await self.acquire(spec, game))
        except (EngineOptionError, RefereeError) as error:
            return str(error)
        except EngineError:
            pass
        return ""

    def release(self, client: EngineClient, *, healthy: bool) -> None:
        """Take an engine back after a game. It is kept if it is healthy and idle, and killed otherwise."""
        if not healthy or client.session.state is not State.IDLE:
            self._kill(client)
        elif not client.session.reusable or client.spec.remote is not None:  # its author may change it
            self._end(client)
        elif client in self._alive:
            self._idle.append((self._alive[client], client))
            self._drop_surplus()

    def _drop_surplus(self) -> None:
        """Note how many are in games, and end those idle longest if more are idle than are kept."""
        busy = len(self._alive) - len(self._idle)
        self._peak = max(self._peak, busy)
        while len(self._idle) > (max(self._keep, self._peak - busy) if self._keep else 0):
            self._end(self._idle.pop(0)[1])

    def _end(self, client: EngineClient) -> None:
        if self._alive.pop(client, None) is not None:
            self._nursery.start_soon(client.close)

    def _kill(self, client: EngineClient) -> None:
        if self._alive.pop(client, None) is not None:
            client.kill_soon(self._nursery)

    def close(self) -> None:
        """End all engines with ``quit``. The nursery waits until they have ended."""
        for client in list(self._alive):
            self._end(client)
        self._idle.clear()

    def kill(self) -> None:
        """Kill all engines and their process groups."""
        for client in list(self._alive):
            self._kill(client)
        self._idle.clear()
