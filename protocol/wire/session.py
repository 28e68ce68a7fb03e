"""The state of the conversation between a hub and one engine, without I/O.

Theory of operation. Both sides share one state, and the table in `protocol.wire.states` lists the messages
that each state allows and the state that follows. This module knows nothing of processes, clocks and rules.

* `Session.send` converts a message to bytes. If the message is not allowed, it raises `LocalProtocolError`,
  which means a bug in our own code.
* `Session.receive_data` stores bytes, and `Session.next_event` parses them, one message at a time. If the
  message is not allowed, it raises `RemoteProtocolError`. The line is then consumed and the state unchanged.
  The caller decides what to do: most mistakes of engines are harmless, so the hub counts them and goes on.

A level-0 engine is one that sends no ``protocol`` line, or speaks UCI. It must get only lines that plain UGI
hubs send. So a second table lists the messages that need a capability. And after ``position``, the state of a
level-0 session is ``POSITIONED``, in which only ``go``, another ``position``, ``uginewgame`` or ``quit`` may
follow.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.wire import messages as m
from protocol.wire.codec import (
    Dialect,
    format_command,
    format_position,
    format_reply,
    parse_command,
    parse_reply,
)
from protocol.wire.options import AdvertisedOption, parse_option
from protocol.wire.states import NEEDED_CAPABILITY, TRANSITIONS, State
from protocol.words import printable

MAX_LINE = 65_536
"""The most bytes in a line, with its LF, in both directions (docs/reference/protocol.md, Limits)."""


class LineBuffer:
    """Splits a byte stream at LF, and removes a CR before the LF.

    A line longer than ``limit`` bytes, with its LF, is discarded up to its LF and counted in ``dropped``.
    Memory holds one incomplete line, and the complete lines that `next_line` has not returned yet.
    """

    __slots__ = ("_lines", "_partial", "_skipping", "dropped", "limit")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self.limit = limit
        self.dropped = 0
        self._lines: deque[bytes] = deque()
        self._partial = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        parts = data.split(b"\n")
        rest = parts.pop()
        if parts:
            if self._skipping:
                self._skipping = False
                del parts[0]
            elif self._partial:
                parts[0] = bytes(self._partial) + parts[0]
            self._partial.clear()
            if len(data) >= self.limit or (parts and len(parts[0]) >= self.limit):
                self.dropped += sum(len(part) >= self.limit for part in parts)
                parts = [part for part in parts if len(part) < self.limit]
            self._lines.extend(parts)
        if rest and not self._skipping:
            self._partial += rest
            if len(self._partial) >= self.limit:
                self._partial.clear()
                self._skipping = True
                self.dropped += 1

    def next_line(self) -> bytes | None:
        """Return the next complete line without its line end; None if there is none."""
        if not self._lines:
            return None
        line = self._lines.popleft()
        return line[:-1] if line.endswith(b"\r") else line

    def skip(self) -> bytes:
        """Discard an incomplete line that starts with a word, up to its LF, and return its bytes so far."""
        start = bytes(self._partial)
        if not start.lstrip()[:1].isalpha():
            return b""
        self._partial.clear()
        self._skipping = True
        return start

    def __bool__(self) -> bool:
        """Whether there are bytes that `next_line` has not returned, or a line that is being discarded."""
        return bool(self._lines or self._partial or self._skipping)

    @property
    def tail(self) -> bytes:
        """The bytes after the last LF. At end of file this is an incomplete line."""
        return bytes(self._partial)


VERSION = 1
CAPABILITIES = (
    "legal",
    "fen",
    "delta",
    "seat",
    "result",
    "errors",
    "stop",
    "ping",
    "resign",
    "query",
    "ponder",
)
"""The capabilities that this hub can use."""


class Role(Enum):
    """The side that a session speaks for."""

    HUB = "hub"
    ENGINE = "engine"


_SCORE = re.compile(rb"\sscore\s")
_PARTIAL = re.compile(rb"\s(?:lowerbound|upperbound|multipv\s+(?!\s|1\s))")
"""Matches an ``info`` whose score is only a bound, or belongs to another variation than the first."""

_SEARCHING = TRANSITIONS[State.POSITIONED][m.Go]
_AFTER_MOVE = TRANSITIONS[State.SEARCH][m.BestMove]
_AFTER_READY = TRANSITIONS[State.SYNC][m.ReadyOk]
_ANSWER = re.compile(rb"((?:info .*\n)*)(?:bestmove ([!-~]+)(?: ponder ([!-~]+))?\n)?")
"""Matches output without CR: to look for CR here, too, would take four times as long."""


_ID_KEYS = frozenset({"name", "author", "version"})

_ID_LENGTH = 200  # how many characters of an engine's name, author or version are kept
_MAX_OPTIONS = 1000  # how many options of an engine are kept
_ODD_LINES, _ODD_LENGTH = 10, 200  # how many odd lines are kept, and how many bytes of each
_GUARDED = frozenset({*NEEDED_CAPABILITY, m.IsReady, m.Query, m.SetOption, m.Acknowledge, m.Go, m.Ponder})


class Session:
    """One side of one conversation.

    If ``keep_info`` is False, it drops all ``info`` lines except the last one with a score, which `take_info`
    returns. This saves time, because an engine may print thousands of them per second. With ``any_option``
    the hub may set options that the engine did not advertise.

    The level of the protocol is 0 until the engine sends its ``protocol`` line. ``capabilities`` are those
    that both sides use, after they are acknowledged; ``announced`` are the engine's. ``options`` are by
    lower-case name. The caller clears ``odd_lines``: the last lines, cut, with unknown words or unexpected
    answers. ``strays`` counts these lines, and those that are not UTF-8. ``hasty``: the engine has printed a
    move without a ``go``.
    """

    __slots__ = (
        "_any_option",
        "_info",
        "_keep_info",
        "_lines",
        "_plain",
        "_short_path",
        "_usage",
        "announced",
        "capabilities",
        "dialect",
        "hasty",
        "identity",
        "level",
        "odd_lines",
        "options",
        "role",
        "state",
        "strays",
    )

    def __init__(
        self, role: Role, dialect: Dialect = "ugi", *, keep_info: bool = True, any_option: bool = False
    ) -> None:
        self.role = role
        self.dialect: Dialect = dialect
        self.state = State.START
        self.level = 0
        self.capabilities: frozenset[str] = frozenset()
        self.announced: tuple[str, ...] = ()
        self.options: dict[str, AdvertisedOption] = {}
        self.identity: dict[str, str] = {}
        self.odd_lines: deque[str] = deque(maxlen=_ODD_LINES)
        self.strays = 0
        self.hasty = False
        self._any_option = any_option
        self._keep_info = keep_info
        self._info = self._usage = b""
        self._lines = LineBuffer()
        self._plain = ""  # the last position that was sent on the short path
        self._short_path = True  # the lines of a search are as `protocol.wire.codec` writes them

    # --- sending

    def send(self, message: m.Command | m.Reply) -> bytes:
        """Return the bytes of ``message``, with its LF; b"" if the dialect has no words for it.

        LocalProtocolError: the message is not allowed now, or its line is too long.
        """
        kind = type(message)
        following = TRANSITIONS[self.state].get(kind)
        if following is None:
            raise LocalProtocolError(f"{kind.__name__} may not be sent while {self.state.value}")
        if kind in _GUARDED and self.role is Role.HUB:
            self._check_allowed(kind, message)
        text = self._text(message)
        line = f"{text}\n".encode() if text else b""
        if len(line) > MAX_LINE:
            raise LocalProtocolError(f"a line of {len(line)} bytes is longer than {MAX_LINE}")
        self._enter(following, message)
        return line

    def send_search(self, fen: str | None, moves: str, go: m.Go) -> bytes:
        """Return the bytes of `m.SetPosition` and `m.Go`.

        The usual case takes a short path, which replaces two calls of `send`: 1 µs instead of 4.
        """
        line = format_position(fen, moves)
        if not (self._short_path and self.state is State.IDLE and self._remember_if_plain(line)):
            return self.send(m.SetPosition(fen, moves)) + self.send(go)
        self.state = _SEARCHING
        return f"{line}\n{format_command(go, self.dialect)}\n".encode()

    def _remember_if_plain(self, line: str) -> bool:
        """Return whether a line is short and has ASCII words with one space between them; remember it if so.

        A line mostly continues the last one, so only the rest of it is checked: 0.4 µs instead of 2.
        """
        rest = line.removeprefix(self._plain)
        plain = rest.isascii() and rest.isprintable() and "  " not in rest and rest[-1:] != " "
        if plain and len(line) < MAX_LINE:
            self._plain = line
            return True
        return False

    def _text(self, message: m.Command | m.Reply) -> str:
        """Return the line of a message that is allowed now, without its LF."""
        if self.role is Role.HUB:
            return format_command(message, self.dialect)  # type: ignore[arg-type]  # the table allows only commands here
        return format_reply(message, self.dialect)  # type: ignore[arg-type]  # and only replies here

    def _check_allowed(self, kind: type, message: m.Command | m.Reply) -> None:
        need = NEEDED_CAPABILITY.get(kind)
        if need is not None and need not in self.capabilities:
            raise LocalProtocolError(f"{kind.__name__} needs the capability {need}")
        if kind is m.IsReady and self.state is State.SEARCH and "ping" not in self.capabilities:
            raise LocalProtocolError("isready during a search needs the capability ping")
        if kind in (m.Go, m.Ponder) and self.state is State.IDLE and self.level == 0:
            raise LocalProtocolError("a level-0 engine needs its position directly before go")
        if kind is m.Query and self.level > 0 and "query" not in self.capabilities:
            raise LocalProtocolError("query needs the capability query")
        if isinstance(message, m.SetOption) and not (
            self._any_option or message.name.lower() in self.options
        ):
            raise LocalProtocolError(f"the engine has no option {message.name}")
        if isinstance(message, m.Acknowledge) and (
            self.level == 0 or not set(message.capabilities) <= set(self.announced)
        ):
            raise LocalProtocolError("the hub may acknowledge only capabilities that the engine announced")

    # --- receiving

    def receive_data(self, data: bytes) -> None:
        """Store received bytes for `next_event`."""
        self._lines.feed(data)

    def receive_answer(self, data: bytes) -> m.BestMove | m.ReadyOk | None:
        """Store received bytes. If they are the awaited answer, after ``info`` at most, return it instead.

        This is a short path of `receive_data` and `next_event`: it takes 0.7 µs instead of 2.
        """
        if self._short_path and not self._lines and len(data) < MAX_LINE:
            if self.state is State.SEARCH and not self._keep_info:
                match = None if b"\r" in data else _ANSWER.fullmatch(data)
                if match is not None:
                    if match[1]:
                        self._keep_score(match[1].splitlines())
                    if match[2] is None:
                        return None
                    self.state = _AFTER_MOVE
                    return m.BestMove(match[2].decode(), (match[3] or b"").decode())
            elif self.state is State.SYNC and data == b"readyok\n":
                self.state = _AFTER_READY
                return m.ReadyOk()
        self._lines.feed(data)
        return None

    def next_event(self) -> m.Command | m.Reply | None:
        """Return the next message; None if more bytes are needed.

        RemoteProtocolError: the message is not allowed now; its line is consumed and counted.
        """
        while (line := self._lines.next_line()) is not None:
            if not self._keep_info and (not line or line.lstrip().startswith(b"info")):
                self._keep_score((line,))
                continue
            message = self._parse(line)
            kind = type(message)
            if kind is m.Unknown:
                self.strays += bool(line.strip())
                self._keep_odd(line)
                if self._keep_info:
                    return message
                continue
            return self._accept(message, line)
        return None

    def next_line(self) -> tuple[bytes, m.Reply] | None:
        """Return the engine's next line with its message, even if `next_event` would skip or reject it."""
        line = self._lines.next_line()
        if line is None:
            return None
        message = parse_reply(line.decode(errors="replace"), self.dialect)
        with suppress(RemoteProtocolError):  # counted
            self._accept(message, line)
        return line, message

    def _accept(self, message: m.Command | m.Reply, line: bytes) -> m.Command | m.Reply:
        """Enter the state that follows a message, which came in ``line`` or in none (b""), and return it."""
        kind = type(message)
        following = TRANSITIONS[self.state].get(kind)
        if following is None:
            self.strays += 1
            self._keep_odd(line)
            self.hasty = self.hasty or kind is m.BestMove
            raise RemoteProtocolError(f"{kind.__name__} came while {self.state.value}")
        self._enter(following, message)
        return message

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

    def _keep_score(self, infos: Sequence[bytes]) -> None:
        """Keep for `take_info` the last of these lines that has a score, and what the move took."""
        for line in infos:
            if b" string usage " in line:
                self._usage = line.partition(b" string ")[2]
        for line in reversed(infos):
            if b"score" in line and _SCORE.search(line) and not _PARTIAL.search(line):
                self._info = line
                return

    def take_info(self) -> str:
        """Return the last ``info`` with a score since the last call, without its first word; "" if none came.

        At its end is what the move took, if a line says it: ``string usage tokens 852``. This ignores an
        ``info`` whose score is only a bound, or belongs to another variation (``multipv``).
        """
        if self._usage:
            self._info = (self._info.partition(b" string ")[0] or b"info") + b" string " + self._usage
            self._usage = b""
        if not self._info:
            return ""
        info, self._info = self._info, b""
        return info.decode(errors="replace").strip()[4:].strip()

    def forget_lines(self) -> None:
        """Drop all unread lines, also an incomplete one. Before a ``go``, they cannot be its answer."""
        self._info = self._usage = b""
        if not self._lines:
            return
        while True:
            try:
                if self.next_event() is None:
                    break
            except RemoteProtocolError:
                pass  # counted
        if start := self._lines.skip():
            self.strays += 1
            self._keep_odd(start)
            self.hasty = True

    @property
    def usable(self) -> tuple[str, ...]:
        """The capabilities that both sides know, in the order in which the hub acknowledges them."""
        return tuple(word for word in CAPABILITIES if word in self.announced)

    def _keep_odd(self, line: bytes) -> None:
        self.odd_lines.append(line[:_ODD_LENGTH].decode(errors="replace"))

    @property
    def reusable(self) -> bool:
        """Whether the engine can play another game in the same process."""
        return True

    @property
    def dropped(self) -> int:
        """How many lines were too long."""
        return self._lines.dropped

    @property
    def unfinished(self) -> str:
        """The text after the last LF."""
        return self._lines.tail.decode(errors="replace")

    # --- state

    def _enter(self, following: State, message: m.Command | m.Reply) -> None:
        """Change the state to ``following``, and store the data of handshake messages."""
        if following is State.POSITIONED and self.level > 0:
            following = State.IDLE
        if self.state in _HANDSHAKE_STATES:
            self._note(message)
        self.state = following

    def _note(self, message: m.Command | m.Reply) -> None:
        match message:
            case m.Id(key, text) if key in _ID_KEYS:
                self.identity[key] = printable(text[:_ID_LENGTH])  # shown in tables and on terminals
            case m.OptionLine(text):
                try:
                    if len(self.options) >= _MAX_OPTIONS or not text.isprintable():
                        raise ValueError("too many options, or a text that is not printable")
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
