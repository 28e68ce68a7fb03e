"""Read and count games through SQLAlchemy's Core, by single columns; the database counts where it can."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from operator import itemgetter
from sys import intern
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias

import sqlmodel
from sqlalchemy import (
    Alias,
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    String,
    and_,
    cast,
    func,
    literal_column,
    or_,
    select,
    tuple_,
)
from sqlmodel import Session

from arena.model import GameRecord, GameResult
from arena.scoring import GameEnding, GameScoreCounts
from arena.store import mapping
from arena.store.errors import Damage, InvalidRow
from arena.store.mapping import Engine
from arena.store.rows import ENGINE, GAME, PLAYER, RECORD, TOURNAMENT, RecordRow
from arena.store.values import EngineUse, GameFilter, RatedGame, ScheduleOrder

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

_CHUNK: Final = 10_000  # the rows whose types are checked at once
_MOST_SEATS: Final = 60
"""The most seats of a game: SQLite joins 64 tables."""

SCORED: Final[Condition] = GAME.c.termination != "void"
"""The game counts. SQLite reads the table for this, and not the index `SCORED_BY_INDEX`."""

SCORED_BY_INDEX: Final[Condition] = GAME.c.termination != literal_column("'void'")
"""The game counts, for a statement that reads only the index ``uq_game_scored_key``, or looks up a few games.

SQLite uses the index only for exactly this text. To look up all games with it takes six times as long as to
read the table.
"""

_NUMBER: Final = (GAME.c.number, GAME.c.key)
_PLACE: Final = (GAME.c.tournament_id, *_NUMBER)
_BEGUN: Final = (TOURNAMENT.c.created, TOURNAMENT.c.name)  # the order of tournaments in the schedule

# Made once: to make a statement takes longer than to execute it.
_TOURNAMENTS: Final = select(TOURNAMENT.c.id, TOURNAMENT.c.name).order_by(*_BEGUN)
_ENGINES: Final = select(ENGINE.c.id, ENGINE.c.name, ENGINE.c.version, ENGINE.c.program, ENGINE.c.options)

_SEAT: Final = ("engine_id", "rank", "points", "forfeit")
"""The columns of a seat in a game score."""


def game_conditions(tournament: str | None, game: str | None) -> list[Condition]:
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
    conditions: list[Condition] = []
    if only.tournament is not None:
        named = select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == only.tournament)
        conditions.append(GAME.c.tournament_id.in_(named))
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
    own = TOURNAMENT.alias("own")
    earlier = (
        select(TOURNAMENT.c.id)
        .join(own, own.c.id == place.tournament)
        .where(tuple_(*_BEGUN) < tuple_(own.c.created, own.c.name))
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


def checked_rows(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query; check the types, because SQLite stores any value in any column."""
    kinds = [
        (place, column, mapping.types_of(column) | ({NoneType} if isinstance(column.table, Alias) else set()))
        for place, column in enumerate(query.selected_columns)
        if isinstance(column, Column)
    ]
    for chunk in connection.execute(query).partitions(_CHUNK):
        for place, column, allowed in kinds:
            if not allowed.issuperset(map(type, map(itemgetter(place), chunk))):
                raise InvalidRow(f"in the column {column.table.name}.{column.name}")
        yield from chunk


class Names(NamedTuple):
    """What the rows of games refer to by its id: the engines, and the names of the tournaments as begun."""

    engines: Mapping[int, Engine]
    tournaments: Mapping[int, str]


def stored_names(connection: Connection) -> Names:
    """Return the names of all engines and tournaments."""
    return Names(all_engines(connection), dict(map(tuple, checked_rows(connection, _TOURNAMENTS))))


def all_engines(connection: Connection) -> dict[int, Engine]:
    """Return all engines by id."""
    rows = checked_rows(connection, _ENGINES)
    return {number: (name, version, program, options) for number, name, version, program, options in rows}


@_collector_off()
def results(
    session: Session, conditions: Collection[Condition], names: Names | None = None
) -> list[GameResult]:
    """Return the results of the games for which all conditions hold, in schedule order."""
    connection = session.connection()
    names = names or stored_names(connection)
    # The rows have this order in the file, so SQLite sorts nothing.
    seats = select(*mapping.PLAYER_COLUMNS).join(GAME).where(*conditions).order_by(GAME.c.id, PLAYER.c.seat)
    players = mapping.players_by_game(checked_rows(connection, seats), names.engines)
    ended = select(*mapping.RESULT_COLUMNS).where(*conditions)
    return mapping.results(checked_rows(connection, ended), players, names.tournaments)


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
    others = select(GAME.c.id, GAME.c.checksum, GAME.c.opening, *mapping.CIRCUMSTANCES).where(*conditions)
    circumstances = {number: values for number, *values in checked_rows(session.connection(), others)}
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
    last: int = session.connection().execute(select(func.coalesce(func.max(GAME.c.id), 0))).scalar_one()
    return last


def finished(session: Session, tournament: str) -> frozenset[str]:
    """Return the keys of the games of a tournament that count."""
    query = select(GAME.c.key).where(*game_conditions(tournament, None), SCORED)
    return frozenset(key for (key,) in checked_rows(session.connection(), query))


def numbers(session: Session, tournament: str) -> dict[int, str]:
    """Return the keys of all games of a tournament, also of void ones, by their numbers."""
    query = select(GAME.c.number, GAME.c.key).where(*game_conditions(tournament, None)).order_by(GAME.c.id)
    return dict(tuple(row) for row in checked_rows(session.connection(), query))


