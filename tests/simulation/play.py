"""Plays a simulated tournament: run after run with what disturbs each, and one that nothing disturbs."""

from __future__ import annotations

import hashlib
import random
import signal
import sqlite3
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import trio
from sqlalchemy import Engine, create_engine

import arena.run.cores
import arena.run.feed
import arena.run.tournament
import arena.store.sqlite
import arena.workers.capabilities
import referee.__main__
from arena.config import load
from arena.errors import ArenaError, leaves
from arena.events import GameEnded, RunEvent, RunSummary, Stopping
from arena.store import Store
from arena.workers import cluster_of
from arena.workers.cluster import Cluster, KnownWorker
from referee.match.heartbeat import Heartbeat
from referee.match.job import JobFinished, RefereeEvent, decode_event
from tests.simulation.engines import Machine, Thought, start
from tests.simulation.machines import Machines, SimulatedScheduler
from tests.simulation.plan import AT_STATEMENTS, GROWING, NEWCOMER, Disturbance, Plan, engine_table
from tests.simulation.referees import SimulatedReferee, polls
from tests.simulation.world import World, enter

DATABASE: Final = "arena.db"
TOURNAMENT: Final = "cup"
_FILE: Final = f"{TOURNAMENT}.toml"
_BOT: Final = "bot"
_LONGEST: Final = 4000.0
"""The most virtual seconds of a run. A small tournament takes some seconds, or a minute."""

_AT_RESULT: Final = 0.3
"""How often the second Ctrl-C does not come at the same moment as a result."""

_LINE_SECONDS: Final = 90.0

_FINISH: Final = Cluster._finish


class Killed(BaseException):
    """The process of the run is killed."""


@dataclass(slots=True)
class Run:
    """A run as it went.

    Attributes:
        told: what the user was told, up to a kill.
        summary: the end of a run that came to its end.
        error: the sentence of a run that failed.
        killed: whether its process was killed.
        left: what remains of it in memory: engines and referees that still run, and open files.
        bug: the traceback of an exception that no user must see.
        finished: the duration of each game whose result a run has read, unless it is void.
        at_stop: the number of games that were running when the user asked for a stop, as the run says.
        after_stop: the number of games whose result a run has read after that.
        seconds: how long it took, in virtual time.
        occurred: the disturbances that had an effect.
    """

    told: list[RunEvent] = field(default_factory=list)
    summary: RunSummary | None = None
    error: str = ""
    killed: bool = False
    left: list[str] = field(default_factory=list)
    bug: str = ""
    finished: dict[str, int] = field(default_factory=dict)  # by id, in nanoseconds
    at_stop: int | None = None
    after_stop: int = 0
    seconds: float = 0.0
    occurred: dict[str, None] = field(default_factory=dict)  # without the order of a set

    @property
    def ended(self) -> dict[str, GameEnded]:
        """The games whose end was told, by key: they are stored."""
        return {event.result.key: event for event in self.told if isinstance(event, GameEnded)}


@dataclass(slots=True)
class History:
    """All runs of a tournament, and what its engines remember."""

    plan: Plan
    folder: Path
    runs: list[Run] = field(default_factory=list)
    thoughts: list[Thought] = field(default_factory=list)
    killed: set[str] = field(default_factory=set)  # the engines that were killed
    mistaken: dict[str, None] = field(default_factory=dict)  # what engines were told that is not for them
    grown: bool = False  # whether an engine has come

    def digest(self) -> str:
        """Return a hash of all that happened, with its nanoseconds."""
        text = repr((self.runs, self.thoughts)).replace(str(self.folder), "")
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def occurred(self) -> tuple[str, ...]:
        """Return what occurred, in words."""
        plan, results = self.plan, [event.result for run in self.runs for event in run.ended.values()]
        ends = {f"end: {result.termination}" for result in results}
        ends |= {f"forfeit: {p.forfeit}" for result in results for p in result.players if p.forfeit}
        ends |= {"end: error" for run in self.runs if run.error}
        about = {
            *(f"game: {game}" for game in plan.games),
            f"format: {plan.format}",
            *(["workers"] if plan.cluster else []),
        }
        about |= {name for name in ("forgive", "sprt", "openings") if f"[{name}]" in plan.tables}
        kinds = (f"engine: {kind}" for kind in plan.engines.values())
        return (*sorted(about), *kinds, *sorted(ends), *(what for run in self.runs for what in run.occurred))


