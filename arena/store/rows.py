"""The tables of the database: one SQLModel class, which checks nothing, for the rows of each.

A game has rows in three tables. Standings and ratings read only ``game`` and ``player``, whose rows are
small. ``record`` has one row with all plies of a game: one for each would be a hundred times as many and
slower to write, and no query needs single plies of many games.

The tables of the door have no classes: `arena.door.register` reads and changes single columns of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    ColumnClause,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    literal_column,
)
from sqlmodel import Field, SQLModel

TEXT: Final = String().with_variant(String(collation="C"), "postgresql")
"""The type of texts. They are sorted by code points, as SQLite does, in every language of a server."""

WHOLE: Final = BigInteger().with_variant(Integer(), "sqlite")
"""The type of whole numbers. SQLite's INTEGER has 64 bits, and numbers rows by itself only with this name."""

metadata: Final = MetaData(
    naming_convention={  # every constraint has a name, so that a migration can refer to it
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


_COUNTS: Final[ColumnClause[Any]] = literal_column("termination != 'void'")


class _Row(SQLModel):
    """The base class of all rows."""

    metadata: ClassVar[MetaData] = metadata


def _text(**options: Any) -> Any:  # noqa: ANN401 - as for `_json`
    return Field(sa_type=TEXT, **options)


def _whole(**options: Any) -> Any:  # noqa: ANN401 - as for `_json`
    return Field(sa_type=WHOLE, **options)


def _json() -> Any:  # noqa: ANN401 - SQLModel declares a Field with the type of its column
    return Field(sa_column=Column(JSON, nullable=False))


def _json_or_null() -> Any:  # noqa: ANN401 - as for `_json`
    return Field(default=None, sa_column=Column(JSON(none_as_null=True)))


class TournamentRow(_Row, table=True):
    """A tournament, with the settings that all its games share."""

    __tablename__ = "tournament"

    id: int | None = _whole(default=None, primary_key=True)
    name: str = _text(unique=True)
    created: float  # seconds since the epoch
    settings: dict[str, str] = _json()
    rated: bool  # whether a rating list has its games
    remote: bool  # whether it is the list of remote bots


class EngineRow(_Row, table=True):
    """An engine: each combination of name, version, program and options has a row."""

    __tablename__ = "engine"
    __table_args__ = (
        Index("uq_engine_name_version_program_options", "name", "version", "program", "options", unique=True),
    )

    id: int | None = _whole(default=None, primary_key=True)
    name: str = _text()
    version: str = _text()  # "" when the engine reports none
    program: str = _text()  # a hash; "" when it is not known
    options: str = _text()  # JSON; "" when they are not known


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
            sqlite_where=_COUNTS,  # `arena.store.postgresql` has the same for a server
        ),
        CheckConstraint("plies >= 0", name="plies"),
    )

    id: int | None = _whole(default=None, primary_key=True, sa_column_kwargs={"autoincrement": False})
    tournament_id: int = _whole(foreign_key="tournament.id")
    number: int = _whole()  # place in the schedule, from 0
    key: str = _text()
    game: str = _text()
    termination: str = _text()
    reason: str = _text()
    detail: str = _text()
    plies: int = _whole()
    opening: str = _text()  # the position and the moves that were given; "" if none were
    started: float  # seconds since the epoch
    duration: int = _whole()  # nanoseconds
    worker: str = _text()  # "" for the machine of the run
    checksum: int = _whole()  # the CRC-32 of the game's line in an export, see `arena.model.export_line`


class PlayerRow(_Row, table=True):
    """One seat of a game."""

    __tablename__ = "player"
    __table_args__ = (
        CheckConstraint("seat >= 0", name="seat"),
        CheckConstraint("rank >= 1", name="rank"),
        {"sqlite_with_rowid": False},  # the rows of a game are neighbours, and there is only one index
    )

    game_id: int = _whole(foreign_key="game.id", primary_key=True)
    seat: int = _whole(primary_key=True)  # 0-based
    engine_id: int = _whole(foreign_key="engine.id")
    rank: int | None = _whole()  # null in a void game
    points: float
    forfeit: str | None = _text()
    time_control: str = _text()
    margin: int = _whole()  # milliseconds
    time_used: int = _whole()  # nanoseconds


