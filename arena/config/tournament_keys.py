"""The keys at the top of a tournament file, and those of ``[openings]``.

Other modules declare the keys of the other tables.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator

from arena.config.door_keys import DoorKeys
from arena.config.engine_keys import EngineKeys, EngineTable
from arena.config.executor_keys import ExecutorKeys
from arena.config.key_types import (
    INT64,
    Control,
    Database,
    FilePath,
    Flag,
    GameId,
    GameIds,
    OpeningTexts,
    Setup,
    Text,
    Title,
)
from arena.defaults import DEFAULT_DATABASE
from arena.errors import ConfigError
from arena.formats.format import USUAL as USUAL_FORMAT
from arena.formats.format import find_format, format_names
from arena.openings.book import OpeningKind, OpeningOrder, OpeningSpec
from arena.openings.file import BookName
from protocol.keys import Between, Change, DocumentedValue, Key, KeyTable
from protocol.process.machine import usable_cores
from referee.match.adjudication import Adjudication
from referee.match.time_control import USUAL, TimeControl

__all__ = ["OpeningKeys", "PlainKeys", "TournamentFile"]

_OPENINGS: Final = OpeningSpec()
_TIME_CONTROL: Final = TimeControl.parse(USUAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningKeys(KeyTable):
    """``[openings]``."""

    kind: Annotated[
        OpeningKind,
        Key(
            '`"start"`: every game begins at the start position. `"list"`: openings come from a list.'
            ' `"random"`: they are random moves. `"setups"`: they are random set-ups, in games that have'
            " them."
        ),
    ] = _OPENINGS.kind
    list: Annotated[
        OpeningTexts | None, Key("The openings, as texts.", default="none", only=("kind", ("list",)))
    ] = None
    file: Annotated[
        FilePath | None,
        Key(
            "Instead of `list`: a text file with one opening a line. `#` begins a comment at the beginning of"
            " a line or after a space. A file whose name ends with `.pgn` is a book of chess in PGN.",
            default="none",
            only=("kind", ("list",)),
        ),
    ] = None
    book: Annotated[
        BookName | None,
        Key(
            "Instead of `list`: a book of balanced openings that comes with arena.",
            default="none",
            only=("kind", ("list",)),
        ),
    ] = None
    order: Annotated[
        OpeningOrder,
        Key(
            '`"sequential"`: openings come in the order of the list. `"random"`: the seed shuffles them.',
            only=("kind", ("list",)),
        ),
    ] = _OPENINGS.order
    plies: Annotated[
        int | None,
        Between(1, 1000),
        Key("How many moves are played at random.", default="needed", only=("kind", ("random",))),
    ] = None
    seed: Annotated[
        int | None,
        INT64,
        Key("The seed of random openings, random set-ups and a random order.", default="the file's `seed`"),
    ] = None


def _format(name: str) -> str:
    try:
        return find_format(name).name
    except ConfigError as error:
        raise ValueError(str(error)) from None


FormatName = Annotated[
    Text, AfterValidator(_format), DocumentedValue(", ".join(f'`"{name}"`' for name in format_names()))
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainKeys(KeyTable):
    """The keys of the file that `TournamentSpec` takes over unchanged."""

    name: Annotated[
        Title,
        Key(
            "The tournament's name in the database and in tables, of at most 200 characters.",
            Change.IDENTITY,
            default="the file's name without `.toml`",
            elsewhere=("event",),
        ),
    ] = ""
    database: Annotated[
        Database,
        Key(
            "The SQLite file for the results, or `postgresql://USER@HOST/NAME`, see"
            " [PostgreSQL](../howto/postgresql.md). Several tournaments may share one.",
            Change.IDENTITY,
        ),
    ] = Path(DEFAULT_DATABASE)
    format: Annotated[
        FormatName, Key("Which engines play each other, see [Formats](#formats).", Change.NEVER)
    ] = USUAL_FORMAT
    time_control: Annotated[Control, Key("How long engines may think.", Change.NEVER, elsewhere=("tc",))] = (
        _TIME_CONTROL
    )
    concurrency: Annotated[
        int,
        Between(1, 10_000),
        Key(
            "How many games run at once. `arena run` warns if there are more games than cores: engines then"
            " wait while their clocks run.",
            Change.NEXT_RUN,
            default="the number of cores that arena may use",
            elsewhere=("threads",),
        ),
    ] = field(default_factory=lambda: len(usable_cores()))
    affinity: Annotated[
        Flag,
        Key(
            "`true`: the referee and the engines of a game share one core. That is faster for short games."
            " Do not use it for engines with threads.",
            Change.NEXT_RUN,
        ),
    ] = False
    seed: Annotated[int, INT64, Key("The seed of all random choices.", Change.NEVER)] = 1
    disabled: Annotated[
        Literal["lose", "skip"],
        Key(
            "What happens to the remaining games of an engine that was disabled after three [crashes,"
            ' stalls or floods](../explanation/faults.md#engines-that-misbehave) in a row. `"lose"`: the'
            ' engine loses them. `"skip"`: they stay open until you fix the engine.',
            Change.ANY_TIME,
        ),
    ] = "lose"
    log: Annotated[
        FilePath | None,
        Key(
            "A folder for [transcripts](../howto/debug-an-engine.md#what-was-said) of the dialogue with"
            " each engine. `arena run --log` overrides it.",
            Change.NEXT_RUN,
            default="none",
        ),
    ] = None
    adjudication: Annotated[
        Adjudication,
        Key(
            "When the referee ends games that the rules have not ended, see [Adjudication](#adjudication).",
            Change.NEVER,
        ),
    ] = field(default_factory=Adjudication)
    executor: Annotated[
        ExecutorKeys,
        Key("Where the games are played, see [Executor](#executor).", Change.NEXT_RUN),
    ] = field(default_factory=ExecutorKeys)
    door: Annotated[
        DoorKeys | None,
        Key(
            "Lets people hand in engines while the tournament runs, see [Door](#door). Only in a ladder, a"
            " gauntlet or a round-robin.",
            Change.NEXT_RUN,
            default="none",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFile(PlainKeys):
    """The whole file."""

    game: Annotated[
        GameId | None,
        Key("The id of the game. `arena games` lists the ids.", Change.ANY_TIME, default="needed"),
    ] = None
    games: Annotated[
        GameIds | None,
        Key(
            "The ids of several games, instead of `game`.",
            Change.ANY_TIME,
            default="none",
        ),
    ] = None
    setup: Annotated[
        Setup | None,
        Key(
            "The position that the games begin with, see [Set-ups](#set-ups).",
            Change.NEVER,
            default='`"default"`',
        ),
    ] = None
    openings: Annotated[
        OpeningKeys,
        Key(
            "The moves that the games begin with, see [Openings](#openings).",
            Change.NEVER,
            default="the start position",
        ),
    ] = field(default_factory=OpeningKeys)
    defaults: Annotated[
        EngineKeys,
        Key("Settings for all engines, see [Engines](#engines).", Change.ANY_TIME, default="none"),
    ] = field(default_factory=EngineKeys)
    engines: Annotated[
        tuple[EngineTable, ...],
        Key("The engines, one table each, see [Engines](#engines).", Change.ANY_TIME, default="needed"),
    ] = ()
