"""The messages between arena and a referee process: JSON lines, one message a line.

The referee reads orders: `Job` and `QuitOrder`. It writes events: `RefereeReady`, `JobStarted`, `Snapshot`,
`EngineWarning`, `OrderRefused` and `JobFinished`. Times are nanoseconds unless a name says otherwise; seats
are 0-based except in move texts.
"""

from __future__ import annotations

import msgspec

from protocol.spec import EngineSpec
from referee.match.adjudication import Adjudication
from referee.outcome import Termination
from referee.ply import Ply

__all__ = [
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
    "decode_event",
    "decode_order",
    "encode",
]


class JobSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who sits where: an engine and its time control as text, e.g. ``10+0.1``."""

    engine: EngineSpec
    time_control: str


class Job(msgspec.Struct, frozen=True, tag="game", tag_field="do", forbid_unknown_fields=True):
    """One game to be played, at once: how many run at the same time is up to whoever sends jobs.

    Attributes:
        id: comes back in every event of this game.
        game: the game's id.
        seats: in turn order.
        setup: a named start position.
        position: a position string to start from instead.
        moves: an opening, played before the engines begin.
        adjudication: what ends the game beside the rules.
        log: a folder for a transcript of every seat's dialogue; None for none.
    """

    id: str
    game: str
    seats: tuple[JobSeat, ...]
    setup: str | None = None
    position: str | None = None
    moves: tuple[str, ...] = ()
    adjudication: Adjudication = Adjudication()
    log: str | None = None


class QuitOrder(msgspec.Struct, frozen=True, tag="quit", tag_field="do", forbid_unknown_fields=True):
    """Finish the running games, end the engines politely, exit; the end of input without it: kill, exit."""


class RefereeReady(msgspec.Struct, frozen=True, tag="ready", tag_field="event"):
    """The referee takes jobs."""

    pid: int
    cpu: int | None


class JobStarted(msgspec.Struct, frozen=True, tag="started", tag_field="event"):
    """All engines of a game are ready; the first ``go`` is about to be sent."""

    id: str


class RunningGame(msgspec.Struct, frozen=True):
    """One running game: plies played, the seat to move, milliseconds left on each clock."""

    id: str
    ply: int
    turn: int
    clocks_ms: tuple[int, ...]


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="event"):
    """All running games, a few times a second."""

    games: tuple[RunningGame, ...]


class EngineWarning(msgspec.Struct, frozen=True, tag="warning", tag_field="event"):
    """Something that the user should know of an engine, and that cost nothing."""

    engine: str
    text: str


class OrderRefused(msgspec.Struct, frozen=True, tag="refused", tag_field="event"):
    """An order that cannot be carried out; ``id`` is empty where none could be read."""

    id: str
    text: str


class SeatResult(msgspec.Struct, frozen=True):
    """One seat's share: what the engine called itself, its rank, and what was noticed.

    Attributes:
        reported_name, version: from its ``id`` lines; "" where it told none.
        rank: 1 = best; None in a void game.
        forfeit: why the seat was removed; None when it wasn't.
        time_used: nanoseconds on its clock in the whole game.
        time_left: nanoseconds left on its clock at the end.
    """

    reported_name: str
    version: str
    rank: int | None
    forfeit: Termination | None
    time_used: int
    time_left: int


class JobFinished(msgspec.Struct, frozen=True, tag="finished", tag_field="event"):
    """A game's end and its whole record.

    Attributes:
        started: seconds since the epoch.
        duration: nanoseconds from the first ``go`` to the end.
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


Order = Job | QuitOrder
RefereeEvent = RefereeReady | JobStarted | Snapshot | EngineWarning | OrderRefused | JobFinished

_ENCODER = msgspec.json.Encoder()
_ORDERS: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
_EVENTS: msgspec.json.Decoder[RefereeEvent] = msgspec.json.Decoder(RefereeEvent)


def encode(message: Order | RefereeEvent) -> bytes:
    """One line, its LF included."""
    return _ENCODER.encode(message) + b"\n"


def decode_order(line: bytes) -> Order:
    """Read an order.

    Raises:
        msgspec.MsgspecError: it is none; the message names the key.
    """
    return _ORDERS.decode(line)


def decode_event(line: bytes) -> RefereeEvent:
    """Read an event.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    return _EVENTS.decode(line)
