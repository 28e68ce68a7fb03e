"""Make games void that were stored as games that count, so that they are played again."""

from __future__ import annotations

from sqlalchemy import func, literal_column, select, update

from arena.store.checksums import CHECKSUM, RESULT_SUM
from arena.store.database import Database
from arena.store.queries import SCORED, game_conditions, games
from arena.store.rows import GAME, PLAYER
from referee.outcome import Termination

__all__ = ["count_of_worker", "make_void"]

_BATCH = 500
"""The games in one statement: SQLite limits the numbers in it."""


def count_of_worker(database: Database, tournament: str, worker: str) -> int:
    """Return the number of games of a tournament that count and were played by a worker."""
    conditions = [*game_conditions(tournament, None), SCORED, GAME.c.worker == worker]
    with database.reading() as session:
        number: int = (
            session.connection().execute(select(func.count(GAME.c.id)).where(*conditions)).scalar_one()
        )
        return number


def make_void(database: Database, tournament: str, worker: str) -> int:
    """Make the games of a worker void, in one transaction. Their moves stay.

    Args:
        database: the database.
        tournament: the name of the tournament.
        worker: the name of the worker.

    Returns:
        The number of games.

    Raises:
        StoreError: one of the games is damaged: its checksum would be computed anew, and hide that.
    """
    conditions = [*game_conditions(tournament, None), SCORED, GAME.c.worker == worker]
    detail = f"taken out with all games of the worker {worker}"
    with database.writing() as session:
        connection = session.connection()
        ids = list(connection.execute(select(GAME.c.id).where(*conditions).order_by(GAME.c.id)).scalars())
        for first in range(0, len(ids), _BATCH):
            some = GAME.c.id.in_(ids[first : first + _BATCH])
            games(session, [some])  # verifies their checksums
            connection.execute(
                update(PLAYER)
                .where(PLAYER.c.game_id.in_(ids[first : first + _BATCH]))
                .values(rank=None, points=0.0, forfeit=None)
            )
            void = Termination.VOID.value
            connection.execute(update(GAME).where(some).values(termination=void, reason=void, detail=detail))
            new_sums = update(GAME).where(some)
            connection.execute(
                new_sums.values(result_sum=literal_column(RESULT_SUM), checksum=literal_column(CHECKSUM))
            )
    return len(ids)
