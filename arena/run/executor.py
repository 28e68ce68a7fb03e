"""What a run needs of an executor, and the events of executors that no referee sends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec
import trio

from protocol.spec import EngineSpec
from referee.match.job import GameEvent, Job, RefereeEvent, decode_with

if TYPE_CHECKING:
    from arena.config import TournamentSpec


class JobLost(GameEvent, frozen=True, tag="lost"):
    """The referee of a job died, or was killed because it was silent. The game must be played again."""

    text: str


class JobDeclined(GameEvent, frozen=True, tag="declined"):
    """A game is not played in this run."""


ExecutorEvent = RefereeEvent | JobLost | JobDeclined

BatchEvent = RefereeEvent | JobLost  # what `arena worker` writes
_BATCH_EVENTS: Final[msgspec.json.Decoder[BatchEvent]] = msgspec.json.Decoder(BatchEvent)


def decode_batch_event(line: bytes) -> BatchEvent:
    """Parse a line that `arena worker` has written, or raise a msgspec.MsgspecError."""
    return decode_with(_BATCH_EVENTS, line)


class Executor(ABC):
    """Plays the games of a run. What an executor does not do, it does not override.

    Attributes:
        events: the events of all games.
        many_machines: whether the games are played on several machines. Then a game may wait after `submit`,
            and `JobStarted` says when it starts; a fault of a machine is no reason to hold up all games; and
            the executor decides how many games it takes.
    """

    events: trio.MemoryReceiveChannel[ExecutorEvent]
    many_machines: ClassVar[bool]

    @property
    @abstractmethod
    def count(self) -> int:
        """How many games can run without sharing a referee."""

    @property
    def room(self) -> int:
        """How many games the executor takes, if it plays on many machines."""
        return self.count

    @abstractmethod
    async def submit(self, job: Job) -> None:
        """Take a game to play. Its last event is `JobFinished`, `JobLost` or `JobDeclined`."""

    async def recall(self) -> list[str]:
        """Give back the ids of the games that no machine has started. They have no further event."""
        await trio.lowlevel.checkpoint()
        return []

    async def change(self, spec: TournamentSpec) -> None:
        """Note that the tournament has changed, before its first game with the change."""
        await trio.lowlevel.checkpoint()

    async def try_engine(self, engine: EngineSpec, game: str) -> str:
        """Start an engine for a game id, and end it; return its problem with its options, or ""."""
        await trio.lowlevel.checkpoint()
        return ""

    async def watch(self, watched: bool) -> None:
        """Send the plies of running games in every snapshot, or stop that."""
        await trio.lowlevel.checkpoint()
