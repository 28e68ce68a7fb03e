"""Reading games: all that count, all of a tournament, or one.

Very many rows are read at once here, so SQLAlchemy's Core reads them column by column, and the database
counts where it can. Only `RecordRow` is read as a model. Every function takes the session of a transaction.
"""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Final, TypeAlias

import sqlmodel
from sqlalchemy import ColumnElement, Connection, Select, String, cast, func, literal_column, select, tuple_
from sqlmodel import Session

from arena.model import GameRecord, GameResult
from arena.scoring import GameEnding, GameScoreCounts
from arena.store import mapping
from arena.store.mapping import Engine
from arena.store.rows import ENGINE, GAME, PLAYER, TOURNAMENT, RecordRow
from arena.store.values import RatedGame, ScheduleOrder

__all__ = [
    "SCORED",
    "Condition",
    "chosen",
    "endings",
    "finished",
    "games",
    "results",
    "scored",
    "tallies",
    "up_to",
]

Condition: TypeAlias = ColumnElement[bool]
"""What must hold for a row of ``game``."""

SCORED: Final[Condition] = GAME.c.termination != literal_column("'void'")
"""The game counts. SQLite uses the index ``uq_game_scored_key`` only for the same words as in the index."""

_PLACE: Final = (GAME.c.tournament_id, GAME.c.number, GAME.c.key)
_SEAT: Final = (PLAYER.c.engine_id, PLAYER.c.rank, PLAYER.c.points, PLAYER.c.forfeit)


def chosen(tournament: str | None, game: str | None) -> list[Condition]:
    """The game belongs to the tournament, and to the game id; None for any."""
    conditions: list[Condition] = []
    if tournament is not None:
        named = select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == tournament).scalar_subquery()
        conditions.append(GAME.c.tournament_id == named)
    if game is not None:
        conditions.append(GAME.c.game == game)
    return conditions


def up_to(place: ScheduleOrder) -> Condition:
    """The game is at this place of the schedule or before it."""
    return tuple_(*_PLACE) <= tuple_(*place)


@contextmanager
def _collector_off() -> Iterator[None]:
    """Stop the garbage collector: it takes a third of the time when many objects are made and kept."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_collector_off()
def results(session: Session, conditions: Collection[Condition]) -> list[GameResult]:
    """The games for which all conditions hold, in schedule order."""
    connection = session.connection()
    engines: dict[int, Engine] = {
        number: (name, version, program)
        for number, name, version, program in connection.execute(
            select(ENGINE.c.id, ENGINE.c.name, ENGINE.c.version, ENGINE.c.program)
        )
    }
    tournaments = dict(connection.execute(select(TOURNAMENT.c.id, TOURNAMENT.c.name)).all())
    # This is the order of the rows in the file, so SQLite has nothing to sort.
    seats = select(*mapping.PLAYER_COLUMNS).join(GAME).where(*conditions).order_by(GAME.c.id, PLAYER.c.seat)
    players = mapping.players_by_game(connection.execute(seats).all(), engines)
    ended = select(*mapping.RESULT_COLUMNS).where(*conditions)
    return mapping.results(connection.execute(ended).all(), players, tournaments)


def games(session: Session, conditions: Collection[Condition]) -> list[GameRecord]:
    """The same games whole, in the order of their numbers."""
    found = {result.id: result for result in results(session, conditions)}
    query = (
        sqlmodel.select(RecordRow, GAME.c.started, GAME.c.duration)
        .join(GAME)
        .where(*conditions)
        .order_by(GAME.c.id)
    )
    return [
        mapping.game_record(found[record.game_id], started, duration, record)
        for record, started, duration in session.exec(query)
    ]


def finished(session: Session, tournament: str) -> frozenset[str]:
    """The keys of the tournament's games that count."""
    query = select(GAME.c.key).where(*chosen(tournament, None), SCORED)
    return frozenset(session.connection().execute(query).scalars())


