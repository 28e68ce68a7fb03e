"""`Store`, the interface to the database: one blocking method for each thing that arena stores or reads."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Self

from sqlalchemy import delete, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from arena.address import Address
from arena.ended_games import GameEnding, GameScoreCounts
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, TournamentRecord
from arena.store import changes, mapping, queries
from arena.store.database import Database, database_at
from arena.store.door_tables import DoorTables
from arena.store.queries import (
    RATED,
    SCORED,
    SCORED_BY_INDEX,
    UNRATED,
    filter_conditions,
    game_conditions,
    played_by,
    up_to,
)
from arena.store.rows import (
    CHECKPOINT,
    GAME,
    TOURNAMENT,
    CheckpointRow,
    EngineRow,
    RatingListRow,
    TournamentRow,
)
from arena.store.values import (
    ALL_GAMES,
    Checkpoint,
    DatabaseContents,
    GameFilter,
    RatedGame,
    ScheduleOrder,
    TournamentInfo,
)

_BATCH: Final = 200  # the most games in one read. It keeps transactions short, and limits the memory.

_RECENT: Final = 10
"""The number of newest checkpoints to keep: a game that ends late makes the newest ones invalid."""

_OLD: Final = 10  # one in this many of the older checkpoints is kept


class Archive:
    """Reads the contents of a database, in the order in which they were stored."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def contents(self) -> DatabaseContents:
        """Return what the database holds besides games."""
        with self._database.reading() as session:
            tournaments = session.exec(select(TournamentRow).order_by(col(TournamentRow.id)))
            lists = [
                mapping.rating_list_record(row.game, row.settings)
                for row in session.exec(select(RatingListRow))
            ]
            changed = [record for record in lists if record.settings]
            return DatabaseContents(
                tuple(mapping.tournament_record(row.name, row.created, row.settings) for row in tournaments),
                tuple(sorted(changed, key=lambda record: record.game)),
                queries.last_game(session),
            )

    def games(
        self,
        last: int,
        *,
        after: int = 0,
        tournament: str | None = None,
        game: str | None = None,
        verify: bool = False,
    ) -> Iterator[GameRecord]:
        """Yield whole games up to number ``last`` (from `contents`) in order, with few of them in memory."""
        conditions = game_conditions(tournament, game)
        done = after
        while True:
            with self._database.reading() as session:
                page = session.connection().execute(
                    select_columns(GAME.c.id)
                    .where(GAME.c.id > done, GAME.c.id <= last, *conditions)
                    .order_by(GAME.c.id)
                    .limit(_BATCH)
                )
                numbers = list(page.scalars())
                if not numbers:
                    return
                between = GAME.c.id.between(numbers[0], numbers[-1])
                batch = queries.games(session, [between, *conditions], verify=verify)
            yield from batch
            done = numbers[-1]

    def with_keys(self, tournament: str, keys: Collection[str], *, counts: bool) -> list[GameRecord]:
        """Return the games of a tournament that have one of the keys: those that count, or the void ones."""
        counting = SCORED_BY_INDEX if counts else ~SCORED
        conditions = [*game_conditions(tournament, None), GAME.c.key.in_(keys), counting]
        with self._database.reading() as session:
            return queries.games(session, conditions)


