"""The settings and the checkpoints of rating lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Final

from sqlalchemy import delete, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.rows import CHECKPOINT, GAME, CheckpointRow, RatingListRow
from arena.store.values import Checkpoint

_RECENT: Final = 10
"""The number of newest checkpoints to keep: a game that ends late makes the newest ones invalid."""

_OLD: Final = 10  # one in this many of the older checkpoints is kept


class RatingLists:
    """The settings and checkpoints of all lists, by game id; a model has what ratings depend on."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def settings(self, game: str) -> dict[str, str]:
        """Return the settings that differ from the default; empty for a list with the default settings."""
        with self._database.reading() as session:
            row = session.get(RatingListRow, game)
            return {} if row is None else dict(mapping.rating_list_record(row.game, row.settings).settings)

    def set(self, game: str, settings: Mapping[str, str]) -> None:
        """Store all settings that differ from the default, and delete the checkpoints of the list."""
        with self._database.writing() as session:
            session.merge(RatingListRow(game=game, settings=dict(settings)))
            session.exec(delete(CHECKPOINT).where(CHECKPOINT.c.game == game))

    def checkpoint(self, game: str, model: str) -> Checkpoint | None:
        """Return the newest valid checkpoint: the games up to its place are exactly the rated games."""
        query = (
            select(CheckpointRow)
            .where(CHECKPOINT.c.game == game, CHECKPOINT.c.model == model)
            .order_by(col(CheckpointRow.games).desc())
            .execution_options(yield_per=1)  # the newest one is usually valid: do not decode the others
        )
        with self._database.reading() as session, closing(session.exec(query)) as rows:
            for row in rows:
                checkpoint = mapping.checkpoint(row)
                if _valid(session, game, checkpoint):
                    return checkpoint
        return None

    def keep(self, game: str, model: str, checkpoints: Sequence[Checkpoint], *, every: int) -> None:
        """Store checkpoints at multiples of ``every`` games, oldest first; delete useless ones."""
        oldest, newest = checkpoints[0].games, checkpoints[-1].games
        same_list, same_model = CHECKPOINT.c.game == game, CHECKPOINT.c.model == model
        crowded = (CHECKPOINT.c.games <= newest - _RECENT * every) & (
            CHECKPOINT.c.games % (_OLD * every) != 0
        )
        outgrown = CHECKPOINT.c.games * 2 < newest
        with self._database.writing() as session:
            session.exec(delete(CHECKPOINT).where(same_list, same_model, CHECKPOINT.c.games >= oldest))
            session.add_all(mapping.checkpoint_row(game, model, checkpoint) for checkpoint in checkpoints)
            session.flush()
            useless = or_(same_model & crowded, ~same_model & outgrown)
            session.exec(delete(CHECKPOINT).where(same_list, useless))


def _valid(session: Session, game: str, checkpoint: Checkpoint) -> bool:
    query = select_columns(func.count(), func.sum(GAME.c.duration)).where(
        GAME.c.game == game, queries.SCORED, queries.RATED, queries.up_to(checkpoint.place)
    )
    games, duration = session.connection().execute(query).one()
    return bool((games, duration) == (checkpoint.games, checkpoint.duration))
