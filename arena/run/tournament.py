"""Run a tournament from its settings to its last stored game, with referees and database."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import trio

from arena.config import EngineEntry, TournamentSpec
from arena.config.loader import FileWatch
from arena.errors import ArenaError, ConfigError
from arena.events import EngineDisabled, GameEnded, Notice, Planned, RunEvent, RunSummary
from arena.formats.plan import Plan, Schedule
from arena.model import GameRecord, Stage
from arena.run.cores import cores_of_run
from arena.run.engines import (
    build_engines,
    changed_programs,
    check_accepted,
    check_unchanged,
    with_program_hashes,
)
from arena.run.executor import Executor
from arena.run.feed import LiveFeed, open_feed, tell_next_games
from arena.run.game_loop import GameLoop
from arena.run.local_referees import open_referees
from arena.run.upcoming import OpenedTournament, opened
from arena.scoring import EndedGame, GameScoreCounts
from protocol.process.machine import machine_name, usable_cores
from protocol.words import counted

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.writer import GameWriter


_UNSTORED_GAMES = 1000  # the most finished games that may wait to be stored
_CHANGED_PROGRAM = (
    "its program has changed since its last game in this tournament, and tables count both; a new name of the"
    " engine, or of the tournament (--name), keeps them apart"
)


class Run:
    """A run of a tournament: `play` opens its database, plays and stores the missing games, and closes it.

    Each of the ``observers`` hears all events; of the end of a game it hears when the game is stored.
    ``begin`` is called once, before the first game, with the schedule, the scores of the stored games, and
    these games by key if the schedule needs their results. Without an ``executor`` this machine builds the
    engines and plays the games.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        *observers: Callable[[RunEvent], None],
        begin: Callable[[Schedule, GameScoreCounts, Mapping[str, EndedGame]], None] | None = None,
        signals: bool = True,
        accept_changed_options: bool = False,
        executor: AbstractAsyncContextManager[Executor] | None = None,
    ) -> None:
        self.spec = spec
        self.observers = [*observers]
        self._begin = begin
        self._signals = signals
        self.accept_changed_options = accept_changed_options
        self.plays_here = executor is None
        self._executor = executor
        self._feed: LiveFeed | None = None
        self._reports = StoredReports(self._report)

    def tell(self, event: RunEvent) -> None:
        """Tell an event to all who listen."""
        if self._feed is not None:
            self._feed.observe(event)
        self._reports.observe(event)

    def _report(self, event: RunEvent) -> None:
        for observe in self.observers:
            observe(event)

    def notice(self, about: str, text: str, *, warning: bool = True) -> None:
        """Tell a `Notice`."""
        self.tell(Notice(about, text, warning))

    async def play(self) -> RunSummary:
        """Play the missing games.

        A group with an `ArenaError` says that the run cannot go on. Then the finished games are stored, or
        the message says how many are not.
        """
        spec = self.spec
        if self.plays_here:
            await build_engines(spec.engines, self.notice)
        # The referees start while the libraries of the database are imported: this saves half a second.
        async with (
            self._open_executor() as (referees, unpinned),
            open_feed(spec.name, spec.database, referees.watch) as feed,
        ):
            self._feed = feed
            store, tournament = await trio.to_thread.run_sync(self._open, abandon_on_cancel=True)
            try:
                plan = tournament.spec.schedule()
                if self._begin is not None:
                    self._begin(plan, tournament.scores, tournament.state.results)
                self.tell(Planned(plan.total, plan.most, tournament.scores.total()))
                if feed.problem:
                    self.notice(spec.name, f"`arena serve` cannot show this run: {feed.problem}")
                if unpinned:
                    self.notice(spec.name, unpinned)
                for notice in tournament.notices:
                    self.tell(notice)
                return await self._play(store, tournament, referees, feed)
            finally:
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(store.close)

    def _open(self) -> tuple[Store, OpenedTournament]:
        """Open the database, and register the tournament there or check what is stored of it.

        The engines have the hashes of their programs.
        """
        from arena.store import Store

        spec = self.spec
        store = Store.open(spec.database, create=True)
        try:
            last, outline = store.last_uses(spec.name), store.outline(spec.name)
            if not self.accept_changed_options:
                check_unchanged(spec, {name: use.options for name, use in last.items()})
            if last:
                _check_sides(spec, Plan.stored(outline))
                _check_list(spec, store.settings(spec.name))
            plan = outline or spec.plan.encode()
            store.begin_tournament(spec.name, {**spec.settings(), **self._notes()}, plan)
            store.claim(spec.name)
            tournament = opened(store, spec, outline)
            if plan != tournament.spec.plan.encode():
                store.begin_tournament(spec.name, spec.settings(), tournament.spec.plan.encode())
            spec = with_program_hashes(tournament.spec)
            entries = spec.engines if spec.door is None else ()
            changed = (Notice(name, _CHANGED_PROGRAM) for name in changed_programs(entries, last))
            return store, replace(tournament, spec=spec, notices=(*tournament.notices, *changed))
        except BaseException:
            store.close()
            raise

    def _notes(self) -> dict[str, str]:
        """Return under which conditions this run plays, which the keys of the file do not say."""
        notes = {}
        if self.spec.openings.file is not None:
            notes["book"] = self.spec.openings.file.path.name
        if self.plays_here:
            notes["machines"] = f"{machine_name()}, {counted(self.spec.concurrency, 'game')} at the same time"
        return notes

    @asynccontextmanager
    async def _open_executor(self) -> AsyncIterator[tuple[Executor, str]]:
        """Open the executor of this run.

        The text says why the engines of different games have to wait for each other; "" if they need not.
        """
        if self._executor is not None:
            async with self._executor as executor:
                yield executor, ""
            return
        spec = self.spec
        # Remote bots compute elsewhere, so games may share processors.
        remote = spec.door is not None and spec.door.bots == "remote"
        at_once = min(spec.concurrency, len(usable_cores())) if remote else spec.concurrency
        threads = _threads(spec)
        if any(entry.spec.ponder for entry in spec.engines):
            threads *= 2  # both engines of a game think at the same time
            if at_once * threads > len(usable_cores()):
                games = counted(at_once, "game")
                raise ConfigError(
                    f"ponder = true: for {games} at the same time {at_once * threads} cores are needed, but"
                    f" there are {len(usable_cores())}; set a lower concurrency"
                )
        with cores_of_run(at_once, spec.affinity, threads=threads) as (cores, problem):
            async with open_referees(cores, games=tuple(spec.games)) as referees:
                yield referees, problem

    async def _play(
        self, store: Store, tournament: OpenedTournament, referees: Executor, feed: LiveFeed
    ) -> RunSummary:
        from arena.ratings.lists import RatingListUpdater
        from arena.store.writer import GameWriter

        spec, state = tournament.spec, tournament.state
        send, receive = trio.open_memory_channel[GameRecord](_UNSTORED_GAMES)
        reread = None
        if spec.plan.format.rereads or spec.door is not None:
            reread = _Rereader(self, referees).changed
        before_first = partial(_check_options, spec, store, referees)
        game_loop = GameLoop(spec, state, referees, send, self.tell, reread, before_first=before_first)
        writer = GameWriter(
            store,
            self._reports.committed,
            RatingListUpdater(store).stored,
            tell=partial(self.notice, spec.name),
        )
        async with trio.open_nursery() as beside:
            beside.start_soon(tell_next_games, spec, state, feed)
            summary = await play_and_store(game_loop, writer, receive, signals=self._signals)
            beside.cancel_scope.cancel()
        return summary


