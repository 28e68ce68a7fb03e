"""Round-robin: every two engines meet equally often, with balanced seats.

For two players it is the circle method. In a cycle every pair plays one opening twice with exchanged seats.
So the table is fair after every cycle. Within a cycle the circle method puts the pairs into rounds. In a
round each engine has one opponent; with an odd number of engines one of them has none. So every engine plays
its first game early.

For more players, the engines are on a circle, too. A *round* takes one pattern of places on the circle,
e.g. 0, 1, 3 and 6, and shifts it to every place. So a round has as many games as there are engines, and each
engine plays once on every seat. All games of a round share one opening, so each engine plays it from every
seat. With four engines, a round consists of the four rotations of one table.

Two engines meet in a round as often as their distance on the circle occurs in the pattern. Each new pattern
prefers the distances that occurred least often before.

After every round all engines have played equally many games, and the numbers of meetings of any two pairs
differ by two at most (tested up to 60 engines for three to five seats). A new engine changes the circle, and
so it changes the opponents of the others. A schedule that stays balanced whenever an engine is added would
need all possible tables: 4,845 tables of four for twenty engines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from arena.formats.contest import Entrants, Seating, duel, first_opening
from arena.formats.format import FixedFormat, OpeningsKeys, Setting


class _RoundRobin(FixedFormat[OpeningsKeys]):
    name = title = "round-robin"
    keys = OpeningsKeys
    two_players = False
    may_grow = True

    def checked(self, keys: OpeningsKeys, setting: Setting) -> OpeningsKeys:
        return replace(keys, pairing_openings=keys.pairing_openings or "own")

    def seatings(self, keys: OpeningsKeys, entrants: Entrants) -> Iterator[Seating]:
        if entrants.players == 2:
            openings_of_pair = 0 if keys.pairing_openings == "same" else keys.openings
            return pairs(len(entrants.names), keys.games_per_pairing, openings_of_pair)
        places = entrants.present
        games = tables(len(places), entrants.players, keys.games_per_pairing)
        return (game._replace(seats=tuple(places[place] for place in game.seats)) for game in games)

    def most_games(self, keys: OpeningsKeys, entrants: Entrants) -> int | None:
        engines, per_pairing = len(entrants.present), keys.games_per_pairing
        if entrants.players == 2:
            return engines * (engines - 1) // 2 * per_pairing
        if engines * engines * per_pairing > _QUICK:
            return None
        return engines * sum(1 for _ in _patterns(engines, entrants.players, per_pairing))


ROUND_ROBIN = _RoundRobin()


# --- two players


def pairs(engines: int, per_pairing: int, own_openings: int) -> Iterator[Seating]:
    """Yield the games in the order in which they are played. Each pair has ``own_openings`` for itself.

    The seats depend only on the places of the two engines in the list. So an engine that is added at the end
    changes no game of the others. With an odd ``per_pairing``, the last game of a pair is not repeated with
    exchanged seats. The numbers of an engine's games on the two seats then differ by one at most.
    """
    for cycle in range((per_pairing + 1) // 2):
        for low, high in _circle(engines):
            # Each engine has the first seat against half of the engines before it, and half of all after it.
            first, second = (low, high) if (high - low) % 2 else (high, low)
            opening = first_opening((low, high), own_openings)
            for index in range(2 * cycle, min(2 * cycle + 2, per_pairing)):
                yield duel(first, second, index, opening)


def _circle(engines: int) -> Iterator[tuple[int, int]]:
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


# --- more players

_QUICK = 1_000_000
"""The largest value of engines squared times games per pairing for which counting the rounds is quick."""


def tables(engines: int, seats: int, per_pairing: int) -> Iterator[Seating]:
    """Yield the games of whole rounds, in the order in which they are played.

    The last round is the first one after which every two engines have met in at least ``per_pairing`` games.
    A higher ``per_pairing`` only adds games at the end.
    """
    repeats: Counter[tuple[int, ...]] = Counter()
    all_orders = orders(seats)
    for number, pattern in enumerate(_patterns(engines, seats, per_pairing)):
        order = tuple(pattern[place] for place in all_orders[number % len(all_orders)])
        for shift in range(engines):
            yield Seating(tuple((place + shift) % engines for place in order), repeats[order], number)
        repeats[order] += 1


def orders(seats: int) -> list[tuple[int, ...]]:
    """All circular orders of the seats, each followed by the reverse order."""
    circular: list[tuple[int, ...]] = []
    for rest in permutations(range(1, seats)):
        if rest < rest[::-1]:
            circular += [(0, *rest), (0, *rest[::-1])]
    return circular or [tuple(range(seats))]


def _patterns(engines: int, seats: int, per_pairing: int) -> Iterator[tuple[int, ...]]:
    """Yield the pattern of each round: places on the circle in ascending order, the first of them 0."""
    meetings = [0] * (engines // 2 + 1)  # by distance: how often two engines at this distance have met
    while min(meetings[1:]) < per_pairing:
        pattern = [0]
        while len(pattern) < seats:
            free = (place for place in range(engines) if place not in pattern)
            place = min(free, key=lambda place: _crowding(place, pattern, meetings, engines))
            for taken in pattern:
                distance, games = _meeting(abs(place - taken), engines)
                meetings[distance] += games
            pattern.append(place)
        yield tuple(sorted(pattern))


def _meeting(gap: int, engines: int) -> tuple[int, int]:
    """Convert a gap between two places to their distance on the circle, with its meetings in each round.

    Two engines at opposite places meet twice a round, because their distance is the same in both directions.
    """
    distance = min(gap, engines - gap)
    return distance, 2 if 2 * distance == engines else 1


def _crowding(place: int, pattern: list[int], meetings: list[int], engines: int) -> tuple[list[int], int]:
    """How often ``place`` has met each place of the pattern once it is added, in descending order.

    Of equal candidates the place with the larger distances is better. Of all rules that were tried, this one
    leads to the fewest rounds.
    """
    added = [_meeting(abs(place - taken), engines) for taken in pattern]
    after = [meetings[distance] + games * added.count((distance, games)) for distance, games in added]
    return sorted(after, reverse=True), -sum(distance for distance, _ in added)
