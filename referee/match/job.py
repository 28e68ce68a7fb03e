"""The messages between arena and a referee process. Each message is one line of JSON.

The referee reads orders and writes events. Times are nanoseconds unless a name says otherwise. Seats are
0-based except in move texts.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Final, TypeVar

import msgspec

from protocol.spec import EngineSpec
from protocol.words import for_system
from referee.match.adjudication import USUAL, Adjudication
from referee.match.forgiveness import Forgiveness
from referee.outcome import Termination
from referee.ply import Ply

MAX_ID: Final = 100
"""The most characters in the id of a job, which is in the name of a transcript."""


class _Order(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """What arena tells a referee to do."""


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """What a referee tells arena."""


class GameEvent(_Event, frozen=True):
    """What happens to one game; ``id`` is the id of its job."""

    id: str


class JobSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The engine of one seat, and its time control as text, for example ``10+0.1``."""

    engine: EngineSpec
    time_control: str


class Job(_Order, frozen=True, tag="game"):
    """An order to play one game.

    The referee starts it immediately. The sender limits the number of games. For people, whose moves come by
    `AnswerOrder`, no engine is started, and of their engine only the name counts.
    """

    id: str  # names this game in every event: a printable word of at most MAX_ID characters
    game: str
    seats: tuple[JobSeat, ...]  # in turn order
    setup: str | None = None  # the name of a start position; None for the usual one
    position: str | None = None  # a position string to start from, instead of a set-up
    moves: tuple[str, ...] = ()  # an opening, played before the engines start
    adjudication: Adjudication = USUAL
    log: str | None = None  # a folder for a transcript of every seat's dialogue
    log_lost: int = (
        0  # not 0: keep this many transcripts of each engine, of lost games only, in its own folder
    )
    people: tuple[int, ...] = ()  # the seats of people
    forgive: Forgiveness | None = None  # the faults that do not lose
    seed: str = ""  # decides about the moves that the referee draws

    def __post_init__(self) -> None:
        if not self.id.isprintable() or len(self.id.split()) != 1 or len(self.id) > MAX_ID:
            raise ValueError(f"the id must be one printable word of at most {MAX_ID} characters")
        if self.log is not None and not (self.log and for_system(self.log)):
            raise ValueError("the log must be the name of a folder")


class AnswerOrder(_Order, frozen=True, tag="answer"):
    """The move of a person, or ``resign``.

    It has no effect if the game is not at this ply (played before the move), or if it is no person's turn.
    """

    id: str
    ply: int
    move: str


class AbandonOrder(_Order, frozen=True, tag="abandon"):
    """An order to end a game without a result, and to kill its engines."""

    id: str


class TryOrder(_Order, frozen=True, tag="try"):
    """An order to start an engine, to find out whether it takes its options, and to end it."""

    id: str
    engine: EngineSpec
    game: str


class WatchOrder(_Order, frozen=True, tag="watch"):
    """An order to send the plies of running games in each `Snapshot`, or to stop that.

    Nobody reads the plies unless a page shows the games, and to write them takes time.
    """

    watched: bool


class QuitOrder(_Order, frozen=True, tag="quit"):
    """An order to finish the running games, end the engines with ``quit``, and exit.

    At the end of input without this order, the referee kills all engines and exits.
    """


class RefereeReady(_Event, frozen=True, tag="ready"):
    """The referee is ready for jobs."""

    pid: int


class JobStarted(GameEvent, frozen=True, omit_defaults=True, tag="started"):
    """All engines of a game are ready, and the game starts."""

    worker: str = ""  # its name, if the game waited for one; a referee knows none


class RunningGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of one running game."""

    id: str
    ply: int  # the number of plies played
    turn: int  # the seat to move
    clocks_ms: tuple[int | None, ...]  # milliseconds left now; None for a time control without a clock
    first: int = 0  # the number of plies since the opening that earlier snapshots had
    plies: tuple[Ply, ...] = ()  # the plies after these; none unless arena watches


class TurnBegan(_Event, frozen=True, tag="turn"):
    """In a game with people: the first turn starts, or a seat has moved or was removed."""

    game: RunningGame  # with the plies since the last event of this kind
    infos: tuple[str, ...]  # the last `info` line of each seat since then


class Snapshot(_Event, frozen=True, tag="snapshot"):
    """The state of all running games, sent a few times a second."""

    games: tuple[RunningGame, ...]


SIGN_OF_LIFE: Final = Snapshot(())
"""What a referee sends if it has nothing else to say for half a second."""


class EngineWarning(_Event, frozen=True, tag="warning"):
    """A problem of an engine that does not change a result, for example a limit without effect."""

    engine: str
    text: str
    speaks: str = ""  # the dialect that it speaks instead of its own, if that is the problem


class EngineTried(_Event, frozen=True, tag="tried"):
    """The result of a `TryOrder`."""

    id: str
    problem: str  # why it does not take its options, or that there is no such game; "" if it fails otherwise


class OrderRefused(_Event, frozen=True, tag="refused"):
    """An order that the referee cannot execute; the id is empty if the order has no readable one."""

    id: str
    text: str


class SeatResult(msgspec.Struct, frozen=True):
    """The result of one seat. Times are nanoseconds."""

    reported_name: str  # from the engine's `id` lines, as the version
    version: str
    rank: int | None  # 1 is the best; None in a void game
    forfeit: Termination | None  # why the seat was removed
    time_used: int  # in the whole game
    time_left: int  # on its clock at the end


class VoidCause(StrEnum):
    """Why a game is void.

    - ``STOPPED``: the referee was stopped for a while. An engine may have done it.
    - ``ABSENT``: an engine on its author's machine was away when the game should start.
    - ``RULES``: the rules of a plug-in raised an error.
    - ``MACHINE``: the machine had a fault, for example no more processes.
    - ``ABANDONED``: arena ordered it.
    """

    STOPPED = "stopped"
    ABSENT = "absent"
    RULES = "rules"
    MACHINE = "machine"
    ABANDONED = "abandoned"


class JobFinished(GameEvent, frozen=True, tag="finished"):
    """The result and the whole record of a game. Termination, reason and detail come from `Verdict`.

    A referee knows no ``worker``.
    """

    termination: Termination
    reason: str
    detail: str
    seats: tuple[SeatResult, ...]  # in turn order
    record: tuple[Ply, ...]  # the plies since the opening
    final_position: str  # a position string
    started: float  # in seconds since the epoch
    duration: int  # nanoseconds from the first `go` to the end
    void: VoidCause | None = None
    worker: str = ""  # the name of the worker that played it; "" for the machine of the run


Order = Job | AnswerOrder | AbandonOrder | TryOrder | WatchOrder | QuitOrder
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

# --- lines -----------------------------------------------------------------------------------------------

_Message = TypeVar("_Message")

_ENCODER = msgspec.json.Encoder()
_ORDERS: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
_EVENTS: msgspec.json.Decoder[RefereeEvent] = msgspec.json.Decoder(RefereeEvent)


def encode(message: msgspec.Struct) -> bytes:
    """Return the line of an order or an event, with its LF.

    A path that is not UTF-8 has bytes that Python keeps as halves of characters (``surrogateescape``). They
    are written as escapes: the byte FF as a backslash and ``udcff``.
    """
    try:
        return _ENCODER.encode(message) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(message)).encode() + b"\n"


def decode_order(line: bytes) -> Order:
    """Parse an order. The msgspec.MsgspecError of a line that is none names the key."""
    return decode_with(_ORDERS, line)


def decode_event(line: bytes) -> RefereeEvent:
    """Parse an event, or raise msgspec.MsgspecError."""
    return decode_with(_EVENTS, line)


def decode_with(decoder: msgspec.json.Decoder[_Message], line: bytes) -> _Message:
    """Parse a message that `encode` wrote, or raise msgspec.MsgspecError."""
    try:
        return decoder.decode(line)
    except RecursionError:
        raise msgspec.DecodeError("JSON is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"this is not UTF-8: {error.reason}, byte {error.start}") from None
    except msgspec.DecodeError as error:
        if isinstance(error, msgspec.ValidationError) or b"\\ud" not in line.lower():
            raise
    return _decode_halves(decoder, line)


def _decode_halves(decoder: msgspec.json.Decoder[_Message], line: bytes) -> _Message:
    """Parse a message with halves of characters, which msgspec does not read."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise msgspec.DecodeError(f"JSON is malformed: {str(error) or 'nested too deeply'}") from None
    return msgspec.convert(message, decoder.type)
