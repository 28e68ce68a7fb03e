"""A whole database from one end to the other, a few hundred games at a time: for export and import."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, select

from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.store.database import Database
from arena.store.outcomes import SCORED
from arena.store.reading import chosen, reading, whole_games
from arena.store.tables import GAME, OUTLINE, RATING_LIST, TOURNAMENT

__all__ = ["Archive", "Contents"]

_BATCH: Final = 200
"""Games read at a time: no transaction stays open for long, and memory holds no more than these."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a file besides games, at one moment.

    Attributes:
        tournaments: in the order in which they were begun.
        rating_lists: those that are not set as usual, by game id.
        last: the number of the last game; 0 for none.
    """

    tournaments: tuple[TournamentRecord, ...]
    rating_lists: tuple[RatingListRecord, ...]
    last: int


class Archive:
    """Reads everything, in the order in which it was stored."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def contents(self) -> Contents:
        """What there is now."""
        with reading(self._database) as connection:
            last = connection.execute(select(func.coalesce(func.max(GAME.c.id), 0))).scalar_one()
            return Contents(_tournaments(connection), _rating_lists(connection), last)

    def games(
        self, last: int, *, tournament: str | None = None, game: str | None = None
    ) -> Iterator[GameRecord]:
        """Whole games, by their numbers up to ``last``; memory holds only a few of them at any time.

        Args:
            last: `Contents.last`, so that every game's tournament is among those.
            tournament: only this one's.
            game: only games of this id.
        """
        which = chosen(tournament, game)
        done = 0
        while True:
            with reading(self._database) as connection:
                found = connection.execute(
                    select(GAME.c.id)
                    .where(GAME.c.id > done, GAME.c.id <= last, *which)
                    .order_by(GAME.c.id)
                    .limit(_BATCH)
                ).scalars()
                numbers = list(found)
                if not numbers:
                    return
                batch = whole_games(connection, [GAME.c.id.between(numbers[0], numbers[-1]), *which])
            yield from batch
            done = numbers[-1]

    def with_keys(self, tournament: str, keys: Collection[str], *, counts: bool) -> list[GameRecord]:
        """The tournament's games that have one of these keys, and that count, or that are void.

        Those that count are found by an index; for void ones, which are few, all games are looked at.
        """
        which = [*chosen(tournament, None), GAME.c.key.in_(keys), SCORED if counts else ~SCORED]
        with reading(self._database) as connection:
            return whole_games(connection, which)


def _tournaments(connection: Connection) -> tuple[TournamentRecord, ...]:
    query = select(TOURNAMENT.c.name, TOURNAMENT.c.created, TOURNAMENT.c.settings).order_by(TOURNAMENT.c.id)
    return tuple(
        TournamentRecord(
            name,
            created,
            {key: value for key, value in settings.items() if key != OUTLINE},
            settings.get(OUTLINE, ""),
        )
        for name, created, settings in connection.execute(query)
    )


def _rating_lists(connection: Connection) -> tuple[RatingListRecord, ...]:
    query = select(RATING_LIST.c.game, RATING_LIST.c.settings).order_by(RATING_LIST.c.game)
    return tuple(RatingListRecord(game, settings) for game, settings in connection.execute(query) if settings)
