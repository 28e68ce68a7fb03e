"""Every message of the protocol as a value: frozen, validated when made, so that no invalid one can exist.

Milliseconds here, as on the wire; seats here are 1-based only inside texts (``!3``, ``p2win``).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Acknowledge",
    "Announce",
    "BestMove",
    "Command",
    "ErrorReport",
    "GameInfoLine",
    "GameOver",
    "Go",
    "Hello",
    "HelloOk",
    "Id",
    "Info",
    "InfoLine",
    "IsReady",
    "Legal",
    "Moves",
    "NewGame",
    "OptionLine",
    "Query",
    "Quit",
    "ReadyOk",
    "Reply",
    "Response",
    "SetOption",
    "SetPosition",
    "Stop",
    "Unknown",
]


def _one_line(text: str, what: str) -> None:
    if "\n" in text or "\r" in text or "\0" in text:
        raise ValueError(f"{what} must stay on one line: {text!r}")


def _words(words: tuple[str, ...], what: str) -> None:
    """Each word is one printable token: joined and split again they are the same."""
    text = " ".join(words)
    if not (text.isprintable() and len(text.split()) == len(words)):
        raise ValueError(f"{what} must be words without spaces: {words!r}")


def _move_list(text: str) -> None:
    if not text.isprintable() or "  " in text or text[:1] == " " or text[-1:] == " ":
        raise ValueError(f"moves must be words with one space between them: {text!r}")


# --- hub to engine ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """``ugi`` (or ``uci``): asks for the identification that ends with `HelloOk`."""


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """``protocol 1 <capabilities>``: those that the hub will use, directly after the engine's ok."""

    version: int
    capabilities: tuple[str, ...]

    def __post_init__(self) -> None:
        _words(self.capabilities, "capabilities")


@dataclass(frozen=True, slots=True)
class SetOption:
    """``setoption name N [value V]``; a button has no value (None)."""

    name: str
    value: str | None

    def __post_init__(self) -> None:
        _one_line(self.name, "an option's name")
        if self.value is not None:
            _one_line(self.value, "an option's value")


@dataclass(frozen=True, slots=True)
class IsReady:
    """``isready``: asks for `ReadyOk`."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """``uginewgame``: what comes belongs to another game."""


@dataclass(frozen=True, slots=True)
class GameInfoLine:
    """``gameinfo key value …`` (capability ``seat``)."""

    items: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        _words(tuple(word for item in self.items for word in item), "gameinfo")


@dataclass(frozen=True, slots=True)
class SetPosition:
    """``position startpos|fen F [moves …]``.

    Attributes:
        fen: a position string; None for the game's own start.
        moves: texts with one space between them, removals (``!K``) included; one string and no tuple, as a
            long game's list is sent every ply.
    """

    fen: str | None = None
    moves: str = ""

    def __post_init__(self) -> None:
        if self.fen is not None:
            _one_line(self.fen, "a position")
        _move_list(self.moves)


@dataclass(frozen=True, slots=True)
class Moves:
    """``moves m …`` (capability ``delta``): only what is new since the last position, as in `SetPosition`."""

    moves: str

    def __post_init__(self) -> None:
        _move_list(self.moves)
        if not self.moves:
            raise ValueError("moves must not be empty")


@dataclass(frozen=True, slots=True)
class Legal:
    """``legal m1 … mk`` (capability ``legal``); ``more`` makes it the continuation ``legal+``."""

    moves: tuple[str, ...]
    more: bool = False

    def __post_init__(self) -> None:
        _words(self.moves, "legal moves")
        if not self.moves:
            raise ValueError("a list of legal moves must not be empty")


@dataclass(frozen=True, slots=True)
class Go:
    """``go`` with exactly one of four limits: clocks, ``movetime``, ``depth``, ``nodes``.

    Attributes:
        times: milliseconds left, one a seat in seat order; 0 only for a removed seat.
        incs: increments in milliseconds, as many.
        moves_to_go: moves until the next session of the mover's clock; only with clocks.
        movetime: milliseconds for this move.
        depth: plies to search.
        nodes: nodes to search.
    """

    times: tuple[int, ...] = ()
    incs: tuple[int, ...] = ()
    moves_to_go: int | None = None
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        single = [limit for limit in (self.movetime, self.depth, self.nodes) if limit is not None]
        if len(single) + bool(self.times) != 1:
            raise ValueError("go takes exactly one of clocks, movetime, depth, nodes")
        if len(self.times) != len(self.incs) or (self.moves_to_go is not None and not self.times):
            raise ValueError("go needs one increment a clock, and clocks for movestogo")
        if min((*self.times, *self.incs, 0)) < 0 or min((*single, 1)) < 1:
            raise ValueError("go takes no negative time and no limit below 1")


@dataclass(frozen=True, slots=True)
class Stop:
    """``stop``: answer with the best move found so far."""


@dataclass(frozen=True, slots=True)
class Query:
    """``query …``: a question about the engine's own idea of the position; never sent in a game."""

    text: str

    def __post_init__(self) -> None:
        _one_line(self.text, "a query")


@dataclass(frozen=True, slots=True)
class GameOver:
    """``gameover p1win|draw|none [ranks …] reason <word>`` (capability ``result``)."""

    result: str
    ranks: tuple[int, ...]
    reason: str

    def __post_init__(self) -> None:
        _words((self.result, self.reason), "gameover")


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """``error <code> <text>`` (capability ``errors``): the hub rejected or repaired something."""

    code: str
    text: str

    def __post_init__(self) -> None:
        _words((self.code,), "an error's code")
        _one_line(self.text, "an error's text")


@dataclass(frozen=True, slots=True)
class Quit:
    """``quit``."""


# --- engine to hub ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Id:
    """``id name|author|version …``."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class OptionLine:
    """``option …``, still as text: `protocol.wire.options` reads it."""

    text: str


@dataclass(frozen=True, slots=True)
class Announce:
    """``protocol 1 <capabilities>``: the engine is level 1."""

    version: int
    capabilities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HelloOk:
    """``ugiok`` (or ``uciok``)."""


@dataclass(frozen=True, slots=True)
class ReadyOk:
    """``readyok``."""


@dataclass(frozen=True, slots=True)
class InfoLine:
    """``info …``, still as text: `protocol.wire.codec.parse_info` reads it into an `Info`."""

    text: str


@dataclass(frozen=True, slots=True)
class Info:
    """What is read of an `InfoLine`; a field that is missing or no number is None (or "").

    Attributes:
        score: ``cp 12``, ``mate -3``, ``wdl 1 2 3``; from the engine's own point of view.
        time: milliseconds, as the engine measured.
    """

    depth: int | None = None
    time: int | None = None
    score: str = ""
    pv: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BestMove:
    """``bestmove …``: a move, ``resign``, or None where the engine said that it has none."""

    move: str | None


@dataclass(frozen=True, slots=True)
class Response:
    """``response …`` to a query."""

    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any other line; ignored and counted."""

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
    | Stop
    | Query
    | GameOver
    | ErrorReport
    | Quit
)
"""What a hub sends."""

Reply = Id | OptionLine | Announce | HelloOk | ReadyOk | InfoLine | BestMove | Response | Unknown
"""What an engine sends."""
