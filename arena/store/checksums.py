"""Checksums of rows: a row that has changed since arena wrote it is noticed when it is read.

A game has two. ``result_sum`` covers what tables and ratings read of its rows in ``game`` and ``player``. In
SQLite it is arithmetic with the CRCs of three texts, so a hundred thousand games are verified in a quarter of
a second. ``checksum`` covers every column of the game in ``game``, ``player`` and ``record``; it is verified
whenever a whole game is read. Other tables have one checksum a row. Those of the door are verified when a
program opens the door.

The database computes them all from the stored values, when a row is written and when it is read. They find
damage and edits by hand. They are no protection against somebody who wants to deceive.

SQLite calls functions of Python for them, PostgreSQL its own ones: a game has different checksums on both.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, Column, ColumnElement, Connection, Table, select, types, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from arena.store.door_rows import LINE, PARTICIPANT, SUBMISSION
from arena.store.errors import ChangedRow
from arena.store.rows import CHECKPOINT, ENGINE, GAME, PLAYER, RATING_LIST, RECORD, TOURNAMENT, metadata

__all__ = [
    "CHECKSUM",
    "RESULT_SUM",
    "changed_rows",
    "covered",
    "game_checksum",
    "is_unchanged",
    "matches_with_points",
    "register",
    "result_sum",
    "row_checksum",
    "row_checksum_of",
    "store_all",
    "store_games",
    "store_rows",
    "verify_door",
    "verify_results",
    "verify_small",
]

_SMALL: Final = (TOURNAMENT, ENGINE, RATING_LIST)
"""The tables that most commands read; each has a few rows."""

_DOOR: Final = (PARTICIPANT, SUBMISSION, LINE)
"""The tables of the door."""

_SUMS: Final = frozenset({"checksum", "result_sum"})
"""The columns that no checksum covers."""

_GAME_SUM: Final = """
    game.id * 31 + game.tournament_id * 1000003 + game.number * 17 + game.duration % 1000000007
    + (typeof(game.number) = 'integer') + 2 * (typeof(game.duration) = 'integer')
    + arena_crc(CAST(game.game AS BLOB)) + 3 * arena_crc(CAST(game.termination AS BLOB))
    + 5 * arena_crc(CAST(game.key AS BLOB))
"""
_SEAT_SUM: Final = """
    (player.seat * 7919 + 104729 + (typeof(player.seat) = 'integer')) * (
        player.game_id % 1000003 + player.engine_id * 1009 + coalesce(player.rank, 61) * 100003
        + CAST(player.points * 1000000 AS INTEGER) + (typeof(player.points) = 'real')
        + coalesce(unicode(player.forfeit) * 31 + length(player.forfeit), 0) * 499979
    )
"""
RESULT_SUM: Final = (
    f"coalesce({_GAME_SUM} + (SELECT sum({_SEAT_SUM}) FROM player WHERE player.game_id = game.id), -1)"
)
"""SQLite's SQL of the sum of a result, for a row of ``game``.

Seats are multiplied, so that two of them cannot exchange values unnoticed. No number becomes a text, because
SQLite takes long for that.
"""


def covered(table: Table) -> list[Column[Any]]:
    """Return the columns of a table that checksums cover."""
    return [column for column in table.columns if column.name not in _SUMS]


def _values(table: Table) -> str:
    """List the columns of a row as arguments: texts as bytes, because a damaged text may be no text."""
    texts = types.String | types.JSON
    return ", ".join(
        f"CAST({table.name}.{column.name} AS BLOB)"
        if isinstance(column.type, texts)
        else f"{table.name}.{column.name}"
        for column in covered(table)
    )


def row_checksum(table: Table) -> str:
    """Return SQLite's SQL of the checksum of a row of the table."""
    return f"arena_checksum({_values(table)})"


def row_checksum_of(name: str) -> str:
    """Return the same for the table of this name."""
    return row_checksum(metadata.tables[name])


CHECKSUM: Final = f"""coalesce(
    (SELECT arena_checksum({_values(GAME)}, {_values(RECORD)}) FROM record WHERE record.game_id = game.id)
    + (SELECT sum({row_checksum(PLAYER)}) FROM player WHERE player.game_id = game.id), -1)
"""
"""SQLite's SQL of the checksum of a whole game, for a row of ``game``."""


# The same as expressions, which SQLAlchemy writes in the words of the database.


class _RowChecksum(FunctionElement[int]):
    """The checksum of a row of a table."""

    inherit_cache = True
    type = BigInteger()

    def __init__(self, table: Table) -> None:
        super().__init__(*covered(table))


class _GameChecksum(FunctionElement[int]):
    inherit_cache = True
    type = BigInteger()


class _ResultSum(FunctionElement[int]):
    inherit_cache = True
    type = BigInteger()


def game_checksum() -> ColumnElement[int]:
    """Return the checksum of a whole game, for a row of ``game``."""
    return _GameChecksum()


def result_sum() -> ColumnElement[int]:
    """Return the sum of a result, for a row of ``game``."""
    return _ResultSum()


def _hash(*columns: str) -> str:
    """Return PostgreSQL's SQL of 48 bits of a hash of columns; a sum of thousands of them fits into 64."""
    return f"('x' || substr(md5(ROW({', '.join(columns)})::text), 1, 12))::bit(48)::bigint"