async def _check_options(spec: TournamentSpec, store: Store, referees: Executor) -> None:
    try:
        await check_accepted(spec, spec.engines, referees)
    except ArenaError:  # what was never played can have other settings the next time
        await trio.to_thread.run_sync(store.drop_empty, spec.name)
        raise


def _threads(spec: TournamentSpec) -> int:
    """Return the largest number of threads that an engine has by its options."""
    options = (option for entry in spec.engines for option in entry.spec.options.items())
    names = ("threads", "cores")  # in UCI and CECP
    counts = [int(text) for name, text in options if name.lower() in names and text.isdecimal()]
    return max(counts, default=1)


async def play_and_store(
    game_loop: GameLoop,
    writer: GameWriter,
    games: trio.MemoryReceiveChannel[GameRecord],
    *,
    signals: bool = True,
) -> RunSummary:
    """Play the games, and store them; ``games`` is the other end of its channel.

    With ``signals`` the first Ctrl-C, or SIGTERM, lets the running games end, and the second ends the run.
    Then this must run in the main thread.
    """
    caught = (signal.SIGINT, signal.SIGTERM) if signals else ()
    with trio.open_signal_receiver(*caught) if caught else nullcontext() as received:
        async with trio.open_nursery() as beside:
            if received is not None:
                beside.start_soon(_obey, received, game_loop)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(writer.run, games)
                summary = await game_loop.run()
                writer.ending.set()
            beside.cancel_scope.cancel()
    return summary