class RecordRow(_Row, table=True):
    """The course of a game: ``moves`` to ``depths`` are arrays with one entry for each ply.

    So are ``nodes`` to ``usages``, each if an engine reported one of its values in the game.
    """

    __tablename__ = "record"

    game_id: int = _whole(foreign_key="game.id", primary_key=True)
    opening_position: str | None = _text()  # null for the game's own start
    opening_moves: list[str] = _json()
    moves: list[str] = _json()
    seats: list[int] = _json()
    times: list[int] = _json()  # nanoseconds
    scores: list[str] = _json()
    depths: list[int | None] = _json()
    final_position: str = _text()
    nodes: list[int | None] | None = _json_or_null()
    nps: list[int | None] | None = _json_or_null()
    seldepths: list[int | None] | None = _json_or_null()
    hashfulls: list[int | None] | None = _json_or_null()
    pvs: list[str] | None = _json_or_null()
    usages: list[str] | None = _json_or_null()
    opening_name: str | None = _text()  # in the book; null if it has none


class RatingListRow(_Row, table=True):
    """The settings of a rating list that differ from the default; a default list may have no row."""

    __tablename__ = "rating_list"

    game: str = _text(primary_key=True)
    settings: dict[str, str] = _json()


class CheckpointRow(_Row, table=True):
    """The ratings after the first games of a rating list, so that arena need not rate these games again."""

    __tablename__ = "checkpoint"

    game: str = _text(primary_key=True)
    model: str = _text(primary_key=True)  # the settings on which the ratings depend
    games: int = _whole(primary_key=True)  # how many games that count were rated
    tournament_id: int = _whole(foreign_key="tournament.id")  # with number and key: the last game's place
    number: int = _whole()
    key: str = _text()
    duration: int = _whole()  # the sum over all games, nanoseconds: it changes when a game is replayed
    ratings: dict[str, Sequence[float]] = _json()  # mean, deviation and rated games, by engine


# The same tables for SQLAlchemy's Core.
TOURNAMENT, ENGINE, GAME, PLAYER, RECORD, RATING_LIST, CHECKPOINT = metadata.tables.values()
GAME_TABLES: Final = frozenset(metadata.tables)
"""The tables with games. A database that has most of them is ours, even without its mark."""


# The door.


def _never_null(name: str, *details: Any, **options: Any) -> Column[Any]:  # noqa: ANN401 - as for `_json`
    return Column(name, *details, nullable=False, **options)


PARTICIPANT: Final = Table(
    "door_participant",
    metadata,
    Column("id", WHOLE, primary_key=True),
    _never_null("tournament", TEXT),
    _never_null("name", TEXT),
    _never_null("token", TEXT, unique=True),  # the hash of the token in the link
    _never_null("role", TEXT),  # guest or organiser
    _never_null("state", TEXT),  # open, paused or removed
    _never_null("created", Float),  # seconds since the epoch
    UniqueConstraint("tournament", "name"),
)

SUBMISSION: Final = Table(
    "door_submission",
    metadata,
    Column("id", WHOLE, primary_key=True),
    _never_null("participant_id", WHOLE, ForeignKey("door_participant.id")),
    _never_null("version", WHOLE),  # from 1, for each participant
    _never_null("digest", TEXT),  # names the file in the door's folder
    _never_null("filename", TEXT),
    _never_null("plan", JSON),  # how it is built and started
    _never_null("state", TEXT),
    _never_null("problem", TEXT),  # why it was refused; "" if it was not
    _never_null("attempts", WHOLE),  # how often a worker has started with it
    _never_null("created", Float),
    Column("ended", Float),  # null until it is admitted or refused
    UniqueConstraint("participant_id", "version"),
)

LINE: Final = Table(
    "door_line",
    metadata,
    Column("id", WHOLE, primary_key=True),
    _never_null("tournament", TEXT),
    Column("submission_id", WHOLE, ForeignKey("door_submission.id"), index=True),  # null: a note to all
    _never_null("at", Float),
    _never_null("kind", TEXT),
    _never_null("text", TEXT),
)

REQUEST: Final = Table(
    "door_request",
    metadata,
    Column("id", WHOLE, primary_key=True),
    _never_null("participant_id", WHOLE, ForeignKey("door_participant.id")),
    _never_null("state", TEXT),  # waits, plays or ended
    _never_null("game", TEXT),
    _never_null("seats", JSON),  # the names of the engines in the first game
    _never_null("attempts", WHOLE),  # how often its games were started
    _never_null("problem", TEXT),  # why they were not all played; "" if they were
    _never_null("created", Float),
)

DOOR_TABLES: Final = (PARTICIPANT, SUBMISSION, LINE, REQUEST)
"""A table comes after those to which its rows refer."""
