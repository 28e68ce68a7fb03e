"""Reading games out of the file, as results or whole; all in a transaction that somebody else began."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import ColumnElement, Connection, select

from arena.errors import StoreError
from arena.model import GameRecord, Result
from arena.store import mapping
from arena.store.database import Database
from arena.store.tables import ENGINE, GAME, PLAYER, RECORD, TOURNAMENT

__all__ = ["ENGINES", "chosen", "reading", "results", "whole_games"]

ENGINES: Final = select(ENGINE.c.id, ENGINE.c.name, ENGINE.c.version, ENGINE.c.program)


@contextmanager
def reading(database: Database) -> Iterator[Connection]:
    """A transaction in which rows become values.

    Raises:
        StoreError: the file or the machine has a fault, or a row holds what no arena wrote.
    """
    with database.reading() as connection:
        try:
            yield connection
        except (KeyError, ValueError) as error:
            raise StoreError(
                f"{database.path}: holds a value that arena never writes ({error}); restore a copy of it"
            ) from error


def chosen(tournament: str | None, game: str | None) -> list[ColumnElement[bool]]:
    """What holds for the games of a tournament, or of a game id, or of both."""
    which: list[ColumnElement[bool]] = []
    if tournament is not None:
        named = select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == tournament).scalar_subquery()
        which.append(GAME.c.tournament_id == named)
    if game is not None:
        which.append(GAME.c.game == game)
    return which


@contextmanager
def _collector_off() -> Iterator[None]:
    """Many objects are made and all are kept: looking for garbage among them takes a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_collector_off()
def results(connection: Connection, which: Collection[ColumnElement[bool]]) -> list[Result]:
    """The games for which all of ``which`` holds, in schedule order; both queries see one moment."""
    engines = {
        number: (name, version, program) for number, name, version, program in connection.execute(ENGINES)
    }
    tournaments = dict(connection.execute(select(TOURNAMENT.c.id, TOURNAMENT.c.name)).all())
    # Ordered as the rows lie in the file: SQLite has nothing to sort.
    seats = select(*mapping.PLAYER_COLUMNS).join(GAME).where(*which).order_by(GAME.c.id, PLAYER.c.seat)
    players = mapping.load_players(connection.execute(seats).all(), engines)
    games = select(*mapping.RESULT_COLUMNS).where(*which)
    return mapping.load_results(connection.execute(games).all(), players, tournaments)


def whole_games(connection: Connection, which: Collection[ColumnElement[bool]]) -> list[GameRecord]:
    """The same games whole, in the order of their numbers."""
    found = {result.id: result for result in results(connection, which)}
    rows = select(GAME.c.id, *mapping.RECORD_COLUMNS).join(RECORD).where(*which).order_by(GAME.c.id)
    return [mapping.load_record(found[number], row) for number, *row in map(tuple, connection.execute(rows))]
