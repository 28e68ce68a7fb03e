"""Read and count games through SQLAlchemy's Core, by single columns; the database counts where it can."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from operator import itemgetter
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias

import sqlmodel
from sqlalchemy import (
    Alias,
    Column,
    ColumnElement,
    FromClause,
    Select,
    and_,
    func,
    literal_column,
    or_,
    select,
    tuple_,
)
from sqlmodel import Session

from arena.model import GameRecord, GameResult
from arena.store import mapping
from arena.store.errors import Damage, InvalidRow
from arena.store.mapping import Engine
from arena.store.rows import ENGINE, GAME, PLAYER, RECORD, TOURNAMENT, RecordRow

GAMES_AT_ONCE: Final = 200
"""The most games in a statement or a transaction: SQLite limits its numbers, and games fill the memory.

A commit takes as long as storing ten games.
"""


@dataclass(frozen=True, slots=True)
class GameFilter:
    """The games that a table takes: those that meet all conditions that are not None."""

    tournament: str | None = None
    time_control: str | None = None  # of all their seats
    since: float | None = None  # when they started at the earliest, in seconds since the epoch
    remote: bool = False  # the games of tournaments of remote bots, which no other list has


ALL_GAMES: Final = GameFilter()
"""A filter without conditions: the usual rating list."""

REMOTE_GAMES: Final = GameFilter(remote=True)
"""The rating list of remote bots."""


class ScheduleOrder(NamedTuple):
    """The place of a game: the id of its tournament, number from 0, and key.

    Games are ordered by the time when their tournament started, its name, their number and key. So the
    order does not depend on which tournament was stored first.
    """

    tournament: int
    number: int
    key: str


Condition: TypeAlias = ColumnElement[bool]
"""A condition on a row of ``game``."""


def rated(only: GameFilter) -> Condition:
    """Return the condition that a game belongs to the rating list of a filter, or to its tournament."""
    if only.remote:
        listed: Condition = TOURNAMENT.c.remote
    elif only.tournament is not None:
        listed = TOURNAMENT.c.rated
    else:
        listed = TOURNAMENT.c.rated & ~TOURNAMENT.c.remote
    return GAME.c.tournament_id.in_(select(TOURNAMENT.c.id).where(listed))


RATED: Final = rated(GameFilter())
"""The game belongs to the usual rating list."""

_CHUNK: Final = 10_000  # the rows whose types are checked together
_SEATS_JOINED: Final = 60
"""The most seats of a game: SQLite joins 64 tables."""

SCORED: Final[Condition] = GAME.c.termination != "void"
"""The game counts. SQLite reads the table for this, and not the index `SCORED_BY_INDEX`."""

SCORED_BY_INDEX: Final[Condition] = GAME.c.termination != literal_column("'void'")
"""The game counts, for a statement that reads only the index ``uq_game_scored_key``, or looks up a few games.

SQLite uses the index only for exactly this text. To look up all games with it takes six times as long as to
read the table.
"""

_NUMBER: Final = (GAME.c.number, GAME.c.key)
OLDEST_FIRST: Final = (TOURNAMENT.c.created, TOURNAMENT.c.name)  # the order of tournaments in the schedule

# Made once: to make a statement takes longer than to execute it.
_TOURNAMENTS: Final = select(TOURNAMENT.c.id, TOURNAMENT.c.name).order_by(*OLDEST_FIRST)
_ENGINES: Final = select(ENGINE)

_SEAT: Final = ("engine_id", "rank", "points", "forfeit")
"""The columns of a seat in a game score."""


def game_conditions(tournament: str | None, game: str | None = None) -> list[Condition]:
    """Return conditions: the game belongs to the tournament and has the game id; None for any."""
    conditions: list[Condition] = []
    if tournament is not None:
        id_ = select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == tournament).scalar_subquery()
        conditions.append(GAME.c.tournament_id == id_)
    if game is not None:
        conditions.append(GAME.c.game == game)
    return conditions


def filter_conditions(only: GameFilter) -> list[Condition]:
    """Return the conditions of a filter."""
    conditions = game_conditions(only.tournament)
    if only.time_control is not None:
        other = select(PLAYER.c.seat).where(
            PLAYER.c.game_id == GAME.c.id, PLAYER.c.time_control != only.time_control
        )
        conditions.append(~other.correlate(GAME).exists())
    if only.since is not None:
        conditions.append(GAME.c.started >= only.since)
    return conditions


def rated_conditions(game: str, only: GameFilter) -> list[Condition]:
    """Return the conditions of a filter for the rating list of a game id."""
    return [*game_conditions(None, game), rated(only), *filter_conditions(only)]


def up_to(place: ScheduleOrder) -> Condition:
    """Return the condition that the game is at this place in schedule order or before it."""
    its = TOURNAMENT.alias("its")
    earlier = (
        select(TOURNAMENT.c.id)
        .join(its, its.c.id == place.tournament)
        .where(tuple_(*OLDEST_FIRST) < tuple_(its.c.created, its.c.name))
    )
    same = and_(GAME.c.tournament_id == place.tournament, tuple_(*_NUMBER) <= tuple_(place.number, place.key))
    return or_(GAME.c.tournament_id.in_(earlier), same)


@contextmanager
def _collector_off() -> Iterator[None]:
    """Stop the garbage collector: it takes a third of the time while many objects are made and kept."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def checked_rows(session: Session, query: Select[Any]) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query; check the types, because SQLite stores any value in any column."""
    kinds = [
        (place, column, mapping.types_of(column) | ({NoneType} if isinstance(column.table, Alias) else set()))
        for place, column in enumerate(query.selected_columns)
        if isinstance(column, Column)
    ]
    for chunk in session.execute(query).partitions(_CHUNK):
        for place, column, allowed in kinds:
            if not allowed.issuperset(map(type, map(itemgetter(place), chunk))):
                raise InvalidRow(f"in the column {column.table.name}.{column.name}")
        yield from chunk


