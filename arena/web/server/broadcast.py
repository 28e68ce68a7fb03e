"""Follows the runs of this user, and turns what they tell into events for browsers, a few times a second."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec
from anyio.abc import TaskGroup

from arena.events import (
    EngineDisabled,
    GameBegan,
    GameEnded,
    GameVoid,
    Moved,
    NextGames,
    Notice,
    RunEvent,
    RunState,
    Stopping,
    decode,
)
from arena.run.feed import sockets
from arena.web.links import ServerLinks
from arena.web.server.databases import Databases, ServedTournament
from arena.web.server.events import EventLog
from arena.web.server.live_games import LiveBoards, game_data, moved_data, pairing_data

RunKey = tuple[str, str]
"""The absolute path of the database of a run, and the name of its tournament."""

_SEEK_SECONDS: Final = 0.5
"""How often new runs are looked for."""

_LONGEST_LINE: Final = 1 << 26

_PAUSE_SECONDS: Final = 0.1
"""All moves in this time are one event, so that two hundred readers cost less. Nobody sees a difference."""

_LOOK_SECONDS: Final = 1.0
"""How often the databases are looked at: games also come from runs of an older version, and from imports."""


class Runs:
    """Follows all runs that listen in the folder of the sockets.

    ``changed`` is called with the key of a run after each of its events, and with None when it begins or
    ends.
    """

    def __init__(self, changed: Callable[[RunKey, RunEvent | None], None]) -> None:
        self._changed = changed
        self._states: dict[RunKey, RunState] = {}
        self._followed: set[Path] = set()

    def state(self, key: RunKey) -> RunState | None:
        """Return the state of a run; None if it does not run."""
        return self._states.get(key)

    async def follow_all(self) -> None:
        """Look for runs, and follow each of them, until this is cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                await self._look(tasks)
                await anyio.sleep(_SEEK_SECONDS)

    async def _look(self, tasks: TaskGroup) -> None:
        for path in await anyio.to_thread.run_sync(sockets):
            if path not in self._followed:
                self._followed.add(path)
                tasks.start_soon(self._follow, path)

    async def _follow(self, path: Path) -> None:
        """Follow one run to its end."""
        key: RunKey | None = None
        try:
            async with await anyio.connect_unix(path) as stream:
                state: RunState | None = None
                rest = b""
                while len(rest) < _LONGEST_LINE:
                    *lines, rest = (rest + await stream.receive()).split(b"\n")
                    for line in lines:
                        message = decode(line)
                        if isinstance(message, RunState):
                            state, key = message, (message.database, message.tournament)
                            self._states[key] = state
                            self._changed(key, None)
                        elif state is not None and key is not None:
                            state.apply(message)
                            self._changed(key, message)
        except (OSError, anyio.EndOfStream, anyio.BrokenResourceError, msgspec.MsgspecError):
            pass  # the run has ended, or another version of arena sent a message that this one does not know
        finally:
            self._followed.discard(path)
            if key is not None:
                self._states.pop(key, None)
                self._changed(key, None)


@dataclass(slots=True)
class _Pending:
    """What happened in a run since the last event for browsers.

    ``moved`` has the number of plies before the first change of each game. None stands for a run that began
    or ended.
    """

    moved: dict[str, int] = field(default_factory=dict)
    others: list[RunEvent | None] = field(default_factory=list)