def endings(session: Session, conditions: Collection[Condition]) -> list[GameEnding]:
    """The games that count and for which all conditions hold, by number and key."""
    seat: ColumnElement[str] = cast(PLAYER.c.seat, String)
    for column in (PLAYER.c.engine_id, PLAYER.c.rank, func.quote(PLAYER.c.points)):  # quote: every digit
        seat = seat + " " + cast(column, String)
    seats = func.aggregate_strings(seat + " " + func.coalesce(PLAYER.c.forfeit, ""), ",")
    query = (
        select(GAME.c.number, GAME.c.key, GAME.c.game, GAME.c.termination, seats)
        .join_from(GAME, PLAYER)
        .where(SCORED, *conditions)
        .group_by(GAME.c.id)
    )
    connection = session.connection()
    return mapping.endings(connection.execute(query), _names(connection))


def tallies(session: Session, conditions: Collection[Condition]) -> dict[str, GameScoreCounts]:
    """How often each outcome came up in the games that count and for which all conditions hold.

    Returns:
        A tally for each game id, in the order in which the ids come up in the schedule.
    """
    connection = session.connection()
    found: defaultdict[str, GameScoreCounts] = defaultdict(Counter)
    names = _names(connection)
    for (_, count, game), rows in groupby(connection.execute(_kinds(conditions)), itemgetter(0, 1, 2)):
        # Added, not set: two versions of an engine are one engine here.
        found[game][mapping.outcome([row[3:] for row in rows], names)] += count
    if len(found) < 2:
        return dict(found)
    parts = select(GAME.c.game).where(SCORED, *conditions).group_by(GAME.c.game, GAME.c.tournament_id)
    by_schedule = parts.order_by(GAME.c.tournament_id, func.min(GAME.c.number))
    return {game: found[game] for game in connection.execute(by_schedule).scalars()}


def _kinds(conditions: Collection[Condition]) -> Select[Any]:
    """The seats of one game of each kind, and how many games are of that kind; the database counts them."""
    seat: ColumnElement[str] = func.coalesce(PLAYER.c.forfeit, "")
    for column in (PLAYER.c.seat, PLAYER.c.engine_id, PLAYER.c.rank):  # points follow from all ranks
        seat = seat + " " + cast(column, String)
    line = (
        select(GAME.c.id, GAME.c.game, func.aggregate_strings(seat, ",").label("seats"))
        .join_from(GAME, PLAYER)
        .where(SCORED, *conditions)
        .group_by(GAME.c.id, GAME.c.game)
        .subquery()
    )
    kind = (
        select(func.min(line.c.id).label("id"), func.count().label("games"), line.c.game)
        .group_by(line.c.game, line.c.seats)
        .subquery()
    )
    return (
        select(kind.c.id, kind.c.games, kind.c.game, *_SEAT)
        .join(PLAYER, PLAYER.c.game_id == kind.c.id)
        .order_by(kind.c.id, PLAYER.c.seat)
    )


def scored(session: Session, game: str, after: ScheduleOrder | None) -> list[RatedGame]:
    """The games of one id that count, in schedule order; with ``after`` only those behind this place."""
    conditions = [SCORED, GAME.c.game == game]
    if after is not None:
        conditions.append(~up_to(after))
    query = (
        select(*_PLACE, GAME.c.duration, *_SEAT)
        .join_from(GAME, PLAYER)
        .where(*conditions)
        .order_by(GAME.c.id, PLAYER.c.seat)
    )
    connection = session.connection()
    names = _names(connection)
    found = [
        RatedGame(ScheduleOrder(*head[:3]), head[3], mapping.outcome([row[4:] for row in rows], names))
        for head, rows in groupby(connection.execute(query), itemgetter(0, 1, 2, 3))
    ]
    return sorted(found, key=attrgetter("place"))


def _names(connection: Connection) -> dict[int, str]:
    return dict(connection.execute(select(ENGINE.c.id, ENGINE.c.name)).all())
