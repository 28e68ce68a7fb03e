"""The keys at the top of a tournament file, and those of ``[openings]``.

Other modules declare the keys of the other tables.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

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
    Texts,
    Title,
)
from arena.config.pairing_plan import Format, Sprt
from arena.defaults import DEFAULT_DATABASE
from arena.openings.book import OpeningKind, OpeningOrder, OpeningSpec
from arena.openings.file import BookName
from protocol.keys import NUMBER, Between, Change, Key, KeyTable
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
        Format, Key("Which engines play each other, see [Formats](#formats).", Change.NEVER)
    ] = "round-robin"
    games_per_pairing: Annotated[
        int,
        NUMBER,
        Key(
            "How many games two engines play when they meet. In a Swiss or a knock-out this number times the"
            " number of engines is at most 200000.",
            Change.ANY_TIME,
            only=("format", ("round-robin", "gauntlet", "swiss", "knockout")),
        ),
    ] = 2
    seeds: Annotated[
        Texts,
        Key(
            "The names of the engines that play against all others.",
            Change.ANY_TIME,
            default="the first engine",
            only=("format", ("gauntlet",)),
        ),
    ] = ()
    rounds: Annotated[
        int | None,
        NUMBER,
        Key("The number of rounds.", Change.ANY_TIME, default="needed", only=("format", ("swiss",))),
    ] = None
    max_games: Annotated[
        int | None,
        Between(1, 10**9),
        Key(
            "The tournament ends after this many games of each game id.",
            Change.ANY_TIME,
            default="no limit",
            only=("format", ("match", "ladder")),
        ),
    ] = None
    sprt: Annotated[
        Sprt | None,
        Key(
            "A test that ends the match, see [Formats](#formats).",
            Change.NEVER,
            default="none",
            only=("format", ("match",)),
        ),
    ] = None
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
            "Lets people hand in engines while the tournament runs, see [Door](#door).",
            Change.NEXT_RUN,
            default="none",
            only=("format", ("ladder", "gauntlet", "round-robin")),
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
