"""Gauntlet for two players: each seed plays each engine of the field.

The seeds do not play each other, and neither do the engines of the field.

As in a round-robin, a cycle is one opening that each pair plays twice with exchanged seats. Within a cycle
the seeds take turns. Each of them goes through the field, and each begins one engine later than the seed
before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.formats.contest import Seating, duel


def total(seeds: int, field: int, per_pairing: int) -> int:
    """The number of games when every seed plays ``per_pairing`` games with each engine of the field."""
    return seeds * field * per_pairing


def seatings(seeds: Sequence[int], field: Sequence[int], per_pairing: int) -> Iterator[Seating]:
    """Yield the games in the order in which they are played.

    With an odd ``per_pairing``, each pair plays one game without its return game. The first seat of this
    game alternates between seed and opponent along both lists. So the numbers of an engine's games on the two
    seats differ by one at most.

    Args:
        seeds: the places of the seeds in the list of entrants.
        field: the places of all other engines.
        per_pairing: the number of games that a seed plays with each engine of the field.
    """
    for cycle in range((per_pairing + 1) // 2):
        for step in range(len(field)):
            for row, seed in enumerate(seeds):
                column = (step + row) % len(field)
                opponent = field[column]
                first, second = (opponent, seed) if (row + column) % 2 else (seed, opponent)
                for index in range(2 * cycle, min(2 * cycle + 2, per_pairing)):
                    yield duel(first, second, index)
