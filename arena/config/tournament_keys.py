"""The keys of a tournament file, without the keys of the door and of single formats."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator

from arena.address import DEFAULT_DATABASE, web_parts
from arena.config.door_keys import DoorKeys
from arena.config.key_types import (
    INT64,
    Affinity,
    Command,
    Control,
    Database,
    EngineName,
    ExistingFolder,
    ExistingPaths,
    FilePath,
    GameId,
    GameIds,
    Options,
    Setup,
    ShellCommands,
    Text,
    Title,
    Variables,
)
from arena.errors import ConfigError
from arena.formats.format import USUAL as USUAL_FORMAT
from arena.formats.format import find_format, format_names
from arena.openings.book import OpeningKind, OpeningOrder, OpeningSpec
from arena.openings.file import BookName
from protocol.keys import Between, Change, DocumentedValue, Key, KeyTable
from protocol.process.machine import usable_cores
from protocol.spec import EngineSettings
from referee.match.adjudication import Adjudication
from referee.match.forgiveness import Forgiveness
from referee.match.time_control import USUAL, TimeControl


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineKeys(EngineSettings):
    """The keys of ``[defaults]``. ``[[engines]]`` has them, too, and the keys of `EngineTable`."""

    cwd: Annotated[
        ExistingFolder | None,
        Key(
            "The folder in which the engine starts, unless it has a sandbox. `{cwd}` in `command` is this"
            " folder.",
            default="the file's folder",
            elsewhere=("dir",),
        ),
    ] = None
    env: Annotated[Variables, Key("Environment variables, added to the variables of `arena`.")] = field(
        default_factory=dict
    )
    options: Annotated[
        Options,
        Key("Values of options, by name, see [Options](#options)."),
    ] = field(default_factory=dict)
    time_control: Annotated[
        Control | None,
        Key(
            "The engine's own time control. In `[defaults]` it is the tournament's; do not set it at the top"
            " of the file then.",
            default="the file's",
            elsewhere=("tc",),
        ),
    ] = None
    readable: Annotated[
        ExistingPaths, Key('Files and folders that an engine in the sandbox `"bwrap"` may also read.')
    ] = ()
    games: Annotated[
        GameIds | None, Key("Which of the tournament's games the engine enters.", default="all of them")
    ] = None
    version: Annotated[
        Text, Key("The engine's version, stored with its games.", default="the version that it reports")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTable(EngineKeys):
    """``[[engines]]``: one engine."""

    name: Annotated[
        EngineName,
        Key(
            "The engine's name, without `|` and of at most 200 characters. No two engines have the same one.",
            default="needed, unless there is a `glob`",
        ),
    ]
    command: Annotated[
        Command,
        Key(
            "Program and arguments: a text, which is split as a shell would split it (no shell runs), or a"
            " list of texts. A program with a `/` is a path, from the folder of the file; `{cwd}/x` is in"
            " `cwd`. Any other program is looked up on `PATH`. `{python}` is the interpreter that runs"
            " `arena`. `sample:random`, `sample:greedy` and `sample:alphabeta` are sample engines for every"
            " game, `sample:llm` asks [a language model](../howto/evaluate-a-language-model.md),"
            " `level:1` is a [level](../games/index.md#levels)."
            " [Bridges](bridges.md) such as `bridge:gtp` play for bots with other interfaces.",
            elsewhere=("cmd",),
        ),
    ]
    glob: Annotated[
        Text,
        Key(
            'Enters an engine for each file that fits, such as `"bots/*/bot.py"`. The part that `*` matches'
            " is its name, its `cwd` is by default the folder of the file, and `{file}` in `command` is the"
            " file. See [Bring your bots](../howto/bring-your-bots.md).",
            default="one engine",
        ),
    ] = ""
    build: Annotated[
        ShellCommands,
        Key(
            "Shell commands that make the program, see [Building engines](#building-engines). They run in"
            " `cwd`, which must be set.",
            default="nothing is built",
        ),
    ] = ()


_ADDRESS: Final = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):([0-9]{1,5})", re.ASCII)


def check_address(text: str) -> str:
    """Return the address of a Dask scheduler, or raise a ValueError if it cannot be used safely."""
    match = _ADDRESS.fullmatch(text)
    if match is None or not 0 < int(match[3]) < 1 << 16:
        raise ValueError(f"this must be an address such as tls://hub:8786, not {text[:80]!a}")
    if match[1] == "tcp" and not is_loopback(match[2].strip("[]")):
        raise ValueError(
            f"{text}: anyone on this port could run programs on all your machines; use tls://, with the"
            " certificates of `arena worker --new-certificates`"
        )
    return text


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host."""
    from ipaddress import ip_address  # most tournaments have no scheduler

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorKeys(KeyTable):
    """``[executor]``."""

    scheduler: Annotated[
        Annotated[Text, AfterValidator(check_address), DocumentedValue("address")] | None,
        Key(
            "The address of the scheduler, such as `tls://hub:8786`. Only a scheduler on this machine may"
            " have an address with `tcp://`. `arena run --scheduler` overrides it.",
            default="this machine plays",
        ),
    ] = None
    certificates: Annotated[
        FilePath | None,
        Key(
            "The folder with the certificates of this machine, from `arena worker --new-certificates`, for an"
            " address with `tls://`.",
            default="`certificates`",
        ),
    ] = None
    cores: Annotated[
        int,
        Between(1, 1024),
        Key("How many cores each game has for itself on a worker."),
    ] = 1


