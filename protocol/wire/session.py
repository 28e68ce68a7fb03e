"""The conversation between a hub and one engine, without I/O.

Theory of operation. There is one state, shared by both sides, and one table that says which message moves
it where. Commands and replies are different types, so the table needs no roles: it judges a hub that says
``go`` too early and an engine that says ``ugiok`` twice in the same way. Only this module knows the state;
it does not know processes, clocks or rules.

* `Session.send` turns a message into bytes, or raises `LocalProtocolError`: what it refuses is a bug of ours.
* `Session.receive_data` only buffers; `Session.next_event` takes the buffer apart, message by message. What
  the peer may not say now raises `RemoteProtocolError`; the line is consumed, the state is unchanged, and the
  caller decides: most engines' slips are harmless, so the hub counts them and goes on.

A level-0 engine (one that announced nothing) must get what plain UGI hubs send and nothing else. So a second
table lists what needs a capability, and after ``position`` a level-0 session is ``POSITIONED``, where only
``go`` or another ``position`` may follow.
"""

from __future__ import annotations

import re
from enum import Enum, StrEnum

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.printable import printable
from protocol.wire import messages as m
from protocol.wire.codec import Dialect, format_command, format_reply, parse_command, parse_reply
from protocol.wire.lines import MAX_LINE, LineBuffer
from protocol.wire.options import AdvertisedOption, parse_option

__all__ = ["CAPABILITIES", "TRANSITIONS", "VERSION", "Role", "Session", "State"]

VERSION = 1
CAPABILITIES = ("legal", "fen", "delta", "seat", "result", "errors", "stop", "ping", "resign", "query")
"""What this hub can use, in the order in which it acknowledges."""


class Role(Enum):
    """Which side a session speaks for."""

    HUB = "hub"
    ENGINE = "engine"


class State(StrEnum):
    """Where the conversation stands (a string, as an `Enum` hashes ten times slower and this is hot)."""

    START = "start"
    HANDSHAKE = "handshake"
    GREETED = "greeted"
    IDLE = "idle"
    SYNC = "sync"
    POSITIONED = "positioned"
    SEARCH = "search"
    DRAIN = "drain"
    CLOSED = "closed"


TRANSITIONS: dict[State, dict[type, State]] = {
    State.START: {m.Hello: State.HANDSHAKE, m.InfoLine: State.START, m.Quit: State.CLOSED},
    State.HANDSHAKE: {
        m.Id: State.HANDSHAKE,
        m.OptionLine: State.HANDSHAKE,
        m.InfoLine: State.HANDSHAKE,
        m.Announce: State.HANDSHAKE,
        m.HelloOk: State.GREETED,
        m.Quit: State.CLOSED,
    },
    State.GREETED: {
        m.Acknowledge: State.GREETED,
        m.SetOption: State.GREETED,
        m.IsReady: State.SYNC,
        m.InfoLine: State.GREETED,
        m.Quit: State.CLOSED,
    },
    State.IDLE: {
        m.SetOption: State.IDLE,
        m.IsReady: State.SYNC,
        m.NewGame: State.IDLE,
        m.GameInfoLine: State.IDLE,
        m.SetPosition: State.POSITIONED,
        m.Moves: State.IDLE,
        m.Legal: State.IDLE,
        m.Go: State.SEARCH,
        m.GameOver: State.IDLE,
        m.ErrorReport: State.IDLE,
        m.Query: State.IDLE,
        m.Response: State.IDLE,
        m.InfoLine: State.IDLE,
        m.Quit: State.CLOSED,
    },
    State.POSITIONED: {
        m.SetPosition: State.POSITIONED,
        m.Go: State.SEARCH,
        m.NewGame: State.IDLE,
        m.Quit: State.CLOSED,
        m.InfoLine: State.POSITIONED,
    },
    State.SYNC: {m.ReadyOk: State.IDLE, m.InfoLine: State.SYNC, m.Quit: State.CLOSED},
    State.SEARCH: {
        m.BestMove: State.IDLE,
        m.InfoLine: State.SEARCH,
        m.IsReady: State.SEARCH,
        m.ReadyOk: State.SEARCH,
        m.Stop: State.DRAIN,
        m.Quit: State.CLOSED,
    },
    State.DRAIN: {
        m.BestMove: State.IDLE,
        m.InfoLine: State.DRAIN,
        m.ReadyOk: State.DRAIN,
        m.Quit: State.CLOSED,
    },
    State.CLOSED: dict.fromkeys((m.InfoLine, m.BestMove, m.ReadyOk, m.Response), State.CLOSED),
}
"""state -> message type -> next state; a type that is missing may not be said in that state."""

