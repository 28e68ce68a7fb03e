"""What happens in a run: the events for the terminal, for `import arena`, and for pages of `arena serve`.

A run tells its listeners a line of JSON for each event. Before them comes a `RunState`: all that the run
knows. The run and its listeners apply each event with the same function, so they know the same.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import msgspec

from arena.errors import OpeningError
from arena.model import GameResult, Pairing, Stage
from referee.match.job import RunningGame, decode_with
from referee.ply import Ply

MAX_NOTICES: Final = 20  # the last notices that a state keeps


class LiveGame(msgspec.Struct, frozen=True):
    """A running game."""

    pairing: Pairing
    worker: str = ""  # the name of the worker that plays it; "" for the machine of the run
    time_controls: tuple[str, ...] = ()  # of each seat as text, such as 10+0.1; empty if not known
    plies: tuple[Ply, ...] = ()  # after the opening, as far as they are known
    turn: int = 0  # the seat to move, 0-based
    clocks_ms: tuple[int | None, ...] = ()  # as in `RunningGame`, at ``seen``; empty before the first move
    seen: float = 0.0  # seconds since the epoch
    slot: int = 0  # its place among the games that run at the same time, from 0: the lowest that was free


class Planned(msgspec.Struct, frozen=True, tag="planned"):
    """The run has read its database.

    ``total`` is None if the number of games is not known, and ``most`` if there is no limit that is known.
    """

    total: int | None
    most: int | None
    stored: int


class GameBegan(msgspec.Struct, frozen=True, tag="began"):
    """All engines of a game are ready, and its clocks run."""

    game: LiveGame


class Moved(msgspec.Struct, frozen=True, tag="moved"):
    """The plies and clocks of running games, by key; sent several times a second."""

    games: dict[str, RunningGame]
    seen: float


class GameEnded(msgspec.Struct, frozen=True, tag="ended"):
    """A game that counts has ended.

    The listeners of a run hear of it immediately, and its observers when it is stored: then the result has
    its number.
    """

    result: GameResult
    plies: tuple[Ply, ...] = ()  # all after the opening
    clocks_ms: tuple[int | None, ...] = ()  # as in `RunningGame`; empty if the game was not played


class GameVoid(msgspec.Struct, frozen=True, tag="void"):
    """A game has no result: its referee died or was stopped, or the machine could not play it."""

    pairing: Pairing
    text: str  # what happened
    again: bool  # whether this run plays it once more


class NextGames(msgspec.Struct, frozen=True, tag="next"):
    """Other games than before come next."""

    games: tuple[Pairing, ...]


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """A sentence for the user about an engine or the tournament."""

    about: str  # the name of either
    text: str
    warning: bool = True  # whether something may be wrong

    @property
    def line(self) -> str:
        """The notice for pages."""
        return f"{self.about}: {self.text}"


class EngineDisabled(msgspec.Struct, frozen=True, tag="disabled"):
    """An engine that failed several games in a row plays no more, until its table in the file changes."""

    engine: str
    text: str

    @property
    def line(self) -> str:
        """The notice for pages."""
        return f"{self.engine} is disabled: it failed three times in a row: {self.text}"


class Stopping(msgspec.Struct, frozen=True, tag="stopping"):
    """The user asked for a stop: running games are played to their end, and no new game starts."""

    running: int


RunEvent = (
    Planned
    | Stage
    | NextGames
    | GameBegan
    | Moved
    | GameEnded
    | GameVoid
    | Notice
    | EngineDisabled
    | Stopping
)


class RunState(msgspec.Struct, tag="state"):
    """What a run knows beside its database."""

    tournament: str
    database: str  # as `arena.address.full_name`
    total: int | None = None  # games of the tournament; None if that is not known
    stored: int = 0  # games that were stored before this run
    played: int = 0  # games that this run has played to their end
    began: float = msgspec.field(default_factory=time.monotonic)  # by the clock that nobody sets
    games: dict[str, LiveGame] = msgspec.field(default_factory=dict)  # the running ones by key, oldest first
    slots: int = 0  # the most games that ran at the same time
    next: tuple[Pairing, ...] = ()  # as far as they are known
    stages: dict[str, str] = msgspec.field(default_factory=dict)  # by game id
    resting: set[str] = msgspec.field(default_factory=set)  # the game ids whose stage is that they rest
    notices: list[str] = msgspec.field(default_factory=list)  # the last ones
    stopping: bool = False  # the user asked for a stop

    def running(self) -> tuple[LiveGame, ...]:
        """Return the running games as they are now: what threads walk through must not change meanwhile."""
        return (*self.games.values(),)

    @property
    def rests(self) -> bool:
        """Whether no game is played until an engine comes in or changes."""
        return bool(self.resting) and not self.games

    def apply(self, event: RunEvent) -> None:
        """Note an event. Moves in a game that is not known have no effect."""
        match event:
            case Planned(total, _, stored):
                self.total, self.stored = total, stored
            case GameBegan(game):
                self._begin(game)
            case Moved(games, seen):
                for key, news in games.items():
                    if (known := self.games.get(key)) is not None:
                        self.games[key] = msgspec.structs.replace(
                            known,
                            plies=known.plies[: news.first] + news.plies,
                            turn=news.turn,
                            clocks_ms=news.clocks_ms,
                            seen=seen,
                        )
            case GameEnded(GameResult(key=key)):
                self.games.pop(key, None)
                self.played += 1
            case GameVoid(Pairing(key=key)):
                self.games.pop(key, None)
            case Stage(game_id, text, rests):
                self.stages[game_id] = text
                (self.resting.add if rests else self.resting.discard)(game_id)
            case NextGames(pairings):
                self.next = pairings
            case Notice() | EngineDisabled():
                self.notices = [*self.notices, event.line][-MAX_NOTICES:]
            case Stopping():
                self.stopping = True

    def _begin(self, game: LiveGame) -> None:
        key, game_id = game.pairing.key, game.pairing.game
        self.games.pop(key, None)  # another worker may start it again
        self.games[key] = game
        self.slots = max(self.slots, game.slot + 1)
        self.next = tuple(pairing for pairing in self.next if pairing.key != key)
        if game_id in self.resting:
            self.resting.remove(game_id)
            del self.stages[game_id]


_DECODER: Final[msgspec.json.Decoder[RunState | RunEvent]] = msgspec.json.Decoder(RunState | RunEvent)


def decode(line: bytes) -> RunState | RunEvent:
    """Parse a line; a msgspec.MsgspecError says that it is no state and no event."""
    return decode_with(_DECODER, line)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The result of a run.

    Attributes:
        played: the number of games played in this run.
        disabled: the engines that are disabled at the end of the run, in the order in which that happened.
        skipped: the number of games that were neither played nor scored because of disabled engines.
        stopped: whether the user stopped the run before the end of the tournament.
        refused: the opening that the next game would have had, if the rules refuse it. No game was started
            after that, and all running games were played to their end.
        void: the number of games that have no result, although they were played twice. The next run plays
            them again.
        unplayed: the disabled engines that lost games in this run without playing them.
    """

    played: int
    disabled: tuple[str, ...]
    skipped: int
    stopped: bool
    refused: OpeningError | None = None
    void: int = 0
    unplayed: tuple[str, ...] = ()