def scores(
    connection: Connection,
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
    seats = [PLAYER.alias(f"seat_{seat}") for seat in range(_number_of_seats(connection))]
    games: FromClause = GAME.join(RECORD) if course else GAME
    for seat, table in enumerate(seats):
        games = games.join(table, and_(table.c.game_id == GAME.c.id, table.c.seat == seat), isouter=seat > 0)
    values = [table.c[name] for table in seats for name in _SEAT]
    query = select(*columns, *values).select_from(games).where(SCORED, *conditions)
    if counted:
        query = query.add_columns(func.count()).group_by(*columns, *values)
    names = {number: name for number, (name, *_) in all_engines(connection).items()}
    score = cache(partial(mapping.game_score, names=names))
    first, last = len(columns), len(columns) + len(values)
    for row in checked_rows(connection, query):
        yield (*row[:first], score(tuple(row[first:last])), *row[last:])


def _number_of_seats(connection: Connection) -> int:
    last = connection.execute(select(func.max(PLAYER.c.seat))).scalar()
    if last is not None and last not in range(_MOST_SEATS):
        raise InvalidRow(f"seat {last!a} of a game")
    return 1 if last is None else int(last) + 1


def endings(session: Session, conditions: Collection[Condition]) -> list[GameEnding]:
    """Return the endings of the games that count and meet all conditions, sorted by number and key."""
    columns = (GAME.c.number, GAME.c.key, GAME.c.game, GAME.c.termination)
    try:
        unsorted = [
            GameEnding(number, key, intern(game), mapping.TERMINATIONS[word], score)
            for number, key, game, word, score in scores(session.connection(), columns, conditions)
        ]
    except KeyError as error:
        raise InvalidRow(str(error)) from error
    return sorted(unsorted, key=itemgetter(0, 1))


def tallies(session: Session, conditions: Collection[Condition]) -> dict[str, GameScoreCounts]:
    """Count the game scores of the games that count and meet all conditions, by game id in schedule order."""
    connection = session.connection()
    counts: defaultdict[str, GameScoreCounts] = defaultdict(Counter)
    for game, score, games in scores(connection, [GAME.c.game], conditions, counted=True):
        counts[game][score] += games  # two versions of an engine are one engine here
    if len(counts) < 2:
        return dict(counts)
    ids = (
        select(GAME.c.game)
        .outerjoin(TOURNAMENT, TOURNAMENT.c.id == GAME.c.tournament_id)  # it may be missing
        .where(SCORED, *conditions)
        .group_by(GAME.c.game, GAME.c.tournament_id, TOURNAMENT.c.id)
    )
    by_schedule = ids.order_by(*_BEGUN, GAME.c.tournament_id, func.min(GAME.c.number))
    return {game: counts[game] for game in connection.execute(by_schedule).scalars()}


def scored(session: Session, conditions: Sequence[Condition], after: ScheduleOrder | None) -> list[RatedGame]:
    """Return the games that count and meet conditions, in schedule order; with ``after`` those after it."""
    later = [] if after is None else [~up_to(after)]
    connection = session.connection()
    rated = [
        RatedGame(ScheduleOrder(tournament, number, key), duration, score)
        for tournament, number, key, duration, score in scores(
            connection, [*_PLACE, GAME.c.duration], [*conditions, *later]
        )
    ]
    begun = connection.execute(select(TOURNAMENT.c.id).order_by(*_BEGUN)).scalars()
    order = {number: place for place, number in enumerate(begun)}
    lost = {game.place.tournament for game in rated} - order.keys()
    if lost:
        raise InvalidRow(f"tournament {min(lost)} of a game is missing")
    return sorted(rated, key=lambda game: (order[game.place.tournament], game.place.number, game.place.key))


def uses(session: Session, tournament: str) -> list[EngineUse]:
    """Return how each engine was in the games of a tournament that count, in the order of its first games."""
    first = func.min(GAME.c.id)
    query = (
        select(PLAYER.c.engine_id, PLAYER.c.time_control, func.count(), first, func.max(GAME.c.id))
        .join_from(GAME, PLAYER)
        .where(SCORED, *game_conditions(tournament, None))
        .group_by(PLAYER.c.engine_id, PLAYER.c.time_control)
        .order_by(first, PLAYER.c.engine_id, PLAYER.c.time_control)
    )
    connection = session.connection()
    engines = all_engines(connection)
    try:
        return [
            EngineUse(*engines[engine][:3], mapping.options_from(engines[engine][3]), *others)
            for engine, *others in checked_rows(connection, query)
        ]
    except KeyError as error:
        raise InvalidRow(str(error)) from error


def repeated(session: Session, conditions: Collection[Condition]) -> int:
    """Count the games with a move that repeat an earlier one; versions of an engine are one engine."""
    moves = cast(RECORD.c.moves, String)
    columns = (GAME.c.game, RECORD.c.opening_position, cast(RECORD.c.opening_moves, String), moves)
    seen: set[int] = set()
    games = 0
    for *course, score in scores(session.connection(), columns, [moves != "[]", *conditions], course=True):
        games += 1
        seen.add(hash((*course, *(seat.name for seat in score))))
    return games - len(seen)


def opening_groups(session: Session, conditions: Collection[Condition]) -> list[GameScoreCounts]:
    """Return the games that count in groups: those of the same engines on one opening of a tournament."""
    columns = (GAME.c.id, GAME.c.tournament_id, GAME.c.opening)
    groups: defaultdict[object, GameScoreCounts] = defaultdict(Counter)
    for number, tournament, opening, score in scores(session.connection(), columns, conditions):
        engines = sorted(seat.name for seat in score)
        groups[(tournament, opening, *engines) if opening else number][score] += 1
    return list(groups.values())
