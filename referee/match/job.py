"""The messages between arena and a referee process. Each message is one line of JSON.

The referee reads orders: `Job`, `AnswerOrder`, `AbandonOrder`, `TryOrder`, `WatchOrder`, `DropIdleOrder` and
`QuitOrder`. It writes events: `RefereeReady`, `JobStarted`, `TurnBegan`, `Snapshot`, `EngineWarning`,
`EngineTried`, `OrderRefused` and `JobFinished`.
Times are nanoseconds unless a name says otherwise. Seats are 0-based except in move texts.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from protocol.spec import EngineSpec
from referee.match.adjudication import Adjudication
from referee.outcome import Termination
from referee.ply import Ply

__all__ = [
    "AbandonOrder",
    "AnswerOrder",
    "DropIdleOrder",
    "EngineTried",
    "EngineWarning",
    "Job",
    "JobFinished",
    "JobSeat",
    "JobStarted",
    "Order",
    "OrderRefused",
    "QuitOrder",
    "RefereeEvent",
    "RefereeReady",
    "RunningGame",
    "SeatResult",
    "Snapshot",
    "TryOrder",
    "TurnBegan",
    "VoidCause",
    "WatchOrder",
]


MAX_ID: Final = 100
"""The most characters in the id of a job, which is in the name of a transcript."""


class JobSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The engine of one seat, and its time control as text, for example ``10+0.1``."""

    engine: EngineSpec
    time_control: str


class Job(msgspec.Struct, frozen=True, tag="game", tag_field="do", forbid_unknown_fields=True):
    """An order to play one game. The referee starts it at once. The sender limits the number of games.

    Attributes:
        id: names this game in every event: a printable word of at most `MAX_ID` characters.
        game: the id of the rules.
        seats: the engines, in turn order.
        setup: the name of a start position; None for the usual one.
        position: a position string to start from, instead of a set-up.
        moves: an opening, played before the engines begin.
        adjudication: when the referee ends a game that the rules have not ended.
        log: a folder for a transcript of every seat's dialogue; None for no transcripts.
        people: the seats of people, whose moves come by `AnswerOrder`. No engine is started for them, and of
            their engine only the name counts.

    Raises:
        ValueError: the id is not such a word, or the folder cannot be the name of one.
    """

    id: str
    game: str
    seats: tuple[JobSeat, ...]
    setup: str | None = None
    position: str | None = None
    moves: tuple[str, ...] = ()
    adjudication: Adjudication = Adjudication()
    log: str | None = None
    people: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.id.isprintable() or len(self.id.split()) != 1 or len(self.id) > MAX_ID:
            raise ValueError(f"the id must be one printable word of at most {MAX_ID} characters")
        if self.log is not None and (not self.log or "\0" in self.log):
            raise ValueError("the log must be the name of a folder")


class AnswerOrder(msgspec.Struct, frozen=True, tag="answer", tag_field="do", forbid_unknown_fields=True):
    """The move of a person. It has no effect if the game is not at this ply, or if it is no person's turn.

    Attributes:
        id: the job's id.
        ply: the number of plies played before the move.
        move: the text of the move, or ``resign``.
    """

    id: str
    ply: int
    move: str


class AbandonOrder(msgspec.Struct, frozen=True, tag="abandon", tag_field="do", forbid_unknown_fields=True):
    """An order to end a game without a result, and to kill its engines.

    Attributes:
        id: the job's id.
    """

    id: str


class TryOrder(msgspec.Struct, frozen=True, tag="try", tag_field="do", forbid_unknown_fields=True):
    """An order to start an engine, to find out whether it takes its options, and to end it.

    Attributes:
        id: names this trial in its event.
        engine: the engine.
        game: the id of the game that it would play.
    """

    id: str
    engine: EngineSpec
    game: str


class WatchOrder(msgspec.Struct, frozen=True, tag="watch", tag_field="do", forbid_unknown_fields=True):
    """An order to send the plies of running games in each `Snapshot`, or to stop that.

    Nobody reads the plies unless a page shows the games, and to write them takes time.

    Attributes:
        watched: whether to send them.
    """

    watched: bool


class DropIdleOrder(msgspec.Struct, frozen=True, tag="drop-idle", tag_field="do", forbid_unknown_fields=True):
    """An order to kill the engines that wait for their next game, with all their processes."""


