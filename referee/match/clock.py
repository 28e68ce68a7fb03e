"""The clock of one game: the remaining time of each seat, and the limits to send to engines.

The clock reads no real clock: the time of each search is an argument, in integer nanoseconds. All values that
stay the same during a game are computed at its start, so the work for each ply is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.wire.messages import Go
from referee.match.time_control import NS_PER_MS, TimeControl

HARD_CAP_NS = 10 * 60 * 1000 * NS_PER_MS
"""The longest search of a seat without a time limit (depth, nodes, none). It ends a hung engine."""

NOMINAL_NS = 60 * 1000 * NS_PER_MS
"""The clock that a seat under ``none`` sees before every move. Engines then think one to three seconds."""


@dataclass(slots=True)
class _Seat:
    """The state of one seat, in nanoseconds unless a comment says otherwise."""

    left: int
    grace: int  # time after `left` until the flag falls
    base: int
    increment: int
    session: int | None  # number of moves in a session
    to_go: int | None  # number of moves left in this session
    fixed: Go | None  # its `go`, if it is the same before every move
    clockless: bool  # not removed, and has no clock; `go` shows the mover's time and increment for it
    shown_ms: int  # the time in `go`, in milliseconds
    inc_ms: int  # the increment in `go`, in milliseconds
    incs_ms: tuple[int, ...] = ()  # the increments of all seats in the `go` for this seat
    in_game: bool = True


def _seat(control: TimeControl, margin_ns: int) -> _Seat:
    if control.base_ns is not None:
        # A clock of 0 starts with one increment. Without it, the first move would have only the margin.
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
        clockless=control.base_ns is None,
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
    """The clocks of all seats of one game, with a time control and a margin each.

    An invalid call, such as charging a removed seat, is a ValueError.
    """

    __slots__ = ("_seats",)

    def __init__(self, controls: Sequence[TimeControl], margins_ns: Sequence[int]) -> None:
        if not controls or len(controls) != len(margins_ns):
            raise ValueError("a game's clock needs one time control and one margin for each seat")
        if min(margins_ns) < 0:
            raise ValueError("a margin must not be negative")
        self._seats = [_seat(control, margin) for control, margin in zip(controls, margins_ns, strict=True)]
        self._share_increments()

    def charge(self, seat: int, used: int) -> int:
        """Subtract the time of a search. Return the nanoseconds beyond time and margin, 0 in time.

        The clock never goes below 0: time within the margin costs nothing. Unless the flag fell, the
        increment is added, and after the last move of a session also the base time.
        """
        state = self._playing(seat)
        if used < 0:
            raise ValueError(f"seat {seat} cannot stop before it started")
        left = state.left
        over = used - left - state.grace
        if over > 0:
            state.left, state.shown_ms = 0, 1
            return over
        if not state.clockless:
            left = (left - used if used < left else 0) + state.increment
            if state.to_go is not None:
                state.to_go -= 1
                if not state.to_go:
                    state.to_go = state.session
                    left += state.base
            state.left = left
            state.shown_ms = left // NS_PER_MS or 1
        return 0

    def reopen(self, seat: int, used: int, over: int) -> None:
        """Let ``seat`` move again after `charge` was called with ``used`` and has returned ``over``.

        The increment and the time of a new session are taken back. A flag that fell rises again: the clock
        shows what it showed before the search.
        """
        state = self._playing(seat)
        if over:
            left = used - over - state.grace
        elif state.clockless:
            return
        else:
            left = state.left - state.increment
            if state.to_go is not None:
                new_session = state.to_go == state.session  # by `charge`
                left -= state.base if new_session else 0
                state.to_go = 1 if new_session else state.to_go + 1
        state.left = left
        state.shown_ms = (NOMINAL_NS if state.clockless else left) // NS_PER_MS or 1

    def budget(self, seat: int) -> int:
        """Return the longest search of ``seat`` in nanoseconds before its flag falls.

        This is its time plus the margin; without a time limit it is `HARD_CAP_NS`.
        """
        state = self._playing(seat)
        return state.left + state.grace

    def left_ns(self, seat: int) -> int:
        """Return the time of ``seat`` for its next search, without the margin; 0 for a removed seat.

        For a seat without a clock this is always the same: its time per move, or `HARD_CAP_NS`.
        """
        return self._seats[seat].left

    def remove(self, seat: int) -> None:
        """Remove ``seat`` from the game, and set its time to 0."""
        state = self._playing(seat)
        state.in_game = state.clockless = False
        state.left = state.shown_ms = state.inc_ms = 0
        self._share_increments()

    def go(self, seat: int) -> Go:
        """Return the limits to send to the engine on ``seat``. Its own time control decides their form.

        Clocks show the time of every seat in milliseconds, rounded down but at least 1; a removed seat has 0.
        A seat without a clock appears with the mover's time and increment, so that no engine sees itself
        ahead or behind on time. A mover with the time control ``none`` sees `NOMINAL_NS` as its own time.
        """
        mover = self._playing(seat)
        if mover.fixed is not None:
            return mover.fixed
        own = mover.shown_ms
        times = [own if state.clockless else state.shown_ms for state in self._seats]
        return Go(tuple(times), mover.incs_ms, mover.to_go)

    def _playing(self, seat: int) -> _Seat:
        if 0 <= seat < len(self._seats):
            state = self._seats[seat]
            if state.in_game:
                return state
        raise ValueError(f"seat {seat} is not in the game")

    def _share_increments(self) -> None:
        """Compute the increments that each seat's ``go`` shows. They change only with a removal."""
        for mover in self._seats:
            mover.incs_ms = tuple(mover.inc_ms if state.clockless else state.inc_ms for state in self._seats)
