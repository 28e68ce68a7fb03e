"""The games of one id in a tournament."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model import Pairing
from arena.opening_book import OpeningBook
from arena.schedule.seating import Entrants, Seating

__all__ = ["Contest"]


@dataclass(frozen=True, slots=True)
class Contest:
    """What a format needs to know of one of the tournament's games.

    Attributes:
        entrants: who enters it.
        players: at one table.
        book: its openings.
        share, shares: which of how many interleaved sequences of numbers its games have.
    """

    entrants: Entrants
    players: int
    book: OpeningBook
    share: int = 0
    shares: int = 1

    def pairing(self, number: int, key: str, seating: Seating) -> Pairing:
        """A game to be handed out.

        Args:
            number: its place among the games of this id.
            key: its key.
            seating: who sits where.

        Raises:
            OpeningError: its opening cannot be found.
        """
        seats = tuple(self.entrants.names[place] for place in seating.seats)
        number = number * self.shares + self.share
        return Pairing(number, key, self.entrants.game, seats, self.book.opening(seating.opening))

    def own_number(self, number: int) -> int:
        """The place among the games of this id, of a game with this number."""
        return number // self.shares
