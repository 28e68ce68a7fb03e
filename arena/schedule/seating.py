"""One game of a schedule, before names and openings are put to it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Seating"]


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
