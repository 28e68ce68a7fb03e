"""`Store`, the interface to the database: one blocking method for each thing that arena stores or reads."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Self

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import select

from arena.address import Address
from arena.ended_games import GameEnding, GameScoreCounts
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, TournamentRecord
from arena.store import chosen_games, queries, registration, voiding
from arena.store.archive import Archive
from arena.store.checksums import verify_small
from arena.store.database import Database
from arena.store.door_copies import DoorTables
from arena.store.inserts import insert_games
from arena.store.mapping import whole_rows
from arena.store.opening import database_at
from arena.store.queries import RATED, SCORED, SCORED_BY_INDEX, UNRATED, game_conditions, played_by
from arena.store.rating_lists import RatingLists
from arena.store.rows import GAME, TOURNAMENT, EngineRow
from arena.store.values import ALL_GAMES, GameFilter, RatedGame, ScheduleOrder, TournamentInfo

__all__ = ["Store"]


class Store:
    """A database of tournaments. Its methods block, so call them in a thread. Any thread may call them.

    Every method raises `StoreError` when the database or the machine has a fault, or when a row holds a value
    that arena never writes. Then the call has stored nothing, and all earlier rows are still there. It raises
    `StoreUnavailable` when the server is not there now.
    """

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, address: Address, *, create: bool) -> Self:
        """Open the database at ``address``; with ``create`` make a new one if there is none.

        On a server, an empty database is made ours. A database with an older schema is brought up to date.

        Raises:
            StoreError: there is none, or it is no database of arena; the message says what to do.
        """
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
        """Register a tournament. If it is registered already, check that its settings have not changed.

        A setting that the stored tournament lacks is added: an older version of arena did not have it.

        Args:
            name: the name of the tournament.
            settings: the settings that must never change.
            outline: the pairing plan as text, see `outline`. It replaces the stored one.
            created: when the tournament began, in seconds since the epoch; None for now.

        Returns:
            The tournament as it is stored now.

        Raises:
            ChangedSettings: a setting has another value than at the beginning. The message shows both values.
        """
        record = TournamentRecord(name, time.time() if created is None else created, settings, outline)
        with self._database.writing() as session:
            return registration.begin(session, self.address, record)

    def check_settings(self, name: str, settings: Mapping[str, str]) -> None:
        """Check that a stored tournament has these settings.

        Raises:
            ChangedSettings: as in `begin_tournament`.
        """
        with self._database.reading() as session:
            registration.check_settings(self.address, registration.tournament(session, name), settings)

    def outline(self, name: str) -> str:
        """Return the stored pairing plan of a tournament, as `PairingPlan.encode` writes it; "" for none."""
        with self._database.reading() as session:
            return whole_rows.tournament_record(registration.tournament(session, name)).outline

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
            verify_small(session.connection())
            return tuple(TournamentInfo(*row) for row in session.connection().execute(query))

    def claim(self, tournament: str) -> None:
        """Make sure that no other program runs this tournament, until the store is closed.

        Only a server knows who uses it; for a file this does nothing.

        Raises:
            StoreError: another program runs it; the message says which one, and since when.
        """
        with self._database.reading() as session:
            number = registration.tournament(session, tournament).id
        assert number is not None
        self._database.claim(number, tournament)

    def add_games(
        self, records: Sequence[GameRecord], *, again: bool = False, numbered: bool = False
    ) -> None:
        """Store games in one transaction: all of them, or none.

        Args:
            records: the games.
            again: after `StoreUnavailable` these games may be stored already. Leave out those that are.
            numbered: each game keeps its number (`GameResult.id`). The numbers must ascend, and be greater
                than those of all stored games.

        Raises:
            StoreError: a tournament was never begun, or another game that counts has the same key.
            StoreUnavailable: the server is not there. The games may be stored or not; call this with
                ``again`` to find out.
        """
        if records:
            insert_games(self._database, records, again=again, numbered=numbered)

    def count_of_worker(self, tournament: str, worker: str) -> int:
        """Return the number of games of a tournament that count and were played by a worker."""
        return voiding.count_of_worker(self._database, tournament, worker)

    def make_void(self, tournament: str, worker: str) -> int:
        """Make all games of a worker in a tournament void, so that they are played again.

        Returns:
            The number of games.
        """
        return voiding.make_void(self._database, tournament, worker)

    def programs(self) -> dict[tuple[str, str], frozenset[str]]:
        """Return the known hashes of the programs of each engine, by its name and version."""
        hashes: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        with self._database.reading(verify=True) as session:
            for row in session.exec(select(EngineRow).where(EngineRow.program != "")):
                hashes[row.name, row.version].add(row.program)
        return {engine: frozenset(programs) for engine, programs in hashes.items()}

    def last_options(self, tournament: str) -> dict[str, dict[str, str]]:
        """Return the options of each engine in its last game of a tournament, if they are known."""
        with self._database.reading(verify=True) as session:
            return queries.last_options(session, tournament)

    def finished(self, tournament: str) -> frozenset[str]:
        """Return the keys of the games of a tournament that count."""
        with self._database.reading(verify=True) as session:
            return queries.finished(session, tournament)

    def endings(self, tournament: str) -> list[GameEnding]:
        """Return the endings of the games of a tournament that count, sorted by number and key.

        This takes at most a quarter of the time of `results`.
        """
        with self._database.reading(verify=True) as session:
            return queries.endings(session, game_conditions(tournament, None))

    def results(self, *, tournament: str | None = None, game: str | None = None) -> list[GameResult]:
        """Return the results of games, also void ones, in schedule order (see `ScheduleOrder`).

        Args:
            tournament: only games of this tournament.
            game: only games of this id.
        """
        with self._database.reading(verify=True) as session:
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
        """Return results of games, the newest first, also of void games.

        Args:
            most: the most games to return.
            tournament: only games of this tournament.
            game: only games of this id.
            players: only games in which all these engines play.
            before: only games with a smaller number; 0 for all.
        """
        conditions = [*game_conditions(tournament, game), *map(played_by, players)]
        if before:
            conditions.append(GAME.c.id < before)
        ids = select_columns(GAME.c.id).where(*conditions).order_by(GAME.c.id.desc()).limit(most)
        with self._database.reading() as session:
            verify_small(session.connection())
            found = queries.results(session, [GAME.c.id.in_(ids)])
        return sorted(found, key=lambda result: -(result.id or 0))

    def tally(
        self, *, tournament: str | None = None, game: str | None = None, only: GameFilter = ALL_GAMES
    ) -> dict[str, GameScoreCounts]:
        """Count how often each game score occurs, by game id; the ids are in the order of the schedule.

        Args:
            tournament: only games of this tournament; by default of all that are rated.
            game: only games of this id.
            only: only games that meet these conditions.
        """
        conditions = [*game_conditions(tournament, game), *chosen_games.filter_conditions(only)]
        if tournament is None:
            conditions.append(RATED)
        with self._database.reading(verify=True) as session:
            return queries.tallies(session, conditions)

    def repeated(self, game: str, *, only: GameFilter = ALL_GAMES) -> int:
        """Count the games of an id that repeat an earlier one: the same seats, opening and moves.

        This reads all moves, so it takes some seconds for a hundred thousand games.

        Args:
            game: the game id.
            only: only games that meet these conditions.
        """
        conditions = [*game_conditions(None, game), RATED, *chosen_games.filter_conditions(only)]
        with self._database.reading() as session:
            verify_small(session.connection())
            return chosen_games.repeated(session, conditions)

    def opening_groups(self, game: str, *, only: GameFilter = ALL_GAMES) -> list[GameScoreCounts]:
        """Return the games of an id that count in groups: those of the same engines on one opening.

        Args:
            game: the game id.
            only: only games that meet these conditions.
        """
        conditions = [*game_conditions(None, game), RATED, *chosen_games.filter_conditions(only)]
        with self._database.reading(verify=True) as session:
            return chosen_games.opening_groups(session, conditions)

    def time_controls(self) -> list[str]:
        """Return the time controls of all games that count, the most frequent first."""
        with self._database.reading(verify=True) as session:
            return chosen_games.time_controls(session)

    def scored(
        self, game: str, after: ScheduleOrder | None = None, *, only: GameFilter = ALL_GAMES
    ) -> list[RatedGame]:
        """Return the games of one id that count, in schedule order.

        Args:
            game: the game id.
            after: only games after this place.
            only: only games that meet these conditions.
        """
        conditions = [*game_conditions(None, game), RATED, *chosen_games.filter_conditions(only)]
        with self._database.reading(verify=True) as session:
            return queries.scored(session, conditions, after)

    def stored_game(self, tournament: str, number: int) -> int | None:
        """Return the number (`GameResult.id`) of the newest game with a place in the schedule, from 0.

        Returns:
            None if no such game is stored.
        """
        with self._database.reading() as session:
            return queries.stored_game(session, tournament, number)

    def game(self, number: int) -> GameRecord:
        """Return the whole game with a number (`GameResult.id`).

        Raises:
            ArenaError: there is no such game. The message says which number is the last.
        """
        with self._database.reading() as session:
            verify_small(session.connection())
            for record in queries.games(session, [GAME.c.id == number]):
                return record
            last = queries.last_game(session)
        raise ArenaError(f"{self.address}: there is no game {number}; {_last_game_text(last)}")


def _last_game_text(last: int) -> str:
    return f"the last one is game {last}" if last else "the database has no games yet"
