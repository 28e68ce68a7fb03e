"""The store: everything that arena stores and reads, one blocking call each."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import select

from arena.errors import StoreError
from arena.model import GameRecord, GameResult, TournamentRecord
from arena.scoring import GameEnding, GameScoreCounts
from arena.store import mapping, queries
from arena.store.archive import Archive
from arena.store.database import Database
from arena.store.inserts import insert_games
from arena.store.queries import SCORED, chosen
from arena.store.rating_lists import RatingLists
from arena.store.rows import GAME, TOURNAMENT, EngineRow, TournamentRow
from arena.store.schema import prepare
from arena.store.values import RatedGame, ScheduleOrder, TournamentInfo

__all__ = ["Store"]


class Store:
    """A database of tournaments. Its methods block, so call them in a thread; any thread will do.

    Every method raises `StoreError` when the file or the machine has a fault, or when a row holds a value
    that arena never writes. The call then stores nothing, and everything that was stored before stays.
    """

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path, *, create: bool) -> Self:
        """Open the database in ``path``; with ``create`` make a new one if there is none.

        A database of an older schema is brought up to date.

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
        """What rating lists keep beside the games."""
        return RatingLists(self._database)

    @property
    def archive(self) -> Archive:
        """Everything in the file, to be read from one end to the other."""
        return Archive(self._database)

    def close(self) -> None:
        """Close the file; no call may be under way."""
        self._database.close()

    def begin_tournament(
        self, name: str, settings: Mapping[str, str], outline: str = "", created: float | None = None
    ) -> None:
        """Register a tournament; if it was begun before, compare its settings with those it was begun with.

        A setting that the tournament was begun without, by a version of arena that did not have it, is added.

        Args:
            name: its name.
            settings: what must never change.
            outline: what `outline` returns from now on.
            created: when it was begun, in seconds since the epoch; None for now.

        Raises:
            StoreError: it was begun with another value of a setting; the message has both values.
        """
        created = time.time() if created is None else created
        with self._database.writing() as session:
            row = session.exec(select(TournamentRow).where(TournamentRow.name == name)).one_or_none()
            if row is None:
                session.add(mapping.tournament_row(TournamentRecord(name, created, settings, outline)))
                return
            begun = mapping.tournament_record(row).settings
            for key, value in settings.items():
                if begun.get(key, value) != value:
                    raise StoreError(
                        f"{self.path}: tournament {name!r} was begun with {key} = {begun[key]}, and now it is"
                        f" {value}; set it back, or give the tournament another name"
                    )
            row.settings = mapping.tournament_settings({**begun, **settings}, outline)

    def outline(self, name: str) -> str:
        """The outline with which a tournament was begun last; "" if it had none."""
        with self._database.reading() as session:
            row = session.exec(select(TournamentRow).where(TournamentRow.name == name)).one()
            return mapping.tournament_record(row).outline

    def tournaments(self) -> tuple[TournamentInfo, ...]:
        """All tournaments in the order in which they were begun."""
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
            StoreError: a game's tournament was never begun, or its key has a game already that counts.
        """
        if records:
            insert_games(self._database, records)

    def programs(self) -> dict[tuple[str, str], frozenset[str]]:
        """The programs that played as an engine, by its name and version; programs not known are left out."""
        known: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        with self._database.reading() as session:
            for row in session.exec(select(EngineRow).where(EngineRow.program != "")):
                known[row.name, row.version].add(row.program)
        return {engine: frozenset(programs) for engine, programs in known.items()}

    def finished(self, tournament: str) -> frozenset[str]:
        """The keys of the games that were played and count."""
        with self._database.reading() as session:
            return queries.finished(session, tournament)

    def endings(self, tournament: str) -> list[GameEnding]:
        """The games of a tournament that count, by number and key.

        This takes a quarter of the time of `results`, or less.
        """
        with self._database.reading() as session:
            return queries.endings(session, chosen(tournament, None))

    def results(self, *, tournament: str | None = None, game: str | None = None) -> list[GameResult]:
        """How games ended, void ones too, in schedule order: by tournament as begun, number, key.

        Args:
            tournament: only games of this tournament.
            game: only games of this id.
        """
        with self._database.reading() as session:
            return queries.results(session, chosen(tournament, game))

    def tally(self, *, tournament: str | None = None, game: str | None = None) -> dict[str, GameScoreCounts]:
        """How often each outcome came up, by game id; the ids are in the order of the schedule.

        Args:
            tournament: only games of this tournament.
            game: only games of this id.
        """
        with self._database.reading() as session:
            return queries.tallies(session, chosen(tournament, game))

    def scored(self, game: str, after: ScheduleOrder | None = None) -> list[RatedGame]:
        """The games of one id that count, in schedule order; with ``after`` only those behind this place."""
        with self._database.reading() as session:
            return queries.scored(session, game, after)

    def game(self, number: int) -> GameRecord | None:
        """A whole game by its number, `GameResult.id`; None when there is no such game."""
        with self._database.reading() as session:
            return next(iter(queries.games(session, [GAME.c.id == number])), None)