class Names(NamedTuple):
    """What the rows of games refer to by its id: the engines, and the tournaments, the oldest first."""

    engines: Mapping[int, Engine]
    tournaments: Mapping[int, str]


def stored_names(session: Session) -> Names:
    """Return the names of all engines and tournaments."""
    return Names(all_engines(session), stored_tournaments(session))


def stored_tournaments(session: Session) -> dict[int, str]:
    """Return the names of all tournaments by id, the oldest first."""
    return dict(map(tuple, checked_rows(session, _TOURNAMENTS)))


def all_engines(session: Session) -> dict[int, Engine]:
    """Return all engines by id."""
    rows = checked_rows(session, _ENGINES)
    return {number: (name, version, program, options) for number, name, version, program, options in rows}


@_collector_off()
def results(
    session: Session, conditions: Collection[Condition], names: Names | None = None
) -> list[GameResult]:
    """Return the results of the games for which all conditions hold, in schedule order."""
    names = names or stored_names(session)
    # The rows have this order in the file, so SQLite sorts nothing.
    seats = select(*mapping.PLAYER_COLUMNS).join(GAME).where(*conditions).order_by(GAME.c.id, PLAYER.c.seat)
    players = mapping.players_by_game(checked_rows(session, seats), names.engines)
    ended = select(*mapping.RESULT_COLUMNS).where(*conditions)
    return mapping.results(checked_rows(session, ended), players, names.tournaments)


@_collector_off()
def games(session: Session, conditions: Collection[Condition], *, verify: bool = False) -> list[GameRecord]:
    """Return whole games in the order of their numbers; with ``verify`` compare each with its checksum."""
    stored = games_with_checksums(session, conditions)
    for game, checksum in stored if verify else ():
        if mapping.checksum(game) != checksum:
            raise Damage(f"game {game.result.id} is not as arena stored it")
    return [game for game, _ in stored]


def games_with_checksums(
    session: Session, conditions: Collection[Condition], names: Names | None = None
) -> list[tuple[GameRecord, int]]:
    """Return whole games as `games` does, each with its stored checksum."""
    by_number = {result.id: result for result in results(session, conditions, names)}
    query = sqlmodel.select(RecordRow).join(GAME).where(*conditions).order_by(GAME.c.id)
    records = session.exec(query).all()
    others = select(*GAME.c["id", "checksum", "opening"], *mapping.CIRCUMSTANCES).where(*conditions)
    circumstances = {number: values for number, *values in checked_rows(session, others)}
    if [record.game_id for record in records] != sorted(number for number in by_number if number):
        raise InvalidRow("the tables of games, or an index of them, contradict each other")
    stored = []
    for record in records:
        checksum, opening, *values = circumstances[record.game_id]
        game = mapping.game_record(by_number[record.game_id], values, record)
        if opening != mapping.opening_text(game.opening):
            raise InvalidRow(f"the opening of game {record.game_id}")
        stored.append((game, checksum))
    return stored


def last_game(session: Session) -> int:
    """Return the number of the last game; 0 when there are no games."""
    last: int = session.execute(select(func.coalesce(func.max(GAME.c.id), 0))).scalar_one()
    return last


def scores(
    session: Session,
    columns: Sequence[ColumnElement[Any]],
    conditions: Collection[Condition],
    *,
    counted: bool = False,
    course: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of columns and the score of each game that counts and meets all conditions.

    If they are ``counted``, equal games are one row, which ends with their number. With their ``course``,
    columns of ``record`` may be among the columns.
    """
    seats = [PLAYER.alias(f"seat_{seat}") for seat in range(_number_of_seats(session))]
    games: FromClause = GAME.join(RECORD) if course else GAME
    for seat, table in enumerate(seats):
        games = games.join(table, and_(table.c.game_id == GAME.c.id, table.c.seat == seat), isouter=seat > 0)
    values = [table.c[name] for table in seats for name in _SEAT]
    query = select(*columns, *values).select_from(games).where(SCORED, *conditions)
    if counted:
        query = query.add_columns(func.count()).group_by(*columns, *values)
    names = {number: name for number, (name, *_) in all_engines(session).items()}
    score = cache(partial(mapping.game_score, names=names))
    first, last = len(columns), len(columns) + len(values)
    for row in checked_rows(session, query):
        yield (*row[:first], score(tuple(row[first:last])), *row[last:])


def _number_of_seats(session: Session) -> int:
    last = session.execute(select(func.max(PLAYER.c.seat))).scalar()
    if last is not None and last not in range(_SEATS_JOINED):
        raise InvalidRow(f"seat {last!a} of a game")
    return 1 if last is None else int(last) + 1
