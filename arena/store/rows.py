"""The tables of the database: one SQLModel class for the rows of each.

Rows never leave `arena.store`. `arena.store.mapping` converts them to the values of `arena.model` and back.
It also checks the values that it reads, because a SQLModel class with ``table=True`` checks nothing. The
classes have no relationships, so no attribute loads other rows.

A game has rows in three tables. Standings and ratings read only ``game`` and ``player``. Their rows are
small, so reading all of them is quick. ``record`` has one row with all plies of a game. One row for each ply
would be a hundred times as many rows and slower to write, and no query needs single plies of many games.

`arena.store.checksums` computes the columns ``checksum`` and ``result_sum`` after a row is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from sqlalchemy import JSON, CheckConstraint, Column, ColumnElement, Index, MetaData, Table, literal_column
from sqlmodel import Field, SQLModel

__all__ = [
    "CHECKPOINT",
    "ENGINE",
    "GAME",
    "PLAYER",
    "RATING_LIST",
    "RECORD",
    "TOURNAMENT",
    "CheckpointRow",
    "EngineRow",
    "GameRow",
    "PlayerRow",
    "RatingListRow",
    "RecordRow",
    "TournamentRow",
    "from_table",
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
    """The base class of all rows."""

    metadata: ClassVar[MetaData] = metadata


def _json() -> Any:  # noqa: ANN401 - SQLModel declares a Field with the type of its column
    return Field(sa_column=Column(JSON, nullable=False))


def _checksum() -> Any:  # noqa: ANN401 - as above
    return Field(default=0, sa_column_kwargs={"server_default": "0"})


class TournamentRow(_Row, table=True):
    """A tournament, with the settings that all its games share."""

    __tablename__ = "tournament"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    created: float  # seconds since the epoch
    settings: dict[str, str] = _json()
    checksum: int = _checksum()


class EngineRow(_Row, table=True):
    """An engine: each combination of name, version, program and options has a row."""

    __tablename__ = "engine"
    __table_args__ = (
        Index("uq_engine_name_version_program_options", "name", "version", "program", "options", unique=True),
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str
    version: str  # "" when the engine reports none
    program: str = Field(sa_column_kwargs={"server_default": ""})  # a hash; "" when it is not known
    options: str = Field(sa_column_kwargs={"server_default": ""})  # JSON; "" when they are not known
    checksum: int = _checksum()


class GameRow(_Row, table=True):
    """The result of a game; ``id`` is the number that users give to ``arena show``."""

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
    number: int  # place in the schedule, from 0
    key: str
    game: str
    termination: str
    reason: str
    detail: str
    plies: int
    started: float  # seconds since the epoch
    duration: int  # nanoseconds
    worker: str = Field(sa_column_kwargs={"server_default": ""})  # "" for the machine of the run
    scale: float = Field(sa_column_kwargs={"server_default": "1.0"})  # of the time controls there
    result_sum: int = _checksum()  # of what tables and ratings read
    checksum: int = _checksum()  # of the whole game, with its rows in ``player`` and ``record``


class PlayerRow(_Row, table=True):
    """One seat of a game."""

    __tablename__ = "player"
    __table_args__ = (
        CheckConstraint("seat >= 0", name="seat"),
        CheckConstraint("rank >= 1", name="rank"),
        {"sqlite_with_rowid": False},  # the rows of a game are neighbours, and there is only one index
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
    """The course of a game: ``moves`` to ``depths`` are arrays with one entry for each ply."""

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
    """The settings of a rating list that differ from the default; a default list may have no row."""

    __tablename__ = "rating_list"

    game: str = Field(primary_key=True)
    settings: dict[str, str] = _json()
    checksum: int = _checksum()


class CheckpointRow(_Row, table=True):
    """The ratings after the first games of a rating list, so that arena need not rate these games again."""

    __tablename__ = "checkpoint"

    game: str = Field(primary_key=True)
    model: str = Field(primary_key=True)  # the settings on which the ratings depend
    games: int = Field(primary_key=True)  # how many games that count were rated
    tournament_id: int = Field(foreign_key="tournament.id")  # with number and key: the last game's place
    number: int
    key: str
    duration: int  # the sum over all games, nanoseconds: it changes when a game is deleted and replayed
    ratings: dict[str, Sequence[float]] = _json()  # mean, deviation and rated games, by engine
    checksum: int = _checksum()


# The same tables for SQLAlchemy's Core.
TOURNAMENT: Final[Table] = metadata.tables["tournament"]
ENGINE: Final[Table] = metadata.tables["engine"]
GAME: Final[Table] = metadata.tables["game"]
PLAYER: Final[Table] = metadata.tables["player"]
RECORD: Final[Table] = metadata.tables["record"]
RATING_LIST: Final[Table] = metadata.tables["rating_list"]
CHECKPOINT: Final[Table] = metadata.tables["checkpoint"]


def from_table(column: Column[Any]) -> ColumnElement[Any]:
    """Return the column for a condition without its index, because a damaged index would hide rows.

    A statement must also use a column that no index has, for example ``checksum``. Otherwise SQLite may read
    the index instead of the table.
    """
    return literal_column(f"+{column.table.name}.{column.name}", column.type)
