"""Tables for games of more than two players: balanced seats and opponents for any number of engines.

The engines sit round a circle. A *round* takes one pattern of places on it, e.g. 0, 1, 3 and 6, and plays it
from every place: as many games as engines, in which each engine sits once on every seat. All games of a round
share one opening, so everybody plays it from every seat; with four engines these are the four rotations of
one table. Two engines meet in a round as often as their distance on the circle occurs in its pattern; each
pattern is chosen so that the distances that occurred least so far come next.

After every round all engines have played equally often, and the meetings of any two differ from those of any
other two by two at most (tested up to 60 engines for three to five seats). A new engine changes the circle
and so who sits with whom. Tables that are balanced for every number of engines, each set within the next,
would spare that, but they are as many as there are tables at all: 4,845 of four for twenty engines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

from arena.schedule.seating import Seating

__all__ = ["orders", "seatings", "total"]

_QUICK = 1_000_000
"""Engines times engines times games per pairing up to which counting all rounds takes no time."""


def total(engines: int, seats: int, per_pairing: int) -> int | None:
    """The number of games in `seatings` of the same arguments; None when they are too many to be counted."""
    if engines * engines * per_pairing > _QUICK:
        return None
    return engines * sum(1 for _ in _patterns(engines, seats, per_pairing))


def seatings(engines: int, seats: int, per_pairing: int) -> Iterator[Seating]:
    """The games in the order in which they are to be played: whole rounds.

    They end with the first round after which any two engines have met in at least ``per_pairing`` games; so
    with a higher number the same games come first.
    """
    seen: Counter[tuple[int, ...]] = Counter()
    every = orders(seats)
    for number, pattern in enumerate(_patterns(engines, seats, per_pairing)):
        order = tuple(pattern[place] for place in every[number % len(every)])
        for shift in range(engines):
            yield Seating(tuple((place + shift) % engines for place in order), seen[order], number)
        seen[order] += 1


def orders(seats: int) -> list[tuple[int, ...]]:
    """All orders round a table, each followed by its reverse: who moved before a player then moves after."""
    found: list[tuple[int, ...]] = []
    for others in permutations(range(1, seats)):
        if others < others[::-1]:
            found += [(0, *others), (0, *others[::-1])]
    return found or [tuple(range(seats))]


def _patterns(engines: int, seats: int, per_pairing: int) -> Iterator[tuple[int, ...]]:
    """The rounds' patterns: ascending places on the circle, the first of them 0."""
    met = [0] * (engines // 2 + 1)  # how often two engines at this distance have met
    while min(met[1:]) < per_pairing:
        pattern = [0]
        while len(pattern) < seats:
            free = (place for place in range(engines) if place not in pattern)
            place = min(free, key=lambda place: _crowding(place, pattern, met, engines))
            for other in pattern:
                distance, games = _meeting(abs(place - other), engines)
                met[distance] += games
            pattern.append(place)
        yield tuple(sorted(pattern))


def _meeting(gap: int, engines: int) -> tuple[int, int]:
    """The distance of two places on the circle, and how often they meet in a round for its sake.

    Two engines opposite each other meet twice: their distance is the same seen from either.
    """
    distance = min(gap, engines - gap)
    return distance, 2 if 2 * distance == engines else 1


def _crowding(place: int, pattern: list[int], met: list[int], engines: int) -> tuple[list[int], int]:
    """How often ``place`` will have met those of the pattern once it belongs to it, the worst first.

    Of equal ones the farther place is the better; of the rules tried, this one leads to the fewest rounds.
    """
    meetings = [_meeting(abs(place - other), engines) for other in pattern]
    after = [met[distance] + games * meetings.count((distance, games)) for distance, games in meetings]
    return sorted(after, reverse=True), -sum(distance for distance, _ in meetings)