def play(plan: Plan, folder: Path) -> History:
    """Play a tournament in a folder, which must be empty."""
    (folder / _BOT).write_bytes(b"#!/bin/sh\n")
    (folder / _BOT).chmod(0o755)
    (folder / _FILE).write_text(f'name = "{TOURNAMENT}"\n{plan.text()}\n')
    world = World(plan.seed)
    enter(world)
    if not any(disturbance.what in AT_STATEMENTS for run in plan.runs[:1] for disturbance in run):
        (folder / DATABASE).write_bytes(_empty())
    history = History(plan, folder)
    for disturbances in (*plan.runs, ()):
        history.runs.append(_Process(world, history, disturbances).run())
    return history


class _Process:
    """The process of `arena run`, and everything beside it in a world."""

    def __init__(self, world: World, history: History, disturbances: Sequence[Disturbance]) -> None:
        self._world = world
        self._history = history
        self._folder = history.folder
        self._disturbances = disturbances
        self._run = Run()
        self._draw = random.Random(f"run {len(history.runs)} {history.plan.seed}")
        self._saved: dict[Path, bytes] | None = None  # the files at the moment of a kill
        self._statements = self._writes = 0
        self._at_result = False  # whether the user presses Ctrl-C again when the next result comes
        self._referees: set[SimulatedReferee] = set()
        self._signals, self._received = trio.open_memory_channel[int](10)

    def run(self) -> Run:
        """Let the process run to its end."""
        run, before, files = self._run, self._world.before, _open_files()
        with self._replaced():
            try:
                self._world.run(self._main)
            except BaseExceptionGroup as group:
                self._note(group)
            except (ArenaError, KeyboardInterrupt, Killed) as error:
                self._note(BaseExceptionGroup("", [error]))
        if run.killed:
            self._restore()
        elif (more := _open_files() - files) > 0:
            run.left.append(f"{more} open files")
        run.seconds = self._world.before - before
        return run

    def _note(self, group: BaseExceptionGroup[BaseException]) -> None:
        """Note why a run ended early, as the command line tells it."""
        if self._run.killed:
            return
        rest = group.split((ArenaError, KeyboardInterrupt))
        if rest[1] is not None:
            self._run.bug = "".join(traceback.format_exception(rest[1]))
        self._run.error = next((str(error) for error in leaves(group) if isinstance(error, ArenaError)), "")

    async def _main(self) -> None:
        async with trio.open_nursery() as nursery:
            history = self._history
            self._machine = Machine(
                nursery,
                history.plan.seed,
                history.plan.pace,
                time.monotonic_ns,
                thoughts=history.thoughts,
                killed=history.killed,
                mistaken=history.mistaken,
            )
            self._nursery = nursery
            self._machines = Machines(nursery, self._draw)
            async with trio.open_nursery() as beside:
                for disturbance in self._disturbances:
                    if disturbance.what not in AT_STATEMENTS:
                        beside.start_soon(self._disturb, disturbance)
                try:
                    with trio.fail_after(_LONGEST):
                        spec = load(self._folder / _FILE)
                        run = arena.run.tournament.Run(spec, self._observe, executor=cluster_of(spec))
                        self._run.summary = await run.play()
                finally:
                    left = [f"engine {engine.spec.name}" for engine in self._machine.alive]
                    left += [f"referee {referee.pid}" for referee in self._referees]
                    if not self._history.plan.cluster:
                        self._run.left = left
                beside.cancel_scope.cancel()
            nursery.cancel_scope.cancel()

    def _decode(self, line: bytes) -> RefereeEvent:
        """Read an event of a referee, and note a result."""
        event = decode_event(line)
        if isinstance(event, JobFinished):
            self._note_result(event)
        return event

    def _finish(self) -> Callable[[Cluster, KnownWorker, JobFinished], None]:
        """Return a method that takes the result of a game that a worker has played, and notes it."""

        def finish(cluster: Cluster, worker: KnownWorker, finished: JobFinished) -> None:
            self._note_result(finished)
            _FINISH(cluster, worker, finished)

        return finish

    def _note_result(self, finished: JobFinished) -> None:
        if not finished.void and not self._run.killed:
            new = finished.id not in self._run.finished
            self._run.after_stop += new and self._run.at_stop is not None
            self._run.finished[finished.id] = finished.duration
            if self._at_result:
                self._at_result = False
                self._signals.send_nowait(signal.SIGINT)

    def _observe(self, told: RunEvent) -> None:
        if self._run.killed:
            return
        self._run.told.append(told)
        if isinstance(told, Stopping):
            self._run.at_stop = told.running

    # --- disturbances

    async def _disturb(self, disturbance: Disturbance) -> None:
        await trio.sleep(disturbance.after)
        self._run.occurred[disturbance.what] = None
        match disturbance.what:
            case "ctrl-c" | "ctrl-c twice":
                self._signals.send_nowait(signal.SIGINT)
                if disturbance.what == "ctrl-c twice" and disturbance.size < _AT_RESULT:
                    await trio.sleep(disturbance.size)
                    self._signals.send_nowait(signal.SIGINT)
                self._at_result = disturbance.what == "ctrl-c twice" and disturbance.size >= _AT_RESULT
            case "kill":
                self._kill()
            case "kill a referee" if self._referees:
                min(self._referees, key=lambda referee: referee.pid).kill()
            case "kill an engine" if self._machine.alive:
                engine = self._draw.choice(sorted(self._machine.alive, key=lambda engine: engine.number))
                self._machine.killed.add(engine.spec.name)
                engine.signal_group(signal.SIGKILL)
            case "stop everything":
                self._world.clock.now += 2 + 20 * disturbance.size
            case "an engine comes" if self._history.plan.format in GROWING and not self._history.grown:
                self._history.grown = True
                with (self._folder / _FILE).open("a") as file:
                    file.write(engine_table(*NEWCOMER, tried=self._history.plan.tried))
            case "set the clock":
                self._world.stepped += 7200 * (disturbance.size - 0.5)
            case _:
                self._disturb_workers(disturbance)

    def _disturb_workers(self, disturbance: Disturbance) -> None:
        match disturbance.what:
            case "a worker dies":
                self._machines.die()
            case "a worker loses its line":
                self._machines.lose_line(_LINE_SECONDS * disturbance.size)
            case "a worker comes":
                self._machines.come()
            case "the scheduler goes":
                self._machines.go_away()
            case "results twice":
                self._machines.twice = True

    def _kill(self) -> None:
        """Keep the files as they are: nothing that happens from now on reaches them."""
        if self._saved is None:
            self._run.killed = True
            self._saved = {file: file.read_bytes() for file in self._folder.glob(f"{DATABASE}*")}
            # The index of the log is memory that the processes share. SQLite makes it again.
            self._saved.pop(self._folder / f"{DATABASE}-shm", None)
        raise Killed

    def _restore(self) -> None:
        for file in self._folder.glob(f"{DATABASE}*"):
            file.unlink()
        for file, data in (self._saved or {}).items():
            file.write_bytes(data)

    def _execute(
        self, cursor: sqlite3.Cursor, statement: str, parameters: Any, context: object = None
    ) -> None:
        """Execute a statement of the database, or fail, or be killed, at it."""
        writes = "INSERT" in statement
        self._statements += 1
        self._writes += writes
        for disturbance in self._disturbances:
            counted = self._writes if writes else 0
            if disturbance.what == "kill at a statement":
                counted = self._statements
            if disturbance.what in AT_STATEMENTS and counted >= disturbance.after:
                self._fail(disturbance)
        cursor.execute(statement, parameters)

    def _fail(self, disturbance: Disturbance) -> None:
        if disturbance.what == "disk fails" and self._writes >= disturbance.after + 20 * disturbance.size:
            return
        self._run.occurred[disturbance.what] = None
        match disturbance.what:
            case "disk is full":
                raise _sqlite_error(sqlite3.SQLITE_FULL, "database or disk is full")
            case "disk fails":
                raise _sqlite_error(sqlite3.SQLITE_IOERR, "disk I/O error")
            case _:
                self._kill()

    # --- what the product gets instead of processes, signals and threads

    @contextmanager
    def _replaced(self) -> Iterator[None]:
        with ExitStack() as stack:

            def replace(target: str, value: object) -> None:
                stack.enter_context(patch(target, value))

            replace("arena.run.local_referees.RefereeProcess", self._referee)
            replace("referee.match.pool.EngineProcess", _Starter(self))
            replace("referee.__main__.kill_orphans_soon", lambda: None)
            if self._history.plan.cluster:
                replace("arena.workers.cluster.Cluster._finish", self._finish())
            else:
                replace("arena.run.local_referees.decode_event", self._decode)
            replace("trio.open_signal_receiver", self._open_signals)
            replace("arena.workers.cluster.connect", self._connect)
            replace("arena.run.feed._PLACE", self._folder)
            if any(disturbance.what in AT_STATEMENTS for disturbance in self._disturbances):
                replace("sqlalchemy.engine.default.DefaultDialect.do_execute", self._execute)
            yield

    def _referee(self, *options: str) -> SimulatedReferee:
        return SimulatedReferee(self._machine, self._referees, *options)

    async def _connect(self, *given: Any) -> SimulatedScheduler:
        return await self._machines.connect(*given)

    @contextmanager
    def _open_signals(self, *_numbers: int) -> Iterator[AsyncIterator[int]]:
        yield self._received

    async def start_engine(self, spec: Any) -> object:
        """Start an engine."""
        return await start(self._machine, spec)


