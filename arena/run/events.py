"""What a running tournament tells whoever watches: the terminal, a log, later a page."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model import GameResult, Pairing, Stage
from referee.match.job import RunningGame

__all__ = [
    "EngineDisabled",
    "FileReread",
    "GameEnded",
    "GameReplayed",
    "GameStarted",
    "Notice",
    "Progress",
    "StopRequested",
    "TournamentEvent",
]


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game was handed to a referee."""

    pairing: Pairing


@dataclass(frozen=True, slots=True)
class Progress:
    """How running games stand: pairing by job, with plies and clocks; several a second."""

    games: tuple[tuple[Pairing, RunningGame], ...]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game was stored (or is about to be)."""

    pairing: Pairing
    result: GameResult


@dataclass(frozen=True, slots=True)
class GameReplayed:
    """A game came to nothing through nobody's fault and will be played again."""

    pairing: Pairing
    text: str


@dataclass(frozen=True, slots=True)
class EngineDisabled:
    """An engine crashed, stalled or flooded too often in a row and plays no more in this run."""

    engine: str
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the user should know of an engine, or of the tournament under its name."""

    engine: str
    text: str


@dataclass(frozen=True, slots=True)
class FileReread:
    """The tournament file was changed while the tournament runs, and was read again."""

    text: str


@dataclass(frozen=True, slots=True)
class StopRequested:
    """The user asked to stop: running games are played to their end, no new ones begin."""

    running: int


TournamentEvent = (
    GameStarted
    | Progress
    | GameEnded
    | GameReplayed
    | EngineDisabled
    | Notice
    | FileReread
    | Stage
    | StopRequested
)
