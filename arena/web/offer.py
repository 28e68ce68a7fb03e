"""What people can play on a server against engines, and the games that they order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Final, TypedDict

import msgspec
from msgspec import Meta

from arena import samples
from arena.config import EngineEntry, TournamentSpec, load_values
from arena.model import Opening
from arena.replay import start_position
from arena.strength.levels import scales
from arena.web.boards import seat_marks
from protocol.spec import EngineSpec
from referee import Game, MoveError, PositionError, RefereeError, game, game_ids
from referee.errors import TimeControlError
from referee.follower import Follower
from referee.match.job import Job, JobSeat
from referee.match.time_control import TimeControl

_PERSON: Final = "person"
_DIFFICULTIES: Final = ("easy", "medium", "hard")

_LONGEST_TIME_SECONDS: Final = 3600


class WrongOrder(Exception):
    """A game cannot be played as it was ordered; the text says what to change."""


@dataclass(frozen=True, slots=True)
class Order:
    """A game that somebody has ordered."""

    rules: Game
    seats: tuple[EngineEntry | None, ...]  # None for a person
    control: TimeControl  # of the engines
    clock: bool  # whether it applies to people, too
    opening: Opening
    person: str  # the name of people in the record
    wish: NewGame  # that asked for it

    @property
    def rematch(self) -> NewGame:
        """The same game with each player in the next seat."""
        first, *others = self.wish.seats
        return msgspec.structs.replace(self.wish, seats=[*others, first])

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, entry in enumerate(self.seats) if entry is None)

    def entries(self) -> list[EngineEntry]:
        """Return an entry for each seat, people included, as a tournament has them."""
        control = self.control if self.clock else TimeControl.parse("none")
        person = EngineEntry(EngineSpec(self.person, (_PERSON,)), control, (self.rules.info.id,))
        return [
            person if entry is None else replace(entry, time_control=self.control) for entry in self.seats
        ]

    def start(self) -> Follower:
        """Return the game at its first position."""
        position = self.opening.position
        start = self.rules.start() if position is None else self.rules.parse_position(position)
        return Follower(start, self.rules.info.players)

    def job(self, id_: str, moves: tuple[str, ...], engine: EngineEntry | None = None) -> Job:
        """Return the order for a referee, to go on after ``moves``.

        An ``engine`` plays alone, and only in the seat to move, to give a hint.
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
        position = self.opening.position
        return Job(id_, self.rules.info.id, seats, position=position, moves=moves, people=people)


class OfferedGame(TypedDict):
    """A game that people can play."""

    id: str
    title: str
    players: int
    board: str
    sides: Annotated[list[str], Meta(description="The players' names in the rules.")]
    engines: Annotated[list[str], Meta(description="The engines that play it.")]
    time_control: str
    start: Annotated[str, Meta(description='A set-up; "" for the usual start.')]


