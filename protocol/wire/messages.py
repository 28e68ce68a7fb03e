"""The messages of the protocol, as frozen structs of msgspec.

Each ply creates several messages. A struct is created in less than half the time of a frozen dataclass. With
dataclasses, the import of this module would take a tenth of the time in which a referee starts.

Each message checks its fields when it is created, so no invalid message exists. Times are in milliseconds, as
on the wire. Seats are 1-based only inside texts (``!3``, ``p2win``).
"""

from __future__ import annotations

import re
from typing import Final

import msgspec


def _check_line(text: str, field: str) -> None:
    if "\n" in text or "\r" in text or "\0" in text:
        raise ValueError(f"{field} must stay on one line: {text!r}")


def _check_words(words: tuple[str, ...], field: str) -> None:
    """Check that each word is printable and has no spaces, so that it stays one word on the line."""
    text = " ".join(words)
    if not (text.isprintable() and len(text.split()) == len(words)):
        raise ValueError(f"{field} must be words without spaces: {words!r}")


def _check_moves(text: str) -> None:
    if not text.isprintable() or "  " in text or text[:1] == " " or text[-1:] == " ":
        raise ValueError(f"moves must be words with one space between them: {text!r}")


# --- hub to engine ---------------------------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True):
    """``ugi``, ``uci`` or ``uai``: asks for the handshake, which ends with `HelloOk`."""


class Acknowledge(msgspec.Struct, frozen=True):
    """``protocol 1 <capabilities>``: the capabilities that the hub uses; sent directly after `HelloOk`."""

    version: int
    capabilities: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_words(self.capabilities, "capabilities")


class SetOption(msgspec.Struct, frozen=True):
    """``setoption name N [value V]``; a button has no value (None)."""

    name: str
    value: str | None

    def __post_init__(self) -> None:
        _check_line(self.name, "an option's name")
        if self.value is not None:
            _check_line(self.value, "an option's value")


class IsReady(msgspec.Struct, frozen=True):
    """``isready``: asks for `ReadyOk`."""


class NewGame(msgspec.Struct, frozen=True):
    """``uginewgame``: the next lines belong to a new game."""


class GameInfoLine(msgspec.Struct, frozen=True):
    """``gameinfo key value …`` (capability ``seat``)."""

    items: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        _check_words(tuple(word for item in self.items for word in item), "gameinfo")


class SetPosition(msgspec.Struct, frozen=True):
    """``position startpos|fen F [moves …]``.

    The moves have one space between them, with removals (``!K``). They are one string and not a tuple because
    a long game sends the whole list on every ply.
    """

    fen: str | None = None  # a position string; None for the game's own start
    moves: str = ""

    def __post_init__(self) -> None:
        if self.fen is not None:
            _check_line(self.fen, "a position")
        _check_moves(self.moves)


class Moves(msgspec.Struct, frozen=True):
    """``moves m …`` (capability ``delta``): the moves since the last position, as in `SetPosition`."""

    moves: str

    def __post_init__(self) -> None:
        _check_moves(self.moves)
        if not self.moves:
            raise ValueError("moves must not be empty")


class Legal(msgspec.Struct, frozen=True):
    """``legal m1 … mk`` (capability ``legal``); with ``more`` it is a continuation, ``legal+ m1 … mk``."""

    moves: tuple[str, ...]
    more: bool = False

    def __post_init__(self) -> None:
        _check_words(self.moves, "legal moves")
        if not self.moves:
            raise ValueError("a list of legal moves must not be empty")


class Go(msgspec.Struct, frozen=True):
    """``go`` with one of four limits: clocks, ``movetime``, ``depth``, ``nodes``. Times are milliseconds."""

    times: tuple[int, ...] = ()  # left for each seat, in seat order; 0 only for a removed seat
    incs: tuple[int, ...] = ()  # the increment of each seat
    moves_to_go: int | None = None  # until the clock of the seat to move is refilled; only with clocks
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        times, incs, singles = self.times, self.incs, (self.movetime, self.depth, self.nodes)
        if singles.count(None) + (not times) != 3:
            raise ValueError("go takes exactly one of clocks, movetime, depth, nodes")
        if len(times) != len(incs) or (not times and self.moves_to_go is not None):
            raise ValueError("go needs one increment for each clock, and movestogo needs clocks")
        low = min(*times, *incs) < 0 if times else any(limit is not None and limit < 1 for limit in singles)
        if low:
            raise ValueError("go takes no negative time and no limit below 1")


class Ponder(msgspec.Struct, frozen=True):
    """``go ponder …``: search the position after the move that the opponent is expected to play."""

    go: Go


class PonderHit(msgspec.Struct, frozen=True):
    """``ponderhit``: the opponent has played the expected move; the search goes on, and its clock runs."""


