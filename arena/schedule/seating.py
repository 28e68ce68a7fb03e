"""One game of a schedule, before openings are put to it, and by which name it is known for good."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

__all__ = ["Entrants", "Seating", "duel", "first_opening"]


class Seating(NamedTuple):
    """Who sits where.

    Attributes:
        seats: the engines' places in the list of entrants, in seat order.
        repeat: how many games with exactly this seating come before.
        opening: the number of the game's opening, from 0.
    """

    seats: tuple[int, ...]
    repeat: int
    opening: int


@dataclass(frozen=True, slots=True)
class Entrants:
    """Those who enter a game.

    Attributes:
        game: its id.
        names: the engines, in the order of the file: a place is an index into this.
    """

    game: str
    names: tuple[str, ...]

    def key(self, seating: Seating) -> str:
        """The key of a game: its id, the engines in seat order, and how often they sat so before."""
        return f"{self.game}:{'|'.join([self.names[place] for place in seating.seats])}:{seating.repeat}"


def duel(first: int, second: int, index: int) -> Seating:
    """A game of two engines: numbers 0 and 1 share an opening with seats exchanged, and so on.

    Args:
        first: who sits first in game 0.
        second: the other one.
        index: the number of games that these two play before it.
    """
    seats = (second, first) if index % 2 else (first, second)
    low, high = (first, second) if first < second else (second, first)
    opening = low + high * (high - 1) // 2  # as `first_opening` has it, which takes longer
    return Seating(seats, index // 2, opening + index // 2)


def first_opening(places: Iterable[int]) -> int:
    """The number of the opening with which the engines at these places begin, for each set of places another.

    It depends on nobody else, so it stays when engines are added at the end of the list.
    """
    return sum(comb(place, count) for count, place in enumerate(sorted(places), 1))
