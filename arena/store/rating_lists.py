"""Rating lists: the games that they rate, their settings and their checkpoints."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from sqlalchemy import String, cast, delete, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from arena.scoring import GameScore, GameScoreCounts
from arena.store import mapping, queries
from arena.store.database import Database
from arena.store.errors import InvalidRow
from arena.store.queries import ALL_GAMES, GameFilter, ScheduleOrder
from arena.store.rows import CHECKPOINT, GAME, RECORD, TOURNAMENT, CheckpointRow, RatingListRow

_RECENT: Final = 10
"""The number of newest checkpoints to keep: a game that ends late makes the newest ones invalid."""

_OLD: Final = 10  # one in this many of the older checkpoints is kept


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts, with the values that ratings need; the duration in nanoseconds."""

    place: ScheduleOrder
    duration: int
    outcome: GameScore


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Ratings after the first games of a rating list. The place, number and duration identify these games."""

    games: int
    place: ScheduleOrder  # of the last rated game
    duration: int  # the sum of their durations, nanoseconds
    ratings: Mapping[str, tuple[float, float, int]]  # mean, deviation and rated games


@dataclass(frozen=True, slots=True)
class RatingLists:
    """The rated games, settings and checkpoints of lists, by game id; a model has what ratings depend on."""

    database: Database

    def settings(self, game: str) -> dict[str, str]:
        """Return the settings that differ from the default; empty for a list with the default settings."""
        with self.database.reading() as session:
            row = session.get(RatingListRow, game)
            return {} if row is None else dict(mapping.rating_list_record(row.game, row.settings).settings)

    def set(self, game: str, settings: Mapping[str, str]) -> None:
        """Store all settings that differ from the default, and delete the checkpoints of the list."""
        with self.database.writing() as session:
            session.merge(RatingListRow(game=game, settings=dict(settings)))
            session.exec(delete(CHECKPOINT).where(CHECKPOINT.c.game == game))

    def scored(
        self, game: str, after: ScheduleOrder | None = None, *, only: GameFilter = ALL_GAMES
    ) -> list[RatedGame]:
        """Return the games of one id that count, in schedule order; with ``after`` those after it."""
        conditions = queries.rated_conditions(game, only)
        if after is not None:
            conditions.append(~queries.up_to(after))
        columns = list(GAME.c["tournament_id", "number", "key", "duration"])
        with self.database.reading() as session:
            rated = [
                RatedGame(ScheduleOrder(tournament, number, key), duration, score)
                for tournament, number, key, duration, score in queries.scores(session, columns, conditions)
            ]
            oldest_first = select_columns(TOURNAMENT.c.id).order_by(*queries.OLDEST_FIRST)
            order = {number: place for place, number in enumerate(session.execute(oldest_first).scalars())}
            lost = {game.place.tournament for game in rated} - order.keys()
            if lost:
                raise InvalidRow(f"tournament {min(lost)} of a game is missing")
        return sorted(
            rated, key=lambda game: (order[game.place.tournament], game.place.number, game.place.key)
        )

    def repeated(self, game: str, *, only: GameFilter = ALL_GAMES) -> int:
        """Count the games of an id with a move that repeat an earlier one (same seats, opening and moves).

        It is slow. Versions of an engine are one engine.
        """
        moves = cast(RECORD.c.moves, String)
        columns = (GAME.c.game, RECORD.c.opening_position, cast(RECORD.c.opening_moves, String), moves)
        conditions = [moves != "[]", *queries.rated_conditions(game, only)]
        seen: set[int] = set()
        games = 0
        with self.database.reading() as session:
            scores = queries.scores(session, columns, conditions, course=True)
            for *course, score in scores:
                games += 1
                seen.add(hash((*course, *(seat.name for seat in score))))
        return games - len(seen)

    def opening_groups(self, game: str, *, only: GameFilter = ALL_GAMES) -> list[GameScoreCounts]:
        """Return the games that count in groups: of the same engines, on one opening of a tournament."""
        columns = list(GAME.c["id", "tournament_id", "opening"])
        conditions = queries.rated_conditions(game, only)
        groups: defaultdict[object, GameScoreCounts] = defaultdict(Counter)
        with self.database.reading() as session:
            scores = queries.scores(session, columns, conditions)
            for number, tournament, opening, score in scores:
                engines = sorted(seat.name for seat in score)
                groups[(tournament, opening, *engines) if opening else number][score] += 1
        return list(groups.values())

    def checkpoint(self, game: str, model: str) -> Checkpoint | None:
        """Return the newest valid checkpoint: the games up to its place are exactly the rated games."""
        query = (
            select(CheckpointRow)
            .where(CHECKPOINT.c.game == game, CHECKPOINT.c.model == model)
            .order_by(col(CheckpointRow.games).desc())
            .execution_options(yield_per=1)  # the newest one is usually valid: do not decode the others
        )
        with self.database.reading() as session, closing(session.exec(query)) as rows:
            for row in rows:
                place = (row.tournament_id, row.number, row.key)
                values = {"games": row.games, "duration": row.duration, "ratings": row.ratings}
                checkpoint = mapping.checked({**values, "place": place}, Checkpoint)
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
        with self.database.writing() as session:
            session.exec(delete(CHECKPOINT).where(same_list, same_model, CHECKPOINT.c.games >= oldest))
            session.add_all(
                CheckpointRow(
                    game=game,
                    model=model,
                    games=checkpoint.games,
                    tournament_id=checkpoint.place.tournament,
                    number=checkpoint.place.number,
                    key=checkpoint.place.key,
                    duration=checkpoint.duration,
                    ratings=dict(checkpoint.ratings),
                )
                for checkpoint in checkpoints
            )
            session.flush()
            useless = or_(same_model & crowded, ~same_model & outgrown)
            session.exec(delete(CHECKPOINT).where(same_list, useless))


def _valid(session: Session, game: str, checkpoint: Checkpoint) -> bool:
    query = select_columns(func.count(), func.sum(GAME.c.duration)).where(
        GAME.c.game == game, queries.SCORED, queries.RATED, queries.up_to(checkpoint.place)
    )
    games, duration = session.execute(query).one()
    return bool((games, duration) == (checkpoint.games, checkpoint.duration))
