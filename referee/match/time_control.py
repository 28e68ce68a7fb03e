"""Time controls: how long a seat may think.

A time control is one word, of one of five kinds: a clock (``10+0.1``, ``1:30``, ``40/60+0.5``), a time for
every move (``movetime=0.5``), a depth, a number of nodes, or ``none``. Times in the text are seconds, or
minutes and seconds. The parser uses `Decimal` and stores integer nanoseconds, so no rounding errors occur.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Self

from protocol.spec import MAX_SECONDS
from referee.errors import TimeControlError

USUAL: Final = "10+0.1"
"""The default time control."""

NS_PER_MS = 1_000_000
"""Nanoseconds in a millisecond, which is the smallest step of a time control and the unit on the wire."""

MAX_TIME_NS = MAX_SECONDS * 1000 * NS_PER_MS
"""The longest time in a time control: 30 days."""

MAX_COUNT = 2**31 - 1
"""The largest number of moves, depth or nodes, so that engines can store it in 32 bits."""

ACCEPTED_FORMS = (
    "10+0.1 (seconds + increment), 60 (seconds), 1:30+1 (minutes:seconds), "
    "40/60 or 40/60+0.5 (moves/seconds), movetime=0.5, depth=6, nodes=10000, or none or inf"
)
"""The end of every error message of `TimeControl.parse`."""

_MAX_TEXT = 100
_TOO_FINE = "a time must not be finer than 0.001 seconds"
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_COUNT = re.compile(r"[0-9]+")
_UNLIMITED = ("none", "inf", "infinite")  # the other managers write the last two


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long one seat may think.

    If no field is set, it is ``none``: no limit. All times are in nanoseconds, and are whole milliseconds.
    Impossible values are a ValueError.
    """

    base_ns: int | None = None  # on the clock at the start; None without a clock; 0 needs an increment
    increment_ns: int = 0  # added to the clock after each move of the seat
    moves: int | None = None  # in a session, after which base_ns is added; None for a single session
    movetime_ns: int | None = None  # for each move
    depth: int | None = None  # plies
    nodes: int | None = None

    def __post_init__(self) -> None:
        if sum(limit is not None for limit in (self.base_ns, self.movetime_ns, self.depth, self.nodes)) > 1:
            raise ValueError("only one of a clock, a time per move, a depth and a number of nodes can be set")
        for ns in (self.base_ns or 0, self.increment_ns, self.movetime_ns or 0):
            _check_time(ns)
        for name, count in (("moves", self.moves), ("depth", self.depth), ("nodes", self.nodes)):
            if count is not None and not 1 <= count <= MAX_COUNT:
                raise ValueError(f"{name} must be from 1 to {MAX_COUNT}")
        if self.base_ns is None and (self.increment_ns or self.moves is not None):
            raise ValueError("an increment and a number of moves need a clock")
        if self.base_ns == 0 and not self.increment_ns:
            raise ValueError("a clock that starts with 0 seconds needs an increment")
        if self.base_ns == 0 and self.moves is not None:
            raise ValueError("a session of moves needs more than 0 seconds")
        if self.movetime_ns == 0:
            raise ValueError("the time for a move must be more than 0 seconds")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a time control, or raise TimeControlError; ``str()`` of the result is its canonical text."""
        try:
            if len(text) > _MAX_TEXT:
                raise ValueError("too long")
            return cls._read(text)
        except ValueError as problem:
            quoted = repr(text[:_MAX_TEXT])
            raise TimeControlError(f"time control {quoted}: {problem}; write {ACCEPTED_FORMS}") from None

    @classmethod
    def _read(cls, text: str) -> Self:
        if text in _UNLIMITED:
            return cls()
        word, equals, value = text.partition("=")
        if not equals:
            return cls._read_clock(text)
        match word:
            case "movetime":
                return cls(movetime_ns=_read_seconds(value))
            case "depth":
                return cls(depth=_read_count(value))
            case "nodes":
                return cls(nodes=_read_count(value))
        raise ValueError(f"there is no limit called {word!r}")

    @classmethod
    def _read_clock(cls, text: str) -> Self:
        moves, slash, clock = text.rpartition("/")
        base, plus, increment = clock.partition("+")
        return cls(
            base_ns=_read_base(base),
            increment_ns=_read_seconds(increment) if plus else 0,
            moves=_read_count(moves) if slash else None,
        )

    def __str__(self) -> str:
        if self.movetime_ns is not None:
            return f"movetime={_write_seconds(self.movetime_ns)}"
        if self.depth is not None:
            return f"depth={self.depth}"
        if self.nodes is not None:
            return f"nodes={self.nodes}"
        if self.base_ns is None:
            return "none"
        session = "" if self.moves is None else f"{self.moves}/"
        increment = f"+{_write_seconds(self.increment_ns)}" if self.increment_ns else ""
        return f"{session}{_write_seconds(self.base_ns)}{increment}"


def _check_time(ns: int) -> None:
    if ns < 0:
        raise ValueError("a time must not be negative")
    if ns > MAX_TIME_NS:
        raise ValueError("a time must not be longer than 30 days")
    if ns % NS_PER_MS:
        raise ValueError(_TOO_FINE)


def _read_base(text: str) -> int:
    """Read the time of a clock: seconds, or minutes and seconds."""
    minutes, colon, seconds = text.partition(":")
    if not colon:
        return _read_seconds(text)
    rest = _read_seconds(seconds)
    if rest >= 60_000 * NS_PER_MS:
        raise ValueError(f"{text!r} has more than 59 seconds after its colon")
    return _read_count(minutes) * 60_000 * NS_PER_MS + rest


def _read_seconds(text: str) -> int:
    if not _SECONDS.fullmatch(text):
        raise ValueError(f"{text!r} is not a number of seconds such as 10 or 0.5")
    numerator, denominator = Decimal(text).as_integer_ratio()  # exact in every decimal context
    ms, finer = divmod(numerator * 1000, denominator)
    if finer:
        raise ValueError(_TOO_FINE)
    return ms * NS_PER_MS


def _write_seconds(ns: int) -> str:
    whole, ms = divmod(ns // NS_PER_MS, 1000)
    return f"{whole}.{ms:03}".rstrip("0") if ms else str(whole)


def _read_count(text: str) -> int:
    if not _COUNT.fullmatch(text):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)
