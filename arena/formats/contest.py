"""The vocabulary of all formats: who sits where in a game, its key and opening, and what has been played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import comb
from typing import TYPE_CHECKING, NamedTuple, Self

from arena.model import Pairing, Stage
from arena.openings.book import OpeningBook
from arena.scoring import EndedGame

if TYPE_CHECKING:
    from arena.ratings.settings import RatingSettings


class Seating(NamedTuple):
    """The engines of one game, in seat order."""

    seats: tuple[int, ...]  # for each seat, the engine's place in the list of entrants
    repeat: int  # the number of earlier games with exactly these seats
    opening: int  # the number of the game's opening, from 0


class PastMatch(NamedTuple):
    """A match of a round that has started."""

    first: int  # the place of an engine, as in the round
    second: int
    played: int | None = None  # the number of its games if an engine has left; no more are played
    winner: int | None = None  # the place of the engine that gets the points of games left unplayed


class PastRound(NamedTuple):
    """A round that has started, with the place of the engine with a bye."""

    matches: tuple[PastMatch, ...]
    bye: int | None = None


class Past(NamedTuple):
    """What stays of a tournament when engines come or leave."""

    names: tuple[str, ...]  # all engines that had entered until then, in the order of their places
    rounds: tuple[PastRound, ...] = ()  # the rounds that had started, in a format that keeps them
    left: int = 0  # the number of games that its format does not count any more, as in `Format.left`


@dataclass(frozen=True, slots=True)
class Entrants:
    """The engines that enter the games of one id."""

    game: str  # the id
    names: tuple[str, ...]  # in the order of the file; the place of an engine is its index here
    players: int = 2  # in one game
    past: tuple[PastRound, ...] = ()  # the rounds that stay although engines have come or left since
    absent: frozenset[int] = frozenset()  # the places of the engines that have left
    mark: str = ""  # in the keys of these games, so that the same engines can meet in another stage

    @property
    def present(self) -> list[int]:
        """The places of the engines that have not left."""
        return [place for place in range(len(self.names)) if place not in self.absent]

    def key(self, seating: Seating) -> str:
        """The key of a game: the game id, the engines in seat order, and `Seating.repeat` after the mark."""
        seats = "|".join([self.names[place] for place in seating.seats])
        return f"{self.game}:{seats}:{self.mark}{seating.repeat}"

    def seats(self, key: str) -> list[str]:
        """The engines of the game with a key, in seat order."""
        return key[len(self.game) + 1 :].rpartition(":")[0].split("|")


def duel(first: int, second: int, index: int, opening: int) -> Seating:
    """Seat the engines at two places for their game ``index`` with each other; ``first`` starts game 0.

    Games 0 and 1 share an ``opening`` with exchanged seats, games 2 and 3 share the next one, and so on.
    """
    seats = (second, first) if index % 2 else (first, second)
    return Seating(seats, index // 2, opening + index // 2)


def first_opening(places: Iterable[int], each: int = 1) -> int:
    """The number of the first of ``each`` openings that belong to these engines alone, for any set of places.

    It depends on these places only, so it stays the same when engines are added at the end of the list.
    """
    return each * sum(comb(place, count) for count, place in enumerate(sorted(places), 1))


@dataclass(frozen=True, slots=True)
class Contest:
    """One game id of a tournament, with everything that a format needs.

    If the contests of a tournament take turns, the games of this one have the numbers ``offset``,
    ``offset + stride``, ``offset + 2 * stride`` and so on. Opening 0 of its seatings is the opening ``first``
    of the book.
    """

    entrants: Entrants
    book: OpeningBook
    offset: int = 0
    stride: int = 1
    first: int = 0

    def part(self, offset: int, stride: int) -> Self:
        """The same game id with only each ``stride``-th of its numbers, from ``offset`` on."""
        return replace(self, offset=self.offset + self.stride * offset, stride=self.stride * stride)

    def pairing(self, number: int, key: str, seating: Seating) -> Pairing:
        """Make the game with a place among the games of this id, from 0. OpeningError: it has no opening."""
        seats = tuple(self.entrants.names[place] for place in seating.seats)
        number = number * self.stride + self.offset
        opening = self.book.opening(self.first + seating.opening)
        return Pairing(number, key, self.entrants.game, seats, opening)


Next = Pairing | Stage | None
"""The items that a schedule yields; see `Schedule.pending`."""


@dataclass(slots=True)
class ScheduleState:
    """The results and the running games of a tournament. The runner keeps it up to date."""

    results: dict[str, EndedGame] = field(default_factory=dict)  # that count, by key, as they ended
    running: dict[str, Pairing] = field(default_factory=dict)  # by key
    skipped: set[str] = field(default_factory=set)  # the keys of games that a disabled engine cannot play
    disabled: list[str] = field(default_factory=list)  # the engines, in the order in which that happened
    stored: frozenset[str] = frozenset()  # the keys of stored games that count, if no results are needed
    # The settings of the rating lists, by game id. A missing id has the default settings.
    models: Mapping[str, RatingSettings] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)  # the keys of started games, also of void ones
    # The present program of each engine: its version in the file, if there is one, or a hash; "" if neither
    # is known.
    programs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, results: Iterable[EndedGame]) -> Self:
        """The state before a run, from all stored results. Void games are left out."""
        return cls({result.key: result for result in results if result.counts})

    def taken(self) -> dict[int, str]:
        """The keys of the games that have a number, by the number."""
        games = (*self.running.items(), *self.results.items())
        return {game.number: key for key, game in games} | self.numbers

    def plays_on(self, name: str, version: str, program: str) -> bool:
        """Whether an engine still has a program that has played, by version and hash; "" is unknown."""
        now = self.programs.get(name, "")
        return not now or not (version or program) or now in (version, program)

    def __contains__(self, key: object) -> bool:
        """Whether the game with this key needs no start: it has a result, is running, or is skipped."""
        return key in self.stored or key in self.results or key in self.running or key in self.skipped
