"""The messages of a run to its listeners. Each message is one line of JSON.

The first message to a listener is a `RunState`: all that a run knows. Each later message is a change to it,
which `RunState.apply` makes. So the run and its listeners keep the same state with the same function.
"""

from __future__ import annotations

import time
from typing import Final

import msgspec

from referee.match.job import decode_with, encode  # they write and read paths that are not UTF-8, too
from referee.ply import Ply

__all__ = [
    "Change",
    "GameBegan",
    "GameOver",
    "LiveGame",
    "Moved",
    "NextGame",
    "NextGames",
    "NoticeGiven",
    "Planned",
    "RunState",
    "StageBegan",
    "Stopping",
    "decode",
    "encode",
]

MAX_NOTICES: Final = 20
"""The last notices that a state keeps."""


class LiveGame(msgspec.Struct, frozen=True):
    """A running game.

    Attributes:
        key, number, game, seats: as in its `arena.model.Pairing`; the number is 0-based.
        position: the position string of its opening; None for the game's usual start position.
        opening: the moves of the opening.
        time_controls: the time control of each seat as text, for example ``10+0.1``.
        plies: the plies after the opening that are known.
        turn: the seat to move, 0-based.
        clocks_ms: milliseconds left on each clock at ``seen``; empty before the first move.
        seen: when the clocks had these values, in seconds since the epoch.
        worker: the name of the worker that plays it; "" for the machine of the run.
    """

    key: str
    number: int
    game: str
    seats: tuple[str, ...]
    position: str | None
    opening: tuple[str, ...]
    time_controls: tuple[str, ...] = ()
    plies: tuple[Ply, ...] = ()
    turn: int = 0
    clocks_ms: tuple[int, ...] = ()
    seen: float = 0.0
    worker: str = ""


class Planned(msgspec.Struct, frozen=True, tag="planned"):
    """The run has read its database.

    Attributes:
        total: the number of games of the tournament; None if that is not known.
        stored: the number of games that were stored before this run.
    """

    total: int | None
    stored: int


class GameBegan(msgspec.Struct, frozen=True, tag="began"):
    """A game was sent to a referee."""

    game: LiveGame


class Moved(msgspec.Struct, frozen=True, tag="moved"):
    """Plies were played in a running game, or only its clocks changed.

    Attributes:
        key: the game.
        first: the number of plies of the game before ``plies``.
        plies, turn, clocks_ms, seen: as in `LiveGame`.
    """

    key: str
    first: int
    plies: tuple[Ply, ...]
    turn: int
    clocks_ms: tuple[int, ...]
    seen: float


class GameOver(msgspec.Struct, frozen=True, tag="over"):
    """A game runs no more.

    Attributes:
        key: the game.
        stored: whether its result is in the database; otherwise it will be played again.
        text: what happened, in one line.
    """

    key: str
    stored: bool
    text: str


class StageBegan(msgspec.Struct, frozen=True, tag="stage"):
    """The next games of a game id belong to a stage such as ``round 2 of 5``."""

    game: str
    text: str


class NextGame(msgspec.Struct, frozen=True):
    """A game that has not begun; ``key``, ``number``, ``game`` and ``seats`` are as in `LiveGame`."""

    key: str
    number: int
    game: str
    seats: tuple[str, ...]


class NextGames(msgspec.Struct, frozen=True, tag="next"):
    """Other games than before come next."""

    games: tuple[NextGame, ...]


class NoticeGiven(msgspec.Struct, frozen=True, tag="notice"):
    """The run told its user something."""

    text: str


class Stopping(msgspec.Struct, frozen=True, tag="stopping"):
    """The user asked for a stop: no new game starts."""


Change = Planned | GameBegan | Moved | GameOver | StageBegan | NextGames | NoticeGiven | Stopping


class RunState(msgspec.Struct, tag="state"):
    """What a run knows besides its database. This is the first message; `apply` makes the later ones.

    Attributes:
        tournament: its name.
        database: its database, as `arena.address.full_name`.
        total: the number of games of the tournament; None if that is not known.
        stored: the number of games that were stored before this run.
        played: the number of games that this run has stored.
        began: when this run began, in seconds since the epoch.
        games: the running games by key, in the order in which they began.
        next: the games that come next, as far as they are known.
        stages: the stage of each game id.
        notices: the last messages to the user.
        stopping: whether the user asked for a stop.
    """

    tournament: str
    database: str
    total: int | None = None
    stored: int = 0
    played: int = 0
    began: float = msgspec.field(default_factory=time.time)
    games: dict[str, LiveGame] = msgspec.field(default_factory=dict)
    next: list[NextGame] = msgspec.field(default_factory=list)
    stages: dict[str, str] = msgspec.field(default_factory=dict)
    notices: list[str] = msgspec.field(default_factory=list)
    stopping: bool = False

    def apply(self, change: Change) -> None:
        """Make a change. A change of a game that is not known has no effect."""
        match change:
            case Planned(total, stored):
                self.total, self.stored = total, stored
            case GameBegan(game):
                self.games[game.key] = game
                self.next = [one for one in self.next if one.key != game.key]
            case Moved(key, first, plies, turn, clocks_ms, seen):
                if (known := self.games.get(key)) is not None:
                    self.games[key] = msgspec.structs.replace(
                        known, plies=known.plies[:first] + plies, turn=turn, clocks_ms=clocks_ms, seen=seen
                    )
            case GameOver(key, stored, _):
                self.games.pop(key, None)
                self.played += stored
            case StageBegan(game_id, text):
                self.stages[game_id] = text
            case NextGames(games):
                self.next = list(games)
            case NoticeGiven(text):
                self.notices = [*self.notices, text][-MAX_NOTICES:]
            case Stopping():
                self.stopping = True


_DECODER: Final[msgspec.json.Decoder[RunState | Change]] = msgspec.json.Decoder(RunState | Change)


def decode(line: bytes) -> RunState | Change:
    """Parse a line.

    Raises:
        msgspec.MsgspecError: it is not such a message.
    """
    return decode_with(_DECODER, line)
