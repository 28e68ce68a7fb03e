"""The main loop of a run: take games from the schedule, send them to referees, store and report the results.

The stored games are the only state between two runs: the schedule derives the missing games from them.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, takewhile
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from arena import events
from arena.config import EngineEntry, TournamentSpec
from arena.errors import ArenaError
from arena.formats.contest import ScheduleState
from arena.model import GameRecord, GameResult, Pairing
from arena.replay import final_clocks
from arena.run.executor import Executor, ExecutorEvent, JobDeclined, JobLost
from arena.run.upcoming import Upcoming, new_job
from arena.scoring import fault_of, game_record, not_played, was_played
from protocol.words import counted
from referee.match.job import (
    EngineWarning,
    GameEvent,
    Job,
    JobFinished,
    JobStarted,
    OrderRefused,
    Snapshot,
    VoidCause,
)
from referee.match.time_control import NS_PER_MS
from referee.outcome import Termination

if TYPE_CHECKING:
    from arena.store import Store

_DOOR_SECONDS: Final = 0.5
"""How often a run without a game to play looks for engines that have come in through the door."""

_MOST_FAULTS: Final = 3
"""The run ends when the machine is the reason why this many games in a row have no result."""

_Awaited = TypeVar("_Awaited")


@dataclass(frozen=True, slots=True)
class _Game:
    """A game of this run, with its engines as they were at its start: the file may change."""

    tournament: str
    pairing: Pairing
    job: Job
    entries: tuple[EngineEntry, ...]

    def live(self, worker: str, slot: int) -> events.LiveGame:
        """Return it as a game that starts. The time controls of a worker are not known."""
        controls = () if worker else tuple(seat.time_control for seat in self.job.seats)
        return events.LiveGame(self.pairing, worker=worker, time_controls=controls, slot=slot)

    def record(self, finished: JobFinished) -> GameRecord:
        """Return its record when it has ended."""
        return game_record(
            self.job,
            finished,
            tournament=self.tournament,
            pairing=self.pairing,
            versions=[entry.version for entry in self.entries],
            programs=[entry.program for entry in self.entries],
        )


class GameLoop:
    """One run of one tournament.

    ``store`` is the channel to the database: a game that it has taken will be stored. ``reread`` is called
    after each game, and returns the tournament if its file has changed since the last call; it is None for a
    tournament that cannot change. It may take long, for example to build an engine: games go on meanwhile.
    ``before_first`` is called before the first game, if one is missing.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        state: ScheduleState,
        referees: Executor,
        store: trio.MemorySendChannel[GameRecord],
        observe: Callable[[events.RunEvent], None],
        reread: Callable[[], Awaitable[TournamentSpec | None]] | None = None,
        *,
        before_first: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._spec = spec
        self._state = state
        state.programs = spec.programs  # the hashes are known now
        self._upcoming = Upcoming(spec, state, observe)
        self._reread = reread
        self._before_first = before_first
        self._referees = referees
        self._store = store
        self._observe = observe
        # By job id.
        self._running: dict[str, _Game] = {}
        self._slots: dict[str, int] = {}  # of the games that have started, as in `LiveGame`
        self._again: deque[Pairing] = deque()  # they had no result, and wait to be played once more
        self._second: set[str] = set()  # the keys of games that are played once more, or were
        self._faults = 0  # of the machine, in a row
        self._strikes = Strikes()
        self._entries = {entry.spec.name: entry for entry in spec.engines}
        self._played = self._skipped = self._void = 0
        self._unplayed: dict[str, None] = {}  # the disabled engines that lost a game without playing it
        self._stopping = False
        self._changed: TournamentSpec | None = None  # what `reread` returned, until the run goes on with it
        self._asking = trio.Lock()
        self._waiting = trio.CancelScope()
        self._nursery: trio.Nursery | None = None

    async def run(self) -> events.RunSummary:
        """Play the missing games; an ArenaError says why the run cannot go on. Finished games are stored."""
        async with trio.open_nursery() as self._nursery:
            while True:
                await self._start_games()
                if self._changed is not None:
                    self._use_change(self._changed)
                elif self._running:
                    event = await self._unless_news(self._referees.events.receive)
                    if event is not None:
                        await self._handle_event(event)
                elif not await self._wait_for_change():
                    break
            self._nursery.cancel_scope.cancel()
        await self._store.aclose()
        disabled, refused = tuple(self._state.disabled), self._upcoming.refused
        return events.RunSummary(
            self._played, disabled, self._skipped, self._stopping, refused, self._void, tuple(self._unplayed)
        )

    async def stop(self) -> None:
        """Start no more games, and let the running games end."""
        self._stopping = True
        await self._recall()
        self._observe(events.Stopping(len(self._running)))
        self._waiting.cancel()

    def _news(self) -> bool:
        """Whether the user has stopped the run, or its tournament has changed."""
        return self._stopping or self._changed is not None

    async def _unless_news(self, wait: Callable[[], Awaitable[_Awaited]]) -> _Awaited | None:
        """Wait for something; return None if there is news before it comes."""
        with trio.CancelScope() as self._waiting:
            return await wait()
        return None

    async def _wait_for_change(self) -> bool:
        """Without a game to play, wait for a changed tournament; return False if none comes."""
        while not self._stopping:
            await self._unless_news(self._ask_for_change)
            if self._changed is not None:
                return True
            if self._spec.door is None or self._upcoming.refused is not None:
                return False
            self._upcoming.rest()
            await self._unless_news(partial(trio.sleep, _DOOR_SECONDS))
        return False

    async def _recall(self) -> None:
        """Take back the games that no machine has started; the next run plays them."""
        for id_ in await self._referees.recall():
            del self._state.running[self._running.pop(id_).pairing.key]

    # --- starting games

    async def _start_games(self) -> None:
        """Start as many games as may run, or wait."""
        while self._room() > 0 and not self._news():
            pairing = self._again.popleft() if self._again else await self._unless_news(self._next_pairing)
            if pairing is None:
                return
            if self._before_first is not None:
                await self._unless_news(self._before_first)
            if self._news():  # it has come meanwhile
                return
            self._before_first = None
            self._state.running[pairing.key] = pairing
            self._state.numbers[pairing.number] = pairing.key
            entries = tuple(self._entries[name] for name in pairing.seats)
            game = _Game(self._spec.name, pairing, new_job(self._spec, pairing, entries), entries)
            if not set(pairing.seats).isdisjoint(self._state.disabled):
                await self._decide_unplayed(game)
                continue
            self._running[game.job.id] = game
            await self._referees.submit(game.job)

    def _room(self) -> int:
        """Return how many games may start. A game that is played once more runs alone on its machine."""
        if self._referees.many_machines:
            return self._referees.room - len(self._running)
        if self._running and not self._second.isdisjoint(self._state.running):
            return 0
        return self._spec.concurrency - len(self._running)

    async def _next_pairing(self) -> Pairing | None:
        pairing = await self._upcoming.next()
        if pairing is None and self._upcoming.decided:
            await self._recall()
        return pairing

    async def _decide_unplayed(self, game: _Game) -> None:
        """Score or skip a game of a disabled engine, as the key ``disabled`` of the tournament says."""
        if self._spec.disabled == "skip":
            self._skipped += 1
            del self._state.running[game.pairing.key]
            self._state.skipped.add(game.pairing.key)
            return
        record = game.record(not_played(game.job, self._state.disabled))
        lost = (name for name in self._state.disabled if name in game.pairing.seats)
        self._unplayed.update(dict.fromkeys(lost))
        self._record_result(game.pairing, record.result)
        await self._send(record)
        self._observe(events.GameEnded(record.result))

    # --- handling events

    async def _handle_event(self, event: ExecutorEvent) -> None:
        match event:
            case Snapshot(games):
                running = ((self._running.get(game.id), game) for game in games)
                keys = {entry.pairing.key: game for entry, game in running if entry is not None}
                self._observe(events.Moved(keys, time.time()))
            case EngineWarning(engine, text, speaks) if speaks and self._spec.door is None:
                raise ArenaError(f"{self._spec.label}: engine {engine} {text}")
            case EngineWarning(engine, text):
                self._observe(events.Notice(engine, text))
            case OrderRefused(id, text) if not id or id in self._running:
                raise ArenaError(f"{self._spec.label}: the referee refuses a game: {text}")
            case GameEvent(id) if id in self._running:  # else its game has ended, or was taken back
                await self._handle_event_of(self._running[id], event)

    async def _handle_event_of(self, game: _Game, event: GameEvent) -> None:
        """Handle an event of an open game. All but `JobStarted` end it."""
        self._slots.pop(game.job.id, None)  # another worker may start it again
        if isinstance(event, JobStarted):
            slot = next(number for number in count() if number not in self._slots.values())
            self._slots[game.job.id] = slot
            self._observe(events.GameBegan(game.live(event.worker, slot)))
            return
        del self._running[game.job.id]
        match event:
            case JobFinished():
                await self._handle_finished_game(game, event)
            case JobDeclined():
                del self._state.running[game.pairing.key]
                self._state.skipped.add(game.pairing.key)
            case JobLost(_, text):
                self._handle_void_game(game.pairing, text)

    async def _handle_finished_game(self, game: _Game, finished: JobFinished) -> None:
        pairing = game.pairing
        record = game.record(finished)
        await self._send(record)
        if self._reread is not None and not self._asking.statistics().tasks_waiting:
            assert self._nursery is not None
            self._nursery.start_soon(self._ask_for_change)
        if finished.termination is Termination.VOID:
            if finished.void in (VoidCause.STOPPED, VoidCause.ABSENT, VoidCause.RULES):
                self._handle_void_game(pairing, finished.detail)
            else:
                self._handle_fault(pairing, finished.detail)
            return
        self._faults = 0
        self._record_result(pairing, record.result)
        self._played += 1
        clocks_ms = tuple(None if left is None else left // NS_PER_MS for left in final_clocks(record))
        self._observe(events.GameEnded(record.result, record.record, clocks_ms))
        self._disable(self._strikes.count(record.result), record.result)

    def _record_result(self, pairing: Pairing, result: GameResult) -> None:
        """Add the result of a game to the state that the schedule reads."""
        del self._state.running[pairing.key]
        self._state.results[pairing.key] = result

    async def _send(self, record: GameRecord) -> None:
        """Wait until the database takes the game. If it has failed, wait until its error ends the run."""
        try:
            await self._store.send(record)
        except trio.BrokenResourceError:
            await trio.sleep_forever()

    def _disable(self, names: Iterable[str], result: GameResult) -> None:
        for seat, player in enumerate(result.players):
            if player.name in names and player.name not in self._state.disabled:
                self._state.disabled.append(player.name)
                self._observe(events.EngineDisabled(player.name, fault_of(result.detail, seat)))

    # --- games without a result

    def _handle_void_game(self, pairing: Pairing, text: str) -> None:
        """Play a game once more, alone. If it has no result then either, leave it to the next run."""
        again = pairing.key not in self._second
        self._observe(events.GameVoid(pairing, text, again=again))
        if again:
            self._second.add(pairing.key)
            self._play_again(pairing)
        else:
            del self._state.running[pairing.key]
            self._state.skipped.add(pairing.key)
            self._void += 1

    def _handle_fault(self, pairing: Pairing, text: str) -> None:
        """Play a game again that a machine could not play; end the run if this machine often cannot."""
        if self._referees.many_machines:  # another machine may play it; the executor watches each of them
            self._observe(events.GameVoid(pairing, text, again=True))
            self._play_again(pairing)
            return
        if not self._running:  # otherwise the engines of other games may have taken what was missing
            self._faults += 1
        if self._faults == _MOST_FAULTS:
            names = " against ".join(pairing.seats)
            raise ArenaError(
                f"{counted(self._faults, 'game')} in a row could not be played, and no engine is at fault;"
                f" the last one is {names}: {text}"
            )
        self._handle_void_game(pairing, text)

    def _play_again(self, pairing: Pairing) -> None:
        """Let a game wait to be played once more, unless one of its engines was removed meanwhile."""
        if self._entries.keys() >= set(pairing.seats):
            self._again.append(pairing)
        else:
            del self._state.running[pairing.key]

    # --- rereading the tournament file

    async def _ask_for_change(self) -> None:
        """Ask whether the tournament has changed. Games go on meanwhile."""
        async with self._asking:
            changed = None if self._reread is None else await self._reread()
            if changed is not None:
                self._changed = changed
                self._waiting.cancel()

    def _use_change(self, spec: TournamentSpec) -> None:
        """Go on with the changed tournament.

        A removed engine plays no more games. A disabled engine plays again if its table has changed.
        """
        spec = spec.after(self._spec.plan.encode(), self._state)
        self._spec, self._changed = spec, None
        self._state.programs = spec.programs
        old_entries, self._entries = self._entries, {entry.spec.name: entry for entry in spec.engines}
        changed = {name for name, entry in self._entries.items() if entry != old_entries.get(name)}
        self._strikes.clear(changed)
        self._state.disabled = [name for name in self._state.disabled if name not in changed]
        again, self._again = self._again, deque()
        for pairing in again:
            self._play_again(pairing)
        self._upcoming.change(spec)


# --- engines that fail again and again

MOST_STRIKES: Final = 3  # an engine is disabled after this many crashes, stalls or floods in a row
_PAGE_SIZE: Final = 100


def _failed(result: GameResult) -> list[str]:
    """Return the engines that crashed, stalled or flooded in a game."""
    players = result.players
    return [player.name for player in players if player.forfeit is not None and player.forfeit.is_strike]


class Strikes:
    """The crashes, stalls and floods of each engine since its last good game."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, result: GameResult) -> list[str]:
        """Count the failures in a game that was played; return the engines that failed too often."""
        failed = _failed(result)
        self.clear(player.name for player in result.players if player.name not in failed)
        self._counts.update(failed)
        return [name for name in failed if self._counts[name] >= MOST_STRIKES]

    def clear(self, names: Iterable[str]) -> None:
        """Forget the failures of these engines."""
        for name in names:
            del self._counts[name]


def stored_strikes(store: Store, tournament: str, versions: Mapping[str, str]) -> dict[str, int]:
    """Return in how many of its last games, one after another, each engine failed in this version.

    A run counts from its start and from each change of the engine, so the next run tries the engine again.
    """
    from arena.store import GameSearch

    def is_strike(name: str, result: GameResult) -> bool:
        versions_played = ((player.name, player.version) for player in result.players)
        return name in _failed(result) and (name, versions[name]) in versions_played

    newest = store.finder.results(GameSearch(tournament), _PAGE_SIZE)  # most engines need no other games
    return {
        name: sum(1 for _ in takewhile(partial(is_strike, name), _played(store, tournament, name, newest)))
        for name in versions
    }


def _played(store: Store, tournament: str, name: str, page: Sequence[GameResult]) -> Iterator[GameResult]:
    """Yield the games that an engine played, the newest first; ``page`` has the newest of the tournament."""
    from arena.store import GameSearch

    while True:
        for result in page:
            played = name in result.names
            if played and result.counts and was_played(result.players):
                yield result
        if len(page) < _PAGE_SIZE:
            return
        search = GameSearch(tournament, engines=(name,))
        page = store.finder.results(search, _PAGE_SIZE, after=page[-1].id)
