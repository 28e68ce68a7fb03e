"""Check a database, and save in a new one what can be read of a damaged file, game by game."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    FromClause,
    String,
    cast,
    literal_column,
    select,
)
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from arena.address import Address
from arena.errors import MissingDatabase, StoreError
from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.store import mapping, queries
from arena.store.copying import DoorRow, fill, name_of, replace_doors
from arena.store.database import EMPTY, HEAD, missing_part_of
from arena.store.errors import LOCKED, Damage, explained, of_file
from arena.store.mapping import Engine
from arena.store.queries import GAMES_AT_ONCE
from arena.store.rows import DOOR_TABLES, ENGINE, GAME, PLAYER, RATING_LIST, RECORD, TOURNAMENT
from arena.store.sqlite import connect, log_of, make_engine, others
from arena.store.store import Store, database_type

_PROBLEMS_LISTED: Final = 20  # of the pages of a file


@dataclass(frozen=True, slots=True)
class Health:
    """The result of a check, or of a rescue, which saves what is sound."""

    games: int  # that are sound
    problems: tuple[str, ...]  # what is wrong with other things than games, one sentence each
    damaged: dict[int, str]  # why a game is damaged, by its number

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and not self.damaged


def check_database(address: Address) -> Health:
    """Read a whole database, verify the checksum of every game and the pages of a file; change nothing."""
    with _opened(address) as session:
        problems = _schema_problems(address, session)
        if isinstance(address, Path):
            problems += _page_problems(session)
        elif problems:  # after an error of a statement, a server ends the transaction
            return Health(0, tuple(problems), {})
        salvage = _Salvage(session, address)
        games = sum(1 for _ in salvage.games())
        list(salvage.door_rows())
        problems += salvage.problems
    return Health(games, tuple(dict.fromkeys(problems)), salvage.lost)


def rescue(path: Path, target: Path) -> Health:
    """Save what can be read of a damaged file in a new one; raise `StoreError` if nothing can.

    If it is interrupted, it leaves no new file.
    """
    if os.path.lexists(target):
        raise StoreError(
            f"{target}: there is a file of this name already; choose another one, or remove it if an earlier"
            " rescue was killed while it wrote this file"
        )
    try:
        return _rescue(path, target)
    except BaseException:
        with suppress(OSError):  # it has only some of the games; a disk that has become read-only keeps it
            target.unlink()
        raise


def _rescue(path: Path, target: Path) -> Health:
    with _opened(path) as session:
        with suppress(DBAPIError):  # its tables show what can be read
            _schema_problems(path, session)  # refuses another schema, of which no game could be read
        salvage = _Salvage(session, path)
        games = salvage.games()
        with closing(Store.open(target, create=True)) as store:
            fill(store, salvage.tournaments.values(), salvage.rating_lists)
            saved = 0
            while batch := list(islice(games, GAMES_AT_ONCE)):
                saved += _add(store, batch, salvage.lost)
            if not (saved or salvage.tournaments):
                raise StoreError(
                    f"{path}: nothing can be saved: no game and no tournament of arena can be read"
                )
            replace_doors(store, salvage.door_rows(), salvage.problems)
    return Health(saved, tuple(dict.fromkeys(salvage.problems)), dict(sorted(salvage.lost.items())))


def _add(store: Store, games: list[GameRecord], refused: dict[int, str]) -> int:
    """Store games, and return how many; if one of them is refused, store the others one by one."""
    try:
        store.add_games(games, numbered=True)
    except StoreError as error:
        if len(games) > 1:
            return sum(_add(store, [game], refused) for game in games)
        refused[games[0].result.id or 0] = str(error).removeprefix(f"{store.address}: ")
        return 0
    return len(games)


@contextmanager
def _opened(address: Address) -> Iterator[Session]:
    """Start a transaction that reads a database as it is."""
    if not isinstance(address, Path):
        with closing(database_type(address)(address)) as database, database.reading() as session:
            yield session
        return
    path = address
    if not path.is_file():
        raise StoreError(f"{path}: there is no such database; {others(path, 'creates')}")
    engine = make_engine(
        path,
        begin="BEGIN",
        connections=1,
        opened=lambda: connect(path, "ro", immutable=not log_of(path).exists()),
    )
    try:
        # The transaction is not committed: after an error SQLite would refuse that.
        with explained(of_file, path), Session(engine, autoflush=False) as session:
            yield session
    finally:
        engine.dispose()


def _schema_problems(address: Address, session: Session) -> list[str]:
    """Return why other commands refuse the database; raise `StoreError` if it is none of ours."""
    connection = session.connection()
    try:
        revision, columns = database_type(address).schema_of(address, connection)
    except (Damage, UnicodeDecodeError) as error:
        return [str(error)]
    except DBAPIError as error:
        if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_CORRUPT:
            raise
        return [_reason(error)]
    if revision == EMPTY:
        raise MissingDatabase(f"{address}: the database is empty")
    if revision != HEAD:
        raise StoreError(
            f"{address}: has the schema {revision[:20]!a}, and only {HEAD!a} can be checked or saved; another"
            " command such as `arena list` brings it up to date"
        )
    missing = missing_part_of(columns)
    return [f"it has no {missing}"] if missing else []


def _page_problems(session: Session) -> list[str]:
    try:
        connection = session.connection()
        lines = connection.exec_driver_sql(f"PRAGMA integrity_check({_PROBLEMS_LISTED})").scalars()
        texts = [" ".join(str(text).split()) for text in lines if text != "ok"]
        rows = connection.exec_driver_sql("PRAGMA foreign_key_check")
        return texts + [
            f"{table} {number or ''}".rstrip() + f": there is no {other}" for table, number, other, _ in rows
        ]
    except (DBAPIError, ValueError) as error:
        return [f"SQLite cannot check its pages: {_reason(error)}"]


class _Salvage:
    """Reads a database of which any part may be damaged."""

    def __init__(self, session: Session, address: Address) -> None:
        self._session = session
        # The transaction on a server ends with the first error of a statement.
        of_file = (DBAPIError,) if isinstance(address, Path) else ()
        self._damage: tuple[type[Exception], ...] = (Damage, ValueError, TypeError, OverflowError, *of_file)
        self.problems: list[str] = []  # as in `Health`
        self.lost: dict[int, str] = {}  # why a game cannot be read, when `games` has come to its end
        self.tournaments = self._read_tournaments()
        self.rating_lists = self._read_rating_lists()
        self._names = queries.Names(
            self._read_engines(), {number: record.name for number, record in self.tournaments.items()}
        )

    def games(self) -> Iterator[GameRecord]:
        """Yield the games that can be read, in the order of their numbers."""
        columns = (GAME.c.id, PLAYER.c.game_id, RECORD.c.game_id)
        numbers = sorted(set().union(*(self._numbers(column, column.table) for column in columns)))
        for first in range(0, len(numbers), GAMES_AT_ONCE):
            batch = numbers[first : first + GAMES_AT_ONCE]
            try:
                games = self._read(batch)
            except self._damage as error:
                _reason(error)
                games = [game for number in batch for game in self._read_one(number)]
            yield from games

    def _numbers(self, column: ColumnElement[int], table: FromClause) -> set[int]:
        """Return the numbers in a column; numbers between two damaged places may be missing."""
        whole: set[int] = set()
        for order in (column, column.desc()):
            try:
                query = select(column).select_from(table).order_by(order)
                numbers = self._session.execute(query).scalars()
                whole.update(number for number in numbers if type(number) is int)
            except self._damage as error:
                _reason(error)
            else:
                break
        return whole

    def _read_one(self, number: int) -> list[GameRecord]:
        try:
            return self._read([number])
        except self._damage as error:
            self.lost[number] = _reason(error)
            return []

    def _read(self, numbers: list[int]) -> list[GameRecord]:
        """Read the games with these numbers, and note the games that are not as they were stored."""
        stored = queries.games_with_checksums(self._session, [GAME.c.id.in_(numbers)], self._names)
        if len(stored) < len(numbers):
            raise Damage("a part of it is missing")
        sound = []
        for number, (game, checksum) in zip(numbers, stored, strict=True):
            if mapping.checksum(game) == checksum:
                sound.append(game)
            else:
                self.lost[number] = "it is not as arena stored it"
        return sound

    # Tables with a few rows.

    def _rows(self, *columns: Column[Any]) -> list[dict[str, Any]]:
        """Read columns of a table, row by row if it cannot be read as a whole; note why. JSON stays text."""
        table = columns[0].table
        query = select(
            *(
                cast(column, String).label(column.name) if isinstance(column.type, JSON) else column
                for column in columns
            )
        )
        try:
            return [dict(row) for row in self._session.execute(query).mappings()]
        except self._damage as error:
            self.problems.append(f"table {table.name}: {_reason(error)}")
        rowid: ColumnElement[int] = literal_column(f"{table.name}.rowid")
        rows: list[dict[str, Any]] = []
        for number in sorted(self._numbers(rowid, table)):
            with suppress(*self._damage):
                rows += map(dict, self._session.execute(query.where(rowid == number)).mappings())
        return rows

    def _read_engines(self) -> dict[int, Engine]:
        engines: dict[int, Engine] = {}
        for row in self._rows(*ENGINE.c):
            number, name, version, program, options = row.values()
            if all(isinstance(text, str) for text in (name, version, program, options)):
                engines[number] = name, version, program, options
        return engines

    def _read_tournaments(self) -> dict[int, TournamentRecord]:
        tournaments = {}
        for row in self._rows(*TOURNAMENT.c["id", "name", "created", "settings"]):
            number, name, created = row["id"], row["name"], row["created"]
            if not isinstance(name, str):
                self.problems.append(f"the tournament {number} is lost: its name is damaged")
                continue
            try:
                settings = mapping.decoded(row["settings"])
                tournaments[number] = mapping.tournament_record(name, created, settings)
            except (Damage, ValueError, TypeError) as error:
                self.problems.append(f"the settings of the tournament {name!a} are lost: {_reason(error)}")
                tournaments[number] = TournamentRecord(name, 0.0, {})
        return tournaments

    def _read_rating_lists(self) -> list[RatingListRecord]:
        lists = []
        for row in self._rows(*RATING_LIST.c):
            game = row["game"]
            try:
                lists.append(mapping.rating_list_record(game, mapping.decoded(row["settings"])))
            except (Damage, ValueError, TypeError) as error:
                self.problems.append(f"the settings of the rating list {game!a} are lost: {_reason(error)}")
        return [record for record in lists if record.settings]

    def door_rows(self) -> Iterator[DoorRow]:
        """Yield the rows of doors whose values have the right types; note the others."""
        for table in DOOR_TABLES:
            for values in self._rows(*table.c):
                for column in table.columns:
                    types = mapping.types_of(column)
                    if isinstance(column.type, JSON):
                        types = {dict, list}  # SQLAlchemy knows no type of it
                        with suppress(Damage, TypeError):  # then it stays a text, which is not right
                            values[column.name] = mapping.decoded(values[column.name])
                    if type(values[column.name]) not in types:
                        self.problems.append(
                            f"{name_of(table, values)} is lost: its {column.name} is damaged"
                        )
                        break
                else:
                    yield table, values


def _reason(error: Exception) -> str:
    """Return in one line why something cannot be read.

    Raise Ctrl-C if it has interrupted the statement, and the error if another program locks the file.
    """
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        raise KeyboardInterrupt from error
    if code in LOCKED:
        raise error
    cause = error.orig if isinstance(error, DBAPIError) else error
    text = " ".join(str(cause).split())[:120]
    return f"SQLite says: {text}" if isinstance(cause, sqlite3.Error) else text
