"""Read and count games: the games that count, the games of a tournament, or one game.

These functions read very many rows, so they use SQLAlchemy's Core and select single columns, and the database
counts where it can. Only `RecordRow` is read as a model. Every function takes the session of a transaction.
"""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeAlias

import sqlmodel
from sqlalchemy import (
    BigInteger,
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
from sqlmodel import Session

from arena.ended_games import GameEnding, GameScoreCounts
from arena.model import GameRecord, GameResult
from arena.store.checksums import game_checksum, result_sum
from arena.store.dialects import exact_text, from_table
from arena.store.errors import ChangedRow, InvalidRow
from arena.store.mapping import game_rows
from arena.store.mapping.game_rows import Engine
from arena.store.rows import ENGINE, GAME, PLAYER, TOURNAMENT, RecordRow
from arena.store.values import RatedGame, ScheduleOrder

__all__ = [
    "RATED",
    "SCORED",
    "SCORED_BY_INDEX",
    "SEAT",
    "UNRATED",
    "Condition",
    "endings",
    "engines_by_id",
    "finished",
    "game_conditions",
    "games",
    "last_options",
    "names",
    "played_by",
    "results",
    "scored",
    "tallies",
    "tournament_ids",
    "up_to",
]

Condition: TypeAlias = ColumnElement[bool]
"""A condition on a row of ``game``."""

UNRATED: Final[Condition] = cast(TOURNAMENT.c.settings, String).like('%"rated":"no"%')
"""The tournament is not rated. This searches the text, because damaged JSON has no values."""

RATED: Final[Condition] = GAME.c.tournament_id.not_in(select(TOURNAMENT.c.id).where(UNRATED))
"""The game does not belong to a tournament that is not rated."""

_MOST_SEATS: Final = 1000
"""More than the seats of any game."""

SCORED: Final[Condition] = from_table(GAME.c.termination) != "void"
"""The game counts. This reads the table and not its index, because a damaged index would hide games."""

SCORED_BY_INDEX: Final[Condition] = GAME.c.termination != literal_column("'void'")
"""The game counts, for a statement that reads only the index ``uq_game_scored_key``, or looks up a few games.

SQLite uses the index only for exactly this text. To look up all games with it takes six times as long as to
read the table.
"""

_NUMBER: Final = (GAME.c.number, GAME.c.key)
_PLACE: Final = (GAME.c.tournament_id, *_NUMBER)
_BEGUN: Final = (TOURNAMENT.c.created, from_table(TOURNAMENT.c.name))
"""The order of tournaments in the schedule."""

SEAT: Final = (PLAYER.c.engine_id, PLAYER.c.rank, PLAYER.c.points, PLAYER.c.forfeit)
"""The columns of a seat in a game score."""


def game_conditions(tournament: str | None, game: str | None) -> list[Condition]:
    """Return conditions: the game belongs to the tournament and has the game id; None for any."""
    conditions: list[Condition] = []
    if tournament is not None:
        named = from_table(TOURNAMENT.c.name) == tournament, TOURNAMENT.c.checksum.is_not(None)
        id_ = select(TOURNAMENT.c.id).where(*named).scalar_subquery()
        conditions.append(GAME.c.tournament_id == id_)
    if game is not None:
        conditions.append(GAME.c.game == game)
    return conditions


def played_by(name: str) -> Condition:
    """Return the condition that an engine plays in the game."""
    versions = select(ENGINE.c.id).where(from_table(ENGINE.c.name) == name)
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


@_collector_off()
def results(session: Session, conditions: Collection[Condition]) -> list[GameResult]:
    """Return the results of the games for which all conditions hold, in schedule order."""
    connection = session.connection()
    engines = engines_by_id(connection)
    tournaments = _tournament_names(connection)
    # The rows have this order in the file, so SQLite sorts nothing.
    seats = select(*game_rows.PLAYER_COLUMNS).join(GAME).where(*conditions).order_by(GAME.c.id, PLAYER.c.seat)
    players = game_rows.players_by_game(connection.execute(seats).all(), engines)
    ended = select(*game_rows.RESULT_COLUMNS).where(*conditions)
    return game_rows.results(connection.execute(ended).all(), players, tournaments)


@_collector_off()
def games(session: Session, conditions: Collection[Condition]) -> list[GameRecord]:
    """Return the whole games for which all conditions hold, in the order of their numbers.

    Raises:
        ChangedRow: a game has changed.
    """
    intact = and_(GAME.c.checksum == game_checksum(), GAME.c.result_sum == result_sum())
    for number, unchanged in session.connection().execute(select(GAME.c.id, intact).where(*conditions)):
        if not unchanged:
            raise ChangedRow(f"game {number}")
    by_number = {result.id: result for result in results(session, conditions)}
    query = sqlmodel.select(RecordRow).join(GAME).where(*conditions).order_by(GAME.c.id)
    rows = session.exec(query).all()
    others = select(GAME.c.id, *game_rows.CIRCUMSTANCES).where(*conditions)
    circumstances = {number: values for number, *values in session.connection().execute(others)}
    if [record.game_id for record in rows] != sorted(number for number in by_number if number):
        raise InvalidRow("the tables of games, or an index of them, contradict each other")
    return [
        game_rows.game_record(by_number[record.game_id], circumstances[record.game_id], record)
        for record in rows
    ]


def last_game(session: Session) -> int:
    """Return the number of the last game; 0 when there are no games."""
    last: int = session.connection().execute(select(func.coalesce(func.max(GAME.c.id), 0))).scalar_one()
    return last


def stored_game(session: Session, tournament: str, number: int) -> int | None:
    """Return the number of the newest game with a place in the schedule, from 0; None if none is stored."""
    query = select(func.max(GAME.c.id)).where(*game_conditions(tournament, None), GAME.c.number == number)
    found: int | None = session.connection().execute(query).scalar_one()
    return found


def finished(session: Session, tournament: str) -> frozenset[str]:
    """Return the keys of the games of a tournament that count."""
    query = select(GAME.c.key).where(*game_conditions(tournament, None), SCORED)
    return frozenset(session.connection().execute(query).scalars())


def endings(session: Session, conditions: Collection[Condition]) -> list[GameEnding]:
    """Return the endings of the games that count and meet all conditions, sorted by number and key."""
    seat: ColumnElement[str] = cast(PLAYER.c.seat, String)
    for column in (PLAYER.c.engine_id, PLAYER.c.rank, exact_text(PLAYER.c.points)):
        seat = seat + " " + cast(column, String)
    seats = func.aggregate_strings(seat + " " + func.coalesce(PLAYER.c.forfeit, ""), ",")
    query = (
        select(GAME.c.number, GAME.c.key, GAME.c.game, GAME.c.termination, seats)
        .join_from(GAME, PLAYER)
        .where(SCORED, *conditions)
        .group_by(GAME.c.id)
    )
    connection = session.connection()
    return game_rows.endings(connection.execute(query), names(connection))


def tallies(session: Session, conditions: Collection[Condition]) -> dict[str, GameScoreCounts]:
    """Count how often each game score occurs in the games that count and meet all conditions.

    Returns:
        The counts for each game id. The ids are in the order of the schedule.
    """
    connection = session.connection()
    counts: defaultdict[str, GameScoreCounts] = defaultdict(Counter)
    names_by_id = names(connection)
    for (_, count, game), rows in groupby(connection.execute(_score_groups(conditions)), itemgetter(0, 1, 2)):
        # Two versions of an engine are one engine here, so two groups can have the same game score.
        counts[game][game_rows.game_score([row[3:] for row in rows], names_by_id)] += count
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
    # One number is quicker than three texts. The points follow from the ranks.
    place = (cast(PLAYER.c.engine_id, BigInteger) * _MOST_SEATS + PLAYER.c.seat) * _MOST_SEATS + PLAYER.c.rank
    seat: ColumnElement[str] = func.coalesce(PLAYER.c.forfeit, "") + cast(place, String)
    seats = (
        select(GAME.c.id, GAME.c.game, func.aggregate_strings(seat, ",").label("seats"))
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
    """Return the games that count and meet conditions, in schedule order; with ``after`` those after it.

    Raises:
        InvalidRow: the tournament of a game is missing.
    """
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
    names_by_id = names(connection)
    rated = [
        RatedGame(
            ScheduleOrder(*head[:3]), head[3], game_rows.game_score([row[4:] for row in rows], names_by_id)
        )
        for head, rows in groupby(connection.execute(query), itemgetter(0, 1, 2, 3))
    ]
    order = {number: place for place, number in enumerate(_tournament_names(connection))}
    lost = {one.place.tournament for one in rated} - order.keys()
    if lost:
        raise InvalidRow(f"tournament {min(lost)} of a game is missing")
    return sorted(rated, key=lambda one: (order[one.place.tournament], one.place.number, one.place.key))


def engines_by_id(connection: Connection) -> dict[int, Engine]:
    """Return all engines by id."""
    # No index has the checksum, so SQLite reads the table, which is verified. An index could be damaged.
    identity = (ENGINE.c.name, ENGINE.c.version, ENGINE.c.program, ENGINE.c.options)
    rows = connection.execute(select(ENGINE.c.id, *identity, ENGINE.c.checksum))
    return {number: (name, version, program, options) for number, name, version, program, options, _ in rows}


def last_options(session: Session, tournament: str) -> dict[str, dict[str, str]]:
    """Return the options of each engine in the last game of a tournament that counts, if they are known."""
    connection = session.connection()
    query = (
        select(PLAYER.c.engine_id, func.max(GAME.c.id))
        .join_from(GAME, PLAYER)
        .where(SCORED, *game_conditions(tournament, None))
        .group_by(PLAYER.c.engine_id)
    )
    last = sorted((number, engine) for engine, number in connection.execute(query))
    engines = engines_by_id(connection)
    texts = {engines[engine][0]: engines[engine][3] for _, engine in last}
    options = {name: game_rows.options_from(text) for name, text in texts.items()}
    return {name: values for name, values in options.items() if values is not None}


def tournament_ids(connection: Connection) -> dict[str, int]:
    """Return the ids of all tournaments by name."""
    rows = select(TOURNAMENT.c.name, TOURNAMENT.c.id, TOURNAMENT.c.checksum)  # as above
    return {name: number for name, number, _ in connection.execute(rows)}


def _tournament_names(connection: Connection) -> dict[int, str]:
    """Return the names of all tournaments by id, in the order in which the tournaments began."""
    rows = select(TOURNAMENT.c.id, TOURNAMENT.c.name, TOURNAMENT.c.checksum).order_by(*_BEGUN)  # as above
    return {number: name for number, name, _ in connection.execute(rows)}


def names(connection: Connection) -> dict[int, str]:
    """Return the names of all engines by id."""
    return {number: name for number, (name, *_) in engines_by_id(connection).items()}