class _Starter:
    def __init__(self, process: _Process) -> None:
        self.start = process.start_engine


def _open_files() -> int:
    """Return how many files this process has open; 0 on a system that does not tell."""
    folder = Path("/dev/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def _sqlite_error(code: int, text: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    error.sqlite_errorname = "SQLITE_FULL" if code == sqlite3.SQLITE_FULL else "SQLITE_IOERR"
    return error


def _sharing(create_engine: Callable[..., Engine]) -> Callable[..., Engine]:
    """Let all databases of this process share what SQLAlchemy compiles, which it finds by the dialect."""
    first: list[Engine] = []

    def create(*given: Any, **named: Any) -> Engine:
        engine = create_engine(*given, **named)
        first.append(engine)
        del first[1:]
        engine.dialect, engine._compiled_cache = first[0].dialect, first[0]._compiled_cache
        return engine

    return create


@cache
def _empty() -> bytes:
    """Return a database without games. To copy it takes less time than to make another."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / DATABASE
        Store.open(path, create=True).close()
        return path.read_bytes()


def prepare() -> None:
    """Do once in a process what no run needs to do again."""
    vars(arena.store.sqlite)["create_engine"] = _sharing(create_engine)
    Heartbeat.__init__.__defaults__ = (time.monotonic_ns, lambda: 0)
    vars(arena.run.cores)["usable_cores"] = lambda: [0, 1]
    vars(referee.__main__)["_Polls"] = polls
    vars(referee.__main__)["SNAPSHOT_SECONDS"] = 1.0
    for name in ("source_hash", "rules_hash"):
        setattr(arena.workers.capabilities, name, cache(getattr(arena.workers.capabilities, name)))
    _empty()  # before there is a world, whose clocks it would read
