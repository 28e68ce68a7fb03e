"""Read and count games through SQLAlchemy's Core, by single columns; the database counts where it can."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import sqlmodel
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
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
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session

from arena.model import REMOTE_LIST, GameRecord, GameResult, Opening
from arena.scoring import GameEnding, GameScoreCounts, GameTrace
from arena.store import mapping
from arena.store.errors import Damage, InvalidRow
from arena.store.mapping import Engine
from arena.store.rows import ENGINE, GAME, PLAYER, RECORD, TOURNAMENT, RecordRow
from arena.store.values import EngineUse, GameFilter, RatedGame, ScheduleOrder

Condition: TypeAlias = ColumnElement[bool]
"""A condition on a row of ``game``."""

_SETTINGS: Final = func.replace(cast(TOURNAMENT.c.settings, String), '": "', '":"')
"""The settings as text, because damaged JSON has no values. A server writes a blank after each colon."""

UNRATED: Final[Condition] = _SETTINGS.like('%"rated":"no"%')
"""The tournament is not rated."""

REMOTE: Final[Condition] = _SETTINGS.like(f'%"rated":"{REMOTE_LIST}"%')
"""The tournament is one of remote bots, which have a rating list of their own."""


def rated(only: GameFilter) -> Condition:
    """Return the condition that a game belongs to the rating list of a filter, or to its tournament."""
    if only.remote:
        return GAME.c.tournament_id.in_(select(TOURNAMENT.c.id).where(REMOTE))
    others = UNRATED if only.tournament is not None else or_(UNRATED, REMOTE)
    return GAME.c.tournament_id.not_in(select(TOURNAMENT.c.id).where(others))


RATED: Final = rated(GameFilter())
"""The game belongs to the usual rating list."""

_CHUNK: Final = 10_000  # the rows whose types are checked at once
_MOST_SEATS: Final = 1000  # more than the seats of any game

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

SEAT: Final = (PLAYER.c.engine_id, PLAYER.c.rank, PLAYER.c.points, PLAYER.c.forfeit)
"""The columns of a seat in a game score."""

_SEAT_NUMBER: Final = (
    cast(PLAYER.c.engine_id, BigInteger) * _MOST_SEATS + PLAYER.c.seat
) * _MOST_SEATS + PLAYER.c.rank
SEATS: Final = func.aggregate_strings(func.coalesce(PLAYER.c.forfeit, "") + cast(_SEAT_NUMBER, String), ",")
"""The seats of a game as a text: games with equal texts have equal scores.