async def _obey(received: AsyncIterator[int], game_loop: GameLoop) -> None:
    await anext(received)
    await game_loop.stop()
    await anext(received)
    raise KeyboardInterrupt


class _Rereader:
    """Reads a changed tournament file again, and tells the user what has changed."""

    def __init__(self, run: Run, referees: Executor) -> None:
        self._run = run
        self._referees = referees
        self._watch = FileWatch(run.spec)
        self._known = self._by_name(run.spec)

    @staticmethod
    def _by_name(spec: TournamentSpec) -> dict[str, EngineEntry]:
        """Return the engines without the hashes of their programs, which are not known at first."""
        return {entry.spec.name: replace(entry, program="") for entry in spec.engines}

    async def changed(self) -> TournamentSpec | None:
        """Return the changed tournament; None if nothing has changed, or if the change cannot be used."""
        name, old = self._run.spec.name, self._known
        try:
            spec = await trio.to_thread.run_sync(self._watch.changed, abandon_on_cancel=True)
            if spec is None:
                return None
            spec = await self._prepared(spec)
        except ArenaError as error:
            text = f"the changed file is not used, the run goes on as before: {error}"
            self._run.notice(name, text, warning=False)
            return None
        new = self._known = self._by_name(spec)
        changes = [f"new: {name}" for name in sorted(new.keys() - old)]
        changes += [f"changed: {name}" for name in sorted(new.keys() & old) if new[name] != old[name]]
        changes += [f"removed: {name}" for name in sorted(old.keys() - new)]
        text = f"read again: {', '.join(changes) or 'the same engines'}"
        self._run.notice(name, text, warning=False)
        return spec

    async def _prepared(self, spec: TournamentSpec) -> TournamentSpec:
        """Return the tournament with the hashes of its programs, after its engines are built and checked."""
        known = {name: entry.spec.options for name, entry in self._known.items()}
        spec = await trio.to_thread.run_sync(with_program_hashes, spec, abandon_on_cancel=True)
        if not self._run.accept_changed_options:
            check_unchanged(spec, known)
        changed = [entry for entry in spec.engines if entry.spec.options != known.get(entry.spec.name)]
        if self._run.plays_here:
            await build_engines(spec.engines, self._run.notice)
        await self._referees.change(spec)
        await check_accepted(spec, changed, self._referees)
        return spec


def _check_sides(spec: TournamentSpec, before: Plan | None) -> None:
    """Refuse to play on a match with its sides exchanged: it tests its first engine."""
    if before is None or {spec.plan.format.name, before.format.name} != {"match"}:
        return
    for game_id, (first, second) in spec.plan.names.items():
        if before.names.get(game_id) == (second, first):
            raise ArenaError(
                f"{spec.label}: {spec.name} was started with {second} before {first}, and a match tests its"
                " first engine; give the engines in that order, or the match another name"
            )


def _check_list(spec: TournamentSpec, stored: Mapping[str, str]) -> None:
    """Refuse to play on in another rating list than before."""
    if stored.get("rated") != spec.settings().get("rated"):
        raise ArenaError(
            f"{spec.label}: tournaments of remote bots have a separate rating list, so the bots"
            f' of the [door] cannot become "remote", or cease to be, after a game of {spec.name};'
            " give the tournament another name"
        )


class StoredReports:
    """Holds back each `GameEnded` until its game is stored and has a number.

    It holds back `EngineDisabled`, and a `Stage` in which nothing is played, until earlier games are stored.
    Reports keep their order, and nobody waits for them.
    """

    def __init__(self, observe: Callable[[RunEvent], None]) -> None:
        self._observe = observe
        self._waiting: deque[GameEnded | EngineDisabled | Stage] = deque()
        self._stored: dict[str, int | None] = {}  # the numbers of games by key

    def observe(self, event: RunEvent) -> None:
        """Report an event now, or when its game is stored."""
        if isinstance(event, GameEnded | EngineDisabled) or (isinstance(event, Stage) and event.rests):
            self._waiting.append(event)
            self._report()
        else:
            self._observe(event)

    def committed(self, games: Sequence[GameRecord]) -> None:
        """Report the end of games that are stored now."""
        self._stored.update({game.result.key: game.result.id for game in games if game.result.counts})
        self._report()

    def _report(self) -> None:
        while self._waiting:
            event = self._waiting[0]
            if isinstance(event, GameEnded):
                if event.result.key not in self._stored:
                    return
                result = replace(event.result, id=self._stored.pop(event.result.key))
                event = msgspec.structs.replace(event, result=result)
            self._waiting.popleft()
            self._observe(event)
