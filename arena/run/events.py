"""What a run tells: events to its observer, such as a terminal view or a log, and at the end a summary."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import OpeningError
from arena.model import GameResult, Pairing, Stage
from referee.match.job import RunningGame

__all__ = [
    "EngineDisabled",
    "FileReread",
    "GameEnded",
    "GameStarted",
    "GameVoid",
    "Notice",
    "Progress",
    "RunSummary",
    "StopRequested",
    "TournamentEvent",
]


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game was sent to a referee, or begins on a worker.

    Attributes:
        pairing: the game.
        worker: the name of the worker; "" for this machine.
        time_controls: the time control of each seat as text, such as ``10+0.1``; empty if it is not known.
    """

    pairing: Pairing
    worker: str = ""
    time_controls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """The plies and clocks of all running games; sent several times a second."""

    games: tuple[tuple[Pairing, RunningGame], ...]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game ended. `arena.run.tournament` holds the event back until the game is stored."""

    pairing: Pairing
    result: GameResult


@dataclass(frozen=True, slots=True)
class GameVoid:
    """A game has no result: its referee died or was stopped, or the machine could not play it.

    Attributes:
        pairing: the game.
        text: what happened.
        again: whether this run plays it once more.
    """

    pairing: Pairing
    text: str
    again: bool


@dataclass(frozen=True, slots=True)
class EngineDisabled:
    """An engine crashed, stalled or flooded in several games in a row. It plays no more in this run.

    In a ladder it plays again if its table in the file changes.
    """

    engine: str
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning for the user about an engine or the tournament; ``engine`` is the name of either."""

    engine: str
    text: str


@dataclass(frozen=True, slots=True)
class FileReread:
    """The tournament file changed during the run and was read again."""

    text: str


@dataclass(frozen=True, slots=True)
class StopRequested:
    """The user asked for a stop: running games go on to their end, and no new game starts."""

    running: int


TournamentEvent = (
    GameStarted
    | Progress
    | GameEnded
    | GameVoid
    | EngineDisabled
    | Notice
    | FileReread
    | Stage
    | StopRequested
)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The result of a run.

    Attributes:
        played: the number of games played in this run.
        disabled: the engines that are disabled at the end of the run, in the order in which that happened.
        skipped: the number of games that were neither played nor scored because of disabled engines.
        stopped: whether the user stopped the run before the end of the tournament.
        refused: the opening that the next game would have had, if the rules refuse it. No game was begun
            after that, and all games that had begun were played to their end.
        void: the number of games that have no result, although they were played twice. The next run plays
            them again.
    """

    played: int
    disabled: tuple[str, ...]
    skipped: int
    stopped: bool
    refused: OpeningError | None = None
    void: int = 0
