"""The games of one game id in a tournament."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model import Pairing
from arena.opening_book import OpeningBook
from arena.schedule.seating import Entrants, Seating

__all__ = ["Contest"]


@dataclass(frozen=True, slots=True)
class Contest:
    """One game id of a tournament, with everything that a format needs.

    If the contests of a tournament take turns, the games of this one have the numbers ``offset``,
    ``offset + stride``, ``offset + 2 * stride`` and so on.

    Attributes:
        entrants: the engines that enter it.
        players: the number of players in one game.
        book: its openings.
        offset: the number of its first game.
        stride: the difference between the numbers of two consecutive games.
    """

    entrants: Entrants
    players: int
    book: OpeningBook
    offset: int = 0
    stride: int = 1

    def pairing(self, number: int, key: str, seating: Seating) -> Pairing:
        """Make a game that can be played.

        Args:
            number: its place among the games of this id, from 0.
            key: its key.
            seating: the engines in seat order.

        Raises:
            OpeningError: its opening cannot be found.
        """
        seats = tuple(self.entrants.names[place] for place in seating.seats)
        number = number * self.stride + self.offset
        return Pairing(number, key, self.entrants.game, seats, self.book.opening(seating.opening))

    def own_number(self, number: int) -> int:
        """Convert a number in the schedule to the place among the games of this id."""
        return number // self.stride
