"""Choose games by a filter, and compare their openings and moves.

As in `arena.store.queries`, every function takes the session of a transaction and selects single columns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from itertools import groupby
from operator import itemgetter

from sqlalchemy import String, cast, func, select
from sqlmodel import Session

from arena.ended_games import GameScoreCounts
from arena.store.checksums import game_checksum
from arena.store.dialects import from_table
from arena.store.errors import ChangedRow
from arena.store.mapping import game_rows
from arena.store.queries import SCORED, SEAT, Condition, names
from arena.store.rows import GAME, PLAYER, RECORD, TOURNAMENT
from arena.store.values import GameFilter

__all__ = ["filter_conditions", "opening_groups", "repeated", "time_controls"]


def filter_conditions(only: GameFilter) -> list[Condition]:
    """Return the conditions of a filter."""
    conditions: list[Condition] = []
    if only.tournaments is not None:
        # A checksum is in no index, so SQLite reads the table.
        named = (
            from_table(TOURNAMENT.c.name).in_(sorted(only.tournaments)),
            TOURNAMENT.c.checksum.is_not(None),
        )
        conditions.append(GAME.c.tournament_id.in_(select(TOURNAMENT.c.id).where(*named)))
    if only.time_control is not None:
        other = select(PLAYER.c.seat).where(
            PLAYER.c.game_id == GAME.c.id, PLAYER.c.time_control != only.time_control
        )
        conditions.append(~other.correlate(GAME).exists())
    if only.since is not None:
        conditions.append(GAME.c.started >= only.since)
    return conditions


def _verify(session: Session, conditions: Collection[Condition]) -> None:
    """Verify the games that count and meet the conditions as a whole, because tables do not read their moves.

    Raises:
        ChangedRow: a game has changed, or its moves are missing.
    """
    changed = GAME.c.checksum.is_distinct_from(game_checksum())
    query = select(GAME.c.id).where(SCORED, *conditions, changed).limit(1)
    for number in session.connection().execute(query).scalars():
        raise ChangedRow(f"game {number}")


def repeated(session: Session, conditions: Collection[Condition]) -> int:
    """Count the games that count and repeat an earlier one: the same seats, opening and moves.

    Games without a move are left out. Versions of an engine are the same engine here, as in ratings.

    Raises:
        ChangedRow: a game has changed.
    """
    _verify(session, conditions)
    course = [cast(column, String) for column in (RECORD.c.opening_moves, RECORD.c.moves)]
    query = (
        select(GAME.c.id, GAME.c.game, RECORD.c.opening_position, *course, PLAYER.c.engine_id)
        .join_from(GAME, RECORD)
        .join(PLAYER, PLAYER.c.game_id == GAME.c.id)
        .where(SCORED, course[1] != "[]", *conditions)
        .order_by(GAME.c.id, PLAYER.c.seat)
    )
    connection = session.connection()
    names_by_id = names(connection)
    seen: set[int] = set()
    games = 0
    for (_, *played), rows in groupby(connection.execute(query), itemgetter(0, 1, 2, 3, 4)):
        games += 1
        seen.add(hash((*played, *(names_by_id.get(row[5], "") for row in rows))))
    return games - len(seen)


def opening_groups(session: Session, conditions: Collection[Condition]) -> list[GameScoreCounts]:
    """Return the games that count in groups: the games of the same engines on one opening of a tournament.

    A game without an opening is a group of its own.

    Raises:
        ChangedRow: a game has changed.
    """
    _verify(session, conditions)
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
    names_by_id = names(connection)
    groups: defaultdict[object, GameScoreCounts] = defaultdict(Counter)
    for (number, *place), rows in groupby(connection.execute(query), itemgetter(0, 1, 2, 3)):
        outcome = game_rows.game_score([row[4:] for row in rows], names_by_id)
        has_opening = place[1] is not None or place[2] != "[]"
        key = (*place, *sorted(seat.name for seat in outcome)) if has_opening else number
        groups[key][outcome] += 1
    return list(groups.values())


def time_controls(session: Session) -> list[str]:
    """Return the time controls of all games that count, the most frequent first."""
    query = (
        select(PLAYER.c.time_control)
        .join_from(GAME, PLAYER)
        .where(SCORED)
        .group_by(PLAYER.c.time_control)
        .order_by(func.count().desc(), PLAYER.c.time_control)
    )
    return list(session.connection().execute(query).scalars())
