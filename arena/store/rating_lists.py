"""What rating lists keep beside the games: their settings, and checkpoints of their ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import delete, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from arena.store import mapping
from arena.store.database import Database
from arena.store.queries import SCORED, up_to
from arena.store.rows import CHECKPOINT, GAME, CheckpointRow, RatingListRow
from arena.store.values import Checkpoint

__all__ = ["RatingLists"]

_RECENT: Final = 10
"""How many of the newest checkpoints are kept: a game that ends late makes the newest ones invalid."""

_OLD: Final = 10
"""Of the older checkpoints one in so many is kept."""


class RatingLists:
    """The settings and checkpoints of all lists.

    A list is known by its game id. A model is known by a text that has everything besides the games that the
    ratings depend on.
    """

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def settings(self, game: str) -> dict[str, str]:
        """The settings that differ from the usual ones; empty for a usual list."""
        with self._database.reading() as session:
            row = session.get(RatingListRow, game)
            return {} if row is None else dict(mapping.rating_list_record(row).settings)

    def set(self, game: str, settings: Mapping[str, str]) -> None:
        """Store all settings that differ from the usual ones, and delete the list's checkpoints."""
        with self._database.writing() as session:
            session.merge(RatingListRow(game=game, settings=dict(settings)))
            session.exec(delete(CHECKPOINT).where(CHECKPOINT.c.game == game))

    def checkpoint(self, game: str, model: str) -> Checkpoint | None:
        """The newest valid checkpoint: the games up to its place are exactly the games that were rated."""
        query = (
            select(CheckpointRow)
            .where(CheckpointRow.game == game, CheckpointRow.model == model)
            .order_by(col(CheckpointRow.games).desc())
            .execution_options(yield_per=1)  # the newest is most often valid: decode no other ratings
        )
        with self._database.reading() as session:
            for row in session.exec(query):
                found = mapping.checkpoint(row)
                if _valid(session, game, found):
                    return found
        return None

    def keep(self, game: str, model: str, checkpoints: Sequence[Checkpoint], *, every: int) -> None:
        """Store checkpoints, and delete those that are no longer useful.

        Args:
            game: the game id.
            model: what the ratings depend on.
            checkpoints: at multiples of ``every`` games, oldest first. They replace all that are not older.
            every: games from one checkpoint to the next.
        """
        oldest, newest = checkpoints[0].games, checkpoints[-1].games
        same_list, same_model = CHECKPOINT.c.game == game, CHECKPOINT.c.model == model
        crowded = (CHECKPOINT.c.games <= newest - _RECENT * every) & (
            CHECKPOINT.c.games % (_OLD * every) != 0
        )
        outgrown = CHECKPOINT.c.games * 2 < newest
        with self._database.writing() as session:
            session.exec(delete(CHECKPOINT).where(same_list, same_model, CHECKPOINT.c.games >= oldest))
            session.add_all(mapping.checkpoint_row(game, model, one) for one in checkpoints)
            session.flush()
            useless = or_(same_model & crowded, ~same_model & outgrown)
            session.exec(delete(CHECKPOINT).where(same_list, useless))


def _valid(session: Session, game: str, checkpoint: Checkpoint) -> bool:
    query = select_columns(func.count(), func.sum(GAME.c.duration)).where(
        GAME.c.game == game, SCORED, up_to(checkpoint.place)
    )
    games, duration = session.connection().execute(query).one()
    return bool((games, duration) == (checkpoint.games, checkpoint.duration))
