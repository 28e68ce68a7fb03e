"""Follows the runs of this user, and turns their events into events for browsers, a few times a second."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import anyio
import msgspec
from msgspec.structs import astuple

from arena.errors import ArenaError, Outlasting
from arena.events import (
    EngineDisabled,
    GameBegan,
    GameEnded,
    GameVoid,
    LiveGame,
    Moved,
    NextGames,
    Notice,
    RunEvent,
    RunState,
    Stopping,
    decode,
)
from arena.model import GameResult, Pairing
from arena.run.feed import sockets
from arena.scoring import seat_endings
from arena.tables.result_text import sentence
from arena.web.boards import draw, seat_signs
from arena.web.figures import number_of, points_text, score_text, written
from arena.web.links import Links
from arena.web.pages.game import first_chance
from arena.web.pages.games import score_of
from arena.web.pages.tournament import State, state_word
from arena.web.server.answers import EventLog
from arena.web.server.databases import Databases, ServedTournament
from arena.web.server.openapi import Live, NextGame, RunningGame, TournamentState
from referee import MoveError, game
from referee.errors import RefereeError
from referee.follower import Follower

RunKey = tuple[str, str]
"""The absolute path of the database of a run, and the name of its tournament."""

_SEEK_SECONDS: Final = 0.5
"""How often new runs are looked for."""

_LONGEST_LINE: Final = 1 << 26

_VALUES_SENT: Final = 5
"""The values of a ply that browsers get: the page of a game loads what else was thought."""

_PAUSE_SECONDS: Final = 0.1
"""All moves in this time are one event, so that two hundred readers cost less. Nobody sees a difference."""

_LOOK_SECONDS: Final = 1.0
"""How often the databases are looked at: games also come from runs of an older version, and from imports."""


@dataclass(frozen=True, slots=True)
class _Over:
    """A game that is over: its result, and the game as it ended."""

    result: GameResult
    game: LiveGame


@dataclass(slots=True)
class _Run:
    """The run of a tournament, and what happened in it since the last event for browsers."""

    boards: LiveBoards
    state: RunState | None = None  # None if nobody plays the tournament now
    moved: set[str] = field(default_factory=set)  # the keys of games
    others: list[RunEvent | _Over | None] = field(default_factory=list)  # None: the run starts or ends


class Broadcast:
    """Follows all runs that listen, and writes the event logs of all tournaments for browsers.

    The event ``running`` of `home` lists the tournaments that run.
    """

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._paths = {database.path for database in databases.all}
        self._logs: defaultdict[str, EventLog] = defaultdict(EventLog)
        self._runs: defaultdict[RunKey, _Run] = defaultdict(lambda: _Run(LiveBoards()))
        self._wake = anyio.Event()
        self._known: dict[RunKey, ServedTournament] = {}
        self._stored: dict[str, dict[str, Any]] = {}
        self._followed: set[Path] = set()
        self.home = EventLog()

    def log(self, tournament: ServedTournament) -> EventLog:
        """Return the events of a tournament."""
        return self._logs[tournament.id]

    def run_of(self, tournament: ServedTournament) -> RunState | None:
        """Return the state of the run that plays a tournament; None if none does."""
        run = self._runs.get(tournament.run_key)
        return None if run is None else run.state

    def status(self, tournament: ServedTournament) -> State:
        """Return whether a run plays it now, or rests, and otherwise whether no game is missing."""
        run = self.run_of(tournament)
        if run is not None:
            return "resting" if run.rests else "running"
        return state_word(tournament.row["finished"])

    def pairings(self, tournament: ServedTournament) -> tuple[list[Pairing], list[Pairing]]:
        """Return the running games of a tournament, and the next ones as far as they are known."""
        run = self.run_of(tournament)
        return ([], []) if run is None else ([game.pairing for game in run.running()], [*run.next])

    def boards(self, tournament: ServedTournament) -> tuple[int, ...]:
        """Return the number of seats of each game that its run plays at the same time."""
        run = self.run_of(tournament)
        if run is None or run.rests:
            return ()
        running = {game.slot: len(game.pairing.seats) for game in run.running()}
        usual = max(running.values(), default=2)
        return tuple(running.get(slot, usual) for slot in range(run.slots))

    def state(self, tournament: ServedTournament) -> TournamentState:
        """Return the whole state of a tournament, as the event ``state`` has it."""
        run = self.run_of(tournament)
        shown = run or RunState(tournament.name, tournament.database.path)
        boards = self._runs[tournament.run_key].boards
        return {
            "running": run is not None,
            "status": self.status(tournament),
            "played": tournament.row["played"],
            "total": tournament.row["total"] if run is None else run.total,
            "lasted": 0.0 if run is None else time.monotonic() - run.began,
            "new": shown.played,
            "stopping": shown.stopping,
            "next": list(map(pairing_data, shown.next)),
            "stages": shown.stages,
            "resting": sorted(shown.resting),
            "notices": shown.notices,
            "games": [game_data(game, boards, tournament.id) for game in shown.games.values()],
        }

    def end_streams(self) -> None:
        """End all streams, because the server ends."""
        for log in (self.home, *self._logs.values()):
            log.end()

    def running(self) -> list[dict[str, Any]]:
        """Return the running tournaments, each with its first running game. It is the state of `home`."""
        rows = []
        for tournament, run in self._running():
            game = next(iter(run.games.values()), None)
            boards = self._runs[tournament.run_key].boards
            rows.append(
                {
                    "id": tournament.id,
                    "name": run.tournament,
                    "url": Links(tournament.id).tournament(),
                    "events": Links(tournament.id).events(),
                    "played": run.stored + run.played,
                    "total": run.total,
                    "game": None if game is None else game_data(game, boards, tournament.id),
                }
            )
        return rows

    def live(self) -> Live:
        """Return the number of running games, and the page of the only running tournament or of all."""
        runs = self._running()
        pages = [Links(tournament.id).tournament() for tournament, _ in runs]
        url = pages[0] if len(pages) == 1 else Links().home()
        return {"games": sum(len(run.games) for _, run in runs), "url": url}

    def _running(self) -> list[tuple[ServedTournament, RunState]]:
        runs = [(tournament, self.run_of(tournament)) for tournament in self._known.values()]
        return [(tournament, run) for tournament, run in runs if run is not None]

    def _changed(self, key: RunKey, event: RunEvent | None) -> None:
        """Note an event before it changes the state of its run; None: the run starts or ends."""
        if key[0] not in self._paths:
            return  # a run whose database is not served
        run = self._runs[key]
        match event:
            case Moved(games):
                run.moved.update(games)
            case GameEnded(result):
                run.moved.discard(result.key)
                run.others.append(_Over(result, _ended(run.state, event)))
            case GameVoid(pairing):
                run.moved.discard(pairing.key)
                run.others.append(event)
            case _:
                run.others.append(event)
        self._wake.set()

    async def _follow_runs(self) -> None:
        """Look for runs, and follow each of them, until this is cancelled."""
        outlasting = Outlasting("looking for runs")
        async with anyio.create_task_group() as tasks:
            while True:
                with outlasting:
                    for path in await anyio.to_thread.run_sync(sockets):
                        if path not in self._followed:
                            self._followed.add(path)
                            tasks.start_soon(self._follow, path)
                await anyio.sleep(_SEEK_SECONDS)

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
                            self._runs[key].state = state
                            self._changed(key, None)
                        elif state is not None and key is not None:
                            self._changed(key, message)
                            state.apply(message)
        except (OSError, anyio.EndOfStream, anyio.BrokenResourceError, msgspec.MsgspecError):
            pass  # the run has ended, or another version of arena sent a message that this one does not know
        finally:
            self._followed.discard(path)
            if key is not None:
                self._runs[key].state = None
                self._changed(key, None)

    async def run(self) -> None:
        """Follow the runs and look at the databases, until this is cancelled."""
        outlasting = Outlasting("telling browsers of runs")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._follow_runs)
            tasks.start_soon(self._look)
            tasks.start_soon(self._send_home)
            while True:
                await self._wake.wait()
                self._wake = anyio.Event()
                with outlasting:
                    self._publish()
                await anyio.sleep(_PAUSE_SECONDS)

    async def _look(self) -> None:
        """Send when games of a tournament are stored, or when it is finished."""
        outlasting = Outlasting("looking for new games")
        while True:
            tournaments: Sequence[ServedTournament] = ()
            with outlasting:
                tournaments = await anyio.to_thread.run_sync(self._databases.tournaments)
            for tournament in tournaments:
                self._known[tournament.run_key] = tournament
                now = {"played": tournament.row["played"], "status": self.status(tournament)}
                if self._stored.setdefault(tournament.id, now) != now:
                    self._stored[tournament.id] = now
                    self._logs[tournament.id].add("stored", now)
            self._send_late()
            self._wake.set()  # for changes of tournaments that were not known yet when the changes came
            await anyio.sleep(_LOOK_SECONDS)

    def _send_late(self) -> None:
        """Send to readers that the tables for which they waited are there."""
        late = {database for database in self._databases.all if database.came_late()}
        if late:
            self.home.add("tables", {})
        for tournament in self._known.values():
            if tournament.database in late and tournament.id in self._logs:
                self._logs[tournament.id].add("tables", {})

    async def _send_home(self) -> None:
        """Send the list of running tournaments to the readers of `home` whenever it has changed."""
        sent: list[dict[str, Any]] = []
        while True:
            if self.home.listeners and (running := self.running()) != sent:
                sent = running
                self.home.add("running", running)
            await anyio.sleep(_LOOK_SECONDS)

    def _publish(self) -> None:
        for key, run in self._runs.items():
            tournament = self._known.get(key)
            if tournament is None or not (run.others or run.moved):
                continue
            log, games = self._logs[tournament.id], {} if run.state is None else run.state.games
            others, run.others = run.others, []
            moved, run.moved = run.moved, set()
            if log.listeners:
                for event in others:
                    self._publish_one(event, tournament, run)
                news = [moved_data(games[game], run.boards) for game in moved if game in games]
                if news:
                    log.add("moved", {"games": news})
            else:
                log.skip()
            run.boards.sent = {key: len(game.plies) for key, game in games.items()}
            run.boards.keep(games.keys())

    def _publish_one(self, event: RunEvent | _Over | None, tournament: ServedTournament, run: _Run) -> None:
        log = self._logs[tournament.id]
        match event:
            case None:
                log.add("state", self.state(tournament))
            case GameBegan(game):
                live = None if run.state is None else run.state.games.get(game.pairing.key)
                if live is not None:
                    log.add("began", {"game": game_data(live, run.boards, tournament.id)})
            case _Over():
                log.add("over", over_data(event, run.boards, tournament.id))
            case _:
                log.add(*_as_data(event))


def _ended(run: RunState | None, event: GameEnded) -> LiveGame:
    """Return a game as it ended."""
    result = event.result
    game = None if run is None else run.games.get(result.key)
    if game is None:  # its start is not known
        seats = result.names
        game = LiveGame(Pairing(result.number, result.key, result.game, seats), slot=-1)
    return msgspec.structs.replace(game, plies=event.plies, clocks_ms=event.clocks_ms, turn=-1)


def _as_data(event: RunEvent) -> tuple[str, dict[str, Any]]:
    """Return the kind and the data of an event for browsers."""
    match event:
        case GameVoid(pairing, text, again):
            says = f"{' – '.join(pairing.seats)}: {text}{'; it is played again' if again else ''}"
            return "over", {"key": pairing.key, "stored": False, "text": text, "says": says}
        case NextGames(games):
            return "next", {"games": list(map(pairing_data, games))}
        case Notice() | EngineDisabled():
            return "notice", {"text": event.line}
        case Stopping():
            return "stopping", {}
    values = msgspec.to_builtins(event)
    return values.pop("type"), values


# --- running games


def over_data(over: _Over, boards: LiveBoards, tournament: str) -> dict[str, Any]:
    """Return the end of a game as plain values: its result, and the last changes as in `moved_data`.

    There is no board of a game whose start browsers have not seen.
    """
    game, players = over.game, over.result.players
    ends = zip(players, seat_endings(players), strict=True)
    seen = game.pairing.key in boards.sent
    return {
        **pairing_data(game.pairing),
        **(moved_data(game, boards) if seen else _state_data(game, 0)),
        "chance": round(100 * players[0].points) if len(players) == 2 else None,
        "slot": game.slot,
        "url": Links(tournament).running(game.pairing.number),
        "stored": True,
        "text": over.result.reason,
        "says": sentence(over.result),
        "score": score_of(over.result),
        "points": [points_text(player.points) for player in players],
        "winners": [player.name for player, ending in ends if ending in ("won", "drew")],
    }


def game_data(game: LiveGame, boards: LiveBoards, tournament: str) -> RunningGame:
    """Return a running game as plain values: the values of `moved_data`, the others, and the whole board."""
    pairing = game.pairing
    data = {
        **moved_data(game, boards, 0),
        **pairing_data(pairing),
        "slot": game.slot,
        "url": Links(tournament).running(pairing.number),
        "time_controls": list(game.time_controls),
        "position": pairing.opening.position,
        "opening": list(pairing.opening.moves),
        "worker": game.worker,
        "signs": seat_signs(pairing.game, len(pairing.seats)),
        "board": boards.draw(game).svg,
    }
    return cast("RunningGame", data)


def moved_data(game: LiveGame, boards: LiveBoards, first: int | None = None) -> dict[str, Any]:
    """Return the changes of a running game after its first plies, by default all that are new to browsers.

    The plies are arrays of seat, text, nanoseconds, score and depth. ``written`` has these moves with their
    numbers, as people write them; it is empty if they write the texts. ``scores`` has the last score of each
    seat as pages write it. ``chance`` is the chance of the first of two seats in percent, from the last score
    of any seat; None if there is none.
    """
    board = boards.draw(game)
    first = boards.sent.get(game.pairing.key, 0) if first is None else first
    return {
        **_state_data(game, first),
        **({"items": board.items} if board.steady else {"board": board.svg}),
        "caption": board.caption,
        "written": board.written[first:],
    }


def _state_data(game: LiveGame, first: int) -> dict[str, Any]:
    """Return the changes without the board."""
    scored = [ply for ply in game.plies if ply.score]
    last = {ply.seat: ply.score for ply in scored}
    seats = range(len(game.pairing.seats))
    return {
        "key": game.pairing.key,
        "first": first,
        "plies": [astuple(ply)[:_VALUES_SENT] for ply in game.plies[first:]],
        "ply": len(game.pairing.opening.moves) + len(game.plies),
        "turn": game.turn,
        "clocks_ms": list(game.clocks_ms),
        "seen": game.seen,
        "scores": [score_text(last.get(seat, "")) for seat in seats],
        "chance": first_chance(scored[-1]) if scored and len(seats) == 2 else None,
    }


def pairing_data(pairing: Pairing) -> NextGame:
    """Return a game that may not have started as plain values; ``place`` counts from 1."""
    return {"place": pairing.number + 1, "game": pairing.game, "seats": list(pairing.seats)}


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A drawing of the current position of a game."""

    svg: str  # "" if the rules are not installed here, or refuse a ply
    items: str  # the content of its last element, which has all parts that move
    steady: bool  # whether the rest has been the same in all drawings of the game
    caption: str  # facts that it does not show
    written: Sequence[str]  # the moves after the opening, as in `moved_data`