class QuitOrder(msgspec.Struct, frozen=True, tag="quit", tag_field="do", forbid_unknown_fields=True):
    """An order to finish the running games, end the engines with ``quit``, and exit.

    At the end of input without this order, the referee kills all engines and exits.
    """


class RefereeReady(msgspec.Struct, frozen=True, tag="ready", tag_field="event"):
    """The referee is ready for jobs."""

    pid: int
    cpu: int | None


class JobStarted(msgspec.Struct, frozen=True, tag="started", tag_field="event"):
    """All engines of a game are ready, and the game begins."""

    id: str


class RunningGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of one running game.

    Attributes:
        id: the job's id.
        ply: the number of plies played.
        turn: the seat to move.
        clocks_ms: milliseconds left on each clock.
        first: the number of plies since the opening that earlier snapshots had.
        plies: the plies after these; none unless arena watches.
    """

    id: str
    ply: int
    turn: int
    clocks_ms: tuple[int, ...]
    first: int = 0
    plies: tuple[Ply, ...] = ()


class TurnBegan(msgspec.Struct, frozen=True, tag="turn", tag_field="event"):
    """In a game with people: the first turn begins, or a seat has moved or was removed.

    Attributes:
        game: the state of the game, with the plies since the last event of this kind.
        said: the last ``info`` line of each seat since then; "" if there was none.
    """

    game: RunningGame
    said: tuple[str, ...]


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="event"):
    """The state of all running games, sent a few times a second."""

    games: tuple[RunningGame, ...]


class EngineWarning(msgspec.Struct, frozen=True, tag="warning", tag_field="event"):
    """A problem of an engine that does not change a result, for example a limit without effect."""

    engine: str
    text: str


class EngineTried(msgspec.Struct, frozen=True, tag="tried", tag_field="event"):
    """The result of a `TryOrder`.

    Attributes:
        id: the id of the order.
        problem: why the engine does not take its options, as the predicate of a sentence. It is "" if the
            engine takes them, and if it fails in another way: its first game will show that failure.
    """

    id: str
    problem: str


class OrderRefused(msgspec.Struct, frozen=True, tag="refused", tag_field="event"):
    """An order that the referee cannot execute; ``id`` is empty if the order has no readable id."""

    id: str
    text: str


class SeatResult(msgspec.Struct, frozen=True):
    """The result of one seat.

    Attributes:
        reported_name, version: from the engine's ``id`` lines; "" if it sent none.
        rank: 1 is the best; None in a void game.
        forfeit: why the seat was removed; None if it was not removed.
        time_used: nanoseconds that it used in the whole game.
        time_left: nanoseconds left on its clock at the end.
    """

    reported_name: str
    version: str
    rank: int | None
    forfeit: Termination | None
    time_used: int
    time_left: int


class VoidCause(StrEnum):
    """Why a game is void.

    - ``STOPPED``: the referee was stopped for a while. An engine may have done it.
    - ``PROCESSES``: the machine could start no more processes or threads. An engine may have taken them.
    - ``MACHINE``: the machine had another fault.
    - ``ABANDONED``: arena ordered it.
    """

    STOPPED = "stopped"
    PROCESSES = "processes"
    MACHINE = "machine"
    ABANDONED = "abandoned"


class JobFinished(msgspec.Struct, frozen=True, tag="finished", tag_field="event"):
    """The result and the whole record of a game.

    Attributes:
        id: the job's id.
        termination, reason, detail: as in `Verdict`.
        seats: the result of each seat, in turn order.
        record: the plies since the opening.
        final_position: the position string at the end.
        started: when the game started, in seconds since the epoch.
        duration: nanoseconds from the first ``go`` to the end.
        void: why the game is void; None if it is not.
    """

    id: str
    termination: Termination
    reason: str
    detail: str
    seats: tuple[SeatResult, ...]
    record: tuple[Ply, ...]
    final_position: str
    started: float
    duration: int
    void: VoidCause | None = None


Order = Job | AnswerOrder | AbandonOrder | TryOrder | WatchOrder | DropIdleOrder | QuitOrder
RefereeEvent = (
    RefereeReady
    | JobStarted
    | TurnBegan
    | Snapshot
    | EngineWarning
    | EngineTried
    | OrderRefused
    | JobFinished
)
