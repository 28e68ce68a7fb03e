"""The referee process: ``python -m referee`` reads orders and writes events, each as a line of JSON.

If standard input ends before the order ``quit``, the process kills all engines and exits. With ``--parent``
the kernel kills it when arena ends, even while it is stopped. So nothing survives when arena is killed.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial

import msgspec
import trio

from protocol.hub.dialogue import ALONE, CROWDED, SHARED, Patience
from protocol.hub.ending import set_dialect
from protocol.process.lifetime import adopt_orphans, die_with_parent
from protocol.process.machine import usable_cores
from protocol.process.sandbox import raise_limit_of_files
from protocol.process.starter import (
    kill_orphans_soon,
    let_engines_run_first,
    remove_abandoned_soon,
    run_soon_after_waiting,
)
from protocol.spec import EngineSpec
from protocol.wire.codec import Dialect
from protocol.wire.session import LineBuffer
from referee.errors import RefereeError
from referee.match import job as m
from referee.match.heartbeat import PERIOD_NS, Heartbeat
from referee.match.play import RefereedGame
from referee.match.pool import EnginePool
from referee.match.seats import RemotePerson
from referee.registry import BUILT_IN
from referee.registry import game as find_game

SNAPSHOT_SECONDS = 0.25
_SIGN_SECONDS = 0.5
_FEW = 4  # games of one process: with more, some engine has always answered
_SWEEP_SECONDS = 5.0
_MAX_ORDER = 1 << 24
_OUTBOX = 1000


class _Polls(trio.abc.Instrument):
    """Notes when trio asks for output: an engine's clock stops then, even if other games are read first."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    def after_io_wait(self, timeout: float) -> None:
        self._patience.polled_at = time.monotonic_ns()


class RunningJob:
    """A game that is being played, and its people; an invalid job is a RefereeError or a ValueError."""

    def __init__(
        self,
        job: m.Job,
        pool: EnginePool,
        outbox: trio.MemorySendChannel[m.RefereeEvent],
        heartbeat: Heartbeat,
    ) -> None:
        if any(not 0 <= seat < len(job.seats) for seat in job.people):
            raise ValueError(f"a person has a seat from 0 to {len(job.seats) - 1}")
        self.people = bool(job.people)
        self._people = {seat: RemotePerson(job.seats[seat].engine.name) for seat in job.people}
        self.scope = trio.CancelScope()
        self._outbox = outbox
        self._infos = [""] * len(job.seats)
        self.game = RefereedGame(
            job,
            pool,
            # Without people nothing of a game refers to itself: Python need not look for it as garbage.
            self._started if job.people else partial(outbox.send_nowait, m.JobStarted(job.id)),
            people=self._people,
            observe=(lambda _: self._tell_turn()) if job.people else None,
            trace=self._listen if job.people else None,
            heartbeat=heartbeat,
        )

    async def play(self) -> m.JobFinished:
        """Play the game to its end, or until `scope` is cancelled."""
        with self.scope:
            try:
                return await self.game.play()
            except Exception as error:  # the rules of a plug-in may raise anything
                if self.game.job.game in BUILT_IN:
                    raise
                return self.game.broken(error)
        return self.game.abandoned()

    def answer(self, ply: int, move: str) -> None:
        """Pass on the move of a person, if the game is at this ply."""
        arbiter = self.game.arbiter
        person = self._people.get(arbiter.seat)
        if person is not None and arbiter.plies == ply:
            person.answer(move)

    def _started(self) -> None:
        self._outbox.send_nowait(m.JobStarted(self.game.job.id))
        self._tell_turn()

    def _tell_turn(self) -> None:
        """Send the state of the game to people, who wait for each ply."""
        self._outbox.send_nowait(m.TurnBegan(self.game.running(watched=True), tuple(self._infos)))
        self._infos = [""] * len(self._infos)

    def _listen(self, seat: int, _when: float, _mark: str, line: str) -> None:
        if line.startswith("info "):
            self._infos[seat] = line


