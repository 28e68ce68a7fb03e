"""What rating lists keep beside the games: how they are set, and ratings after so many games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, RowMapping, delete, func, insert, or_, select
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from arena.store.database import Database
from arena.store.outcomes import SCORED, Place, place_in
from arena.store.tables import CHECKPOINT, GAME, RATING_LIST

__all__ = ["Checkpoint", "RatingLists"]

_RECENT: Final = 10
"""How many checkpoints are kept, as a late game spoils the newest; of the older ones every so-many-th."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Ratings after some of a list's games; which games these were can be told by place, number and duration.

    Attributes:
        games: how many games that count were fed.
        place: of the last one.
        duration: of all of them together, nanoseconds.
        ratings: mean, deviation and rated games, by engine.
    """

    games: int
    place: Place
    duration: int
    ratings: Mapping[str, tuple[float, float, int]]


class RatingLists:
    """The two tables; a list is known by its game id, a model by a text with all its numbers depend on."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def settings(self, game: str) -> dict[str, str]:
        """What the list was told; nothing for one that is as usual."""
        query = select(RATING_LIST.c.settings).where(RATING_LIST.c.game == game)
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one_or_none() or {}

    def set(self, game: str, settings: Mapping[str, str]) -> None:
        """Tell a list all that it is to differ in, and forget its checkpoints."""
        statement = sqlite_insert(RATING_LIST).values(game=game, settings=dict(settings))
        with self._database.writing() as connection:
            connection.execute(statement.on_conflict_do_update(set_={"settings": dict(settings)}))
            connection.execute(delete(CHECKPOINT).where(CHECKPOINT.c.game == game))

    def checkpoint(self, game: str, model: str) -> Checkpoint | None:
        """The newest that holds: the games up to its place are those that were fed, no more and no less."""
        query = (
            select(CHECKPOINT)
            .where(CHECKPOINT.c.game == game, CHECKPOINT.c.model == model)
            .order_by(CHECKPOINT.c.games.desc())
        )
        with self._database.reading() as connection:
            for row in connection.execute(query).mappings():
                found = _checkpoint(row)
                if _holds(connection, game, found):
                    return found
        return None

    def keep(self, game: str, model: str, checkpoints: Sequence[Checkpoint], *, every: int) -> None:
        """Store what was worked out, at multiples of ``every`` games, and let go what is of no more use."""
        oldest, newest = checkpoints[0].games, checkpoints[-1].games
        here = (CHECKPOINT.c.game == game) & (CHECKPOINT.c.model == model)
        with self._database.writing() as connection:
            connection.execute(delete(CHECKPOINT).where(here, CHECKPOINT.c.games >= oldest))
            rows = [
                {"game": game, "model": model, "games": one.games, "duration": one.duration}
                | {"tournament_id": one.place.tournament, "number": one.place.number, "key": one.place.key}
                | {"ratings": dict(one.ratings)}
                for one in checkpoints
            ]
            connection.execute(insert(CHECKPOINT), rows)
            crowded = (CHECKPOINT.c.games <= newest - _RECENT * every) & (
                CHECKPOINT.c.games % (_RECENT * every) != 0
            )
            outgrown = (CHECKPOINT.c.model != model) & (CHECKPOINT.c.games * 2 < newest)
            connection.execute(
                delete(CHECKPOINT).where(CHECKPOINT.c.game == game, or_(crowded & here, outgrown))
            )


def _checkpoint(row: RowMapping) -> Checkpoint:
    place = Place(row["tournament_id"], row["number"], row["key"])
    ratings = {name: (mu, sigma, games) for name, (mu, sigma, games) in row["ratings"].items()}
    return Checkpoint(row["games"], place, row["duration"], ratings)


def _holds(connection: Connection, game: str, checkpoint: Checkpoint) -> bool:
    query = select(func.count(), func.sum(GAME.c.duration)).where(
        GAME.c.game == game, SCORED, place_in(checkpoint.place)
    )
    games, duration = connection.execute(query).one()
    return bool((games, duration) == (checkpoint.games, checkpoint.duration))
