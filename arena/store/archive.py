"""Read a whole database in the order of its games, a few hundred at a time, for exports and reports."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import select as select_columns
from sqlmodel import col, select

from arena.model import GameRecord
from arena.store import queries
from arena.store.database import Database
from arena.store.mapping import whole_rows
from arena.store.queries import SCORED, SCORED_BY_INDEX, game_conditions
from arena.store.rows import GAME, RatingListRow, TournamentRow
from arena.store.values import DatabaseContents

__all__ = ["Archive"]

_BATCH: Final = 200
"""The most games in one read. It keeps transactions short, and limits the memory."""


class Archive:
    """Reads the contents of a database, in the order in which they were stored."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def contents(self) -> DatabaseContents:
        """Return what the database holds besides games."""
        with self._database.reading(verify=True) as session:
            tournaments = session.exec(select(TournamentRow).order_by(col(TournamentRow.id)))
            lists = [whole_rows.rating_list_record(row) for row in session.exec(select(RatingListRow))]
            changed = [record for record in lists if record.settings]
            return DatabaseContents(
                tuple(map(whole_rows.tournament_record, tournaments)),
                tuple(sorted(changed, key=lambda record: record.game)),
                queries.last_game(session),
            )

    def games(
        self, last: int, *, after: int = 0, tournament: str | None = None, game: str | None = None
    ) -> Iterator[GameRecord]:
        """Yield whole games in the order of their numbers; memory holds at most a few hundred of them.

        Args:
            last: the number of the last game to read, from `DatabaseContents.last`. Then
                `DatabaseContents.tournaments` has the tournament of every game, even if another program
                stores games meanwhile.
            after: only games with a greater number.
            tournament: only games of this tournament.
            game: only games of this id.
        """
        conditions = game_conditions(tournament, game)
        done = after
        while True:
            with self._database.reading() as session:
                page = session.connection().execute(
                    select_columns(GAME.c.id)
                    .where(GAME.c.id > done, GAME.c.id <= last, *conditions)
                    .order_by(GAME.c.id)
                    .limit(_BATCH)
                )
                numbers = list(page.scalars())
                if not numbers:
                    return
                batch = queries.games(session, [GAME.c.id.between(numbers[0], numbers[-1]), *conditions])
            yield from batch
            done = numbers[-1]

    def with_keys(self, tournament: str, keys: Collection[str], *, counts: bool) -> list[GameRecord]:
        """Return the games of a tournament that have one of the keys.

        Args:
            tournament: the name of the tournament.
            keys: the keys.
            counts: True for the games that count, False for the void games. Only the search for games that
                count uses an index.
        """
        counting = SCORED_BY_INDEX if counts else ~SCORED
        conditions = [*game_conditions(tournament, None), GAME.c.key.in_(keys), counting]
        with self._database.reading() as session:
            return queries.games(session, conditions)