class Broadcast:
    """The event logs of all tournaments.

    `home` has the events of all tournaments together; its event ``running`` lists those that run.
    """

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._paths = {database.path for database in databases}
        self._logs: defaultdict[str, EventLog] = defaultdict(EventLog)
        self._boards: defaultdict[RunKey, LiveBoards] = defaultdict(LiveBoards)
        self._pending: defaultdict[RunKey, _Pending] = defaultdict(_Pending)
        self._wake = anyio.Event()
        self._known: dict[RunKey, ServedTournament] = {}
        self._played: dict[str, int] = {}
        self.runs = Runs(self._changed)
        self.home = EventLog()

    def log(self, tournament: ServedTournament) -> EventLog:
        """Return the events of a tournament."""
        return self._logs[tournament.id]

    def state(self, tournament: ServedTournament) -> dict[str, Any]:
        """Return the whole state of a tournament, as the event ``state`` has it."""
        run = self.runs.state(tournament.run_key)
        boards = self._boards[tournament.run_key]
        return {
            "running": run is not None,
            "played": tournament.row["played"],
            "total": tournament.row["total"] if run is None else run.total,
            "began": None if run is None else run.began,
            "new": 0 if run is None else run.played,
            "stopping": run is not None and run.stopping,
            "next": [] if run is None else list(map(pairing_data, run.next)),
            "stages": {} if run is None else run.stages,
            "notices": [] if run is None else run.notices,
            "games": []
            if run is None
            else [game_data(game, boards, tournament.id) for game in run.games.values()],
        }

    def end_streams(self) -> None:
        """End all streams, because the server ends."""
        for log in (self.home, *self._logs.values()):
            log.end()

    def running(self) -> list[dict[str, Any]]:
        """Return the running tournaments, each with its first running game. It is the state of `home`."""
        found = []
        for tournament, run in self._runs():
            game = next(iter(run.games.values()), None)
            boards = self._boards[tournament.run_key]
            found.append(
                {
                    "id": tournament.id,
                    "name": run.tournament,
                    "url": ServerLinks(tournament.id).tournament(),
                    "played": run.stored + run.played,
                    "total": run.total,
                    "game": None if game is None else game_data(game, boards, tournament.id),
                }
            )
        return found

    def live(self) -> dict[str, Any]:
        """Return the number of running games, and the page of the only running tournament or of all."""
        runs = self._runs()
        pages = [ServerLinks(tournament.id).tournament() for tournament, _ in runs]
        url = pages[0] if len(pages) == 1 else ServerLinks().home()
        return {"games": sum(len(run.games) for _, run in runs), "url": url}

    def _runs(self) -> list[tuple[ServedTournament, RunState]]:
        runs = [(tournament, self.runs.state(key)) for key, tournament in self._known.items()]
        return [(tournament, run) for tournament, run in runs if run is not None]

    def _changed(self, key: RunKey, event: RunEvent | None) -> None:
        if key[0] not in self._paths:
            return  # a run whose database is not served
        pending = self._pending[key]
        match event:
            case Moved(games):
                for game, news in games.items():
                    pending.moved[game] = min(news.first, pending.moved.get(game, news.first))
            case GameEnded(result):
                self._forget(key, result.key)
            case GameVoid(pairing):
                self._forget(key, pairing.key)
        if not isinstance(event, Moved):
            pending.others.append(event)
        self._wake.set()

    def _forget(self, key: RunKey, game: str) -> None:
        self._pending[key].moved.pop(game, None)
        self._boards[key].forget(game)

    async def run(self) -> None:
        """Follow the runs and look at the databases, until this is cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.runs.follow_all)
            tasks.start_soon(self._look)
            tasks.start_soon(self._tell_home)
            while True:
                await self._wake.wait()
                self._wake = anyio.Event()
                self._publish()
                await anyio.sleep(_PAUSE_SECONDS)

    async def _look(self) -> None:
        """Tell when games of a tournament are stored."""
        while True:
            for tournament in await anyio.to_thread.run_sync(self._databases.tournaments):
                self._known[tournament.run_key] = tournament
                played = tournament.row["played"]
                if self._played.setdefault(tournament.id, played) != played:
                    self._played[tournament.id] = played
                    self._logs[tournament.id].add("stored", {"played": played})
            self._tell_late()
            if self._pending:  # changes of tournaments that were not known yet when the changes came
                self._wake.set()
            await anyio.sleep(_LOOK_SECONDS)

    def _tell_late(self) -> None:
        """Tell readers that the tables for which they waited are there."""
        late = {database for database in self._databases if database.came_late()}
        if late:
            self.home.add("tables", {})
        for tournament in self._known.values():
            if tournament.database in late and tournament.id in self._logs:
                self._logs[tournament.id].add("tables", {})

    async def _tell_home(self) -> None:
        """Send the list of running tournaments to the readers of `home` whenever it has changed."""
        told: list[dict[str, Any]] = []
        while True:
            if self.home.listeners and (running := self.running()) != told:
                told = running
                self.home.add("running", running)
            await anyio.sleep(_LOOK_SECONDS)

    def _publish(self) -> None:
        for key in [key for key in self._pending if key in self._known]:
            pending, tournament = self._pending.pop(key), self._known[key]
            log, run, boards = self._logs[tournament.id], self.runs.state(key), self._boards[key]
            for event in pending.others:
                match event:
                    case None:
                        log.add("state", self.state(tournament))
                    case GameBegan(game):
                        if run is not None and (live := run.games.get(game.pairing.key)) is not None:
                            log.add("began", {"game": game_data(live, boards, tournament.id)})
                    case _:
                        log.add(*_as_data(event))
            if not log.listeners:
                log.skip()
            elif run is not None:
                self._publish_moves(log, run, boards, pending.moved)

    def _publish_moves(self, log: EventLog, run: RunState, boards: LiveBoards, moved: dict[str, int]) -> None:
        games = [
            moved_data(game, boards, first)
            for key, first in moved.items()
            if (game := run.games.get(key)) is not None
        ]
        if games:
            log.add("moved", {"games": games})


def _as_data(event: RunEvent) -> tuple[str, dict[str, Any]]:
    """Return the kind and the data of an event for browsers."""
    match event:
        case GameEnded(result):
            return "over", {"key": result.key, "stored": True, "text": result.reason}
        case GameVoid(pairing, text):
            return "over", {"key": pairing.key, "stored": False, "text": text}
        case NextGames(games):
            return "next", {"games": list(map(pairing_data, games))}
        case Notice() | EngineDisabled():
            return "notice", {"text": event.line}
        case Stopping():
            return "stopping", {}
    values = msgspec.to_builtins(event)
    return values.pop("type"), values
