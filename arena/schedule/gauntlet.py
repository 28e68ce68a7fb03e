"""Gauntlet for two players: a few seeds play everybody else, and nobody else plays anybody.

As in a round-robin, a cycle is one opening played twice with seats exchanged, for every seed and every other
engine. Within a cycle the seeds go through the field side by side, each beginning one engine further on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.schedule.seating import Seating, duel

__all__ = ["seatings", "total"]


def total(seeds: int, field: int, per_pairing: int) -> int:
    """The number of games when every seed plays ``per_pairing`` games against each of the field."""
    return seeds * field * per_pairing


def seatings(seeds: Sequence[int], field: Sequence[int], per_pairing: int) -> Iterator[Seating]:
    """The games in the order in which they are to be played.

    Args:
        seeds: the seeds' places in the list of entrants.
        field: everybody else's.
        per_pairing: how many games a seed plays against each of the field. When it is odd, whoever sits first
            alternates along both lists, so that everybody has sat on either seat equally often or once more.
    """
    for cycle in range((per_pairing + 1) // 2):
        for step in range(len(field)):
            for row, seed in enumerate(seeds):
                column = (step + row) % len(field)
                other = field[column]
                first, second = (other, seed) if (row + column) % 2 else (seed, other)
                for index in range(2 * cycle, min(2 * cycle + 2, per_pairing)):
                    yield duel(first, second, index)
