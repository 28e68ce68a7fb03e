"""Runs a tournament: asks the schedule what is missing, has it played, stores it, tells who watches.

All state is derived: what is done comes from the database, what is to come from the schedule. Nothing is
remembered between two runs but the games themselves.
"""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import trio

from arena.config import EngineEntry, TournamentSpec
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, Pairing, Stage
from arena.run.events import (
    EngineDisabled,
    GameEnded,
    GameReplayed,
    GameStarted,
    Notice,
    Progress,
    StopRequested,
    TournamentEvent,
)
from arena.run.executors.local import JobLost, LocalReferees
from arena.run.game_record import played, unplayed
from arena.schedule import Next, ScheduleState, schedule
from referee import game as find_game
from referee.match.job import EngineWarning, Job, JobFinished, JobSeat, JobStarted, OrderRefused, Snapshot
from referee.outcome import Termination

__all__ = ["MAX_STRIKES", "RunSummary", "Runner"]

MAX_STRIKES = 3
"""Crashes, stalls or floods in a row that disable an engine (PROTOCOL, Misbehaviour)."""

MAX_VOID = 3
"""Times that one game may come to nothing before the run gives up."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """How a run ended.

    Attributes:
        played: games played in this run.
        disabled: engines that were disabled in this run, and still are, in order.
        skipped: games that were neither played nor scored, because of disabled engines.
        stopped: whether the user stopped it before the end.
    """

    played: int
    disabled: tuple[str, ...]
    skipped: int
    stopped: bool


async def _in_thread(draw: Callable[[], Next]) -> Next:
    return await trio.to_thread.run_sync(draw, abandon_on_cancel=True)


class Runner:
    """One run of one tournament.

    Args:
        spec: the tournament.
        state: what has become of the games before this run.
        referees: who plays.
        store: takes each finished game; returns when it may be forgotten here.
        observe: is told what happens.
        reread: gives the tournament as its file has it now when that was changed since the last call, and
            else None; asked whenever a game has ended. None for tournaments that stay as they are.
        draw: calls what it is given, which may take its time: a round to be drawn, an opening to be found.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        state: ScheduleState,
        referees: LocalReferees,
        store: trio.MemorySendChannel[GameRecord],
        observe: Callable[[TournamentEvent], None],
        reread: Callable[[], Awaitable[TournamentSpec | None]] | None = None,
        draw: Callable[[Callable[[], Next]], Awaitable[Next]] = _in_thread,
    ) -> None:
        self._spec = spec
        self._state = state
        self._pending = schedule(spec).pending(self._state)
        self._reread = reread
        self._draw = draw
        self._referees = referees
        self._store = store
        self._observe = observe
        self._running: dict[str, tuple[Pairing, TournamentSpec]] = {}  # by job, as it was begun
        self._again: list[Pairing] = []
        self._voids: dict[str, int] = {}
        self._strikes = {entry.spec.name: 0 for entry in spec.engines}
        self._entries = {entry.spec.name: entry for entry in spec.engines}
        self._played = self._skipped = 0
        self._stopping = False

    async def run(self) -> RunSummary:
        """Play what is missing.

        Raises:
            ArenaError: it cannot go on; what was played is stored.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen_for_signals, nursery)
            while True:
                await self._fill()
                if not self._running:
                    break
                await self._take_event(await self._referees.events.receive())
            nursery.cancel_scope.cancel()
        await self._store.aclose()
        return RunSummary(self._played, tuple(self._state.disabled), self._skipped, self._stopping)

    async def _listen_for_signals(self, nursery: trio.Nursery) -> None:
        """Ctrl-C once: play the running games to their end; twice: stop now."""
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                if self._stopping:
                    await self._store.aclose()
                    raise KeyboardInterrupt
                self._stopping = True
                self._observe(StopRequested(len(self._running)))

    # --- handing out games

    async def _fill(self) -> None:
        """Hand out games until as many run as may."""
        while len(self._running) < self._spec.concurrency and not self._stopping:
            pairing = self._again.pop(0) if self._again else await self._next()
            if pairing is None:
                return
            self._state.running[pairing.key] = pairing
            if disabled := frozenset(self._state.disabled) & set(pairing.seats):
                await self._pass_over(pairing, disabled)
            else:
                await self._start(pairing)

    async def _next(self) -> Pairing | None:
        """The schedule's next game; the stages that it tells on the way to it are passed on."""
        pending = self._pending
        while isinstance(found := await self._draw(lambda: next(pending, None)), Stage):
            self._observe(found)
        return found

    async def _start(self, pairing: Pairing) -> None:
        job = _job(self._spec, pairing, [self._entries[name] for name in pairing.seats])
        self._running[job.id] = (pairing, self._spec)
        self._observe(GameStarted(pairing))
        await self._referees.submit(job)

    async def _pass_over(self, pairing: Pairing, disabled: frozenset[str]) -> None:
        """Decide a game of a disabled engine by the tournament's policy."""
        if self._spec.disabled == "skip":
            self._skipped += 1
            del self._state.running[pairing.key]
            self._state.passed.add(pairing.key)
            return
        record = unplayed(self._spec, pairing, disabled)
        self._settle(pairing, record.result)
        await self._keep(record)
        self._observe(GameEnded(pairing, record.result))

    # --- taking what comes back

    async def _take_event(self, event: object) -> None:
        match event:
            case JobFinished():
                await self._take_game(*self._running.pop(event.id), event)
                await self._look_for_changes()
            case JobLost(id, text):
                self._replay(self._running.pop(id)[0], text)
            case Snapshot(games):
                known = ((self._running.get(game.id), game) for game in games)
                self._observe(Progress(tuple((begun[0], game) for begun, game in known if begun)))
            case EngineWarning(engine, text):
                self._observe(Notice(engine, text))
            case OrderRefused(_, text):
                raise ArenaError(f"{self._spec.path}: the referee refuses a game: {text}")
            case JobStarted():
                pass

    async def _take_game(self, pairing: Pairing, spec: TournamentSpec, finished: JobFinished) -> None:
        record = played(spec, pairing, finished)
        await self._keep(record)
        if finished.termination is Termination.VOID:
            self._replay(pairing, finished.detail)
            return
        self._settle(pairing, record.result)
        self._played += 1
        self._observe(GameEnded(pairing, record.result))
        self._count_strikes(record.result)

    def _settle(self, pairing: Pairing, result: GameResult) -> None:
        """Let the schedule know how a game ended."""
        del self._state.running[pairing.key]
        self._state.results[pairing.key] = result

    async def _keep(self, record: GameRecord) -> None:
        """Hand a finished game to the database."""
        try:
            await self._store.send(record)
        except trio.BrokenResourceError:
            await trio.sleep_forever()  # the writer has failed, and its own error is about to end this run

    def _replay(self, pairing: Pairing, text: str) -> None:
        self._voids[pairing.key] = self._voids.get(pairing.key, 0) + 1
        if self._voids[pairing.key] >= MAX_VOID:
            names = " against ".join(pairing.seats)
            raise ArenaError(
                f"the game {names} came to nothing {MAX_VOID} times, no engine is to blame: {text}"
            )
        self._observe(GameReplayed(pairing, text))
        self._again.append(pairing)

    def _count_strikes(self, result: GameResult) -> None:
        for player in result.players:
            if player.forfeit is None or not player.forfeit.is_strike:
                self._strikes[player.name] = 0
                continue
            self._strikes[player.name] += 1
            if self._strikes[player.name] >= MAX_STRIKES and player.name not in self._state.disabled:
                self._state.disabled.append(player.name)
                self._observe(EngineDisabled(player.name, result.detail))

    # --- a file that changes

    async def _look_for_changes(self) -> None:
        """Go on with the tournament as the file has it now.

        Engines that are gone play no more games; a disabled one whose table was changed plays again.
        """
        spec = None if self._reread is None else await self._reread()
        if spec is None:
            return
        self._spec = spec
        before, self._entries = self._entries, {entry.spec.name: entry for entry in spec.engines}
        changed = {name for name, entry in self._entries.items() if entry != before.get(name)}
        self._strikes |= dict.fromkeys(changed, 0)
        self._state.disabled = [name for name in self._state.disabled if name not in changed]
        for pairing in [game for game in self._again if not self._entries.keys() >= set(game.seats)]:
            self._again.remove(pairing)
            del self._state.running[pairing.key]
        self._pending = schedule(spec).pending(self._state)


def _job(spec: TournamentSpec, pairing: Pairing, entries: list[EngineEntry]) -> Job:
    return Job(
        id=str(pairing.number + 1),
        game=pairing.game,
        seats=tuple(JobSeat(entry.spec, str(entry.time_control)) for entry in entries),
        position=pairing.opening.position,
        moves=pairing.opening.moves,
        adjudication=spec.adjudication.for_game(find_game(pairing.game).info),
        log=None if spec.log is None else str(spec.log),
    )
