"""Round-robin for two players by the circle method, with balanced seats.

In a cycle every pair plays one opening twice with exchanged seats. So the table is fair after every cycle.

Within a cycle the circle method puts the pairs into rounds. In a round each engine has one opponent; with an
odd number of engines one of them has none. So every engine plays its first game early. The games are
generated one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.formats.contest import Seating, duel


def total(engines: int, per_pairing: int) -> int:
    """The number of games when every two of the engines play ``per_pairing`` games with each other."""
    return engines * (engines - 1) // 2 * per_pairing


def seatings(engines: int, per_pairing: int) -> Iterator[Seating]:
    """Yield the games in the order in which they are played.

    The seats depend only on the places of the two engines in the list. So an engine that is added at the end
    changes no game of the others. With an odd ``per_pairing``, the last game of a pair is not repeated with
    exchanged seats. The numbers of an engine's games on the two seats then differ by one at most.
    """
    for cycle in range((per_pairing + 1) // 2):
        for low, high in _pairs(engines):
            # Each engine has the first seat against half of the engines before it and half of those after it.
            first, second = (low, high) if (high - low) % 2 else (high, low)
            for index in range(2 * cycle, min(2 * cycle + 2, per_pairing)):
                yield duel(first, second, index)


def _pairs(engines: int) -> Iterator[tuple[int, int]]:
    """Yield all pairs, round by round, the lower place first.

    With an even number of engines the last place stays fixed, and the others rotate.
    """
    rotating = engines - 1 if engines % 2 == 0 else engines
    for turn in range(rotating):
        if engines % 2 == 0:
            yield turn, rotating
        for step in range(1, (rotating + 1) // 2):
            left, right = (turn + step) % rotating, (turn - step) % rotating
            yield min(left, right), max(left, right)
