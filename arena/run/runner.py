"""The main loop of a run: take games from the schedule, send them to referees, store and report the results.

The stored games are the only state between two runs: the schedule derives the missing games from them.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import trio

from arena.config import TournamentSpec
from arena.errors import ArenaError
from arena.formats.contest import ScheduleState
from arena.model import GameRecord, GameResult, Pairing
from arena.run.events import (
    EngineDisabled,
    EnginesBlamed,
    GameEnded,
    GameReplayed,
    GameStarted,
    Notice,
    Progress,
    RunSummary,
    StopRequested,
    TournamentEvent,
)
from arena.run.executors.interface import Executor, JobBegan, JobDeclined, JobLost, JobPlayed
from arena.run.failures.blame import ATTACKED, EXHAUSTED, Cause, Suspects
from arena.run.failures.strikes import Strikes
from arena.run.failures.void_games import VoidGames
from arena.run.game_record import played_game_record, unplayed_game_record
from arena.run.outbox import Outbox
from arena.run.running_game import RunningGame, new_job
from arena.run.upcoming import CallSchedule, Upcoming, in_thread
from arena.run.waiting_games import WaitingGames
from referee.match.heartbeat import PERIOD_NS, Heartbeat
from referee.match.job import (
    EngineWarning,
    JobFinished,
    JobStarted,
    OrderRefused,
    Snapshot,
    VoidCause,
)
from referee.outcome import Termination

__all__ = ["Runner"]

_DOOR_SECONDS: Final = 0.5
"""How often a run without a game to play looks for engines that have come in through the door."""


class Runner:
    """One run of one tournament.

    Args:
        spec: the tournament.
        state: the state of its games before this run.
        referees: plays the games.
        store: the channel to the database. A game that it has taken will be stored.
        observe: called with every event.
        reread: called after each game. Returns the changed tournament if its file has changed since the last
            call, else None. Pass None for a tournament that cannot change during a run.
        call_schedule: as in `CallSchedule`.
        signals: whether Ctrl-C and SIGTERM let the running games end. Otherwise they have their usual effect
            in Python. With this, the loop must run in the main thread.
        before_first: called once before the first game starts, and never if no game is missing.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        state: ScheduleState,
        referees: Executor,
        store: trio.MemorySendChannel[GameRecord],
        observe: Callable[[TournamentEvent], None],
        reread: Callable[[], Awaitable[TournamentSpec | None]] | None = None,
        call_schedule: CallSchedule = in_thread,
        *,
        before_first: Callable[[], Awaitable[None]] | None = None,
        signals: bool = True,
    ) -> None:
        self._spec = spec
        self._state = state
        self._upcoming = Upcoming(spec, state, call_schedule, observe)
        self._reread = reread
        self._signals = signals
        self._before_first = before_first
        self._referees = referees
        self._outbox = Outbox(store)
        self._observe = observe
        # By job id.
        self._running: dict[str, RunningGame] = {}
        self._suspects = Suspects()
        self._waiting_games = WaitingGames(self._suspects)
        self._heartbeat = Heartbeat()
        self._void_games = VoidGames()
        self._holding = False  # whether no game starts before all running games have ended
        self._strikes = Strikes()
        self._entries = {entry.spec.name: entry for entry in spec.engines}
        self._played = self._skipped = 0
        self._stopping = False

    async def run(self) -> RunSummary:
        """Play the missing games.

        Raises:
            ExceptionGroup: with an `ArenaError`, if the run cannot go on. The finished games are stored.
        """
        async with trio.open_nursery() as nursery:
            if self._signals:
                await nursery.start(self._listen_for_signals)
            nursery.start_soon(self._keep_watch)
            while True:
                await self._start_games()
                if not self._running:
                    if not await self._wait_at_door():
                        break
                    continue
                await self._handle_event(await self._referees.events.receive())
            nursery.cancel_scope.cancel()
        await self._outbox.close()
        disabled, refused = tuple(self._state.disabled), self._upcoming.refused
        return RunSummary(self._played, disabled, self._skipped, self._stopping, refused)

    async def _wait_at_door(self) -> bool:
        """Wait for a change of the tournament; return False without a door, or if the user stops the run."""
        if self._spec.door is None or self._upcoming.refused is not None:
            return False
        spec = self._spec
        while not self._stopping:
            await self._reread_file()
            if self._spec is not spec:
                return True
            await trio.sleep(_DOOR_SECONDS)
        return False

    async def _listen_for_signals(self, task_status: trio.TaskStatus[None]) -> None:
        """Stop at Ctrl-C: the first one lets the running games end, the second one ends them at once."""
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
                if self._stopping:
                    await self._outbox.close()
                    raise KeyboardInterrupt
                self._stopping = True
                await self._recall()
                self._observe(StopRequested(len(self._running)))
                self._upcoming.stop()

    async def _recall(self) -> None:
        """Take back the games that no machine has begun; the next run plays them."""
        for id_ in await self._referees.recall():
            del self._state.running[self._running.pop(id_).pairing.key]

    async def _keep_watch(self) -> None:
        """Call the heartbeat regularly, so that it notices when arena is stopped."""
        while True:
            await trio.sleep(PERIOD_NS / 1e9)
            self._heartbeat.beat()

    # --- starting games

    async def _start_games(self) -> None:
        """Start as many games as may run, or wait, at once."""
        self._holding = self._holding and bool(self._running)
        while len(self._running) < self._most_games() and not self._stopping:
            pairing = await self._next_game()
            if pairing is None or self._stopping:  # Ctrl-C may have come meanwhile
                return
            if self._before_first is not None:
                await self._before_first()
                self._before_first = None
            self._waiting_games.start()
            self._state.running[pairing.key] = pairing
            if disabled := frozenset(self._state.disabled) & set(pairing.seats):
                await self._decide_unplayed(pairing, disabled)
            else:
                await self._start(pairing)

    def _most_games(self) -> int:
        """Return how many games may run. While there are suspects, no two games share a referee."""
        if self._holding:
            return 0
        if self._referees.many_machines:
            return self._referees.room
        return min(self._spec.concurrency, self._referees.count if self._suspects else self._spec.concurrency)

    async def _next_game(self) -> Pairing | None:
        """Return the next game of the schedule, or a game that waits."""
        if (due := self._waiting_games.due()) is not None:
            return due
        engines = len(self._entries)
        while not self._waiting_games.full(engines=engines):
            pairing = await self._next_pairing()
            if pairing is None:
                break
            if not self._waiting_games.postpone(pairing, engines=engines):
                return pairing
            self._state.running[pairing.key] = pairing
        return self._waiting_games.best(idle=not self._running)

    async def _next_pairing(self) -> Pairing | None:
        pairing = await self._upcoming.next()
        if pairing is None and self._upcoming.decided:
            await self._recall()
        return pairing

    async def _start(self, pairing: Pairing) -> None:
        job = new_job(self._spec, pairing, [self._entries[name] for name in pairing.seats])
        self._running[job.id] = RunningGame(pairing, self._spec, time.monotonic_ns())
        self._suspects.start(pairing.key)
        if not self._referees.many_machines:
            controls = tuple(seat.time_control for seat in job.seats)
            self._observe(GameStarted(pairing, time_controls=controls))
        await self._referees.submit(job)

    async def _decide_unplayed(self, pairing: Pairing, disabled: frozenset[str]) -> None:
        """Score or skip a game of a disabled engine, as the key ``disabled`` of the tournament says."""
        if self._spec.disabled == "skip":
            self._skipped += 1
            del self._state.running[pairing.key]
            self._state.skipped.add(pairing.key)
            return
        await self._score_unplayed(unplayed_game_record(self._spec, pairing, disabled), pairing)

    async def _score_unplayed(self, record: GameRecord, pairing: Pairing) -> None:
        self._record_result(pairing, record.result)
        await self._outbox.send(record)
        self._observe(GameEnded(pairing, record.result))

    # --- handling events

    async def _handle_event(self, event: object) -> None:
        match event:
            case JobFinished():
                await self._handle_finished_game(self._running.pop(event.id), event)
                await self._reread_file()
            case JobPlayed(finished, worker, scale):
                await self._handle_finished_game(self._running.pop(finished.id), finished, worker, scale)
                await self._reread_file()
            case JobDeclined(id):
                key = self._running.pop(id).pairing.key
                del self._state.running[key]
                self._state.skipped.add(key)
            case JobBegan(id, worker):
                self._observe(GameStarted(self._running[id].pairing, worker))
            case JobLost(id, text, playing):
                pairing = self._running.pop(id).pairing
                self._replay(pairing, text)
                if playing:
                    await self._suspect(pairing, ATTACKED, text)
            case Snapshot(games):
                running = ((self._running.get(game.id), game) for game in games)
                self._observe(Progress(tuple((entry.pairing, game) for entry, game in running if entry)))
            case EngineWarning(engine, text):
                self._observe(Notice(engine, text))
            case OrderRefused(_, text):
                raise ArenaError(f"{self._spec.path}: the referee refuses a game: {text}")
            case JobStarted():
                pass

    async def _handle_finished_game(
        self, game: RunningGame, finished: JobFinished, worker: str = "", scale: float = 1.0
    ) -> None:
        pairing = game.pairing
        record = played_game_record(game.spec, pairing, finished, worker, scale)
        await self._outbox.send(record)
        if finished.termination is Termination.VOID:
            await self._handle_void_game(game, finished)
            return
        self._void_games.end()
        self._suspects.end(pairing.key, pairing.seats)
        self._record_result(pairing, record.result)
        self._played += 1
        self._observe(GameEnded(pairing, record.result))
        self._disable(self._strikes.count(record.result), record.result.detail)

    def _record_result(self, pairing: Pairing, result: GameResult) -> None:
        """Add the result of a game to the state that the schedule reads."""
        del self._state.running[pairing.key]
        self._state.results[pairing.key] = result

    def left_over(self) -> list[GameRecord]:
        """Return the finished games that the database did not take, after its fault has ended the run."""
        games = self._outbox.take_unsent()
        while True:
            try:
                event = self._referees.events.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                return games
            played = JobPlayed(event, "", 1.0) if isinstance(event, JobFinished) else event
            if isinstance(played, JobPlayed) and played.finished.id in self._running:
                game = self._running.pop(played.finished.id)
                result = played.finished, played.worker, played.scale
                games.append(played_game_record(game.spec, game.pairing, *result))

    def _disable(self, names: Iterable[str], text: str) -> None:
        for name in names:
            if name not in self._state.disabled:
                self._state.disabled.append(name)
                self._observe(EngineDisabled(name, text))

    # --- games that could not be played

    def _replay(self, pairing: Pairing, text: str) -> None:
        self._observe(GameReplayed(pairing, text))
        if not self._entries.keys() >= set(pairing.seats):  # an engine was removed meanwhile
            del self._state.running[pairing.key]
            return
        self._waiting_games.lose(pairing, engines=len(self._entries))

    async def _handle_void_game(self, game: RunningGame, finished: JobFinished) -> None:
        """Play a void game again, and find out whether an engine or the machine is the cause.

        Raises:
            ArenaError: the machine is the cause, three times in a row.
        """
        pairing, text = game.pairing, finished.detail
        if finished.void is VoidCause.STOPPED:
            self._replay(pairing, text)
            alone = self._referees.many_machines or not self._heartbeat.stopped_since(game.began)
            if alone:  # otherwise the whole machine was stopped
                await self._suspect(pairing, ATTACKED, text)
            return
        if self._referees.many_machines:  # another machine may play it; the executor watches each of them
            self._replay(pairing, text)
            if finished.void is VoidCause.PROCESSES:
                await self._suspect(pairing, EXHAUSTED, text)
            return
        await self._referees.drop_idle()
        if self._running:  # their engines may have taken what was missing
            self._replay(pairing, text)
            self._holding = True
            return
        await self._void_games.add(pairing, finished)
        self._replay(pairing, text)
        if finished.void is VoidCause.PROCESSES:
            await self._suspect(pairing, EXHAUSTED, text)

    async def _suspect(self, pairing: Pairing, cause: Cause, text: str) -> None:
        """Count a lost game for its engines. If that shows guilty engines, they lose their lost games."""
        guilty = self._suspects.lose(pairing.key, pairing.seats)
        if not guilty:
            return
        lost = self._waiting_games.take(frozenset().union(*guilty.values()))
        each = cause.verdict(guilty)
        self._observe(EnginesBlamed(tuple(guilty), len(lost), cause.announcement(guilty, text)))
        for game in lost:
            losers = frozenset(name for name, keys in guilty.items() if game.key in keys)
            record = unplayed_game_record(self._spec, game, losers, Termination.CRASH, each)
            await self._score_unplayed(record, game)
            self._disable(self._strikes.add(sorted(losers)), each)

    # --- rereading the tournament file

    async def _reread_file(self) -> None:
        """Go on with the changed tournament if its file has changed.

        A removed engine plays no more games. A disabled engine plays again if its table has changed.
        """
        spec = None if self._reread is None else await self._reread()
        if spec is None:
            return
        self._spec = spec
        old_entries, self._entries = self._entries, {entry.spec.name: entry for entry in spec.engines}
        changed = {name for name, entry in self._entries.items() if entry != old_entries.get(name)}
        self._strikes.clear(changed)
        self._state.disabled = [name for name in self._state.disabled if name not in changed]
        for pairing in self._waiting_games.without(self._entries):
            del self._state.running[pairing.key]
        self._suspects.forget(old_entries.keys() - self._entries.keys() | changed)
        self._upcoming.change(spec)
