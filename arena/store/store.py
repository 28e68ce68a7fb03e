"""`Store`, the interface to the database: one blocking method for each thing that arena stores or reads."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import select

from arena.ended_games import GameEnding, GameScoreCounts
from arena.errors import StoreError
from arena.model import GameRecord, GameResult, TournamentRecord
from arena.store import mapping, queries
from arena.store.archive import Archive
from arena.store.database import Database
from arena.store.inserts import insert_games
from arena.store.queries import SCORED, game_conditions
from arena.store.rating_lists import RatingLists
from arena.store.rows import GAME, TOURNAMENT, EngineRow, TournamentRow
from arena.store.schema import prepare
from arena.store.values import RatedGame, ScheduleOrder, TournamentInfo

__all__ = ["Store"]


class Store:
    """A database of tournaments. Its methods block, so call them in a thread. Any thread may call them.

    Every method raises `StoreError` when the file or the machine has a fault, or when a row holds a value
    that arena never writes. Then the call has stored nothing, and all earlier rows are still there.
    """

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path, *, create: bool) -> Self:
        """Open the database in ``path``; with ``create`` make a new one if there is none.

        A database with an older schema is brought up to date.

        Raises:
            StoreError: there is none, or the file is no database of arena; the message says what to do.
        """
        database = Database(path)
        try:
            prepare(database, create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @property
    def rating_lists(self) -> RatingLists:
        """The settings and checkpoints of rating lists."""
        return RatingLists(self._database)

    @property
    def archive(self) -> Archive:
        """All contents of the file, to read in order."""
        return Archive(self._database)

    def close(self) -> None:
        """Close the file. No other call may be running."""
        self._database.close()

    def begin_tournament(
        self, name: str, settings: Mapping[str, str], outline: str = "", created: float | None = None
    ) -> None:
        """Register a tournament. If it is registered already, check that its settings have not changed.

        A setting that the stored tournament lacks is added: an older version of arena did not have it.

        Args:
            name: the name of the tournament.
            settings: the settings that must never change.
            outline: the pairing plan as text, see `outline`. It replaces the stored one.
            created: when the tournament began, in seconds since the epoch; None for now.

        Raises:
            StoreError: a setting has another value than at the beginning. The message shows both values.
        """
        created = time.time() if created is None else created
        with self._database.writing() as session:
            row = session.exec(select(TournamentRow).where(TournamentRow.name == name)).one_or_none()
            if row is None:
                session.add(mapping.tournament_row(TournamentRecord(name, created, settings, outline)))
                return
            stored = mapping.tournament_record(row).settings
            for key, value in settings.items():
                if stored.get(key, value) != value:
                    raise StoreError(
                        f"{self.path}: tournament {name!r} was begun with {key} = {stored[key]}, and now it"
                        f" is {value}; set it back, or give the tournament another name"
                    )
            row.settings = mapping.tournament_settings({**stored, **settings}, outline)

    def outline(self, name: str) -> str:
        """Return the stored pairing plan of a tournament, as `PairingPlan.encode` writes it; "" for none."""
        with self._database.reading() as session:
            row = session.exec(select(TournamentRow).where(TournamentRow.name == name)).one()
            return mapping.tournament_record(row).outline

    def tournaments(self) -> tuple[TournamentInfo, ...]:
        """Return all tournaments in the order in which they came into the database."""
        query = (
            select_columns(TOURNAMENT.c.name, TOURNAMENT.c.created, func.count(GAME.c.id))
            .select_from(TOURNAMENT.outerjoin(GAME, (GAME.c.tournament_id == TOURNAMENT.c.id) & SCORED))
            .group_by(TOURNAMENT.c.id)
            .order_by(TOURNAMENT.c.id)
        )
        with self._database.reading() as session:
            return tuple(TournamentInfo(*row) for row in session.connection().execute(query))

    def add_games(self, records: Sequence[GameRecord]) -> None:
        """Store games in one transaction: all of them, or none.

        Raises:
            StoreError: a tournament was never begun, or another game that counts has the same key.
        """
        if records:
            insert_games(self._database, records)

    def programs(self) -> dict[tuple[str, str], frozenset[str]]:
        """Return the known hashes of the programs of each engine, by its name and version."""
        hashes: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        with self._database.reading() as session:
            for row in session.exec(select(EngineRow).where(EngineRow.program != "")):
                hashes[row.name, row.version].add(row.program)
        return {engine: frozenset(programs) for engine, programs in hashes.items()}

    def finished(self, tournament: str) -> frozenset[str]:
        """Return the keys of the games of a tournament that count."""
        with self._database.reading() as session:
            return queries.finished(session, tournament)

    def endings(self, tournament: str) -> list[GameEnding]:
        """Return the endings of the games of a tournament that count, sorted by number and key.

        This takes at most a quarter of the time of `results`.
        """
        with self._database.reading() as session:
            return queries.endings(session, game_conditions(tournament, None))

    def results(self, *, tournament: str | None = None, game: str | None = None) -> list[GameResult]:
        """Return the results of games, also void ones, in schedule order (see `ScheduleOrder`).

        Args:
            tournament: only games of this tournament.
            game: only games of this id.
        """
        with self._database.reading() as session:
            return queries.results(session, game_conditions(tournament, game))

    def tally(self, *, tournament: str | None = None, game: str | None = None) -> dict[str, GameScoreCounts]:
        """Count how often each game score occurs, by game id; the ids are in the order of the schedule.

        Args:
            tournament: only games of this tournament.
            game: only games of this id.
        """
        with self._database.reading() as session:
            return queries.tallies(session, game_conditions(tournament, game))

    def scored(self, game: str, after: ScheduleOrder | None = None) -> list[RatedGame]:
        """Return the games of one id that count, in schedule order; with ``after`` only those after it."""
        with self._database.reading() as session:
            return queries.scored(session, game, after)

    def game(self, number: int) -> GameRecord | None:
        """Return the whole game with a number (`GameResult.id`); None if there is no such game."""
        with self._database.reading() as session:
            return next(iter(queries.games(session, [GAME.c.id == number])), None)