_NEEDS: dict[type, str] = {
    m.GameInfoLine: "seat",
    m.Moves: "delta",
    m.Legal: "legal",
    m.GameOver: "result",
    m.ErrorReport: "errors",
}
"""What only an engine that announced the capability may be sent."""

_PARTIAL = re.compile(rb" (?:lowerbound|upperbound|multipv (?!1 ))")
"""In an ``info`` whose score is not what the engine thinks of its move: a bound, or another line's score."""

_ID_KEYS = frozenset({"name", "author", "version"})

_ID_LENGTH = 200
"""Characters that are kept of an engine's name, author or version."""

_MAX_OPTIONS = 1000
"""How many options of an engine are looked at."""

_GUARDED = frozenset({*_NEEDS, m.IsReady, m.Query, m.SetOption, m.Acknowledge, m.Go})


class Session:
    """One side of one conversation.

    Args:
        role: which side we are.
        dialect: ``ugi`` or ``uci``.
        keep_info: False drops ``info`` lines but for the last one with a score, which `take_info` hands out:
            an engine may print thousands a second.

    Attributes:
        state: where the conversation stands.
        level: 0 until the engine announced; what a level-0 engine may be sent is restricted.
        capabilities: those that both sides use; empty until acknowledged.
        announced: those that the engine announced.
        options: those that the engine advertised, by lower-case name.
        identity: ``id`` lines by key.
        strays: lines that were ignored: unknown words, answers that nobody asked for, bytes that are no text.
    """

    __slots__ = (
        "_info",
        "_keep_info",
        "_lines",
        "announced",
        "capabilities",
        "dialect",
        "identity",
        "level",
        "options",
        "role",
        "state",
        "strays",
    )

    def __init__(self, role: Role, dialect: Dialect = "ugi", *, keep_info: bool = True) -> None:
        self.role = role
        self.dialect: Dialect = dialect
        self.state = State.START
        self.level = 0
        self.capabilities: frozenset[str] = frozenset()
        self.announced: tuple[str, ...] = ()
        self.options: dict[str, AdvertisedOption] = {}
        self.identity: dict[str, str] = {}
        self.strays = 0
        self._keep_info = keep_info
        self._info = b""
        self._lines = LineBuffer()

    # --- sending

    def send(self, message: m.Command | m.Reply) -> bytes:
        """The bytes of ``message``, its LF included.

        Raises:
            LocalProtocolError: it may not be sent now; or its line would be too long.
        """
        kind = type(message)
        following = TRANSITIONS[self.state].get(kind)
        if following is None:
            raise LocalProtocolError(f"{kind.__name__} may not be sent while {self.state.value}")
        if self.role is Role.HUB:
            if kind in _GUARDED:
                self._check_allowed(kind, message)
            text = format_command(message, self.dialect)  # type: ignore[arg-type]  # the table told them apart
        else:
            text = format_reply(message, self.dialect)  # type: ignore[arg-type]  # as above
        line = text.encode() + b"\n"
        if len(line) > MAX_LINE:
            raise LocalProtocolError(f"a line of {len(line)} bytes is longer than {MAX_LINE}")
        self._enter(following, message)
        return line

    def _check_allowed(self, kind: type, message: m.Command | m.Reply) -> None:
        need = _NEEDS.get(kind)
        if need is not None and need not in self.capabilities:
            raise LocalProtocolError(f"{kind.__name__} needs the capability {need}")
        if kind is m.IsReady and self.state is State.SEARCH and "ping" not in self.capabilities:
            raise LocalProtocolError("isready during a search needs the capability ping")
        if kind is m.Go and self.state is State.IDLE and self.level == 0:
            raise LocalProtocolError("a level-0 engine needs its position directly before go")
        if kind is m.Query and self.level > 0 and "query" not in self.capabilities:
            raise LocalProtocolError("query needs the capability query")
        if isinstance(message, m.SetOption) and message.name.lower() not in self.options:
            raise LocalProtocolError(f"the engine has no option {message.name}")
        if isinstance(message, m.Acknowledge) and (
            self.level == 0 or not set(message.capabilities) <= set(self.announced)
        ):
            raise LocalProtocolError("only what an engine announced is acknowledged")

    # --- receiving

    def receive_data(self, data: bytes) -> None:
        """Take bytes as they came; only buffers."""
        self._lines.feed(data)

    def next_event(self) -> m.Command | m.Reply | None:
        """The next message, or None until more bytes come.

        Raises:
            RemoteProtocolError: the peer may not say that now; the line is consumed and counted.
        """
        while (line := self._lines.next_line()) is not None:
            if not self._keep_info and (not line or line.startswith(b"info")):
                if b" score " in line and not _PARTIAL.search(line):
                    self._info = line
                continue
            message = self._parse(line)
            kind = type(message)
            if kind is m.Unknown:
                self.strays += bool(line.strip())
                if self._keep_info:
                    return message
                continue
            following = TRANSITIONS[self.state].get(kind)
            if following is None:
                self.strays += 1
                raise RemoteProtocolError(f"{kind.__name__} came while {self.state.value}")
            self._enter(following, message)
            return message
        return None

    def _parse(self, line: bytes) -> m.Command | m.Reply:
        text = line.decode(errors="replace")
        if "\ufffd" in text:
            self.strays += 1
        if self.role is Role.HUB:
            return parse_reply(text, self.dialect)
        try:
            return parse_command(text, self.dialect)
        except (ValueError, IndexError) as error:
            self.strays += 1
            raise RemoteProtocolError(f"{text[:80]!r} cannot be read: {error}") from error

    def take_info(self) -> str:
        """The last ``info`` with a score since the last call, without its first word; "" for none.

        One whose score is a bound only, or that of a second line (``multipv``), is passed over.
        """
        info, self._info = self._info, b""
        return info.decode(errors="replace")[4:].strip()

    def forget_lines(self) -> None:
        """Drop whole lines that came and were not looked at: before a ``go``, they answer nothing."""
        while self._lines.next_line() is not None:
            self.strays += 1

    @property
    def unfinished(self) -> str:
        """A last line that never got its LF."""
        return self._lines.tail.decode(errors="replace")

    # --- state

    def _enter(self, following: State, message: m.Command | m.Reply) -> None:
        """Move to ``following``, and note what the handshake tells."""
        if following is State.POSITIONED and self.level > 0:
            following = State.IDLE
        if self.state in _HANDSHAKE_STATES:
            self._note(message)
        self.state = following

    def _note(self, message: m.Command | m.Reply) -> None:
        match message:
            case m.Id(key, text) if key in _ID_KEYS:
                self.identity[key] = printable(
                    text[:_ID_LENGTH]
                )  # goes into tables, reports and on terminals
            case m.OptionLine(text):
                try:
                    if len(self.options) >= _MAX_OPTIONS or not text.isprintable():
                        raise ValueError("not an option that we could use or show")
                    option = parse_option(text)
                except ValueError:
                    self.strays += 1
                else:
                    self.options.setdefault(option.name.lower(), option)
            case m.Announce(version, capabilities) if version >= 1 and self.dialect == "ugi":
                self.level = VERSION
                self.announced = capabilities
            case m.Acknowledge(_, capabilities):
                self.capabilities = frozenset(capabilities)


_HANDSHAKE_STATES = frozenset({State.HANDSHAKE, State.GREETED})