def _table_hash(table: Table) -> str:
    return _hash(*(f"{table.name}.{column.name}" for column in covered(table)))


def _with_seats(game: str, seat: str) -> str:
    seats = f"(SELECT sum({seat})::bigint FROM player WHERE player.game_id = game.id)"
    return f"coalesce({game} + {seats}, -1)"


@compiles(_RowChecksum, "sqlite")
def _file_row(element: _RowChecksum, compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own signature
    (table,) = {column.table for column in element.clauses if isinstance(column, Column)}
    return row_checksum_of(str(table.key))


@compiles(_RowChecksum)
def _server_row(element: _RowChecksum, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as above
    return _hash(compiler.process(element.clauses, **options))


@compiles(_GameChecksum, "sqlite")
def _file_game(element: _GameChecksum, compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401 - as above
    return CHECKSUM


@compiles(_GameChecksum)
def _server_game(element: _GameChecksum, compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401 - as above
    course = f"(SELECT {_table_hash(RECORD)} FROM record WHERE record.game_id = game.id)"
    return _with_seats(f"{_table_hash(GAME)} + {course}", _table_hash(PLAYER))


@compiles(_ResultSum, "sqlite")
def _file_result(element: _ResultSum, compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401 - as above
    return RESULT_SUM


@compiles(_ResultSum)
def _server_result(element: _ResultSum, compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401 - as above
    names = ("id", "tournament_id", "number", "key", "game", "termination", "duration")
    seat = ("game_id", "seat", "engine_id", "rank", "points", "forfeit")
    return _with_seats(
        _hash(*(f"game.{name}" for name in names)), _hash(*(f"player.{name}" for name in seat))
    )


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the functions that the SQL of the checksums calls."""
    connection.create_function("arena_crc", 1, zlib.crc32, deterministic=True)
    connection.create_function("arena_checksum", -1, _checksum, deterministic=True)


def _checksum(*values: object) -> int:
    """Return the CRC-32 of numbers, bytes and nulls; `repr` writes each of them in only one way."""
    return zlib.crc32(repr(values).encode("ascii", "backslashreplace"))


def matches_with_points(connection: sqlite3.Connection, number: int, points: Sequence[float]) -> bool:
    """Return whether a game has its stored checksum if the points of its seats are replaced by these."""
    stored, *game = connection.execute(
        f"SELECT game.checksum, {_values(GAME)}, {_values(RECORD)} FROM game"
        " JOIN record ON record.game_id = game.id WHERE game.id = ?",
        (number,),
    ).fetchone() or (None,)
    found = _checksum(*game)
    place = PLAYER.columns.keys().index("points")
    seats = connection.execute(
        f"SELECT {_values(PLAYER)} FROM player WHERE game_id = ? ORDER BY seat", (number,)
    )
    for seat, score in zip(seats, points, strict=True):
        found += _checksum(*seat[:place], score, *seat[place + 1 :])
    return bool(found == stored)


def store_games(connection: Connection, first: int) -> None:
    """Store the checksums of the games with this number or a higher one."""
    sums = {"result_sum": result_sum(), "checksum": game_checksum()}
    connection.execute(update(GAME).where(GAME.c.id >= first).values(sums))


def store_rows(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> None:
    """Store the checksums of the rows that meet the conditions, in a table that has one checksum a row."""
    connection.execute(update(table).where(*conditions).values(checksum=_RowChecksum(table)))


def store_all(connection: Connection) -> None:
    """Store the checksums of all rows."""
    store_games(connection, 0)
    for table in (*_SMALL, *_DOOR, CHECKPOINT):
        store_rows(connection, table)


def is_unchanged(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> bool:
    """Return whether a row is as arena stored it, in a table that has one checksum a row."""
    unchanged = table.c.checksum == _RowChecksum(table)
    return bool(connection.execute(select(unchanged).where(*conditions)).scalar())


def verify_small(connection: Connection) -> None:
    """Verify the tables with a few rows: tournaments, engines, rating lists.

    Raises:
        ChangedRow: a row has changed.
    """
    _verify(connection, _SMALL)


def verify_door(connection: Connection) -> None:
    """Verify the tables of the door.

    Raises:
        ChangedRow: a row has changed.
    """
    _verify(connection, _DOOR)


def _verify(connection: Connection, tables: Sequence[Table]) -> None:
    for row in _changed(connection, tables):
        raise ChangedRow(row)


def changed_rows(connection: Connection) -> Iterator[str]:
    """Yield the rows that have changed in the tables with one checksum a row, as words for a message."""
    return _changed(connection, (*_SMALL, *_DOOR))


def _changed(connection: Connection, tables: Sequence[Table]) -> Iterator[str]:
    for table in tables:
        (key,) = table.primary_key.columns
        wrong = table.c.checksum.is_distinct_from(_RowChecksum(table))
        for value in connection.execute(select(key).where(wrong)).scalars():
            yield f"{table.name.replace('_', ' ')} {value}"


def verify_results(connection: Connection) -> None:
    """Verify the results of all games, and all tables with a few rows.

    Raises:
        ChangedRow: a row has changed.
    """
    verify_small(connection)
    wrong = GAME.c.result_sum.is_distinct_from(result_sum())
    for number in connection.execute(select(GAME.c.id).where(wrong).limit(1)).scalars():
        raise ChangedRow(f"game {number}")
