"""`Store`, the interface to the database: one blocking method for each thing that arena stores or reads."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from sys import intern
from typing import Final, Self

from sqlalchemy import String, and_, bindparam, cast, func, insert, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from arena.address import Address
from arena.errors import ArenaError, ChangedSettings, StoreError
from arena.model import GameRecord, GameResult, RatingListRecord, TournamentRecord
from arena.scoring import GameEnding, GameScoreCounts
from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.errors import InvalidRow
from arena.store.finder import Finder
from arena.store.mapping import Engine
from arena.store.queries import ALL_GAMES, GAMES_AT_ONCE, REMOTE_GAMES, GameFilter
from arena.store.rating_lists import RatingLists
from arena.store.rows import (
    ENGINE,
    GAME,
    PLAYER,
    RECORD,
    TOURNAMENT,
    RatingListRow,
    TournamentRow,
)
from arena.store.sqlite import FileDatabase
from referee.outcome import Termination

_IDENTITY: Final = ("name", "version", "program", "options")
"""The columns of `mapping.Engine`."""

_ENGINE: Final = select_columns(ENGINE.c.id).where(*(ENGINE.c[name] == bindparam(name) for name in _IDENTITY))
_NAMED: Final = select(TournamentRow).where(col(TournamentRow.name) == bindparam("named"))


@dataclass(frozen=True, slots=True)
class TournamentInfo:
    """A tournament in the database.

    Attributes:
        name: its name.
        created: seconds since the epoch.
        games: the number of its games that are finished and count.
        rated: whether rating lists have its games.
    """

    name: str
    created: float
    games: int
    rated: bool


@dataclass(frozen=True, slots=True)
class EngineUse:
    """An engine as it was in a game of a tournament."""

    name: str
    version: str  # this and the next three as in `PlayerRecord`
    program: str
    options: Mapping[str, str] | None
    time_control: str


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """The contents of a database without its games."""

    tournaments: tuple[TournamentRecord, ...]  # in the order in which they came into the database
    rating_lists: tuple[RatingListRecord, ...]  # those with changed settings, by game id
    last: int  # the number of the last game; 0 when there are no games


class Store:
    """A database of tournaments. Its methods block, so call them in a thread; any thread may.

    Every method raises `StoreError` when the database or the machine has a fault, or a row a value that arena
    never writes, and then has stored nothing; `StoreUnavailable` when that passes: no server, or a lock.

    Attributes:
        address: where the database is.
        database: the open database, for a room that reads and writes rows of its own.
        finder: finds games by who played them and how they went.
        rating_lists: the settings and checkpoints of rating lists.
    """

    __slots__ = ("address", "database", "finder", "rating_lists")

    def __init__(self, database: Database) -> None:
        self.address = database.address
        self.database = database
        self.finder = Finder(database)
        self.rating_lists = RatingLists(database)

    @classmethod
    def open(cls, address: Address, *, create: bool) -> Self:
        """Open the database at ``address``, with the newest schema; ``create`` makes one if there is none."""
        database = database_type(address)(address)
        try:
            database.prepare(create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def version(self) -> str:
        """A text that changes when something is stored; on a server, also when another database changes."""
        return self.database.version

    def close(self) -> None:
        """Close the database; see `Database.close`."""
        self.database.close()

    def contents(self) -> DatabaseContents:
        """Return what the database holds without its games."""
        with self.database.reading() as session:
            tournaments = session.exec(select(TournamentRow).order_by(col(TournamentRow.id)))
            lists = [
                mapping.rating_list_record(row.game, row.settings)
                for row in session.exec(select(RatingListRow))
            ]
            changed = [record for record in lists if record.settings]
            return DatabaseContents(
                tuple(map(_record, tournaments)),
                tuple(sorted(changed, key=lambda record: record.game)),
                queries.last_game(session),
            )

    def begin_tournament(
        self, name: str, settings: Mapping[str, str], outline: str = "", created: float | None = None
    ) -> TournamentRecord:
        """Register a tournament; if it is, check its settings for changes, and add those it lacks."""
        created = time.time() if created is None else created
        with self.database.writing() as session:
            row = _find_tournament(session, name)
            if row is None:
                row = mapping.tournament_row(TournamentRecord(name, created, settings, outline))
                session.add(row)
            else:
                stored = self._check_settings(row, settings)
                mapping.set_settings(row, mapping.joined_settings(stored, settings), outline)
            session.flush()
            return _record(row)

    def drop_empty(self, name: str) -> None:
        """Remove a tournament if it has no games; its name and settings are free again."""
        with self.database.writing() as session:
            row = _tournament(session, name)
            games = select_columns(GAME.c.id).where(GAME.c.tournament_id == row.id).limit(1)
            if session.execute(games).first() is None:
                session.delete(row)

    def check_settings(self, name: str, settings: Mapping[str, str]) -> None:
        """Raise `ChangedSettings` if a stored tournament has other settings, as `begin_tournament` does."""
        with self.database.reading() as session:
            self._check_settings(_tournament(session, name), settings)

    def _check_settings(self, row: TournamentRow, settings: Mapping[str, str]) -> Mapping[str, str]:
        """Compare settings with the stored settings of a tournament, and return the stored ones."""
        stored = _record(row).settings
        for key, value in settings.items():
            if stored.get(key, value) != value and key not in mapping.NOTES:
                raise ChangedSettings(
                    f"{self.address}: tournament {row.name!r} was started with {key} = {stored[key]}, and now"
                    f" it is {value}; set it back, or give the tournament another name"
                )
        return stored

    def outline(self, name: str) -> str:
        """Return the stored pairing plan of a tournament, as `Plan.encode` writes it; "" for none."""
        with self.database.reading() as session:
            row = _find_tournament(session, name)
            return "" if row is None else _record(row).outline

    def settings(self, name: str) -> Mapping[str, str]:
        """Return the settings of a tournament; the values of a note are separated by `mapping.SEPARATOR`."""
        with self.database.reading() as session:
            return _record(_tournament(session, name)).settings

    def mean_duration(self, tournament: str) -> float | None:
        """Return the mean duration of the played games of a tournament in seconds; None if there are none."""
        conditions = [*queries.game_conditions(tournament), queries.SCORED, GAME.c.duration > 0]
        nanoseconds = self.database.value(select_columns(func.avg(GAME.c.duration)).where(*conditions))
        return None if nanoseconds is None else float(nanoseconds) / 1e9

    def tournaments(self) -> tuple[TournamentInfo, ...]:
        """Return all tournaments in the order in which they came into the database."""
        scored = GAME.c.tournament_id == TOURNAMENT.c.id, queries.SCORED_BY_INDEX
        games = select_columns(func.count()).select_from(GAME).where(*scored).scalar_subquery()
        columns = (TOURNAMENT.c.name, TOURNAMENT.c.created, games, TOURNAMENT.c.rated)
        query = select_columns(*columns).order_by(TOURNAMENT.c.id)
        return tuple(TournamentInfo(*row) for row in self.database.rows(query))

    def list_of(self, tournament: str | None) -> GameFilter:
        """Return which rating list has the games of a tournament."""
        query = select_columns(TOURNAMENT.c.id).where(TOURNAMENT.c.name == tournament, TOURNAMENT.c.remote)
        return ALL_GAMES if self.database.value(query) is None else REMOTE_GAMES

    def marks(self, last: int | None = None) -> dict[str, Hashable]:
        """Return a value of each tournament that changes with its settings and its games up to ``last``.

        A game that is stored or becomes void changes it, also if the number of games stays the same.
        """
        belongs = [GAME.c.tournament_id == TOURNAMENT.c.id, *([] if last is None else [GAME.c.id <= last])]
        query = (
            select_columns(
                TOURNAMENT.c.name,
                cast(TOURNAMENT.c.settings, String),
                func.count(GAME.c.id),
                func.sum(GAME.c.checksum),
            )
            .join_from(TOURNAMENT, GAME, and_(*belongs), isouter=True)
            .group_by(TOURNAMENT.c.id)
        )
        with self.database.reading() as session:
            return {name: tuple(mark) for name, *mark in session.execute(query)}

    def claim(self, tournament: str) -> None:
        """Make sure that no other program runs this tournament, until the store is closed."""
        with self.database.reading() as session:
            number = _tournament(session, tournament).id
        assert number is not None
        self.database.claim(number, tournament)

    def add_games(
        self, records: Sequence[GameRecord], *, again: bool = False, numbered: bool = False
    ) -> list[GameRecord]:
        """Store games in one transaction, all or none; return those that it stored, with their numbers.

        After `StoreUnavailable` the games may be stored or not; with ``again`` those that are stored are left
        out. With ``numbered`` each game keeps its number, and these ascend after all stored numbers.
        """
        with self.database.writing() as session:
            # An earlier transaction may have stored the games. It has ended, because this one has its lock.
            missing = _not_stored(session, records) if again else records
            return _insert(session, self.address, missing, numbered=numbered) if missing else []

    def append(self, game: GameRecord) -> GameRecord:
        """Store a game as the last one of its tournament; return it with its numbers."""
        conditions = queries.game_conditions(game.result.tournament)
        following = select_columns(func.coalesce(func.max(GAME.c.number) + 1, 0)).where(*conditions)
        with self.database.writing() as session:  # no other program stores a game meanwhile
            number = session.execute(following).scalar_one()
            last = replace(game, result=replace(game.result, number=number))
            return _insert(session, self.address, [last], numbered=False)[0]

    def make_void(self, games: Iterable[int], detail: str) -> None:
        """Make games that count void, by number, so that they are played again; ``detail`` says why.

        A damaged game is an error, because its new checksum would hide the damage.
        """
        numbers = sorted(games)
        with self.database.writing() as session:
            for first in range(0, len(numbers), GAMES_AT_ONCE):
                some = numbers[first : first + GAMES_AT_ONCE]
                sound = queries.games(session, [GAME.c.id.in_(some)], verify=True)
                void = [_void(game, detail) for game in sound]
                seats = update(PLAYER).where(PLAYER.c.game_id.in_(some))
                session.execute(seats.values(rank=None, points=0.0, forfeit=None))
                word = Termination.VOID.value
                values = {"reason": word, "termination": word, "detail": detail}
                session.execute(
                    update(GAME)
                    .where(GAME.c.id == bindparam("void"))
                    .values(checksum=bindparam("sum"), **values),
                    [{"void": game.result.id, "sum": mapping.checksum(game)} for game in void],
                )

    def versions(self) -> set[tuple[str, str]]:
        """Return the names and versions of all engines."""
        with self.database.reading() as session:
            return {engine[:2] for engine in queries.all_engines(session).values()}

    def last_uses(self, tournament: str) -> dict[str, EngineUse]:
        """Return how each engine was in its last game of a tournament that counts, by its name."""
        query = (
            select_columns(PLAYER.c.engine_id, PLAYER.c.time_control)
            .join_from(GAME, PLAYER)
            .where(queries.SCORED, *queries.game_conditions(tournament))
            .group_by(PLAYER.c.engine_id, PLAYER.c.time_control)
            .order_by(func.max(GAME.c.id))
        )
        uses: dict[str, EngineUse] = {}
        with self.database.reading() as session:
            engines = queries.all_engines(session)
            for engine, time_control in queries.checked_rows(session, query):
                if engine not in engines:
                    raise InvalidRow(f"engine {engine} of a game is missing")
                name, version, program, options = engines[engine]
                uses[name] = EngineUse(name, version, program, mapping.options_from(options), time_control)
        return uses

    def workers(self, tournament: str) -> list[str]:
        """Return the workers that played games of a tournament, sorted; "" is the machine of `arena run`."""
        conditions = [*queries.game_conditions(tournament), queries.SCORED]
        query = select_columns(GAME.c.worker).where(*conditions).distinct().order_by(GAME.c.worker)
        return [worker for (worker,) in self.database.rows(query)]

    def finished(self, tournament: str) -> frozenset[str]:
        """Return the keys of the games of a tournament that count."""
        query = select_columns(GAME.c.key).where(*queries.game_conditions(tournament), queries.SCORED)
        return frozenset(key for (key,) in self.database.rows(query))

    def numbers(self, tournament: str) -> dict[int, str]:
        """Return the keys of all games of a tournament, also of void ones, by their numbers."""
        conditions = queries.game_conditions(tournament)
        query = select_columns(GAME.c.number, GAME.c.key).where(*conditions).order_by(GAME.c.id)
        return dict(map(tuple, self.database.rows(query)))

    def endings(self, tournament: str) -> list[GameEnding]:
        """Return the endings of the games of a tournament that count, sorted by number and key.

        This is four times as quick as `results`.
        """
        columns = list(GAME.c["number", "key", "game", "termination"])
        conditions = queries.game_conditions(tournament)
        with self.database.reading() as session, mapping.nothing_missing():
            unsorted = [
                GameEnding(number, key, intern(game), mapping.TERMINATIONS[word], score)
                for number, key, game, word, score in queries.scores(session, columns, conditions)
            ]
        return sorted(unsorted, key=itemgetter(0, 1))

    def results(self, *, tournament: str | None = None, game: str | None = None) -> list[GameResult]:
        """Return the results of games, also void ones, in schedule order (see `ScheduleOrder`)."""
        with self.database.reading() as session:
            return queries.results(session, queries.game_conditions(tournament, game))

    def started(self, tournament: str | None = None, *, since: int = 0) -> dict[int, float]:
        """Return when each game from a number on started, by its number; in seconds since 1970."""
        conditions = [*queries.game_conditions(tournament), GAME.c.id >= since]
        query = select_columns(GAME.c.id, GAME.c.started).where(*conditions)
        return dict(map(tuple, self.database.rows(query)))

    def tally(
        self, *, tournament: str | None = None, game: str | None = None, only: GameFilter = ALL_GAMES
    ) -> dict[str, GameScoreCounts]:
        """Count how often each game score occurs, by game id in the order of the schedule.

        Without a tournament these are the games of all that are rated.
        """
        conditions = [*queries.game_conditions(tournament, game), *queries.filter_conditions(only)]
        if tournament is None:
            conditions.append(queries.rated(only))
        counts: defaultdict[str, GameScoreCounts] = defaultdict(Counter)
        with self.database.reading() as session:
            for game_id, score, games in queries.scores(session, [GAME.c.game], conditions, counted=True):
                counts[game_id][score] += games  # two versions of an engine are one engine here
            if len(counts) < 2:
                return dict(counts)
            ids = (
                select_columns(GAME.c.game)
                .outerjoin(TOURNAMENT, TOURNAMENT.c.id == GAME.c.tournament_id)  # it may be missing
                .where(queries.SCORED, *conditions)
                .group_by(GAME.c.game, GAME.c.tournament_id, TOURNAMENT.c.id)
                .order_by(*queries.OLDEST_FIRST, GAME.c.tournament_id, func.min(GAME.c.number))
            )
            return {game_id: counts[game_id] for game_id in session.execute(ids).scalars()}

    def time_controls(self) -> list[str]:
        """Return the time controls of all games that count, the most frequent first."""
        query = (
            select_columns(PLAYER.c.time_control)
            .join_from(GAME, PLAYER)
            .where(queries.SCORED)
            .group_by(PLAYER.c.time_control)
            .order_by(func.count().desc(), PLAYER.c.time_control)
        )
        return [control for (control,) in self.database.rows(query)]

    def stored_game(self, tournament: str, number: int) -> int | None:
        """Return the number (`GameResult.id`) of the newest game with a place in the schedule, from 0."""
        conditions = [*queries.game_conditions(tournament), GAME.c.number == number]
        newest: int | None = self.database.value(select_columns(func.max(GAME.c.id)).where(*conditions))
        return newest

    def game(self, number: int) -> GameRecord:
        """Return the whole game with a number (`GameResult.id`), verified; raise `ArenaError` for none."""
        with self.database.reading() as session:
            for record in queries.games(session, [GAME.c.id == number], verify=True):
                return record
            last = queries.last_game(session)
        last_game = f"the last one is game {last}" if last else "the database has no games yet"
        raise ArenaError(f"{self.address}: there is no game {number}; {last_game}")


def database_type(address: Address) -> type[Database]:
    """Return the class of the database at an address."""
    if isinstance(address, Path):
        return FileDatabase
    from arena.store.postgresql import ServerDatabase  # only who uses a server installs its library

    return ServerDatabase


def _record(row: TournamentRow) -> TournamentRecord:
    return mapping.tournament_record(row.name, row.created, row.settings)


def _find_tournament(session: Session, name: str) -> TournamentRow | None:
    return session.exec(_NAMED, params={"named": name}).one_or_none()


def _tournament(session: Session, name: str) -> TournamentRow:
    row = _find_tournament(session, name)
    if row is None:
        raise InvalidRow(f"there is no tournament {name!a}")
    return row


def _not_stored(session: Session, records: Sequence[GameRecord]) -> list[GameRecord]:
    """Return the games of which no game with the same tournament, key, start and duration is stored."""
    columns = (TOURNAMENT.c.name, GAME.c.key, GAME.c.started, GAME.c.duration)
    keys = {record.result.key for record in records}
    stored = select_columns(*columns).join_from(GAME, TOURNAMENT).where(GAME.c.key.in_(keys))
    known = {tuple(row) for row in session.execute(stored)}
    return [record for record in records if _identity(record) not in known]


def _identity(record: GameRecord) -> tuple[str, str, float, int]:
    return record.result.tournament, record.result.key, record.started, record.duration


def _insert(
    session: Session, address: Address, records: Sequence[GameRecord], *, numbered: bool
) -> list[GameRecord]:
    tournaments = {name: number for number, name in queries.stored_tournaments(session).items()}
    # No other program can write before this transaction ends, so the next numbers are free.
    first = queries.last_game(session) + 1
    games = [
        mapping.as_stored(record, (record.result.id or 0) if numbered else number)
        for number, record in enumerate(records, first)
    ]
    for game in games:
        if game.result.tournament not in tournaments:
            raise StoreError(f"{address}: tournament {game.result.tournament!r} was never started")
    engines = _engine_ids(session, games)
    session.execute(
        insert(GAME), [mapping.game_values(game, tournaments[game.result.tournament]) for game in games]
    )
    session.execute(insert(PLAYER), [seat for game in games for seat in mapping.player_values(game, engines)])
    session.execute(insert(RECORD), [mapping.record_values(game) for game in games])
    return games


def _engine_ids(session: Session, games: Sequence[GameRecord]) -> dict[Engine, int]:
    """Return the ids of all engines of the games; insert a row for each new engine.

    It reads no others: a tuned engine has a row for all options with which it has played.
    """
    ids: dict[Engine, int] = {}
    for engine in sorted({mapping.engine_of(player) for game in games for player in game.result.players}):
        values = dict(zip(_IDENTITY, engine, strict=True))
        number = session.execute(_ENGINE, values).scalar()
        if number is None:
            number = session.execute(insert(ENGINE).values(values).returning(ENGINE.c.id)).scalar_one()
        ids[engine] = number
    return ids


def _void(game: GameRecord, detail: str) -> GameRecord:
    players = tuple(replace(player, rank=None, points=0.0, forfeit=None) for player in game.result.players)
    void = Termination.VOID
    return replace(
        game,
        result=replace(game.result, termination=void, reason=void.value, detail=detail, players=players),
    )
