"""The keys of a tournament file outside of ``[[engines]]``."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from arena import DEFAULT_DATABASE
from arena.config.engine_keys import EngineKeys, EngineTable
from arena.config.key import Between, Change, Key, KeyTable, OrOff
from arena.config.key_types import (
    COUNT,
    INT64,
    WHOLE_SECONDS,
    Control,
    DatabasePath,
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
from arena.opening_book import OpeningKind, OpeningOrder, OpeningSpec
from referee.game import GameInfo
from referee.match.adjudication import Adjudication, DrawRule, ResignRule
from referee.match.time_control import USUAL, TimeControl

__all__ = [
    "AdjudicationSpec",
    "DrawKeys",
    "OpeningKeys",
    "PlainKeys",
    "ResignKeys",
    "TournamentFile",
]

_RESIGN: Final = ResignRule(score=1)
_DRAW: Final = DrawRule(score=0)
_USUAL: Final = Adjudication()
_OPENINGS: Final = OpeningSpec()
_TIME_CONTROL: Final = TimeControl.parse(USUAL)

_SCORE: Final = 1_000_000  # what a mate counts in the referee


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
            "Instead of `list`: a text file with one opening a line. `#` begins a comment.",
            default="none",
            only=("kind", ("list",)),
        ),
    ] = None
    order: Annotated[
        OpeningOrder,
        Key(
            '`"sequential"`: openings come as they are written. `"random"`: they are shuffled by the seed.',
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
class ResignKeys(KeyTable):
    """``[adjudication.resign]``."""

    score: Annotated[int, Between(1, _SCORE, "centipawns"), Key("How far behind the loser says to be.")]
    moves: Annotated[int, COUNT, Key("In how many moves in a row, of each engine.")] = _RESIGN.moves
    sides: Annotated[
        Literal["both", "one"],
        Key(
            '`"both"`: the winner says to be ahead by as much. `"one"`: it is enough that the winner says to'
            " be ahead at all."
        ),
    ] = "both" if _RESIGN.both else "one"

    @property
    def rule(self) -> ResignRule:
        """The same for the referee."""
        return ResignRule(self.score, self.moves, self.sides == "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawKeys(KeyTable):
    """``[adjudication.draw]``."""

    score: Annotated[int, Between(0, _SCORE, "centipawns"), Key("How far from 0 a report may be.")]
    moves: Annotated[int, COUNT, Key("In how many moves in a row, of each engine.")] = _DRAW.moves
    after: Annotated[
        int,
        Between(0, COUNT.most),
        Key("How many moves must have been played before, the opening's included."),
    ] = _DRAW.after

    @property
    def rule(self) -> DrawRule:
        """The same for the referee."""
        return DrawRule(self.score, self.moves, self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicationSpec(KeyTable):
    """``[adjudication]``, for all games of the tournament. None is off.

    Attributes:
        plies: ``game`` stands for each game's own ply limit; a file cannot write it.
    """

    repetition: Annotated[
        int | None,
        OrOff(2, 1000),
        Key("The game is drawn when a position comes up so many times with the same player to move."),
    ] = _USUAL.repetition
    plies: Annotated[
        int | Literal["game"] | None,
        OrOff(1, COUNT.most),
        Key(
            "The game is drawn after so many moves, the opening's included.",
            default="the game's own limit",
            elsewhere=("maxmoves",),
        ),
    ] = "game"
    max_time: Annotated[
        int | None,
        OrOff(1, WHOLE_SECONDS.most, "seconds"),
        Key("The game is drawn when so much time has been used on all clocks together.", default="off"),
    ] = _USUAL.seconds
    resign: Annotated[
        ResignKeys | None, Key("When a game counts as lost by what the engines report.", default="never")
    ] = None
    draw: Annotated[
        DrawKeys | None, Key("When a game counts as drawn by what the engines report.", default="never")
    ] = None

    def for_game(self, info: GameInfo) -> Adjudication:
        """What holds in the games of one id."""
        return Adjudication(
            repetition=self.repetition,
            plies=info.ply_limit if self.plies == "game" else self.plies,
            seconds=self.max_time,
            resign=None if self.resign is None else self.resign.rule,
            draw=None if self.draw is None else self.draw.rule,
        )

    def __str__(self) -> str:
        plies = "the game's own" if self.plies == "game" else self.plies or "off"
        parts = [f"repetition {self.repetition or 'off'}", f"plies {plies}"]
        if self.max_time is not None:
            parts.append(f"max_time {self.max_time}")
        if self.resign is not None:
            parts.append(f"resign {self.resign.score} for {self.resign.moves} moves, {self.resign.sides}")
        if self.draw is not None:
            parts.append(f"draw {self.draw.score} for {self.draw.moves} moves after {self.draw.after}")
        return ", ".join(parts)


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainKeys(KeyTable):
    """The keys of the file that a `TournamentSpec` has just as the file says them."""

    name: Annotated[
        Title,
        Key(
            "What the database and the tables call the tournament.",
            Change.IDENTITY,
            default="the file's name without `.toml`",
            elsewhere=("event",),
        ),
    ] = ""
    database: Annotated[
        DatabasePath,
        Key("The SQLite file for the results. Several tournaments may share one.", Change.IDENTITY),
    ] = Path(DEFAULT_DATABASE)
    format: Annotated[Format, Key("Who meets whom, see [Formats](#formats).", Change.NEVER)] = "round-robin"
    games_per_pairing: Annotated[
        int,
        COUNT,
        Key(
            "How many games two engines play when they meet.",
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
        COUNT,
        Key("How many rounds are played.", Change.ANY_TIME, default="needed", only=("format", ("swiss",))),
    ] = None
    max_games: Annotated[
        int | None,
        Between(1, 10**9),
        Key(
            "After how many games of each game id the tournament ends.",
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
            "How many games are played at once. If they are more than the cores, `arena run` warns: engines"
            " then wait while their clocks run.",
            Change.NEXT_RUN,
            default="the cores that may be used",
            elsewhere=("threads",),
        ),
    ] = field(default_factory=_cores)
    affinity: Annotated[
        Flag,
        Key(
            "`true`: the referee and the engines of a game share one core. That is faster for short games."
            " Do not use it for engines with threads.",
            Change.NEXT_RUN,
        ),
    ] = False
    seed: Annotated[int, INT64, Key("The seed of everything random.", Change.NEVER)] = 1
    disabled: Annotated[
        Literal["lose", "skip"],
        Key(
            "What becomes of the remaining games of an engine that was disabled after three [crashes, stalls"
            " or"
            ' floods](../explanation/faults.md#engines-that-misbehave) in a row. `"lose"`: it loses them.'
            ' `"skip"`: they are left open until the engine is mended.',
            Change.ANY_TIME,
        ),
    ] = "lose"
    log: Annotated[
        FilePath | None,
        Key(
            "A folder for [transcripts](../howto/debug-an-engine.md#what-was-said) of what engines were told"
            " and what they said. `arena run --log` comes before it.",
            Change.NEXT_RUN,
            default="none",
        ),
    ] = None
    adjudication: Annotated[
        AdjudicationSpec,
        Key("What ends games beside their rules, see [Adjudication](#adjudication).", Change.NEVER),
    ] = field(default_factory=AdjudicationSpec)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFile(PlainKeys):
    """The whole file."""

    game: Annotated[
        GameId | None,
        Key(
            "The id of the game that is played; `arena games` lists them.", Change.ANY_TIME, default="needed"
        ),
    ] = None
    games: Annotated[
        GameIds | None,
        Key(
            "Instead of `game`: several ids, whose games are played one after the other.",
            Change.ANY_TIME,
            default="none",
        ),
    ] = None
    setup: Annotated[
        Setup | None,
        Key(
            "With which position the games begin, see [Set-ups](#set-ups).",
            Change.NEVER,
            default='`"default"`',
        ),
    ] = None
    openings: Annotated[
        OpeningKeys,
        Key(
            "With which moves the games begin, see [Openings](#openings).",
            Change.NEVER,
            default="the start position",
        ),
    ] = field(default_factory=OpeningKeys)
    defaults: Annotated[
        EngineKeys,
        Key("What holds for all engines, see [Engines](#engines).", Change.ANY_TIME, default="none"),
    ] = field(default_factory=EngineKeys)
    engines: Annotated[
        tuple[EngineTable, ...],
        Key("The engines, a table each, see [Engines](#engines).", Change.ANY_TIME, default="needed"),
    ] = ()
