"""Read what can be read of a damaged database, and say what cannot.

Every read may fail. A range of games that cannot be read is halved, again and again, until only the damaged
games are left. The checksum of a game shows whether the game has changed. If only its moves have changed, it
is read without them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any, Final, TypeAlias

from sqlalchemy import Table

from arena.ended_games import points
from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.store import checksums
from arena.store.database import decoded
from arena.store.errors import UNREADABLE, InvalidRow
from arena.store.mapping import game_rows, whole_rows
from arena.store.mapping.game_rows import Engine
from arena.store.rows import GAME, PLAYER, RECORD, RecordRow
from arena.store.schema.migrations import HEAD
from arena.store.schema.shape import columns, missing_part_of
from referee.outcome import Termination

__all__ = ["Salvage"]

_RANGE: Final = 200
"""The most games in one read."""

_GAMES_PER_PAGE: Final = 200
"""More games than fit into a page. It limits the numbers of games, because a damaged number can be huge."""

_REPLACEMENTS: Final = {
    "version": "''",
    "program": "''",
    "options": "''",
    "detail": "''",
    "started": "0.0",
    "duration": "0",
    "worker": "''",
    "scale": "1.0",
    "time_control": "'none'",
    "margin": "0",
    "time_used": "0",
}
"""The SQL of the values that replace a missing column. A game cannot be read if another column is missing."""

_Row: TypeAlias = dict[str, Any]
"""The values of a row by column."""

_DAMAGE: Final = (sqlite3.Error, InvalidRow, ValueError, TypeError, OverflowError)


class Salvage:
    """Reads a database over a plain connection.

    Attributes:
        problems: what is wrong besides games, one sentence each.
        lost: why a game cannot be read, by its number. Complete when `games` has come to its end.
        without_moves: why a game is read without its moves, by its number; complete as `lost` is.
        repaired: what was repaired in a game, by its number; complete as `lost` is.
        verified: whether the database has checksums to verify the games.
        tournaments: the tournaments by id. One that cannot be read has a name that says so, and no settings.
        rating_lists: the settings of rating lists that can be read.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        checksums.register(connection)
        self._connection = connection
        self.problems: list[str] = []
        self.lost: dict[int, str] = {}
        self.without_moves: dict[int, str] = {}
        self.repaired: dict[int, str] = {}
        self._columns: dict[str, set[str]] = {}
        try:
            self._columns = columns(connection)
        except UNREADABLE as error:
            self.problems.append(f"SQLite says: {error}")
        if self._columns and (missing := missing_part_of(self._columns, self._revision())):
            self.problems.append(f"there is no {missing}")
        self._sums = self._complete(GAME, PLAYER)
        self.verified = self._sums and self._complete(RECORD)
        self._engines = self._read_engines()
        self.tournaments = self._read_tournaments()
        self.rating_lists = self._read_rating_lists()

    def _revision(self) -> str:
        with suppress(*UNREADABLE):
            row = self._connection.execute("SELECT version_num FROM alembic_version").fetchone()
            if row is not None:
                return str(row[0])
        return HEAD

    def _complete(self, *tables: Table) -> bool:
        return all(set(table.columns.keys()) <= self._columns.get(table.name, set()) for table in tables)

    def games(self) -> Iterator[GameRecord]:
        """Yield the games that can be read, in the order of their numbers."""
        self.lost.clear()
        self.without_moves.clear()
        self.repaired.clear()
        last = self._last()
        for first in range(1, last + 1, _RANGE):
            yield from self._between(first, min(last, first + _RANGE - 1))

    def _last(self) -> int:
        """Return the highest number of a game that any table knows."""
        found = [0]
        for query in (
            "SELECT max(id) FROM game",
            "SELECT max(game_id) FROM player",
            "SELECT max(game_id) FROM record",
            "SELECT max(id) FROM game INDEXED BY uq_game_scored_key WHERE termination != 'void'",
        ):
            with suppress(*UNREADABLE):
                found += [number for (number,) in self._connection.execute(query) if isinstance(number, int)]
        pages = 0
        with suppress(*UNREADABLE):
            (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        return min(max(found), (pages + 1) * _GAMES_PER_PAGE)

    def _between(self, first: int, last: int) -> Iterator[GameRecord]:
        try:
            yield from self._read(first, last)
        except _DAMAGE as error:
            if first < last:
                middle = (first + last) // 2
                yield from self._between(first, middle)
                yield from self._between(middle + 1, last)
            elif self._exists(first):
                yield from self._result(first, error)

    def _result(self, number: int, error: Exception) -> Iterator[GameRecord]:
        """Yield a game without its moves after an error; note it as lost if that fails, too."""
        try:
            yield from self._read(number, number, moves=False)
        except _DAMAGE:
            self.lost[number] = _reason(error)

    def _read(self, first: int, last: int, *, moves: bool = True) -> list[GameRecord]:
        """Read the games with these numbers, and note those that are there and damaged.

        Raises:
            sqlite3.Error, InvalidRow, ValueError: a game of the range is unreadable.
        """
        results = {row["id"]: row for row in self._rows(GAME, "id", first, last)}
        plies = {row["game_id"]: row for row in self._rows(RECORD, "game_id", first, last)} if moves else {}
        seats: dict[int, list[_Row]] = {}
        for row in self._rows(PLAYER, "game_id", first, last):
            seats.setdefault(row["game_id"], []).append(row)
        changed, wrong = set[int](), set[int]()
        if moves and self.verified:
            changed = self._changed(checksums.CHECKSUM, "checksum", first, last)
        if self._sums:
            wrong = self._changed(checksums.RESULT_SUM, "result_sum", first, last)
        games = []
        for number in sorted(results.keys() | plies.keys() | seats.keys()):
            if number not in results or number not in seats:
                self.lost[number] = "a part of it is missing"
                continue
            row, players, course = results[number], seats[number], plies.get(number)
            try:
                if number in changed and self._points_repaired(number, players):
                    self.repaired[number] = "its points were damaged, and were computed again from the places"
                    games.append(self._game(row, players, course))
                elif number in wrong:
                    self.lost[number] = "it is not as arena stored it"
                elif number in changed or course is None:
                    games.append(self._without_moves(number, row, players, changed=number in changed))
                else:
                    games.append(self._game(row, players, course))
            except (InvalidRow, ValueError, TypeError, OverflowError, KeyError) as error:
                self.lost[number] = _reason(error)
        return games

    def _rows(self, table: Table, key: str, first: int, last: int) -> list[_Row]:
        if table.name not in self._columns:
            return []
        names = table.columns.keys()
        order = f"{key}, seat" if "seat" in names else key
        rows = self._connection.execute(
            f"SELECT {self._list(table.name, names)} FROM {table.name}"
            f" WHERE {key} BETWEEN {first} AND {last} ORDER BY {order}"
        )
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _changed(self, checksum: str, column: str, first: int, last: int) -> set[int]:
        query = f"SELECT id FROM game WHERE id BETWEEN {first} AND {last} AND {column} IS NOT {checksum}"
        return {number for (number,) in self._connection.execute(query)}

    def _points_repaired(self, number: int, seats: list[_Row]) -> bool:
        """Compute the points from the ranks; return whether the game is then as arena stored it."""
        ranks = [seat["rank"] for seat in seats]
        forfeits = [seat["forfeit"] for seat in seats]
        if len(seats) < 2 or not all(isinstance(rank, int) for rank in ranks):
            return False
        words = tuple(None if word is None else Termination(word) for word in forfeits)
        scores = points(tuple(ranks), words)
        if not checksums.matches_with_points(self._connection, number, scores):
            return False
        for seat, score in zip(seats, scores, strict=True):
            seat["points"] = score
        return True

    def _without_moves(self, number: int, row: _Row, seats: list[_Row], *, changed: bool) -> GameRecord:
        if not self._sums:
            raise InvalidRow("its moves are lost")
        empty: _Row = dict.fromkeys(RECORD.columns.keys(), "[]")
        empty |= {"opening_position": None, "final_position": ""}
        game = self._game(row, seats, empty)
        fate = "not as arena stored them" if changed else "lost"
        self.without_moves[number] = f"its moves are {fate}"
        return game

    def _game(self, row: _Row, seats: list[_Row], course: _Row | None) -> GameRecord:
        assert course is not None
        columns = [column.name for column in game_rows.PLAYER_COLUMNS]
        players = game_rows.players_by_game(
            [[seat[name] for name in columns] for seat in seats], self._engines
        )
        names = {number: record.name for number, record in self.tournaments.items()}
        columns = [column.name for column in game_rows.RESULT_COLUMNS]
        (result,) = game_rows.results([[row[name] for name in columns]], players, names)
        arrays = ("opening_moves", "moves", "seats", "times", "scores", "depths")
        record = RecordRow(**course | {name: decoded(course[name]) for name in arrays})
        return game_rows.checked_record(
            game_rows.game_record(result, [row[column.name] for column in game_rows.CIRCUMSTANCES], record)
        )

    def _exists(self, number: int) -> bool:
        """Return whether a table has the game, or may have it."""
        found = False
        for query in (
            "SELECT 1 FROM player WHERE game_id = ?",
            "SELECT 1 FROM record WHERE game_id = ?",
            "SELECT 1 FROM game INDEXED BY uq_game_scored_key WHERE id = ? AND termination != 'void'",
            "SELECT 1 FROM game WHERE id = ?",
        ):
            with suppress(*UNREADABLE):
                found = found or self._connection.execute(query, (number,)).fetchone() is not None
        return found

    def _list(self, table: str, names: list[str]) -> str:
        """Return the columns as SQL, with values for missing columns."""
        present = self._columns.get(table, set())
        return ", ".join(
            name if name in present else _REPLACEMENTS.get(name, "NULL") + f" AS {name}" for name in names
        )

    def _read_engines(self) -> Mapping[int, Engine]:
        found = {}
        columns = ["id", "name", "version", "program", "options"]
        for id_, *identity in self.small_rows("engine", columns):
            name, version, program, options = (text if isinstance(text, str) else "" for text in identity)
            try:
                game_rows.options_from(options)
            except InvalidRow:
                options = ""
            found[id_] = (name or f"engine {id_}", version, program, options)
        return _Engines(found, self.problems)

    def _read_tournaments(self) -> dict[int, TournamentRecord]:
        found = {}
        for id_, text, date, settings in self.small_rows("tournament", ["id", "name", "created", "settings"]):
            name = text if isinstance(text, str) and text else f"tournament {id_}"
            created = date if isinstance(date, float) and isfinite(date) else 0.0
            try:
                found[id_] = whole_rows.tournament_from(name, created, decoded(settings))
            except (InvalidRow, ValueError, TypeError) as error:
                self.problems.append(f"the settings of the tournament {name!a} are lost: {_reason(error)}")
                found[id_] = TournamentRecord(name, created, {})
        used: set[int] = set()
        with suppress(*UNREADABLE):
            ids = self._connection.execute("SELECT DISTINCT tournament_id FROM game").fetchall()
            used = {id_ for (id_,) in ids if isinstance(id_, int)}
        for id_ in sorted(used - found.keys()):
            self.problems.append(f"the name and the settings of the tournament {id_} are lost")
            found[id_] = TournamentRecord(f"tournament {id_}", 0.0, {})
        return found

    def _read_rating_lists(self) -> list[RatingListRecord]:
        found = []
        for game, settings in self.small_rows("rating_list", ["game", "settings"]):
            try:
                found.append(whole_rows.rating_list_from(game, decoded(settings)))
            except (InvalidRow, ValueError, TypeError) as error:
                self.problems.append(f"the settings of the rating list {game!a} are lost: {_reason(error)}")
        return [record for record in found if record.settings]

    def small_rows(self, table: str, names: list[str]) -> list[tuple[Any, ...]]:
        """Read a table with a few rows, row by row if it cannot be read at once; note what cannot be read."""
        if table not in self._columns:
            return []
        sql = f"SELECT {self._list(table, names)} FROM {table}"
        try:
            rows = self._connection.execute(sql).fetchall()
        except UNREADABLE as error:
            self.problems.append(f"table {table}: {_reason(error)}")
            rows = []
            for number in range(1, 1001 if names[0] == "id" else 0):
                with suppress(*UNREADABLE):
                    rows += self._connection.execute(f"{sql} WHERE id = ?", (number,)).fetchall()
        if "checksum" in self._columns[table]:
            self._note_changed(table, names[0])
        return rows

    def _note_changed(self, table: str, key: str) -> None:
        changed = f"SELECT {key} FROM {table} WHERE checksum IS NOT {checksums.row_checksum_of(table)}"
        with suppress(*UNREADABLE):
            for (value,) in self._connection.execute(changed):
                self.problems.append(f"{table.replace('_', ' ')} {value!a} is not as arena stored it")


class _Engines(dict[int, Engine]):
    """The engines by id; one that cannot be read has a name that says so."""

    def __init__(self, found: Mapping[int, Engine], problems: list[str]) -> None:
        super().__init__(found)
        self._problems = problems

    def __missing__(self, number: object) -> Engine:
        if not isinstance(number, int):
            raise InvalidRow(f"engine {number!a}")
        self._problems.append(f"the name of engine {number} is lost")
        self[number] = engine = (f"engine {number}", "", "", "")
        return engine


def _reason(error: Exception) -> str:
    """Return in one line why something cannot be read."""
    text = " ".join(str(error).split())[:120]
    return f"SQLite says: {text}" if isinstance(error, sqlite3.Error) else text
