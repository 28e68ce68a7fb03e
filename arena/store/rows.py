"""The rows of the database: one SQLModel class for each table.

Rows never leave `arena.store`. `arena.store.mapping` converts them to the values of `arena.model` and back.
It also checks what was read, because a SQLModel class with ``table=True`` checks nothing by itself. The
classes have no relationships, so no attribute loads other rows.

A game has three kinds of row. ``game`` and ``player`` hold what standings and ratings read. They stay small,
so that reading all of them is quick. ``record`` holds how the game went, one row for a game. One row for each
ply would be a hundred times as many rows and slower to write, and nothing asks for one ply across games.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from sqlalchemy import JSON, CheckConstraint, Column, Index, MetaData, Table, literal_column
from sqlmodel import Field, SQLModel

__all__ = [
    "CHECKPOINT",
    "ENGINE",
    "GAME",
    "PLAYER",
    "RECORD",
    "TOURNAMENT",
    "CheckpointRow",
    "EngineRow",
    "GameRow",
    "PlayerRow",
    "RatingListRow",
    "RecordRow",
    "TournamentRow",
    "metadata",
]

metadata: Final = MetaData(
    naming_convention={  # every constraint has a name, so that a migration can refer to it
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class _Row(SQLModel):
    """What all rows share."""

    metadata: ClassVar[MetaData] = metadata


def _json() -> Any:  # noqa: ANN401 - a Field is declared as whatever it holds
    return Field(sa_column=Column(JSON, nullable=False))


class TournamentRow(_Row, table=True):
    """A tournament, and the settings under which all its games are played."""

    __tablename__ = "tournament"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    created: float  # seconds since the epoch
    settings: dict[str, str] = _json()


class EngineRow(_Row, table=True):
    """An engine as it played: the same name with another version, or another program, is another row."""

    __tablename__ = "engine"
    __table_args__ = (Index("uq_engine_name_version_program", "name", "version", "program", unique=True),)

    id: int | None = Field(default=None, primary_key=True)
    name: str
    version: str  # "" when the engine told none
    program: str = Field(sa_column_kwargs={"server_default": ""})  # a hash; "" when it is not known


class GameRow(_Row, table=True):
    """How a game ended; ``id`` is the number by which people ask for the game."""

    __tablename__ = "game"
    __table_args__ = (
        # A void game is played again under the same key, so the key is unique only among games that count.
        Index(
            "uq_game_scored_key",
            "tournament_id",
            "key",
            unique=True,
            sqlite_where=literal_column("termination != 'void'"),
        ),
        CheckConstraint("plies >= 0", name="plies"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    number: int  # place in the schedule
    key: str
    game: str
    termination: str
    reason: str
    detail: str
    plies: int
    started: float  # seconds since the epoch
    duration: int  # nanoseconds


class PlayerRow(_Row, table=True):
    """One seat of a game."""

    __tablename__ = "player"
    __table_args__ = (
        CheckConstraint("seat >= 0", name="seat"),
        CheckConstraint("rank >= 1", name="rank"),
        {"sqlite_with_rowid": False},  # a game's rows lie side by side, and there is no second index to write
    )

    game_id: int = Field(foreign_key="game.id", primary_key=True)
    seat: int = Field(primary_key=True)  # 0-based
    engine_id: int = Field(foreign_key="engine.id")
    rank: int | None  # null in a void game
    points: float
    forfeit: str | None
    time_control: str
    margin: int  # milliseconds
    time_used: int  # nanoseconds


class RecordRow(_Row, table=True):
    """How a game went: ``moves`` to ``depths`` are arrays of equal length, one entry for each ply."""

    __tablename__ = "record"

    game_id: int = Field(foreign_key="game.id", primary_key=True)
    opening_position: str | None  # null for the game's own start
    opening_moves: list[str] = _json()
    moves: list[str] = _json()
    seats: list[int] = _json()
    times: list[int] = _json()  # nanoseconds
    scores: list[str] = _json()
    depths: list[int | None] = _json()
    final_position: str


class RatingListRow(_Row, table=True):
    """The settings in which a rating list differs from the usual ones; a usual list has no row."""

    __tablename__ = "rating_list"

    game: str = Field(primary_key=True)
    settings: dict[str, str] = _json()


class CheckpointRow(_Row, table=True):
    """The ratings after the first games of a rating list, so that these games need not be rated again."""

    __tablename__ = "checkpoint"

    game: str = Field(primary_key=True)
    model: str = Field(primary_key=True)  # everything besides the games that the ratings depend on
    games: int = Field(primary_key=True)  # how many games that count were rated
    tournament_id: int = Field(foreign_key="tournament.id")  # with number and key: the last game's place
    number: int
    key: str
    duration: int  # the sum over all games, nanoseconds: shows that a game was deleted and played again
    ratings: dict[str, Sequence[float]] = _json()  # mean, deviation and rated games, by engine


# The same tables for SQLAlchemy's Core.
TOURNAMENT: Final[Table] = metadata.tables["tournament"]
ENGINE: Final[Table] = metadata.tables["engine"]
GAME: Final[Table] = metadata.tables["game"]
PLAYER: Final[Table] = metadata.tables["player"]
RECORD: Final[Table] = metadata.tables["record"]
CHECKPOINT: Final[Table] = metadata.tables["checkpoint"]