def _hook(text: str) -> str:
    parts = web_parts(text)
    if parts is None or "@" in parts.netloc or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError('must be the address of a web hook, e.g. "https://chat.example.org/hooks/KEY"')
    return text


Hook = Annotated[Text, AfterValidator(_hook), DocumentedValue("text")]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyKeys(KeyTable):
    """``[notify]``."""

    url: Annotated[
        Hook,
        Key(
            "The address of the web hook, which gets each message by POST. It is a secret: arena stores it"
            " nowhere, and shows only its host."
        ),
    ]
    form: Annotated[
        Literal["json", "discord", "slack", "matrix"],
        Key(
            'What the web hook takes. `"json"`: all that arena sends, for a program. The others: a sentence,'
            " in the form of these services."
        ),
    ] = "json"


_OPENINGS: Final = OpeningSpec()
_TIME_CONTROL: Final = TimeControl.parse(USUAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningKeys(KeyTable):
    """``[openings]``."""

    kind: Annotated[
        OpeningKind,
        Key(
            '`"start"`: every game starts at the start position. `"list"`: openings come from a list.'
            ' `"random"`: they are random moves. `"setups"`: they are random set-ups, in games that have'
            " them."
        ),
    ] = _OPENINGS.kind
    file: Annotated[
        FilePath | None,
        Key(
            "A text file with one opening a line, or a book in PGN, packed or not. `#`"
            " starts a comment at the start of a line or after a space.",
            only=("kind", ("list",)),
        ),
    ] = None
    book: Annotated[
        BookName | None,
        Key(
            "Instead of `file`: a book of balanced openings that is part of arena.",
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
            "How many games run at the same time. With more games than cores, engines take time from each"
            " other while their clocks run, and `arena run` warns.",
            Change.NEXT_RUN,
            default="the number of cores that arena may use",
            elsewhere=("threads",),
        ),
    ] = field(default_factory=lambda: len(usable_cores()))
    affinity: Annotated[
        Affinity,
        Key(
            "Which [cores](../explanation/scale.md#cores-for-each-game) the referee and the engines of a"
            ' game use. `"auto"`: one each, or as many as the option `Threads` or `cores`, if there are'
            " enough and no other run has leased them. `true`: one core each in any case. `false`: any.",
            Change.NEXT_RUN,
            elsewhere=("use-affinity",),
        ),
    ] = "auto"
    seed: Annotated[
        int, INT64, Key("The seed of random openings, random set-ups and a random order.", Change.NEVER)
    ] = 1
    disabled: Annotated[
        Literal["lose", "skip"],
        Key(
            "What happens to the remaining games of an engine that is disabled for the rest of the run after"
            ' three [crashes, stalls or floods](referee.md#how-a-game-ends) in a row. `"lose"`: it loses'
            " them; when it is fixed, `arena void --engine NAME --unplayed` opens them again."
            ' `"skip"`: they stay open until you fix the engine.',
            Change.ANY_TIME,
        ),
    ] = "lose"
    log: Annotated[
        FilePath | None,
        Key(
            "A folder for [transcripts](../howto/debug-an-engine.md#what-was-said) of the dialogue with"
            " each engine. `arena run --log` overrides it.",
            Change.NEXT_RUN,
        ),
    ] = None
    log_lost: Annotated[
        int | None,
        Between(0, 1000),
        Key(
            "Keep only the transcripts of lost games: the last N of each engine, in its own folder in `log`."
            " `0` keeps the transcripts of all games.",
            Change.NEXT_RUN,
            default="`10` with a `[door]`, else `0`",
        ),
    ] = None
    adjudication: Annotated[
        Adjudication,
        Key(
            "When the referee ends games that the rules have not ended, see [Adjudication](#adjudication).",
            Change.NEVER,
        ),
    ] = field(default_factory=Adjudication)
    forgive: Annotated[
        Forgiveness | None,
        Key(
            "Which illegal and late moves do not lose the game, see [Forgiveness](#forgiveness).",
            Change.NEVER,
        ),
    ] = None
    executor: Annotated[
        ExecutorKeys,
        Key("Where the games are played, see [Executor](#executor).", Change.NEXT_RUN),
    ] = field(default_factory=ExecutorKeys)
    notify: Annotated[
        NotifyKeys | None,
        Key(
            "A web hook for messages about a run, see [Messages](#messages).",
            Change.NEXT_RUN,
        ),
    ] = None
    door: Annotated[
        DoorKeys | None,
        Key(
            "A submission server (the *door*) for engines of other people, see [Door](#door). Only in a"
            " ladder, a gauntlet or a round-robin.",
            Change.NEXT_RUN,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFile(PlainKeys):
    """The whole file."""

    game: Annotated[
        GameId | None,
        Key("The id of the game. `arena games` lists the ids.", Change.GROWS, default="needed"),
    ] = None
    games: Annotated[
        GameIds | None,
        Key("The ids of several games, instead of `game`.", Change.GROWS),
    ] = None
    setup: Annotated[
        Setup | None,
        Key(
            "The position with which the games start, see [Set-ups](#set-ups).",
            Change.NEVER,
            default='`"default"`',
        ),
    ] = None
    openings: Annotated[
        OpeningKeys,
        Key(
            "The moves with which the games start, see [Openings](#openings).",
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
