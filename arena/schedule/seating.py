"""The seating of a game, its key, and the number of its opening."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

__all__ = ["Entrants", "Seating", "duel", "first_opening"]


class Seating(NamedTuple):
    """The engines of one game, in seat order.

    Attributes:
        seats: for each seat, the engine's place in the list of entrants.
        repeat: the number of earlier games with exactly these seats.
        opening: the number of the game's opening, from 0.
    """

    seats: tuple[int, ...]
    repeat: int
    opening: int


@dataclass(frozen=True, slots=True)
class Entrants:
    """The engines that enter the games of one id.

    Attributes:
        game: the game id.
        names: the engines, in the order of the file. An engine's place is its index in this tuple.
    """

    game: str
    names: tuple[str, ...]

    def key(self, seating: Seating) -> str:
        """The key of a game: the game id, the engines in seat order, and `Seating.repeat`."""
        return f"{self.game}:{'|'.join([self.names[place] for place in seating.seats])}:{seating.repeat}"


def duel(first: int, second: int, index: int) -> Seating:
    """Seat two engines for one of their games with each other.

    Games 0 and 1 share an opening with exchanged seats, and so do games 2 and 3, and so on.

    Args:
        first: the place of the engine that has the first seat in game 0.
        second: the place of its opponent.
        index: the number of games that these two play before this one.
    """
    seats = (second, first) if index % 2 else (first, second)
    low, high = (first, second) if first < second else (second, first)
    opening = low + high * (high - 1) // 2  # faster than first_opening((low, high)), which is the same
    return Seating(seats, index // 2, opening + index // 2)


def first_opening(places: Iterable[int]) -> int:
    """The number of the first opening that the engines at these places play with each other.

    It is different for each set of places. It depends on these places only, so it stays the same when engines
    are added at the end of the list.
    """
    return sum(comb(place, count) for count, place in enumerate(sorted(places), 1))
