"""Store games with SQLAlchemy's Core: one bulk insert for each table."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from arena.errors import StoreError
from arena.model import GameRecord, GameResult
from arena.store import checksums, queries
from arena.store.database import Database
from arena.store.mapping import game_rows
from arena.store.mapping.game_rows import Engine
from arena.store.rows import ENGINE, GAME, PLAYER, RECORD, TOURNAMENT, EngineRow

__all__ = ["insert_games"]


def insert_games(
    database: Database, records: Sequence[GameRecord], *, again: bool = False, numbered: bool = False
) -> None:
    """Store games in one transaction: all of them, or none.

    Args:
        database: the database.
        records: the games.
        again: leave out the games that are stored already.
        numbered: games keep their numbers, which ascend and are greater than all that are stored.

    Raises:
        StoreError: a tournament was never begun, or another game that counts has the same key.
    """
    with database.writing() as session:
        # An earlier transaction may have stored the games. It has ended, because this one has its lock.
        missing = _not_stored(session.connection(), records) if again else records
        if not missing:
            return
        try:
            _insert(session, database, missing, numbered=numbered)
        except IntegrityError as error:
            result = _first_duplicate(database, missing)
            if result is None:
                raise
            raise StoreError(
                f"{database.address}: game {result.key!r} of tournament {result.tournament!r} has a result"
                " already; another arena seems to play the same tournament: let only one of them run"
            ) from error


def _not_stored(connection: Connection, records: Sequence[GameRecord]) -> list[GameRecord]:
    """Return the games of which no game with the same tournament, key, start and duration is stored."""
    columns = (TOURNAMENT.c.name, GAME.c.key, GAME.c.started, GAME.c.duration)
    keys = {record.result.key for record in records}
    stored = select(*columns).join_from(GAME, TOURNAMENT).where(GAME.c.key.in_(keys))
    known = {tuple(row) for row in connection.execute(stored)}
    return [record for record in records if _identity(record) not in known]


def _identity(record: GameRecord) -> tuple[str, str, float, int]:
    return record.result.tournament, record.result.key, record.started, record.duration


def _insert(session: Session, database: Database, records: Sequence[GameRecord], *, numbered: bool) -> None:
    connection = session.connection()
    tournaments = queries.tournament_ids(connection)
    engines = _engine_ids(session, records)
    # No other program can write before this transaction ends, so the next numbers are free.
    first = connection.execute(select(func.coalesce(func.max(GAME.c.id), 0) + 1)).scalar_one()
    games, players, plies = [], [], []
    for place, record in enumerate(records, first):
        number = (record.result.id or 0) if numbered else place
        tournament = tournaments.get(record.result.tournament)
        if tournament is None:
            raise StoreError(f"{database.address}: tournament {record.result.tournament!r} was never begun")
        games.append(game_rows.game_values(record, number, tournament))
        players.extend(game_rows.player_values(record, number, engines))
        plies.append(game_rows.record_values(record, number))
    connection.execute(insert(GAME), games)
    connection.execute(insert(PLAYER), players)
    connection.execute(insert(RECORD), plies)
    checksums.store_games(connection, first)


def _engine_ids(session: Session, records: Sequence[GameRecord]) -> dict[Engine, int]:
    """Return the ids of all engines in the records; insert a row for each new engine."""
    playing: set[Engine] = {
        game_rows.engine_of(player) for record in records for player in record.result.players
    }
    ids = {engine: number for number, engine in queries.engines_by_id(session.connection()).items()}
    if missing := sorted(playing - ids.keys()):
        rows = [
            EngineRow(name=name, version=version, program=program, options=options)
            for name, version, program, options in missing
        ]
        session.add_all(rows)
        session.flush()
        checksums.store_rows(session.connection(), ENGINE, ENGINE.c.id.in_([row.id for row in rows]))
        ids |= {
            (row.name, row.version, row.program, row.options): row.id for row in rows if row.id is not None
        }
    return ids


def _first_duplicate(database: Database, records: Sequence[GameRecord]) -> GameResult | None:
    """Return the first game with the key of a stored game, or of an earlier game in the records."""
    with database.reading() as session:
        taken = {
            name: set(queries.finished(session, name))
            for name in {record.result.tournament for record in records}
        }
    for result in (record.result for record in records):
        if result.counts:
            if result.key in taken[result.tournament]:
                return result
            taken[result.tournament].add(result.key)
    return None