class Server:
    """Plays all jobs that it receives, at the same time."""

    def __init__(
        self,
        nursery: trio.Nursery,
        pool: EnginePool,
        outbox: trio.MemorySendChannel[m.RefereeEvent],
        patience: Patience,
    ) -> None:
        self._nursery = nursery
        self._pool = pool
        self._outbox = outbox
        self._patience = patience
        self._games: dict[str, RunningJob] = {}
        self.heartbeat = Heartbeat()
        self.idle = trio.Event()  # set while no game is running
        self.idle.set()
        self._watched = False

    async def take(self, order: m.Order) -> None:
        """Execute an order, except `QuitOrder`."""
        match order:
            case m.Job():
                if self._patience.must_wait:
                    await self._patience.take_turn()
                await self._start(order)
            case m.AnswerOrder(id, ply, move):
                running = self._games.get(id)
                if running is not None:
                    running.answer(ply, move)
            case m.AbandonOrder(id):
                if id in self._games:
                    self._games[id].scope.cancel()
            case m.WatchOrder(watched):
                self._watched = watched
            case m.TryOrder():
                self._nursery.start_soon(self._try_out, order)

    async def _start(self, job: m.Job) -> None:
        """Start a game in a task of its own, or refuse it."""
        if job.id in self._games:
            await self._outbox.send(m.OrderRefused(job.id, f"game {job.id} is being played already"))
            return
        try:
            game = RunningJob(job, self._pool, self._outbox, self.heartbeat)
        except (RefereeError, ValueError) as error:
            await self._outbox.send(m.OrderRefused(job.id, str(error)))
            return
        self._games[job.id] = game
        self.idle = trio.Event() if len(self._games) == 1 else self.idle
        self._share()
        self._nursery.start_soon(self._play, game)

    async def _try_out(self, order: m.TryOrder) -> None:
        await self._outbox.send(m.EngineTried(order.id, await self._pool.try_out(order.engine, order.game)))

    async def _play(self, played: RunningJob) -> None:
        try:
            finished = await played.play()
        finally:
            del self._games[played.game.job.id]
            self._share()
            if not self._games:
                self.idle.set()
        await self._outbox.send(finished)

    def _share(self) -> None:
        """Let the games that run now share this process."""
        games = len(self._games)
        self._patience.pause = ALONE if games == 1 else SHARED if games <= _FEW else CROWDED

    def send_snapshot(self) -> None:
        """Send the state of all running games, unless arena has unread events."""
        if self._games and not self._outbox.statistics().current_buffer_used:
            games = (job.game for job in self._games.values() if not job.people)
            snapshot = m.Snapshot(tuple(game.running(watched=self._watched) for game in games))
            self._outbox.send_nowait(snapshot)


async def _every(seconds: float, step: Callable[[], None]) -> None:
    """Call ``step`` again and again."""
    while True:
        await trio.sleep(seconds)
        step()


def _wrong_dialect(spec: EngineSpec, spoken: Dialect) -> m.EngineWarning:
    text = f"does not answer '{spec.dialect}', but it answers '{spoken}': {set_dialect(spoken)}"
    return m.EngineWarning(spec.name, text, spoken)


async def serve(source: trio.abc.ReceiveStream, sink: trio.abc.SendStream, *, keep: int) -> None:
    """Execute the orders from ``source`` until `QuitOrder` or end of file, and write events to ``sink``."""
    outbox, events = trio.open_memory_channel[m.RefereeEvent](_OUTBOX)
    async with trio.open_nursery() as writers:
        writers.start_soon(_write_events, events, sink, writers.cancel_scope)
        await outbox.send(m.RefereeReady(os.getpid()))
        async with trio.open_nursery() as engines:
            patience = Patience()
            trio.lowlevel.add_instrument(_Polls(patience))
            pool = EnginePool(
                engines,
                keep,
                lambda name, text: outbox.send_nowait(m.EngineWarning(name, text)),
                patience,
                lambda spec, spoken: outbox.send_nowait(_wrong_dialect(spec, spoken)),
            )
            try:
                async with trio.open_nursery() as games:
                    server = Server(games, pool, outbox, patience)
                    games.start_soon(patience.give_turns)
                    games.start_soon(_every, PERIOD_NS / 1e9, server.heartbeat.beat)
                    games.start_soon(_every, _SWEEP_SECONDS, kill_orphans_soon)
                    games.start_soon(_every, SNAPSHOT_SECONDS, server.send_snapshot)
                    if await _read_orders(source, server, outbox):
                        await server.idle.wait()
                        pool.close()
                    games.cancel_scope.cancel()
            finally:
                pool.kill()
        await outbox.aclose()


