"""Change what is stored: begin a tournament, store games, make games void."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from arena.address import Address
from arena.errors import ChangedSettings, StoreError
from arena.model import GameRecord, GameResult, TournamentRecord
from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.errors import InvalidRow
from arena.store.mapping import Engine
from arena.store.queries import SCORED, Condition
from arena.store.rows import GAME, PLAYER, RECORD, TOURNAMENT, EngineRow, TournamentRow
from referee.outcome import Termination

_BATCH: Final = 500  # the games in one statement: SQLite limits the numbers in it

# Tournaments.


def begin(session: Session, address: Address, record: TournamentRecord) -> TournamentRecord:
    """Register a tournament, or add settings and the new outline to the stored one; return what is stored."""
    row = session.exec(select_rows(TournamentRow).where(col(TournamentRow.name) == record.name)).one_or_none()
    if row is None:
        row = mapping.tournament_row(record)
        session.add(row)
    else:
        stored = check_settings(address, row, record.settings)
        row.settings = mapping.tournament_settings({**stored, **record.settings}, record.outline)
    session.flush()
    return mapping.tournament_record(row.name, row.created, row.settings)


def check_settings(address: Address, row: TournamentRow, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Compare settings with those of a stored tournament, and return the stored ones."""
    stored = mapping.tournament_record(row.name, row.created, row.settings).settings
    for key, value in settings.items():
        if stored.get(key, value) != value:
            raise ChangedSettings(
                f"{address}: tournament {row.name!r} was begun with {key} = {stored[key]}, and now"
                f" it is {value}; set it back, or give the tournament another name"
            )
    return stored


def tournament(session: Session, name: str) -> TournamentRow:
    """Return the row of a stored tournament."""
    row = session.exec(select_rows(TournamentRow).where(col(TournamentRow.name) == name)).one_or_none()
    if row is None:
        raise InvalidRow(f"there is no tournament {name!a}")
    return row


# Games.


def add_games(
    database: Database, records: Sequence[GameRecord], *, again: bool = False, numbered: bool = False
) -> None:
    """Store games in one transaction; see `arena.store.Store.add_games`."""
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
    names = queries.stored_names(connection)
    tournaments = {name: number for number, name in names.tournaments.items()}
    # No other program can write before this transaction ends, so the next numbers are free.
    first = connection.execute(select(func.coalesce(func.max(GAME.c.id), 0) + 1)).scalar_one()
    games = [
        mapping.as_stored(record, (record.result.id or 0) if numbered else number)
        for number, record in enumerate(records, first)
    ]
    for game in games:
        if game.result.tournament not in tournaments:
            raise StoreError(f"{database.address}: tournament {game.result.tournament!r} was never begun")
    engines = _engine_ids(session, names.engines, games)
    connection.execute(
        insert(GAME), [mapping.game_values(game, tournaments[game.result.tournament]) for game in games]
    )
    connection.execute(
        insert(PLAYER), [seat for game in games for seat in mapping.player_values(game, engines)]
    )
    connection.execute(insert(RECORD), [mapping.record_values(game) for game in games])


def _engine_ids(
    session: Session, stored: Mapping[int, Engine], games: Sequence[GameRecord]
) -> dict[Engine, int]:
    """Return the ids of all engines of the games; insert a row for each new engine."""
    playing = {mapping.engine_of(player) for game in games for player in game.result.players}
    ids = {engine: number for number, engine in stored.items()}
    for name, version, program, options in sorted(playing - ids.keys()):
        row = EngineRow(name=name, version=version, program=program, options=options)
        session.add(row)
        session.flush()
        assert row.id is not None
        ids[name, version, program, options] = row.id
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


def make_void(session: Session, conditions: Sequence[Condition], detail: str) -> int:
    """Make the games that count and meet the conditions void; return how many. Their moves stay."""
    connection = session.connection()
    found = select(GAME.c.id).where(SCORED, *conditions).order_by(GAME.c.id)
    numbers = list(connection.execute(found).scalars())
    for first in range(0, len(numbers), _BATCH):
        some = numbers[first : first + _BATCH]
        games = [_void(game, detail) for game in queries.games(session, [GAME.c.id.in_(some)])]
        seats = update(PLAYER).where(PLAYER.c.game_id.in_(some))
        connection.execute(seats.values(rank=None, points=0.0, forfeit=None))
        values = {"reason": Termination.VOID.value, "termination": Termination.VOID.value, "detail": detail}
        connection.execute(
            update(GAME).where(GAME.c.id == bindparam("void")).values(checksum=bindparam("sum"), **values),
            [{"void": game.result.id, "sum": mapping.checksum(game)} for game in games],
        )
    return len(numbers)


def _void(game: GameRecord, detail: str) -> GameRecord:
    players = tuple(replace(player, rank=None, points=0.0, forfeit=None) for player in game.result.players)
    void = Termination.VOID
    return replace(
        game,
        result=replace(game.result, termination=void, reason=void.value, detail=detail, players=players),
    )
