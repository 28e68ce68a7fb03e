"""The stored settings of rating lists, and checkpoints of their ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import delete, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from arena.store.checksums import is_unchanged, store_rows, verify_small
from arena.store.database import Database
from arena.store.dialects import from_table
from arena.store.errors import ChangedRow
from arena.store.mapping import whole_rows
from arena.store.queries import RATED, SCORED, up_to
from arena.store.rows import CHECKPOINT, GAME, RATING_LIST, CheckpointRow, RatingListRow
from arena.store.values import Checkpoint

__all__ = ["RatingLists"]

_RECENT: Final = 10
"""The number of newest checkpoints to keep: a game that ends late makes the newest ones invalid."""

_OLD: Final = 10
"""One in this many of the older checkpoints is kept."""


class RatingLists:
    """The settings and checkpoints of all lists.

    The game id identifies a list. A model is a text with all settings on which the ratings depend.
    """

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def settings(self, game: str) -> dict[str, str]:
        """Return the settings that differ from the default; empty for a list with the default settings."""
        with self._database.reading() as session:
            verify_small(session.connection())
            row = session.exec(
                select(RatingListRow).where(from_table(RATING_LIST.c.game) == game)
            ).one_or_none()
            return {} if row is None else dict(whole_rows.rating_list_record(row).settings)

    def set(self, game: str, settings: Mapping[str, str]) -> None:
        """Store all settings that differ from the default, and delete the checkpoints of the list."""
        with self._database.writing() as session:
            session.merge(RatingListRow(game=game, settings=dict(settings)))
            session.flush()
            store_rows(session.connection(), RATING_LIST, RATING_LIST.c.game == game)
            session.exec(delete(CHECKPOINT).where(CHECKPOINT.c.game == game))

    def checkpoint(self, game: str, model: str) -> Checkpoint | None:
        """Return the newest valid checkpoint: the games up to its place are exactly the rated games."""
        query = (
            select(CheckpointRow)
            .where(from_table(CHECKPOINT.c.game) == game, from_table(CHECKPOINT.c.model) == model)
            .order_by(col(CheckpointRow.games).desc())
            .execution_options(yield_per=1)  # the newest one is usually valid: do not decode the others
        )
        with self._database.reading() as session:
            for row in session.exec(query):
                same = CHECKPOINT.c.game == game, CHECKPOINT.c.model == model
                if not is_unchanged(session.connection(), CHECKPOINT, *same, CHECKPOINT.c.games == row.games):
                    raise ChangedRow(f"the checkpoint of {game} after {row.games} games")
                checkpoint = whole_rows.checkpoint(row)
                if _valid(session, game, checkpoint):
                    return checkpoint
        return None

    def keep(self, game: str, model: str, checkpoints: Sequence[Checkpoint], *, every: int) -> None:
        """Store checkpoints, and delete checkpoints that are no longer useful.

        Args:
            game: the game id.
            model: the settings on which the ratings depend.
            checkpoints: at multiples of ``every`` games, oldest first. They replace all stored checkpoints
                that are not older.
            every: the number of games from one checkpoint to the next.
        """
        oldest, newest = checkpoints[0].games, checkpoints[-1].games
        same_list, same_model = CHECKPOINT.c.game == game, CHECKPOINT.c.model == model
        crowded = (CHECKPOINT.c.games <= newest - _RECENT * every) & (
            CHECKPOINT.c.games % (_OLD * every) != 0
        )
        outgrown = CHECKPOINT.c.games * 2 < newest
        with self._database.writing() as session:
            session.exec(delete(CHECKPOINT).where(same_list, same_model, CHECKPOINT.c.games >= oldest))
            session.add_all(whole_rows.checkpoint_row(game, model, checkpoint) for checkpoint in checkpoints)
            session.flush()
            store_rows(session.connection(), CHECKPOINT, same_list, same_model)
            useless = or_(same_model & crowded, ~same_model & outgrown)
            session.exec(delete(CHECKPOINT).where(same_list, useless))


def _valid(session: Session, game: str, checkpoint: Checkpoint) -> bool:
    query = select_columns(func.count(), func.sum(GAME.c.duration)).where(
        GAME.c.game == game, SCORED, RATED, up_to(checkpoint.place)
    )
    games, duration = session.connection().execute(query).one()
    return bool((games, duration) == (checkpoint.games, checkpoint.duration))