_NO_BOARD: Final = LiveBoard("", "", steady=False, caption="", written=())


@dataclass(slots=True)
class _FollowedGame:
    pairing: Pairing
    follower: Follower
    texts: list[str]
    written: list[str]  # as in `moved_data`
    ground: str = ""
    board: LiveBoard | None = None


class LiveBoards:
    """Follows running games, so that a new ply needs only one move of the rules and one drawing."""

    def __init__(self) -> None:
        self._followed: dict[str, _FollowedGame] = {}
        self.sent: dict[str, int] = {}  # how many plies of each game browsers have

    def keep(self, running: Collection[str]) -> None:
        """Forget the games that run no more."""
        for key in self._followed.keys() - running:
            del self._followed[key]

    def draw(self, live: LiveGame) -> LiveBoard:
        """Draw the current position of a game."""
        key = live.pairing.key
        texts = [*live.pairing.opening.moves, *(ply.text for ply in live.plies)]
        try:
            known = self._follow(live, texts)
        except (ArenaError, RefereeError, MoveError):
            self._followed.pop(key, None)
            return _NO_BOARD
        if known.board is None:
            known.board = _drawn(live.pairing.game, known)
        return known.board

    def _follow(self, live: LiveGame, texts: list[str]) -> _FollowedGame:
        pairing = live.pairing
        known = self._followed.get(pairing.key)
        if known is None or known.pairing != pairing or texts[: len(known.texts)] != known.texts:
            rules, position = game(pairing.game), pairing.opening.position
            start = rules.start() if position is None else rules.parse_position(position)
            known = _FollowedGame(pairing, Follower(start, rules.info.players), [], [])
            self._followed[pairing.key] = known
        for text in texts[len(known.texts) :]:
            before = known.follower.position
            known.follower.follow(text)
            played = len(known.texts) - len(pairing.opening.moves)
            if played >= 0 and (number := number_of(before)):
                is_move = live.plies[played].is_move
                known.written.append(
                    f"{number}\u00a0{written(before, before.parse_move(text))}" if is_move else text
                )
            known.texts.append(text)
            known.board = None
        return known


def _drawn(game_id: str, known: _FollowedGame) -> LiveBoard:
    drawing = draw(game_id, known.follower.position, known.texts[-1] if known.texts else None)
    items = "".join(drawing.items)
    box = " ".join(map(str, drawing.box))
    ground = f'<svg class="board {drawing.look}" viewBox="{box}" aria-hidden="true">{drawing.ground}'
    steady = not known.ground or known.ground == ground
    known.ground = ground if steady else "changes"
    return LiveBoard(f"{ground}<g>{items}</g></svg>", items, steady, drawing.caption, known.written)