The points follow from the ranks. One number for each seat is quicker than three texts.
"""


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


def played_by(name: str) -> Condition:
    """Return the condition that an engine plays in the game."""
    versions = select(ENGINE.c.id).where(ENGINE.c.name == name)
    seats = select(PLAYER.c.seat).where(PLAYER.c.game_id == GAME.c.id, PLAYER.c.engine_id.in_(versions))
    return seats.correlate(GAME).exists()


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


class _ExactText(FunctionElement[str]):
    """A number as a text with every digit."""

    inherit_cache = True
    type = String()


@compiles(_ExactText)
def _server_number(element: _ExactText, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own signature
    return f"CAST({compiler.process(element.clauses, **options)} AS TEXT)"


@compiles(_ExactText, "sqlite")
def _file_number(element: _ExactText, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as above
    return f"quote({compiler.process(element.clauses, **options)})"


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
        (place, column, mapping.types_of(column))
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
    others = select(GAME.c.id, GAME.c.checksum, *mapping.CIRCUMSTANCES).where(*conditions)
    circumstances = {number: values for number, *values in checked_rows(session.connection(), others)}
    if [record.game_id for record in records] != sorted(number for number in by_number if number):
        raise InvalidRow("the tables of games, or an index of them, contradict each other")
    return [
        (mapping.game_record(by_number[record.game_id], values, record), checksum)
        for record, (checksum, *values) in ((one, circumstances[one.game_id]) for one in records)
    ]


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


def endings(session: Session, conditions: Collection[Condition]) -> list[GameEnding]:
    """Return the endings of the games that count and meet all conditions, sorted by number and key."""
    seat: ColumnElement[str] = cast(PLAYER.c.seat, String)
    for column in (PLAYER.c.engine_id, PLAYER.c.rank, _ExactText(PLAYER.c.points)):
        seat = seat + " " + cast(column, String)
    seats = func.aggregate_strings(seat + " " + func.coalesce(PLAYER.c.forfeit, ""), ",")
    query = (
        select(GAME.c.number, GAME.c.key, GAME.c.game, GAME.c.termination, seats)
        .join_from(GAME, PLAYER)
        .where(SCORED, *conditions)
        .group_by(GAME.c.id)
    )
    connection = session.connection()
    return mapping.endings(checked_rows(connection, query), _names(connection))


def tallies(session: Session, conditions: Collection[Condition]) -> dict[str, GameScoreCounts]:
    """Count the game scores of the games that count and meet all conditions, by game id in schedule order."""
    connection = session.connection()
    counts: defaultdict[str, GameScoreCounts] = defaultdict(Counter)
    names_by_id = _names(connection)
    for (_, count, game), rows in groupby(
        checked_rows(connection, _score_groups(conditions)), itemgetter(0, 1, 2)
    ):
        # Two versions of an engine are one engine here, so two groups can have the same game score.
        counts[game][mapping.game_score([row[3:] for row in rows], names_by_id)] += count
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


def _score_groups(conditions: Collection[Condition]) -> Select[Any]:
    """Group games with equal seats; select the seats of one game of each group and the number of games."""
    seats = (
        select(GAME.c.id, GAME.c.game, SEATS.label("seats"))
        .join_from(GAME, PLAYER)
        .where(SCORED, *conditions)
        .group_by(GAME.c.id)
        .subquery()
    )
    group = (
        select(func.min(seats.c.id).label("id"), func.count().label("games"), seats.c.game)
        .group_by(seats.c.seats, seats.c.game)  # SQLite compares in this order, and the seats differ more
        .subquery()
    )
    return (
        select(group.c.id, group.c.games, group.c.game, *SEAT)
        .join(PLAYER, PLAYER.c.game_id == group.c.id)
        .order_by(group.c.id, PLAYER.c.seat)
    )


def scored(session: Session, conditions: Sequence[Condition], after: ScheduleOrder | None) -> list[RatedGame]:
    """Return the games that count and meet conditions, in schedule order; with ``after`` those after it."""
    conditions = [SCORED, *conditions]
    if after is not None:
        conditions.append(~up_to(after))
    query = (
        select(*_PLACE, GAME.c.duration, *SEAT)
        .join_from(GAME, PLAYER)
        .where(*conditions)
        .order_by(GAME.c.id, PLAYER.c.seat)
    )
    connection = session.connection()
    names_by_id = _names(connection)
    rated = [
        RatedGame(
            ScheduleOrder(*head[:3]), head[3], mapping.game_score([row[4:] for row in rows], names_by_id)
        )
        for head, rows in groupby(checked_rows(connection, query), itemgetter(0, 1, 2, 3))
    ]
    begun = connection.execute(select(TOURNAMENT.c.id).order_by(*_BEGUN)).scalars()
    order = {number: place for place, number in enumerate(begun)}
    lost = {one.place.tournament for one in rated} - order.keys()
    if lost:
        raise InvalidRow(f"tournament {min(lost)} of a game is missing")
    return sorted(rated, key=lambda one: (order[one.place.tournament], one.place.number, one.place.key))


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


def _names(connection: Connection) -> dict[int, str]:
    """Return the names of all engines by id."""
    return {number: name for number, (name, *_) in all_engines(connection).items()}


def repeated(session: Session, conditions: Collection[Condition]) -> int:
    """Count the games with a move that repeat an earlier one; versions of an engine are one engine."""
    course = [cast(column, String) for column in (RECORD.c.opening_moves, RECORD.c.moves)]
    query = (
        select(GAME.c.id, GAME.c.game, RECORD.c.opening_position, *course, PLAYER.c.engine_id)
        .join_from(GAME, RECORD)
        .join(PLAYER, PLAYER.c.game_id == GAME.c.id)
        .where(SCORED, course[1] != "[]", *conditions)
        .order_by(GAME.c.id, PLAYER.c.seat)
    )
    connection = session.connection()
    names_by_id = _names(connection)
    seen: set[int] = set()
    games = 0
    for (_, *played), rows in groupby(checked_rows(connection, query), itemgetter(0, 1, 2, 3, 4)):
        games += 1
        seen.add(hash((*played, *(names_by_id.get(row[5], "") for row in rows))))
    return games - len(seen)


def traces(session: Session, tournament: str) -> dict[str, GameTrace]:
    """Return the traces of the games of a tournament that count, by key."""
    course = [cast(column, String) for column in (RECORD.c.opening_moves, RECORD.c.moves)]
    query = (
        select(GAME.c.id, GAME.c.key, RECORD.c.opening_position, *course, PLAYER.c.engine_id)
        .join_from(GAME, RECORD)
        .join(PLAYER, PLAYER.c.game_id == GAME.c.id)
        .where(SCORED, *game_conditions(tournament, None))
        .order_by(GAME.c.id, PLAYER.c.seat)
    )
    connection = session.connection()
    engines = all_engines(connection)
    found = {}
    for _, seats in groupby(checked_rows(connection, query), itemgetter(0)):
        rows = list(seats)
        _, key, position, opening, moves, _ = rows[0]
        programs = tuple(engines[row[5]][1:3] if row[5] in engines else ("", "") for row in rows)
        start = Opening(position, mapping.move_texts(opening))
        found[key] = GameTrace.made(start, mapping.move_texts(moves), programs)
    return found


def opening_groups(session: Session, conditions: Collection[Condition]) -> list[GameScoreCounts]:
    """Return the games that count in groups: those of the same engines on one opening of a tournament."""
    query = (
        select(
            GAME.c.id,
            GAME.c.tournament_id,
            RECORD.c.opening_position,
            cast(RECORD.c.opening_moves, String),
            *SEAT,
        )
        .join_from(GAME, RECORD)
        .join(PLAYER, PLAYER.c.game_id == GAME.c.id)
        .where(SCORED, *conditions)
        .order_by(GAME.c.id, PLAYER.c.seat)
    )
    connection = session.connection()
    names_by_id = _names(connection)
    groups: defaultdict[object, GameScoreCounts] = defaultdict(Counter)
    for (number, *place), rows in groupby(checked_rows(connection, query), itemgetter(0, 1, 2, 3)):
        outcome = mapping.game_score([row[4:] for row in rows], names_by_id)
        has_opening = place[1] is not None or place[2] != "[]"
        key = (*place, *sorted(seat.name for seat in outcome)) if has_opening else number
        groups[key][outcome] += 1
    return list(groups.values())
