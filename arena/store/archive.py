"""Reading a whole database from one end to the other, a few hundred games at a time, for exports."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import col, select

from arena.model import GameRecord
from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.queries import SCORED, chosen
from arena.store.rows import GAME, RatingListRow, TournamentRow
from arena.store.values import DatabaseContents

__all__ = ["Archive"]

_BATCH: Final = 200
"""Games read at a time: transactions stay short, and memory holds no more games than these."""


class Archive:
    """Reads everything, in the order in which it was stored."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def contents(self) -> DatabaseContents:
        """What the database holds now."""
        with self._database.reading() as session:
            tournaments = session.exec(select(TournamentRow).order_by(col(TournamentRow.id)))
            lists = map(mapping.rating_list_record, session.exec(select(RatingListRow)))
            last = session.connection().execute(select_columns(func.coalesce(func.max(GAME.c.id), 0)))
            return DatabaseContents(
                tuple(map(mapping.tournament_record, tournaments)),
                tuple(sorted((one for one in lists if one.settings), key=lambda one: one.game)),
                last.scalar_one(),
            )

    def games(
        self, last: int, *, tournament: str | None = None, game: str | None = None
    ) -> Iterator[GameRecord]:
        """Whole games in the order of their numbers; memory holds only a few of them at any time.

        Args:
            last: the last number, from `DatabaseContents.last`. Then `DatabaseContents.tournaments` has the
                tournament of every game.
            tournament: only games of this tournament.
            game: only games of this id.
        """
        conditions = chosen(tournament, game)
        done = 0
        while True:
            with self._database.reading() as session:
                found = session.connection().execute(
                    select_columns(GAME.c.id)
                    .where(GAME.c.id > done, GAME.c.id <= last, *conditions)
                    .order_by(GAME.c.id)
                    .limit(_BATCH)
                )
                numbers = list(found.scalars())
                if not numbers:
                    return
                batch = queries.games(session, [GAME.c.id.between(numbers[0], numbers[-1]), *conditions])
            yield from batch
            done = numbers[-1]

    def with_keys(self, tournament: str, keys: Collection[str], *, counts: bool) -> list[GameRecord]:
        """The tournament's games that have one of these keys.

        Args:
            tournament: the tournament's name.
            keys: the keys.
            counts: True for the games that count, which an index finds; False for the void ones, which are
                looked for among all games of the tournament.
        """
        conditions = [*chosen(tournament, None), GAME.c.key.in_(keys), SCORED if counts else ~SCORED]
        with self._database.reading() as session:
            return queries.games(session, conditions)