class RatingLists:
    """The settings and checkpoints of all lists, by game id; a model has what ratings depend on."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def settings(self, game: str) -> dict[str, str]:
        """Return the settings that differ from the default; empty for a list with the default settings."""
        with self._database.reading() as session:
            row = session.get(RatingListRow, game)
            return {} if row is None else dict(mapping.rating_list_record(row.game, row.settings).settings)

    def set(self, game: str, settings: Mapping[str, str]) -> None:
        """Store all settings that differ from the default, and delete the checkpoints of the list."""
        with self._database.writing() as session:
            session.merge(RatingListRow(game=game, settings=dict(settings)))
            session.exec(delete(CHECKPOINT).where(CHECKPOINT.c.game == game))

    def checkpoint(self, game: str, model: str) -> Checkpoint | None:
        """Return the newest valid checkpoint: the games up to its place are exactly the rated games."""
        query = (
            select(CheckpointRow)
            .where(CHECKPOINT.c.game == game, CHECKPOINT.c.model == model)
            .order_by(col(CheckpointRow.games).desc())
            .execution_options(yield_per=1)  # the newest one is usually valid: do not decode the others
        )
        with self._database.reading() as session:
            for row in session.exec(query):
                checkpoint = mapping.checkpoint(row)
                if _valid(session, game, checkpoint):
                    return checkpoint
        return None

    def keep(self, game: str, model: str, checkpoints: Sequence[Checkpoint], *, every: int) -> None:
        """Store checkpoints at multiples of ``every`` games, oldest first; delete useless ones."""
        oldest, newest = checkpoints[0].games, checkpoints[-1].games
        same_list, same_model = CHECKPOINT.c.game == game, CHECKPOINT.c.model == model
        crowded = (CHECKPOINT.c.games <= newest - _RECENT * every) & (
            CHECKPOINT.c.games % (_OLD * every) != 0
        )
        outgrown = CHECKPOINT.c.games * 2 < newest
        with self._database.writing() as session:
            session.exec(delete(CHECKPOINT).where(same_list, same_model, CHECKPOINT.c.games >= oldest))
            session.add_all(mapping.checkpoint_row(game, model, checkpoint) for checkpoint in checkpoints)
            session.flush()
            useless = or_(same_model & crowded, ~same_model & outgrown)
            session.exec(delete(CHECKPOINT).where(same_list, useless))


def _valid(session: Session, game: str, checkpoint: Checkpoint) -> bool:
    query = select_columns(func.count(), func.sum(GAME.c.duration)).where(
        GAME.c.game == game, SCORED, RATED, up_to(checkpoint.place)
    )
    games, duration = session.connection().execute(query).one()
    return bool((games, duration) == (checkpoint.games, checkpoint.duration))


class Store:
    """A database of tournaments. Its methods block, so call them in a thread; any thread may.

    Every method raises `StoreError` when the database or the machine has a fault, or a row a value that arena
    never writes, and then has stored nothing; `StoreUnavailable` when the server is not there now.
    """

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, address: Address, *, create: bool) -> Self:
        """Open the database at ``address``, with the newest schema; ``create`` makes one if there is none."""
        database = database_at(address)
        try:
            database.prepare(create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def address(self) -> Address:
        """Where the database is."""
        return self._database.address

    @property
    def version(self) -> str:
        """A text that changes when something is stored; on a server, also when another database changes."""
        return self._database.version

    @property
    def rating_lists(self) -> RatingLists:
        """The settings and checkpoints of rating lists."""
        return RatingLists(self._database)

    @property
    def archive(self) -> Archive:
        """All contents of the database, to read in order."""
        return Archive(self._database)

    @property
    def database(self) -> Database:
        """The open database, for a room that reads and writes rows of its own."""
        return self._database

    @property
    def doors(self) -> DoorTables:
        """What is stored of the doors of all tournaments."""
        return DoorTables(self._database)

    def hurry(self) -> None:
        """From now on hardly wait for another program that writes: the user wants this one to end."""
        self._database.hurry()

    def close(self) -> None:
        """Close the database. No other call may be running."""
        self._database.close()

    def begin_tournament(
        self, name: str, settings: Mapping[str, str], outline: str = "", created: float | None = None
    ) -> TournamentRecord:
        """Register a tournament; if it is, check its settings for changes, and add those it lacks."""
        record = TournamentRecord(name, time.time() if created is None else created, settings, outline)
        with self._database.writing() as session:
            return changes.begin(session, self.address, record)

    def check_settings(self, name: str, settings: Mapping[str, str]) -> None:
        """Raise `ChangedSettings` if a stored tournament has other settings, as `begin_tournament` does."""
        with self._database.reading() as session:
            changes.check_settings(self.address, changes.tournament(session, name), settings)

    def outline(self, name: str) -> str:
        """Return the stored pairing plan of a tournament, as `Plan.encode` writes it; "" for none."""
        with self._database.reading() as session:
            row = changes.tournament(session, name)
            return mapping.tournament_record(row.name, row.created, row.settings).outline

    def mean_duration(self, tournament: str) -> float | None:
        """Return the mean duration of the played games of a tournament in seconds; None if there are none."""
        conditions = [*game_conditions(tournament, None), SCORED, GAME.c.duration > 0]
        with self._database.reading() as session:
            mean = session.connection().execute(select_columns(func.avg(GAME.c.duration)).where(*conditions))
            nanoseconds = mean.scalar()
        return None if nanoseconds is None else float(nanoseconds) / 1e9

    def tournaments(self) -> tuple[TournamentInfo, ...]:
        """Return all tournaments in the order in which they came into the database."""
        scored = GAME.c.tournament_id == TOURNAMENT.c.id, SCORED_BY_INDEX
        games = select_columns(func.count()).select_from(GAME).where(*scored).scalar_subquery()
        columns = (TOURNAMENT.c.name, TOURNAMENT.c.created, games, ~UNRATED)
        query = select_columns(*columns).order_by(TOURNAMENT.c.id)
        with self._database.reading() as session:
            return tuple(TournamentInfo(*row) for row in queries.checked_rows(session.connection(), query))

    def claim(self, tournament: str) -> None:
        """Make sure that no other program runs this tournament on a server, until the store is closed."""
        with self._database.reading() as session:
            number = changes.tournament(session, tournament).id
        assert number is not None
        self._database.claim(number, tournament)

    def add_games(
        self, records: Sequence[GameRecord], *, again: bool = False, numbered: bool = False
    ) -> None:
        """Store games in one transaction: all of them, or none.

        After `StoreUnavailable` the games may be stored or not; with ``again`` those that are stored are left
        out. With ``numbered`` each game keeps its number, which must ascend after those of all stored games.
        """
        if records:
            changes.add_games(self._database, records, again=again, numbered=numbered)

    def count_of_worker(self, tournament: str, worker: str) -> int:
        """Return the number of games of a tournament that count and were played by a worker."""
        conditions = [*game_conditions(tournament, None), SCORED, GAME.c.worker == worker]
        query = select_columns(func.count(GAME.c.id)).where(*conditions)
        with self._database.reading() as session:
            return int(session.connection().execute(query).scalar_one())

    def make_void(self, tournament: str, worker: str) -> int:
        """Make all games of a worker in a tournament void, so that they are played again; return how many."""
        conditions = [*game_conditions(tournament, None), GAME.c.worker == worker]
        with self._database.writing() as session:
            detail = f"taken out with all games of the worker {worker}"
            return changes.make_void(session, conditions, detail)

    def programs(self) -> dict[tuple[str, str], frozenset[str]]:
        """Return the known hashes of the programs of each engine, by its name and version."""
        hashes: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        with self._database.reading() as session:
            for row in session.exec(select(EngineRow).where(EngineRow.program != "")):
                hashes[row.name, row.version].add(row.program)
        return {engine: frozenset(programs) for engine, programs in hashes.items()}

    def last_options(self, tournament: str) -> dict[str, dict[str, str]]:
        """Return the options of each engine in its last game of a tournament, if they are known."""
        with self._database.reading() as session:
            return queries.last_options(session, tournament)

    def finished(self, tournament: str) -> frozenset[str]:
        """Return the keys of the games of a tournament that count."""
        with self._database.reading() as session:
            return queries.finished(session, tournament)

    def endings(self, tournament: str) -> list[GameEnding]:
        """Return the endings of the games of a tournament that count: four times as quick as `results`."""
        with self._database.reading() as session:
            return queries.endings(session, game_conditions(tournament, None))

    def results(self, *, tournament: str | None = None, game: str | None = None) -> list[GameResult]:
        """Return the results of games, also void ones, in schedule order (see `ScheduleOrder`)."""
        with self._database.reading() as session:
            return queries.results(session, game_conditions(tournament, game))

    def newest(
        self,
        most: int,
        *,
        tournament: str | None = None,
        game: str | None = None,
        players: Collection[str] = (),
        before: int = 0,
    ) -> list[GameResult]:
        """Return at most ``most`` results of games of all ``players``, the newest first, also void ones."""
        conditions = [*game_conditions(tournament, game), *map(played_by, players)]
        if before:
            conditions.append(GAME.c.id < before)
        ids = select_columns(GAME.c.id).where(*conditions).order_by(GAME.c.id.desc()).limit(most)
        with self._database.reading() as session:
            found = queries.results(session, [GAME.c.id.in_(ids)])
        return sorted(found, key=lambda result: -(result.id or 0))

    def tally(
        self, *, tournament: str | None = None, game: str | None = None, only: GameFilter = ALL_GAMES
    ) -> dict[str, GameScoreCounts]:
        """Count how often each game score occurs, by game id in the order of the schedule.

        Without a tournament these are the games of all that are rated.
        """
        conditions = [*game_conditions(tournament, game), *filter_conditions(only)]
        if tournament is None:
            conditions.append(RATED)
        with self._database.reading() as session:
            return queries.tallies(session, conditions)

    def repeated(self, game: str, *, only: GameFilter = ALL_GAMES) -> int:
        """Count the games of an id that repeat an earlier one (same seats, opening and moves); it is slow."""
        conditions = [*game_conditions(None, game), RATED, *filter_conditions(only)]
        with self._database.reading() as session:
            return queries.repeated(session, conditions)

    def opening_groups(self, game: str, *, only: GameFilter = ALL_GAMES) -> list[GameScoreCounts]:
        """Return the games of an id that count in groups: those of the same engines on one opening."""
        conditions = [*game_conditions(None, game), RATED, *filter_conditions(only)]
        with self._database.reading() as session:
            return queries.opening_groups(session, conditions)

    def time_controls(self) -> list[str]:
        """Return the time controls of all games that count, the most frequent first."""
        with self._database.reading() as session:
            return queries.time_controls(session)

    def scored(
        self, game: str, after: ScheduleOrder | None = None, *, only: GameFilter = ALL_GAMES
    ) -> list[RatedGame]:
        """Return the games of one id that count, in schedule order."""
        conditions = [*game_conditions(None, game), RATED, *filter_conditions(only)]
        with self._database.reading() as session:
            return queries.scored(session, conditions, after)

    def stored_game(self, tournament: str, number: int) -> int | None:
        """Return the number (`GameResult.id`) of the newest game with a place in the schedule, from 0."""
        with self._database.reading() as session:
            return queries.stored_game(session, tournament, number)

    def game(self, number: int) -> GameRecord:
        """Return the whole game with a number (`GameResult.id`), verified; raise `ArenaError` for none."""
        with self._database.reading() as session:
            for record in queries.games(session, [GAME.c.id == number], verify=True):
                return record
            last = queries.last_game(session)
        raise ArenaError(f"{self.address}: there is no game {number}; {_last_game_text(last)}")


def _last_game_text(last: int) -> str:
    return f"the last one is game {last}" if last else "the database has no games yet"
