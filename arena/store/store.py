"""The store: all that arena writes down and asks for, one blocking call each."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError

from arena.errors import StoreError
from arena.model import GameRecord, Result
from arena.scoring import Ending, Tally
from arena.store import mapping
from arena.store.archive import Archive
from arena.store.database import Database
from arena.store.outcomes import SCORED, Place, Scored, endings, scored, tallies
from arena.store.rating_lists import RatingLists
from arena.store.reading import ENGINES, chosen, reading, results, whole_games
from arena.store.schema import prepare
from arena.store.tables import ENGINE, GAME, OUTLINE, PLAYER, RECORD, TOURNAMENT

__all__ = ["Store", "TournamentInfo"]


@dataclass(frozen=True, slots=True)
class TournamentInfo:
    """A tournament in the database.

    Attributes:
        name: its name.
        created: seconds since the epoch.
        games: how many of its games are finished and count.
    """

    name: str
    created: float
    games: int


class Store:
    """A database of tournaments. Its methods block (call them in a thread) and may be called from any thread.

    Every method raises `StoreError` when the file or the machine has a fault; nothing is then stored of what
    the call was to store, and all of what was stored before.
    """

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path, *, create: bool) -> Self:
        """Open the database in ``path``, of an older schema too, and with ``create`` a new one.

        Raises:
            StoreError: there is none, or what is there is no database of ours; the message says what to do.
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
        """All that the file holds, to be read from one end to the other."""
        return Archive(self._database)

    def close(self) -> None:
        """Close the file; no call may be under way."""
        self._database.close()

    def begin_tournament(
        self, name: str, settings: Mapping[str, str], outline: str = "", created: float | None = None
    ) -> None:
        """Register a tournament, or see that it goes on as it began.

        A setting that the tournament was begun without (by an earlier version that didn't have it) is added.

        Args:
            name: its name.
            settings: what must stay as it is.
            outline: what `outline` is to give from now on.
            created: when it was begun, if that is known, in seconds since the epoch; None for now.

        Raises:
            StoreError: it was begun with another value of a setting; the message has both.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                select(TOURNAMENT.c.id, TOURNAMENT.c.settings).where(TOURNAMENT.c.name == name)
            ).first()
            if row is None:
                connection.execute(
                    insert(TOURNAMENT).values(
                        name=name,
                        created=time.time() if created is None else created,
                        settings={**settings, OUTLINE: outline},
                    )
                )
                return
            number, begun = row
            for key, value in settings.items():
                if begun.get(key, value) != value:
                    raise StoreError(
                        f"{self.path}: tournament {name!r} was begun with {key} = {begun[key]}, and now it is"
                        f" {value}; set it back, or give the tournament another name"
                    )
            known = {**begun, **settings, OUTLINE: outline}
            if known != begun:
                connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == number).values(settings=known))

    def outline(self, name: str) -> str:
        """What was said of a tournament when it was run last; "" for nothing."""
        query = select(TOURNAMENT.c.settings).where(TOURNAMENT.c.name == name)
        with self._database.reading() as connection:
            settings = connection.execute(query).scalar_one()
        return str(settings.get(OUTLINE, ""))

    def tournaments(self) -> tuple[TournamentInfo, ...]:
        """All tournaments in the order in which they were begun."""
        games = func.count(GAME.c.id)
        query = (
            select(TOURNAMENT.c.name, TOURNAMENT.c.created, games)
            .select_from(TOURNAMENT.outerjoin(GAME, (GAME.c.tournament_id == TOURNAMENT.c.id) & SCORED))
            .group_by(TOURNAMENT.c.id)
            .order_by(TOURNAMENT.c.id)
        )
        with self._database.reading() as connection:
            return tuple(TournamentInfo(*row) for row in connection.execute(query))

    def add_games(self, records: Sequence[GameRecord]) -> None:
        """Store games in one transaction: all of them, or none.

        Raises:
            StoreError: a game's tournament was never begun, or its key has a game already that counts.
        """
        if not records:
            return
        try:
            with self._database.writing() as connection:
                self._insert(connection, records)
        except IntegrityError as error:
            result = self._played_before(records)
            if result is None:
                raise
            raise StoreError(
                f"{self.path}: game {result.key!r} of tournament {result.tournament!r} has a result already;"
                " another arena seems to play the same tournament: let only one of them run"
            ) from error

    def _played_before(self, records: Sequence[GameRecord]) -> Result | None:
        """The first game whose key is taken."""
        taken = {name: set(self.finished(name)) for name in {record.result.tournament for record in records}}
        for result in (record.result for record in records):
            if result.counts:
                if result.key in taken[result.tournament]:
                    return result
                taken[result.tournament].add(result.key)
        return None

    def _insert(self, connection: Connection, records: Sequence[GameRecord]) -> None:
        tournaments = dict(connection.execute(select(TOURNAMENT.c.name, TOURNAMENT.c.id)).all())
        engines = _engine_ids(connection, records)
        # Nobody else can write before we commit, so the numbers that follow the last are ours.
        first = connection.execute(select(func.coalesce(func.max(GAME.c.id), 0) + 1)).scalar_one()
        games, players, plies = [], [], []
        for number, record in enumerate(records, first):
            tournament = tournaments.get(record.result.tournament)
            if tournament is None:
                raise StoreError(f"{self.path}: tournament {record.result.tournament!r} was never begun")
            games.append(mapping.game_row(record, number, tournament))
            players.extend(mapping.player_rows(record, number, engines))
            plies.append(mapping.record_row(record, number))
        connection.execute(insert(GAME), games)
        connection.execute(insert(PLAYER), players)
        connection.execute(insert(RECORD), plies)

    def programs(self) -> dict[tuple[str, str], frozenset[str]]:
        """The programs that played as an engine, by its name and version; those that nobody looked at not."""
        known: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        with self._database.reading() as connection:
            for _, name, version, program in connection.execute(ENGINES.where(ENGINE.c.program != "")):
                known[name, version].add(program)
        return {engine: frozenset(programs) for engine, programs in known.items()}

    def finished(self, tournament: str) -> frozenset[str]:
        """The keys of the games that were played and count."""
        query = (
            select(GAME.c.key)
            .join(TOURNAMENT, TOURNAMENT.c.id == GAME.c.tournament_id)
            .where(TOURNAMENT.c.name == tournament, SCORED)
        )
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def endings(self, tournament: str) -> list[Ending]:
        """The games of a tournament that count, by number: `results` at a quarter of the time and less."""
        with reading(self._database) as connection:
            return endings(connection, chosen(tournament, None))

    def results(self, *, tournament: str | None = None, game: str | None = None) -> list[Result]:
        """How games ended, void ones too, in schedule order: by tournament as begun, number, key.

        Args:
            tournament: only this one's.
            game: only games of this id.
        """
        with reading(self._database) as connection:
            return results(connection, chosen(tournament, game))

    def tally(self, *, tournament: str | None = None, game: str | None = None) -> dict[str, Tally]:
        """How often each outcome came up, by game id in the order in which the ids come up in the schedule.

        Args:
            tournament: only this one's.
            game: only games of this id.
        """
        with reading(self._database) as connection:
            return tallies(connection, chosen(tournament, game))

    def scored(self, game: str, after: Place | None = None) -> list[Scored]:
        """The games of one id that count, in schedule order: all of them, or those behind a place."""
        with reading(self._database) as connection:
            return scored(connection, game, after)

    def game(self, number: int) -> GameRecord | None:
        """A whole game by its `Result.id`; None when there is no such game."""
        with reading(self._database) as connection:
            return next(iter(whole_games(connection, [GAME.c.id == number])), None)


def _engine_ids(connection: Connection, records: Sequence[GameRecord]) -> dict[tuple[str, str, str], int]:
    """The ids of all engines in ``records``; those that are new get one."""
    engines = {
        (player.name, player.version, player.program)
        for record in records
        for player in record.result.players
    }
    rows = [
        {"name": name, "version": version, "program": program} for name, version, program in sorted(engines)
    ]
    connection.execute(sqlite_insert(ENGINE).on_conflict_do_nothing(), rows)
    query = ENGINES.where(ENGINE.c.name.in_(sorted({name for name, *_ in engines})))
    return {(name, version, program): number for number, name, version, program in connection.execute(query)}
