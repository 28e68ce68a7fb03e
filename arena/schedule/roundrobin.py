"""Round-robin for two players by the circle method, with balanced seats.

A cycle is one opening, played twice with seats exchanged, for every pair; so the table means something after
every cycle. Within a cycle the circle method orders the pairs into rounds, in which every engine (but one,
when their number is odd) plays once: nobody waits long for the first game. Nothing is built beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.schedule.seating import Seating, duel

__all__ = ["seatings", "total"]


def total(engines: int, per_pairing: int) -> int:
    """The number of games when each of so many engines plays ``per_pairing`` games against each other."""
    return engines * (engines - 1) // 2 * per_pairing


def seatings(engines: int, per_pairing: int) -> Iterator[Seating]:
    """The games in the order in which they are to be played.

    Who sits where is decided by the two engines' places in the list alone, so an engine added at its end
    changes nothing for the others. With an odd ``per_pairing`` the last game of a pair has no counterpart:
    every engine then has sat on either seat equally often, or once more on one of them.
    """
    for cycle in range((per_pairing + 1) // 2):
        for low, high in _pairs(engines):
            # By parity each engine comes first against half of those before it and half of those behind it.
            first, second = (low, high) if (high - low) % 2 else (high, low)
            for index in range(2 * cycle, min(2 * cycle + 2, per_pairing)):
                yield duel(first, second, index)


def _pairs(engines: int) -> Iterator[tuple[int, int]]:
    """All pairs, the lower first, round by round: one place is fixed and the others turn round it."""
    turning = engines - 1 if engines % 2 == 0 else engines
    for turn in range(turning):
        if engines % 2 == 0:
            yield turn, turning
        for step in range(1, (turning + 1) // 2):
            one, other = (turn + step) % turning, (turn - step) % turning
            yield min(one, other), max(one, other)
