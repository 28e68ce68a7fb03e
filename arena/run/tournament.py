"""One tournament from its file's values to its last stored game: referees, store and runner put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from arena.config import TournamentSpec
from arena.config.file_watch import FileWatch
from arena.errors import ConfigError
from arena.model import GameRecord
from arena.run.events import FileReread, Notice, TournamentEvent
from arena.run.executors.local import open_referees, processors
from arena.run.identity import ProgramWatch, identified
from arena.run.runner import Runner, RunSummary
from arena.schedule import Schedule, ScheduleState, schedule
from arena.scoring import GameScoreCounts
from protocol.plurals import counted

if TYPE_CHECKING:
    from arena.ratings.settings import RatingSettings
    from arena.store import Store

__all__ = ["run_tournament"]

_QUEUE = 1000
"""Finished games that may wait for the disk."""


async def run_tournament(
    spec: TournamentSpec,
    begin: Callable[[Schedule, GameScoreCounts], None],
    observe: Callable[[TournamentEvent], None],
) -> RunSummary:
    """Play what is missing of a tournament.

    Args:
        spec: the tournament.
        begin: is told, once, the schedule and the games that are stored already.
        observe: is told what happens, as it happens.

    Raises:
        ArenaError: the database cannot be used, or the run cannot go on; what was played is stored.
    """
    plan = schedule(spec)
    reread = _rereader(spec, observe) if spec.format == "ladder" else None
    cpus = processors(spec.concurrency, pinned=spec.affinity)
    # The referees start while the database's libraries are still being imported: half a second saved.
    async with open_referees(cpus) as referees:
        opened = await trio.to_thread.run_sync(_open, spec)
        store, spec = opened.store, opened.spec
        try:
            begin(plan, opened.games)
            if spec.concurrency > len(cpus):
                observe(Notice(spec.name, _crowded(spec.concurrency, len(cpus))))
            watch = ProgramWatch(opened.programs, observe)
            watch.begin(spec.engines)
            send, receive = trio.open_memory_channel[GameRecord](_QUEUE)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_write, store, receive)
                summary = await Runner(spec, opened.state, referees, send, watch.observe, reread).run()
            if reread is None and watch.played:  # those of a ladder may be changed on purpose
                after = await trio.to_thread.run_sync(identified, spec)
                watch.end(after.engines)
            return summary
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(store.close)


def _crowded(games: int, cpus: int) -> str:
    return (
        f"concurrency = {games}, but only {counted(cpus, 'processor')}: engines wait for each other while"
        " their clocks run; a lower concurrency is fairer"
    )


def _rereader(
    spec: TournamentSpec, observe: Callable[[TournamentEvent], None]
) -> Callable[[], Awaitable[TournamentSpec | None]]:
    """What tells the runner of a changed file, and the user what has come of it."""
    watch = FileWatch(spec)
    names = {entry.spec.name for entry in spec.engines}

    async def reread() -> TournamentSpec | None:
        try:
            changed = await trio.to_thread.run_sync(lambda: _identified(watch.changed()))
        except ConfigError as error:
            observe(FileReread(f"not taken over, going on as before: {error}"))
            return None
        if changed is not None:
            before = set(names)
            names.clear()
            names.update(entry.spec.name for entry in changed.engines)
            news = [f"new: {name}" for name in sorted(names - before)]
            news += [f"gone: {name}" for name in sorted(before - names)]
            observe(FileReread(f"read again: {', '.join(news) or 'the same engines'}"))
        return changed

    return reread


def _identified(spec: TournamentSpec | None) -> TournamentSpec | None:
    return None if spec is None else identified(spec)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A tournament as it is found in its database.

    Attributes:
        store: the database.
        spec: with every engine's program looked at.
        state: what has become of its games.
        games: how those ended that count.
        programs: all that have played in any tournament.
    """

    store: Store
    spec: TournamentSpec
    state: ScheduleState
    games: GameScoreCounts
    programs: dict[tuple[str, str], frozenset[str]]


def _open(spec: TournamentSpec) -> _Opened:
    from arena.store import Store

    store = Store.open(spec.database, create=True)
    try:
        store.begin_tournament(spec.name, spec.settings(), spec.outline().encode())
        games: GameScoreCounts = Counter()
        if spec.format in ("round-robin", "gauntlet"):
            state = ScheduleState(stored=store.finished(spec.name))
            for tally in store.tally(tournament=spec.name).values():
                games.update(tally)
        else:
            endings = store.endings(spec.name)
            games.update(ending.players for ending in endings)
            state = ScheduleState.of(endings)
        if spec.format == "ladder":
            state.models = _models(store, spec.games)
        return _Opened(store, identified(spec), state, games, store.programs())
    except BaseException:
        store.close()
        raise


def _models(store: Store, games: tuple[str, ...]) -> dict[str, RatingSettings]:
    """How the games' rating lists are set; draws are as before the first game, whatever has been played."""
    from arena.ratings.settings_text import ListSettings

    told = {game: store.rating_lists.settings(game) for game in games}
    return {game: ListSettings.of(texts).model_for(game, Counter()) for game, texts in told.items()}


async def _write(store: Store, games: trio.MemoryReceiveChannel[GameRecord]) -> None:
    from arena.ratings.lists import RatingListUpdater
    from arena.store.writer import run_writer

    await run_writer(store, games, RatingListUpdater(store).stored)
