"""Schedules: what a tournament wants played, in which order. Pure and lazy.

A game's key is its id, the engines in seat order and how many games with exactly this seating come before:
``quoridor:alpha|beta:0``. It names no other engine, so what was played counts on when a tournament grows.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from arena.config import TournamentSpec
from arena.model import Pairing
from arena.openings import OpeningBook
from arena.schedule import roundrobin, tables
from arena.schedule.seating import Seating
from referee import game

__all__ = ["Schedule", "schedule"]


class Schedule(Protocol):
    """What is to be played."""

    @property
    def total(self) -> int | None:
        """How many games there are in all; None when that is not known yet."""
        ...

    def pending(self, done: Container[str]) -> Iterator[Pairing]:
        """The games whose key is not in ``done``, in schedule order, as far as they can be told now.

        Raises:
            OpeningError: a random opening cannot be found.
        """
        ...


def schedule(spec: TournamentSpec) -> Schedule:
    """The schedule of a tournament; its games one after the other, in the order of the file."""
    return _Sequence(tuple(_part(spec, game_id) for game_id in spec.games))


@dataclass(frozen=True, slots=True)
class _Part:
    """The games of one id."""

    game: str
    players: int
    names: tuple[str, ...]
    per_pairing: int
    book: OpeningBook

    def total(self) -> int:
        if self.players == 2:
            return roundrobin.total(len(self.names), self.per_pairing)
        return tables.total(len(self.names), self.players, self.per_pairing)

    def seatings(self) -> Iterator[Seating]:
        if self.players == 2:
            return roundrobin.seatings(len(self.names), self.per_pairing)
        return tables.seatings(len(self.names), self.players, self.per_pairing)


def _part(spec: TournamentSpec, game_id: str) -> _Part:
    rules = game(game_id)
    adjudication = spec.adjudication.for_game(rules.info)
    return _Part(
        game=game_id,
        players=rules.info.players,
        names=tuple(entry.spec.name for entry in spec.entrants(game_id)),
        per_pairing=spec.games_per_pairing,
        book=OpeningBook(spec.openings, rules, spec.setups.get(game_id), adjudication),
    )


class _Sequence:
    """Every game is known from the beginning."""

    def __init__(self, parts: tuple[_Part, ...]) -> None:
        self._parts = parts

    @cached_property
    def total(self) -> int:
        return sum(part.total() for part in self._parts)

    def pending(self, done: Container[str]) -> Iterator[Pairing]:
        number = -1
        for part in self._parts:
            for seating in part.seatings():
                number += 1
                seats = tuple(part.names[place] for place in seating.seats)
                key = f"{part.game}:{'|'.join(seats)}:{seating.repeat}"
                if key not in done:
                    yield Pairing(number, key, part.game, seats, part.book.opening(seating.opening))
