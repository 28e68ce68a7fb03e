"""The databases of a server, their tournaments, and what pages show of them. All of it blocks."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, wait
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from threading import Event, Lock, Semaphore, Thread
from typing import Any, Final, NamedTuple, TypeVar

from starlette.requests import Request

from arena.address import full_name, name_of
from arena.errors import ArenaError, StoreError
from arena.formats.format import FormatView
from arena.formats.plan import Plan
from arena.model import GameRecord
from arena.ratings.lists import rating_list
from arena.store import Store
from arena.tables.places import decisive_places, leaders, stored_standings
from arena.tables.standings import Standing
from arena.tables.tournament_list import TournamentRow, tournament_list
from arena.web.links import Links, tournament_id, tournament_mark
from arena.web.pages.games import RecentGames
from arena.web.pages.section import read_results
from arena.web.pages.tournament import TournamentCollector, TournamentView, tournament_facts, tournament_view
from arena.web.server.answers import Moved, NotFound

_Value = TypeVar("_Value")
PATIENCE: Final = 0.06
"""The seconds that a page waits for what it shows."""

_VALUES_KEPT = 200
"""The most computed values that a database keeps."""

REST: Final = 3.0
"""Pages of a running tournament cost at most a quarter of a processor: see `ServedDatabase.computed`."""

_GAMES_AHEAD = 200
"""The games that a report reads together: one by one they take six times as long."""

_COMPUTED_TOGETHER = 2
"""The most values of a database that are computed at the same time for readers who do not wait for them."""


@dataclass(slots=True)
class _Cached:
    """What was computed last under a key, and what is being computed."""

    value: Any = None
    version: str | None = None  # of the database; None before the first value
    rests_until: float = 0.0  # when it may be computed again, on the monotonic clock
    coming: Future[Any] | None = None
    late: bool = False  # whether a reader did not wait for what is coming


class ServedDatabase:
    """A database and what was computed from it.

    ``number`` is its number on the command line, from 1; ``only`` is the game id that pages show, or None.
    """

    def __init__(
        self, number: int, store: Store, patience: float = PATIENCE, only: str | None = None
    ) -> None:
        self.number = number
        self.only = only
        self.patience = patience
        self.store = store
        self.path = full_name(store.address)
        self._lock = Lock()
        self._cache: dict[object, _Cached] = {}
        self._turns = Semaphore(_COMPUTED_TOGETHER)
        self._came_late = Event()
        self.collected: dict[str, TournamentCollector] = {}  # by the name of the tournament
        self._ahead: dict[int, GameRecord] = {}  # the games that a report reads next, by number

    def computed(self, key: object, compute: Callable[[Store], _Value], *, rest: float = 0.0) -> _Value:
        """Return a value that depends only on the database; compute it if a game was stored since.

        An older value is returned for ``rest`` times the time that its computation took, so that a slow one
        does not keep the server busy while games are stored.
        """
        value: _Value = self._value(key, compute, rest, math.inf)
        return value

    def soon(self, key: object, compute: Callable[[Store], _Value], *, until: float) -> _Value | None:
        """Return the value if it is computed ``until`` this time on the monotonic clock, else an older value.

        Return None if there is no older value. The computation goes on in a thread, and `came_late` says
        when it is over.
        """
        value: _Value | None = self._value(key, compute, REST, until)
        return value

    def game(self, number: int) -> GameRecord:
        """Return a game, or raise `NotFound`. A report asks for all, so some are read together."""
        if self.patience == math.inf and number not in self._ahead:
            games = self.store.finder.records(after=number - 1, last=number + _GAMES_AHEAD - 1, verify=True)
            self._ahead = {game.result.id or 0: game for game in games}
        if number in self._ahead:
            return self._ahead[number]
        try:
            return self.store.game(number)
        except StoreError:  # the database cannot be read
            raise
        except ArenaError as error:
            raise NotFound(str(error).removeprefix(f"{self.store.address}: ")) from None

    def deadline(self) -> float:
        """Return the time until which a page that is made now waits, on the monotonic clock."""
        return time.monotonic() + self.patience

    def came_late(self) -> bool:
        """Whether, since the last call, a value was computed that a reader of `soon` did not get in time."""
        came = self._came_late.is_set()
        self._came_late.clear()
        return came

    def _value(self, key: object, compute: Callable[[Store], Any], rest: float, until: float) -> Any:  # noqa: ANN401 - of any type
        """Return the value under a key, which is computed once for all its readers."""
        with self._lock:
            known = self._cache[key] = self._cache.pop(key, _Cached())  # so that values used lately stay
            while len(self._cache) > _VALUES_KEPT:
                self._cache.pop(next(iter(self._cache)))
            version, coming, work = self.store.version, known.coming, None
            if coming is None and known.version != version and time.monotonic() >= known.rests_until:
                coming = Future()
                work = partial(self._compute, known, coming, compute, rest, version)
                if until < math.inf:  # a daemon, so that the server can end at any time
                    Thread(target=work, kwargs={"in_turn": True}, daemon=True).start()
                known.coming, known.late = coming, False  # not before, as the machine may have no thread
        if coming is None:
            return known.value
        if work is not None and until == math.inf:
            work()
        wait([coming], None if until == math.inf else max(until - time.monotonic(), 0))
        with self._lock:
            if not coming.done():
                known.late = True
                return known.value
        return coming.result()

    def _compute(
        self,
        known: _Cached,
        coming: Future[Any],
        compute: Callable[[Store], object],
        rest: float,
        version: str,
        *,
        in_turn: bool = False,
    ) -> None:
        value, failure, started = None, None, 0.0
        try:
            with self._turns if in_turn else nullcontext():
                started = time.monotonic()
                with self.store.database.snapshot():
                    value = compute(self.store)
        except BaseException as error:  # for all who wait
            failure = error
        now = time.monotonic()
        with self._lock:
            known.coming = None
            if failure is None:
                known.value, known.version, known.rests_until = value, version, now + rest * (now - started)
                coming.set_result(value)
            else:
                coming.set_exception(failure)
            if known.late:
                self._came_late.set()


@dataclass(frozen=True, slots=True, eq=False)
class ServedTournament:
    """A tournament of a server."""

    id: str  # in addresses
    database: ServedDatabase
    row: TournamentRow

    @property
    def name(self) -> str:
        """Its name."""
        return self.row["tournament"]

    @property
    def run_key(self) -> tuple[str, str]:
        """What identifies its run: the full name of the database, and the name of the tournament."""
        return self.database.path, self.name

    def game(self, number: int) -> GameRecord:
        """Return a game of the tournament, or raise `NotFound`."""
        record = self.database.game(number)
        if record.result.tournament != self.name:
            raise NotFound(f"game {number} is a game of another tournament")
        return record

    def view(self, until: float = math.inf) -> TournamentView:
        """Return what its pages show; see `ServedDatabase.soon`. The first view may still lack its tables.

        Each game is read once. The first view of many games takes seconds.
        """
        view = self.database.soon(("view", self.name), self._view, until=until)
        return view or self._view_without_tables()

    def _view(self, store: Store) -> TournamentView:
        name, database = self.name, self.database
        collected = database.collected.get(name)
        if collected is None or not collected.holds(store, name):
            collected = database.collected[name] = TournamentCollector()
        collected.read_on(store, name, database.only)
        plan = Plan.stored(store.outline(name))
        tallies = store.tally(tournament=name, game=database.only)
        results = [read_results(store, name, plan, game, tally) for game, tally in tallies.items()]
        return tournament_view(name, plan, results, collected, Links(self.id))

    def _view_without_tables(self) -> TournamentView:
        row = self.row
        plan = Plan.stored(self.database.store.outline(self.name))
        facts = replace(
            tournament_facts(plan, {}, RecentGames(), over=row["finished"]),
            games=row["played"],
            engines=row["engines"] or 0,
        )
        return TournamentView(self.name, (), facts, computing=True)


class Databases:
    """The databases that a server shows. A page waits for what it shows for ``patience`` seconds."""

    def __init__(self, stores: list[Store], patience: float = PATIENCE, only: str | None = None) -> None:
        self.all = [ServedDatabase(number, store, patience, only) for number, store in enumerate(stores, 1)]
        self._known: tuple[list[list[TournamentRow]], dict[str, ServedTournament]] = [], {}

    def tournaments(self) -> list[ServedTournament]:
        """Return all tournaments, the newest first."""
        return [*self._by_mark().values()]

    def find(self, request: Request) -> ServedTournament:
        """Return the tournament that an address names; raise `NotFound`, or `Moved` for another id."""
        id_ = request.path_params["id"]
        tournament = self._by_mark().get(tournament_mark(id_))
        if tournament is None:
            hint = "; /api/tournaments lists them" if request.url.path.startswith("/api/") else ""
            raise NotFound(f"there is no such tournament{hint}")
        request.scope["tournament"] = tournament  # for the way back of `refusal`
        if tournament.id != id_:
            path = request.url.path.replace(f"/tournaments/{id_}", f"/tournaments/{tournament.id}", 1)
            raise Moved(f"{path}?{request.url.query}" if request.url.query else path)
        return tournament

    def beside(self, database: ServedDatabase) -> str:
        """Return the id of the oldest tournament of a database; "" if there is one database."""
        ids = [tournament.id for tournament in self.tournaments() if tournament.database is database]
        return ids[-1] if ids and len(self.all) > 1 else ""

    def _by_mark(self) -> dict[str, ServedTournament]:
        """Return all tournaments by the marks of their ids, the newest first."""
        rows = [database.computed("tournaments", tournament_list) for database in self.all]
        knlisted_rows, tournaments = self._known
        if rows != knlisted_rows:
            copies: Counter[str] = Counter()  # a tournament in several databases has a number in its id
            listed = []
            for database, listed_rows in zip(self.all, rows, strict=True):
                for row in listed_rows:
                    id_ = tournament_id(row["tournament"], row["started"])
                    mark = tournament_mark(id_)
                    copies[mark] += 1
                    suffix = f"-{copies[mark]}" if copies[mark] > 1 else ""
                    listed.append(ServedTournament(id_ + suffix, database, row))
            listed.sort(key=lambda tournament: tournament.row["started"], reverse=True)
            tournaments = {tournament_mark(tournament.id): tournament for tournament in listed}
            self._known = rows, tournaments
        return tournaments


def database_names(databases: Sequence[ServedDatabase]) -> list[str]:
    """Return the names of databases on a page: the names of their files; "" if there is one."""
    if len(databases) < 2:
        return [""] * len(databases)
    names = [Path(name_of(database.store.address)).name for database in databases]
    return [
        name if names.count(name) == 1 else f"{name} ({database.number})"
        for name, database in zip(names, databases, strict=True)
    ]


class Finish(NamedTuple):
    """How a tournament ended: who won, and the standings if points decided it."""

    winners: tuple[str, ...]
    standings: tuple[Standing, ...]


def finishes(store: Store) -> dict[str, Finish]:
    """Return how each finished tournament of one game id ended, by name."""
    marks = store.marks()
    ratings = cache(
        lambda game, only: rating_list(store, game, store.tally(game=game, only=only)[game], only)
    )
    ends = {}
    for row in tournament_list(store):
        name, mark = row["tournament"], marks.get(row["tournament"])
        if row["finished"] and row["played"] and len(row["games"]) == 1 and mark is not None:
            (game,) = row["games"]
            view, table = _standings(store, name, game, mark)
            places = decisive_places(
                view, table, ratings(game, store.list_of(name)) if view.decided_by == "ratings" else None
            )
            by_points = view.decided_by == "standings" and view.order == "points"
            ends[name] = Finish(leaders(places), table if by_points else ())
    return ends


@cache  # some are for an older mark, but few: a finished tournament hardly changes
def _standings(
    store: Store, tournament: str, game: str, _: Hashable
) -> tuple[FormatView, tuple[Standing, ...]]:
    """Return what decides a tournament; ``_`` is its mark, so that a change of its data is seen."""
    return stored_standings(store, tournament, game)