class NewGame(msgspec.Struct, frozen=True):
    """A game to start."""

    game: str
    seats: Annotated[list[str | None], Meta(description="The engine of each seat; null for a person.")]
    time_control: Annotated[str, Meta(description='"" for the time control of the server.')] = ""
    clock: Annotated[bool, Meta(description="Whether the time control holds for people, too.")] = False
    start: Annotated[
        str,
        Meta(max_length=2000, description='A position string or a set-up; "" for the start of the server.'),
    ] = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """The games and engines that people may choose: from a tournament file, or the sample engines.

    The engines play as they would in the tournament: with their options, limits and sandbox.
    """

    spec: TournamentSpec

    def games(self) -> list[OfferedGame]:
        """Return the games with what can be chosen for each."""
        return [
            {
                "id": info.id,
                "title": info.title,
                "players": info.players,
                "board": info.board,
                "sides": [name for name, _ in seat_marks(info.id)],
                "engines": [entry.spec.name for entry in self.spec.entrants(info.id)],
                "time_control": str(self.spec.time_control),
                "start": self.spec.setup.get(info.id, ""),
            }
            for info in (game(id_).info for id_ in self.spec.games)
        ]

    def has(self, game_id: str, engine: str) -> bool:
        """Whether an engine with this name plays a game."""
        return game_id in self.spec.games and engine in {
            entry.spec.name for entry in self.spec.entrants(game_id)
        }

    def levels(self, game_id: str) -> dict[int, str]:
        """Return the names of the levels that play a game for two, by their numbers."""
        if game_id not in scales() or game(game_id).info.players != 2:
            return {}
        specs = [entry.spec for entry in self.spec.entrants(game_id)]
        return {level: spec.name for spec in specs if (level := samples.level_of(spec.command)) is not None}

    def order(self, wish: NewGame) -> Order:
        """Return the game that a request asks for."""
        if wish.game not in self.spec.games:
            raise WrongOrder(f"game must be one of: {', '.join(self.spec.games)}")
        rules = game(wish.game)
        info = rules.info
        if len(wish.seats) != info.players:
            raise WrongOrder(f"seats must be a list of {info.players} engines, with null for a person")
        if None not in wish.seats:
            raise WrongOrder("one of the seats must be a person's")
        entrants = {entry.spec.name: entry for entry in self.spec.entrants(info.id)}
        if not {*wish.seats} <= {None, *entrants}:
            raise WrongOrder(f"the seats of {info.id} can have: {', '.join(entrants)}")
        person = _PERSON
        while person in {entry.spec.name for entry in self.spec.engines}:
            person += "*"
        return Order(
            rules,
            tuple(None if name is None else entrants[name] for name in wish.seats),
            self._control(wish.time_control),
            wish.clock,
            _opening(rules, wish.start or self.spec.setup.get(info.id, "")),
            person,
            wish,
        )

    def _control(self, text: str) -> TimeControl:
        if not text:
            return self.spec.time_control
        try:
            control = TimeControl.parse(text)
        except TimeControlError as error:
            raise WrongOrder(str(error)) from None
        longest = max(control.base_ns or 0, control.increment_ns, control.movetime_ns or 0) / 1e9
        if longest > _LONGEST_TIME_SECONDS:
            raise WrongOrder(f"a time must be at most {_LONGEST_TIME_SECONDS} seconds")
        return control


def sample_offer() -> Offer:
    """Return the offer of a server without a tournament file: sample engines, the best first, and levels."""
    games = tuple(filter(_is_sound, game_ids()))
    plays = {name: [id_ for id_ in games if name in samples.players(id_)] for name in reversed(samples.NAMES)}
    engines: list[dict[str, object]] = [{"name": name, "command": [samples.PREFIX + name]} for name in plays]
    for name, ids in _levels().items():
        plays[name] = ids
        engines.append({"name": name, "command": [samples.LEVEL + name.split()[1]], "games": ids})
    values = {
        "name": "sample engines",
        "games": list(scales()),
        "time_control": "movetime=1",
        "engines": engines,
    }
    spec = load_values(values)
    entries = (replace(entry, games=tuple(plays[entry.spec.name])) for entry in spec.engines)
    return Offer(replace(spec, games=games, engines=tuple(entries)))


def _levels() -> dict[str, list[str]]:
    """Return the games of each level by its name; a third of the levels of a game is easy."""
    games: dict[str, list[str]] = {}
    for id_, scale in scales().items():
        for place in range(len(scale.elo)):
            word = _DIFFICULTIES[place * len(_DIFFICULTIES) // len(scale.elo)]
            games.setdefault(f"level {place + 1} ({word})", []).append(id_)
    return dict(sorted(games.items()))


def _is_sound(game_id: str) -> bool:
    """Whether the rules of a game can be loaded; the rules of a plug-in may be broken."""
    try:
        game(game_id)
    except RefereeError:
        return False
    return True


def _opening(rules: Game, start: str) -> Opening:
    """Return the start of a game: the name of a set-up, or a position string."""
    if not start:
        return Opening()
    try:
        position = start_position(rules, start)
    except (PositionError, MoveError) as error:
        raise WrongOrder(str(error)) from None
    if position.outcome() is not None:
        raise WrongOrder("in this position the game is over")
    return Opening(str(position))
