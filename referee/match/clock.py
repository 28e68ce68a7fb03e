"""The clock of one game: what each seat has left, who has overstepped, what an engine is told.

Pure: ``now`` is an argument, an integer of nanoseconds from any monotonic clock. Everything on the path of a
ply is a few attribute reads; what stays the same during a game is worked out when the game begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from protocol.wire.messages import Go
from referee.match.time_control import NS_PER_MS, TimeControl

__all__ = ["HARD_CAP_NS", "NOMINAL_NS", "Charge", "Clock"]

HARD_CAP_NS = 10 * 60 * 1000 * NS_PER_MS
"""The longest single search of a seat without a time limit (depth, nodes, none): a hung engine ends here."""

NOMINAL_NS = 60 * 1000 * NS_PER_MS
"""What the clock of a seat under ``none`` shows before every move: engines think a second or three."""


class Charge(NamedTuple):
    """What one search cost (a named tuple, as one is made every ply).

    Attributes:
        used_ns: nanoseconds from start to stop.
        over_ns: by how much that exceeds the seat's time and margin together; 0 unless the flag fell.
    """

    used_ns: int
    over_ns: int


@dataclass(slots=True)
class _Seat:
    """One seat's state, in nanoseconds unless a comment says otherwise."""

    left: int
    grace: int  # past `left`, before the flag falls
    base: int
    increment: int
    session: int | None  # moves in a session
    to_go: int | None  # moves left in this session
    fixed: Go | None  # its `go` when that is the same before every move
    borrows: bool  # in the game without a clock: shown with the mover's time and increment
    shown_ms: int
    inc_ms: int
    incs_ms: tuple[int, ...] = ()  # of all seats, as this seat is told
    in_game: bool = True


def _seat(control: TimeControl, margin_ns: int) -> _Seat:
    if control.base_ns is not None:
        # A clock of 0 begins with one increment: its first move would have nothing but the margin.
        left, grace = control.base_ns or control.increment_ns, margin_ns
        shown = left
    elif control.movetime_ns is not None:
        left = shown = control.movetime_ns
        grace = margin_ns
    else:
        left, grace = HARD_CAP_NS, 0
        shown = NOMINAL_NS
    return _Seat(
        left=left,
        grace=grace,
        base=control.base_ns or 0,
        increment=control.increment_ns,
        session=control.moves,
        to_go=control.moves,
        fixed=_fixed_go(control),
        borrows=control.base_ns is None,
        shown_ms=shown // NS_PER_MS or 1,
        inc_ms=control.increment_ns // NS_PER_MS,
    )


def _fixed_go(control: TimeControl) -> Go | None:
    if control.movetime_ns is not None:
        return Go(movetime=control.movetime_ns // NS_PER_MS)
    if control.depth is not None:
        return Go(depth=control.depth)
    return None if control.nodes is None else Go(nodes=control.nodes)


class Clock:
    """The clocks of all seats of one game; at most one of them runs.

    Args:
        controls: one a seat, in seat order; they may differ.
        margins_ns: nanoseconds forgiven past a clock or a time a move, one a seat.

    Raises:
        ValueError: no seats, not one margin a seat, a negative margin; and in every method for a call that
            makes no sense, such as starting a clock that runs or a removed seat's.
    """

    __slots__ = ("_running", "_seats", "_since")

    def __init__(self, controls: Sequence[TimeControl], margins_ns: Sequence[int]) -> None:
        if not controls or len(controls) != len(margins_ns):
            raise ValueError("a game's clock needs one time control and one margin for each seat")
        if min(margins_ns) < 0:
            raise ValueError("a margin must not be negative")
        self._seats = [_seat(control, margin) for control, margin in zip(controls, margins_ns, strict=True)]
        self._running: _Seat | None = None
        self._since = 0
        self._share_increments()

    def start(self, seat: int, now: int) -> None:
        """Let the clock of ``seat`` run from ``now``."""
        if self._running is not None:
            raise ValueError(f"seat {seat} cannot start: a clock is running already")
        self._running = self._playing(seat)
        self._since = now

    def stop(self, seat: int, now: int) -> Charge:
        """Stop it and charge for the search.

        Unless the flag fell, what was used goes off the clock, down to 0 at most (the margin is forgiven,
        not lent), then the increment comes on, and after the last move of a session the base time again.
        """
        state = self._playing(seat)
        used = now - self._since
        if self._running is not state:
            raise ValueError(f"seat {seat} cannot stop: its clock is not running")
        if used < 0:
            raise ValueError(f"seat {seat} cannot stop before it started")
        self._running = None
        left = state.left
        over = used - left - state.grace
        if over > 0:
            state.left, state.shown_ms = 0, 1
            return Charge(used, over)
        if not state.borrows:
            left = (left - used if used < left else 0) + state.increment
            if state.to_go is not None:
                state.to_go -= 1
                if not state.to_go:
                    state.to_go = state.session
                    left += state.base
            state.left = left
            state.shown_ms = left // NS_PER_MS or 1
        return Charge(used, 0)

    def budget(self, seat: int) -> int:
        """The longest search in nanoseconds that does not flag: its time and margin, or the hard cap."""
        state = self._playing(seat)
        return state.left + state.grace

    def left_ns(self, seat: int) -> int:
        """What ``seat`` may use for its next search, without the margin; 0 for a removed seat.

        For a seat without a clock that is its time a move or the hard cap, the same before every move.
        """
        return self._seats[seat].left

    def remove(self, seat: int) -> None:
        """Take ``seat`` out of the game, with all its time; a search that runs is not charged."""
        state = self._playing(seat)
        if self._running is state:
            self._running = None
        state.in_game = state.borrows = False
        state.left = state.shown_ms = state.inc_ms = 0
        self._share_increments()

    def go(self, seat: int) -> Go:
        """The limits to tell the engine on ``seat``, whose own control decides their form.

        Clocks show every seat, in milliseconds rounded down but at least 1, and 0 for a removed seat. A seat
        that has no clock is shown with the mover's time and increment, so that nobody believes to be ahead
        or behind. The mover under ``none`` is shown `NOMINAL_NS`.
        """
        mover = self._playing(seat)
        if mover.fixed is not None:
            return mover.fixed
        own = mover.shown_ms
        times = [own if state.borrows else state.shown_ms for state in self._seats]
        return Go(tuple(times), mover.incs_ms, mover.to_go)

    def _playing(self, seat: int) -> _Seat:
        if 0 <= seat < len(self._seats):
            state = self._seats[seat]
            if state.in_game:
                return state
        raise ValueError(f"seat {seat} is not in the game")

    def _share_increments(self) -> None:
        """Work out what each seat is told of the increments; they change only with a removal."""
        for mover in self._seats:
            mover.incs_ms = tuple(mover.inc_ms if state.borrows else state.inc_ms for state in self._seats)