async def _read_orders(
    source: trio.abc.ReceiveStream,
    server: Server,
    outbox: trio.MemorySendChannel[m.RefereeEvent],
) -> bool:
    """Execute the orders. Return True after `QuitOrder`, and False at the end of the input."""
    async for line in _lines(source):
        if line is None:
            await outbox.send(m.OrderRefused("", f"not an order: longer than {_MAX_ORDER >> 20} MiB"))
            continue
        try:
            order = m.decode_order(line)
        except (msgspec.MsgspecError, ValueError) as error:
            await outbox.send(m.OrderRefused("", f"not an order: {error}"))
            continue
        if isinstance(order, m.QuitOrder):
            return True
        await server.take(order)
    return False


async def _lines(source: trio.abc.ReceiveStream) -> AsyncIterator[bytes | None]:
    """Yield the lines; None for a line that is too long."""
    buffer = LineBuffer(_MAX_ORDER)
    dropped = 0
    while data := await source.receive_some(65_536):
        buffer.feed(bytes(data))
        while (line := buffer.next_line()) is not None:
            yield line
        while dropped < buffer.dropped:
            dropped += 1
            yield None


async def _write_events(
    events: trio.MemoryReceiveChannel[m.RefereeEvent],
    sink: trio.abc.SendStream,
    scope: trio.CancelScope,
) -> None:
    """Write each event, and signs of life between them. Without a reader, cancel ``scope``: everything."""
    try:
        while True:
            event: m.RefereeEvent = m.SIGN_OF_LIFE
            with trio.move_on_after(_SIGN_SECONDS):
                event = await events.receive()
            await sink.send_all(m.encode(event))
    except trio.EndOfChannel:
        pass
    except trio.BrokenResourceError:
        scope.cancel()


async def _run(keep: int) -> None:
    """Serve standard input and output. SIGTERM has the same effect as the end of the input."""
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:

            async def end_on_signal() -> None:
                async for _ in signals:
                    nursery.cancel_scope.cancel()

            nursery.start_soon(end_on_signal)
            source = trio.lowlevel.FdStream(os.dup(sys.stdin.fileno()))
            sink = trio.lowlevel.FdStream(os.dup(sys.stdout.fileno()))
            await serve(source, sink, keep=keep)
            nursery.cancel_scope.cancel()


def main(arguments: list[str] | None = None) -> None:
    """Run a referee process."""
    parser = argparse.ArgumentParser(
        prog="python -m referee",
        description="Plays games between engines: JSON orders on standard input, JSON events on output.",
    )
    parser.add_argument(
        "--keep",
        type=int,
        default=8,
        help="how many idle engines to keep (default 8)",
    )
    parser.add_argument(
        "--parent",
        type=int,
        metavar="PID",
        help="the parent process; this process ends with it, or with the thread that started this process",
    )
    parser.add_argument("--game", action="append", default=[], metavar="ID", help="load a game at the start")
    options = parser.parse_args(arguments)
    if options.parent is not None:
        die_with_parent(options.parent)
    if len(usable_cores()) == 1:
        let_engines_run_first()
    else:
        run_soon_after_waiting()
    raise_limit_of_files()
    adopt_orphans()
    remove_abandoned_soon()
    for game_id in options.game:
        with suppress(RefereeError):  # its first order gets the error
            find_game(game_id)
    gc.freeze()  # the imported modules stay until the end: the collector need not visit them
    trio.run(_run, options.keep)


if __name__ == "__main__":
    main()