class Stop(msgspec.Struct, frozen=True):
    """``stop``: answer with the best move found so far."""


class Query(msgspec.Struct, frozen=True):
    """``query …``: a question about the engine's view of the position; never sent during a game."""

    text: str

    def __post_init__(self) -> None:
        _check_line(self.text, "a query")


class GameOver(msgspec.Struct, frozen=True):
    """``gameover p1win|draw|none [ranks …] reason <word>`` (capability ``result``)."""

    result: str
    ranks: tuple[int, ...]
    reason: str

    def __post_init__(self) -> None:
        _check_words((self.result, self.reason), "gameover")


class ErrorReport(msgspec.Struct, frozen=True):
    """``error <code> <text>`` (capability ``errors``): the hub rejected or repaired something."""

    code: str
    text: str

    def __post_init__(self) -> None:
        _check_words((self.code,), "an error's code")
        _check_line(self.text, "an error's text")


class Quit(msgspec.Struct, frozen=True):
    """``quit``."""


# --- engine to hub ---------------------------------------------------------------------------------------


class Id(msgspec.Struct, frozen=True):
    """``id name|author|version …``."""

    key: str
    text: str


class OptionLine(msgspec.Struct, frozen=True):
    """``option …``, as text; `protocol.wire.options` parses it."""

    text: str


class Announce(msgspec.Struct, frozen=True):
    """``protocol 1 <capabilities>``: the engine is level 1."""

    version: int
    capabilities: tuple[str, ...]


class HelloOk(msgspec.Struct, frozen=True):
    """``ugiok`` (or ``uciok``)."""


class ReadyOk(msgspec.Struct, frozen=True):
    """``readyok``."""


class InfoLine(msgspec.Struct, frozen=True):
    """``info …``, as text; `protocol.wire.codec.parse_info` parses it to an `Info`."""

    text: str


class Info(msgspec.Struct, frozen=True):
    """The parsed fields of an `InfoLine`. A field that is missing or invalid is None, "" or ()."""

    depth: int | None = None
    time: int | None = None  # milliseconds, as measured by the engine
    score: str = ""  # `cp 12`, `mate -3` or `wdl 1 2 3`, from the engine's own point of view
    pv: tuple[str, ...] = ()  # the principal variation


MAX_PV: Final = 200
"""The most characters of a principal variation that are kept."""


_AMOUNT: Final = r"[a-z]{1,12} [0-9]{1,9}(?:\.[0-9]{1,6})?"
USAGE: Final = re.compile(rf"{_AMOUNT}(?: {_AMOUNT}){{0,5}}(?!\S)")
"""Matches what a move took: up to six names, each with a number, such as ``tokens 852 cost 0.0031``."""


class Thought(msgspec.Struct, frozen=True, array_like=True):
    """What an engine reported of a search, apart from its score and its depth; named by the words of UCI."""

    nodes: int | None = None
    nps: int | None = None  # nodes per second
    seldepth: int | None = None
    hashfull: int | None = None  # thousandths of the hash that are in use
    pv: str = ""  # the moves that it expects, legal or not: at most MAX_PV characters with single spaces
    usage: str = ""  # what the move took, as `USAGE` matches it


def thought(
    nodes: int | None = None,
    nps: int | None = None,
    seldepth: int | None = None,
    hashfull: int | None = None,
    pv: str = "",
    usage: str = "",
) -> Thought | None:
    """Return what an engine reported; None if that is nothing."""
    if pv or usage or nodes is not None or nps is not None or seldepth is not None or hashfull is not None:
        return Thought(nodes, nps, seldepth, hashfull, pv, usage)
    return None


class BestMove(msgspec.Struct, frozen=True):
    """``bestmove …``: the first word of the answer; "" if there is none.

    It is a move if it is legal in the position. Otherwise it may be one of the words for resigning, or for
    having no move. ``ponder`` is the opponent's move that the engine expects; "" if it says none.
    """

    move: str
    ponder: str = ""


class Response(msgspec.Struct, frozen=True):
    """``response …``: the answer to a query."""

    text: str


class Unknown(msgspec.Struct, frozen=True):
    """Any other line. It is ignored and counted."""

    text: str


Command = (
    Hello
    | Acknowledge
    | SetOption
    | IsReady
    | NewGame
    | GameInfoLine
    | SetPosition
    | Moves
    | Legal
    | Go
    | Ponder
    | PonderHit
    | Stop
    | Query
    | GameOver
    | ErrorReport
    | Quit
)
"""The messages that a hub sends."""

Reply = Id | OptionLine | Announce | HelloOk | ReadyOk | InfoLine | BestMove | Response | Unknown
"""The messages that an engine sends."""
