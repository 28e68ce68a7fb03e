"""What a server lets people play: the engines, games and limits of a tournament file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from arena.config import EngineEntry, TournamentSpec
from arena.model import Opening
from protocol.spec import EngineSpec
from referee import Game, MoveError, PositionError, game
from referee.errors import TimeControlError
from referee.follower import Follower
from referee.match.job import Job, JobSeat
from referee.match.time_control import TimeControl

__all__ = ["CASUAL", "NO_CLOCK", "UNRATED", "Offer", "Order", "WrongOrder"]

CASUAL: Final = "casual games"
"""The tournament of the games of people."""

UNRATED: Final = {"rated": "no"}
"""The settings of this tournament: no rating list has its games."""

NO_CLOCK: Final = "none"
"""The time control of people who play without a clock."""

_PERSON: Final = "person"
_LONGEST_TEXT: Final = 2000
_SLOWEST_SECONDS: Final = 3600


class WrongOrder(Exception):
    """A game cannot be played as it was ordered; the text says what to change."""


@dataclass(frozen=True, slots=True)
class Order:
    """A game that somebody has ordered.

    Attributes:
        rules: its rules.
        seats: the engine of each seat; None for a person.
        control: the time control of the engines.
        clock: whether the time control applies to people, too.
        opening: where the game starts.
        person: the name of people in the record.
    """

    rules: Game
    seats: tuple[EngineEntry | None, ...]
    control: TimeControl
    clock: bool
    opening: Opening
    person: str

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, entry in enumerate(self.seats) if entry is None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all seats."""
        return tuple(entry.spec.name for entry in self.entries())

    def entries(self) -> list[EngineEntry]:
        """Return an entry for each seat, people included, as a tournament has them."""
        found = []
        for entry in self.seats:
            if entry is not None:
                found.append(replace(entry, time_control=self.control))
                continue
            control = self.control if self.clock else TimeControl.parse(NO_CLOCK)
            found.append(EngineEntry(EngineSpec(self.person, (_PERSON,)), control, (self.rules.info.id,)))
        return found

    def start(self) -> Follower:
        """Return the game at its first position."""
        position = self.opening.position
        start = self.rules.start() if position is None else self.rules.parse_position(position)
        return Follower(start, self.rules.info.players)

    def job(self, id_: str, moves: tuple[str, ...], engine: EngineEntry | None = None) -> Job:
        """Return the order for a referee.

        Args:
            id_: the id of the job.
            moves: the moves that were played already.
            engine: only this engine plays, and only in the seat to move, to give a hint; None for a game.
        """
        entries = self.entries()
        people = self.people
        if engine is not None:
            follower = self.start()
            for text in moves:
                follower.follow(text)
            people = tuple(seat for seat in range(len(entries)) if seat != follower.position.turn)
            entries = [replace(engine, time_control=self.control)] * len(entries)
        seats = tuple(JobSeat(entry.spec, str(entry.time_control)) for entry in entries)
        info = self.rules.info
        opening = self.opening.position
        return Job(
            id_,
            info.id,
            seats,
            position=opening,
            moves=moves,
            people=people,
        )


@dataclass(frozen=True, slots=True)
class Offer:
    """The games and engines that people may choose.

    Attributes:
        spec: the tournament file that lists them. Its engines play as they would in the tournament: with
            their options, limits and sandbox.
    """

    spec: TournamentSpec

    def games(self) -> list[dict[str, Any]]:
        """Return the games with what can be chosen for each, as plain values."""
        return [
            {
                "id": info.id,
                "title": info.title,
                "players": info.players,
                "board": info.board,
                "engines": [entry.spec.name for entry in self.spec.entrants(info.id)],
                "time_control": str(self.spec.time_control),
                "start": self.spec.setup.get(info.id, ""),
            }
            for info in (game(id_).info for id_ in self.spec.games)
        ]

    def order(self, wish: Mapping[str, Any]) -> Order:
        """Return the game that a request asks for.

        Args:
            wish: ``game``; ``seats``, a list with the name of an engine or null for a person; and optionally
                ``time_control``, ``clock`` and ``start``, which otherwise are as in the file.

        Raises:
            WrongOrder: it cannot be played.
        """
        rules = self._rules(wish.get("game"))
        info = rules.info
        names = wish.get("seats")
        if not isinstance(names, list) or len(names) != info.players:
            raise WrongOrder(f"seats must be a list of {info.players} engines, with null for a person")
        if None not in names:
            raise WrongOrder("one of the seats must be a person's")
        entrants = {entry.spec.name: entry for entry in self.spec.entrants(info.id)}
        for name in names:
            if name is not None and (not isinstance(name, str) or name not in entrants):
                raise WrongOrder(f"the seats of {info.id} can have: {', '.join(entrants)}")
        person = _PERSON
        while person in {entry.spec.name for entry in self.spec.engines}:
            person += "*"
        return Order(
            rules,
            tuple(None if name is None else entrants[name] for name in names),
            self._control(wish.get("time_control")),
            wish.get("clock") is True,
            _opening(rules, wish.get("start") or self.spec.setup.get(info.id, "")),
            person,
        )

    def _rules(self, id_: object) -> Game:
        if not isinstance(id_, str) or id_ not in self.spec.games:
            raise WrongOrder(f"game must be one of: {', '.join(self.spec.games)}")
        return game(id_)

    def _control(self, text: object) -> TimeControl:
        if not text:
            return self.spec.time_control
        try:
            control = TimeControl.parse(str(text))
        except TimeControlError as error:
            raise WrongOrder(str(error)) from None
        longest = max(control.base_ns or 0, control.increment_ns, control.movetime_ns or 0) / 1e9
        if longest > _SLOWEST_SECONDS:
            raise WrongOrder(f"a time must be at most {_SLOWEST_SECONDS} seconds")
        return control


def _opening(rules: Game, start: object) -> Opening:
    """Return the start of a game: the name of a set-up, or a position string.

    Raises:
        WrongOrder: the rules do not know it, or the game would be over at once.
    """
    if not start:
        return Opening()
    if not isinstance(start, str) or len(start) > _LONGEST_TEXT:
        raise WrongOrder("the start must be a position string, or the name of a set-up")
    try:
        position = rules.parse_position(start) if set(start) & set(" /") else rules.start(start)
    except (PositionError, MoveError) as error:
        raise WrongOrder(str(error)) from None
    if position.outcome() is not None:
        raise WrongOrder("in this position the game is over")
    return Opening(str(position))
