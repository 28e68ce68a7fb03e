"""Games of people against engines: what can be played, the state of a game, and what its page shows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any, Final, TypedDict

import msgspec
from msgspec import Meta

from arena import samples
from arena.config import EngineEntry, TournamentSpec, load_values
from arena.model import GameRecord, Opening
from arena.replay import start_position
from arena.scoring import game_record, seat_endings
from arena.tables.result_text import how_it_ended, who_won
from arena.web.boards import draw, pieces, places, seat_marks, ways_to_move
from arena.web.boards.moves import Choice, Part, why_not
from arena.web.boards.svg import SEAT_SHAPES, shape, union
from arena.web.figures import number_of, points_text, score_text, seconds_text, written_text
from protocol.spec import EngineSpec
from protocol.wire.codec import RESIGN
from referee import Game, MoveError, Position, PositionError, RefereeError, game, game_ids
from referee.errors import TimeControlError
from referee.follower import Follower
from referee.game import Drawable, Notated, foreign_parser
from referee.match.job import Job, JobFinished, JobSeat, RunningGame
from referee.match.time_control import TimeControl
from referee.ply import Ply

CASUAL: Final = "casual games"
"""The tournament of the games of people."""

UNRATED: Final = {"rated": "no"}
"""The settings of this tournament: no rating list has its games."""

NO_CLOCK: Final = "none"
"""The time control of people who play without a clock."""

_PERSON: Final = "person"
_LONGEST_TEXT: Final = 2000
_LONGEST_PLACE: Final = 20
_MARGIN: Final = 10
"""The space around places that are outside a drawing, as those where a tile can be laid."""
_SLOWEST_SECONDS: Final = 3600


class WrongOrder(Exception):
    """A game cannot be played as it was ordered; the text says what to change."""


@dataclass(frozen=True, slots=True)
class Order:
    """A game that somebody has ordered."""

    rules: Game
    seats: tuple[EngineEntry | None, ...]  # None for a person
    control: TimeControl  # that of the engines
    clock: bool  # whether it applies to people, too
    opening: Opening
    person: str  # the name of people in the record

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
        info = self.rules.info
        return Job(
            id_,
            info.id,
            seats,
            position=self.opening.position,
            moves=moves,
            people=people,
        )


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
    """A game to begin."""

    game: str
    seats: Annotated[list[str | None], Meta(description="The engine of each seat; null for a person.")]
    time_control: Annotated[str, Meta(description='"" for that of the server.')] = ""
    clock: Annotated[bool, Meta(description="Whether the time control holds for people, too.")] = False
    start: Annotated[
        str,
        Meta(max_length=2000, description='A position string or a set-up; "" for that of the server.'),
    ] = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """The games and engines that people may choose: those of a tournament file, or the sample engines.

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
        )

    def _control(self, text: str) -> TimeControl:
        if not text:
            return self.spec.time_control
        try:
            control = TimeControl.parse(text)
        except TimeControlError as error:
            raise WrongOrder(str(error)) from None
        longest = max(control.base_ns or 0, control.increment_ns, control.movetime_ns or 0) / 1e9
        if longest > _SLOWEST_SECONDS:
            raise WrongOrder(f"a time must be at most {_SLOWEST_SECONDS} seconds")
        return control


def sample_offer() -> Offer:
    """Return the offer of a server without a tournament file: the sample engines, the best first."""
    games = tuple(filter(_is_sound, game_ids()))
    for_two = next(id_ for id_ in games if game(id_).info.players == 2)  # a tournament needs an engine a seat
    engines = [{"name": name, "command": [samples.PREFIX + name]} for name in reversed(samples.NAMES)]
    values = {"name": "sample engines", "games": [for_two], "time_control": "movetime=1", "engines": engines}
    spec = load_values(values)
    entries = (
        replace(entry, games=tuple(id_ for id_ in games if entry.spec.name in samples.players(id_)))
        for entry in spec.engines
    )
    return Offer(replace(spec, games=games, engines=tuple(entries)))


def _is_sound(game_id: str) -> bool:
    """Whether the rules of a game can be loaded; those of a plug-in may be broken."""
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


class Unplayable(Exception):
    """What a person wants is not possible now; the text says why."""


class Status(StrEnum):
    """What a game waits for: its engines, an engine's move, a person's move, or nothing."""

    STARTING = "starting"
    THINKING = "thinking"
    YOURS = "yours"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Hint:
    """The move that an engine would play; both texts are empty while it thinks."""

    move: str = ""
    failed: str = ""  # why there is no move


@dataclass(slots=True)
class CasualGame:
    """One game. A take-back begins a new job at an earlier position, with the moves before it as opening."""

    id: str  # names it in addresses; nobody can guess it
    order: Order
    job: str = ""  # the id of its job at the referee; "" if none is running
    played: list[Ply] = field(default_factory=list)  # before the current job
    plies: list[Ply] = field(default_factory=list)  # of the current job
    clocks_ms: tuple[int | None, ...] = ()  # as in `RunningGame`, when the turn began
    turn_began: float = 0.0  # in seconds of the monotonic clock
    said: list[str] = field(default_factory=list)  # the last `info` line of each seat
    hint: Hint | None = None  # for this position
    finished: JobFinished | None = None  # the result of the last job
    ended: str = ""  # why the game ended without a result
    touched: float = 0.0  # when something last happened in it, in seconds of the monotonic clock
    stored: int | None = None  # its number in the database
    page: str = ""  # the address of its page, once it is stored
    follower: Follower = field(init=False)
    shown: list[tuple[str, str]] = field(init=False)  # the number and the move of each ply, as people write
    began: bool = field(init=False, default=False)
    _ways: tuple[Position, list[Choice]] | None = field(init=False, default=None)  # of one position

    def __post_init__(self) -> None:
        self._start_again()
        self.touch()

    def touch(self) -> None:
        """Note that something has happened."""
        self.touched = time.monotonic()

    @property
    def status(self) -> Status:
        """What the game waits for."""
        if not self.job:
            return Status.OVER
        if not self.began:
            return Status.STARTING
        return Status.YOURS if self.turn in self.order.people else Status.THINKING

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.follower.position.turn

    def clock_ms(self, seat: int) -> int | None:
        """Return the milliseconds that a seat has left now; None without a clock or before a turn."""
        left = self.clocks_ms[seat] if self.clocks_ms else None
        if left is None or seat != self.turn or self.status not in (Status.YOURS, Status.THINKING):
            return left
        return max(left - round((time.monotonic() - self.turn_began) * 1000), 0)

    @property
    def texts(self) -> list[str]:
        """The texts of all plies."""
        return [ply.text for ply in (*self.played, *self.plies)]

    @property
    def has_result(self) -> bool:
        """Whether the game was played to its end."""
        return self.finished is not None and self.finished.void is None

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return sum(not ply.is_removal for ply in (*self.played, *self.plies))

    def ways(self, position: Position) -> list[Choice]:
        """Return the ways to make each legal move here; a large board takes a quarter of a second."""
        known = self._ways
        if known is None or known[0] is not position:
            self._ways = known = position, ways_to_move(self.order.rules.info.id, position)
        return known[1]

    # --- what the referee tells

    def begin(self, job: str) -> None:
        """A job continues the game after `played`."""
        self.job, self.began, self.finished, self.ended = job, False, None, ""
        self.stored, self.page = None, ""
        self.said = [""] * len(self.order.seats)
        self.touch()

    def on_turn(self, running: RunningGame, said: Sequence[str]) -> None:
        """The game has begun, or plies were played."""
        self.began = True
        self.clocks_ms, self.turn_began = running.clocks_ms, time.monotonic()
        self._add(running.plies)
        self.said = [new or old for new, old in zip(said, self.said, strict=True)]
        self.touch()

    def on_finished(self, finished: JobFinished) -> None:
        """The job has ended."""
        self._add(finished.record[len(self.plies) :])
        self.job, self.finished = "", finished
        if finished.void is not None:
            self.ended = self.ended or finished.detail
        self.touch()

    def _add(self, plies: Sequence[Ply]) -> None:
        for ply in plies:
            self._follow(ply)
            self.plies.append(ply)
            self.hint = None

    def _start_again(self) -> None:
        self.follower, self.shown = self.order.start(), []
        for ply in self.played:
            self._follow(ply)

    def _follow(self, ply: Ply) -> None:
        before = self.follower.position
        text = written_text(before, ply.text) if ply.is_move else ply.text
        self.follower.follow(ply.text)
        self.shown.append((number_of(before), text))

    def end(self, why: str) -> None:
        """The game ends without a result."""
        self.job, self.ended = "", why

    # --- what people want

    def checked_move(self, text: str, ply: int) -> str:
        """Return a person's move for the referee: any legal text, as people write it, too, or ``resign``."""
        if self.status is not Status.YOURS:
            raise Unplayable("it is not your turn")
        if ply != self.ply:
            raise Unplayable("the position has changed meanwhile")
        if text == RESIGN:
            return text
        try:
            position = self.follower.position
            return str(foreign_parser(position)(position, text))
        except MoveError as error:
            raise Unplayable(str(error)) from None

    def take_back(self) -> None:
        """Go back to the position before the last move of a person. The next job continues there."""
        plies = [*self.played, *self.plies]
        if any(ply.is_removal for ply in plies):
            raise Unplayable("a player was removed, so nothing can be taken back")
        own = [index for index, ply in enumerate(plies) if ply.seat in self.order.people]
        if not own:
            raise Unplayable("you have not moved yet")
        self.played, self.plies, self.hint = plies[: own[-1]], [], None
        self._start_again()

    def record(self) -> GameRecord:
        """Return the record of the game as its referee reported it."""
        if self.finished is None or not self.has_result:
            raise Unplayable("a game without a result has no record")
        job = self.order.job(self.finished.id, tuple(ply.text for ply in self.played))
        versions = [entry.version for entry in self.order.entries()]
        return game_record(job, self.finished, tournament=CASUAL, versions=versions)


class PlayState(TypedDict):
    """The state of a game of people."""

    id: str
    game: str
    title: str
    status: Status
    turn: Annotated[int, Meta(description="The seat to move, from 0.")]
    ply: Annotated[int, Meta(description="The moves played so far.")]
    position: str
    seats: list[dict[str, Any]]
    moves: list[dict[str, Any]]
    hint: dict[str, str] | None
    result: Annotated[dict[str, str] | None, Meta(description="`text` and `detail`; null before the end.")]
    record: Annotated[bool, Meta(description="Whether there is a record.")]
    stored: Annotated[int | None, Meta(description="The number of the stored game.")]
    page: Annotated[str, Meta(description='The page of the stored game; "" before.')]
    board: dict[str, Any]
    places: Sequence[Any]
    can_store: bool


def game_state(game: CasualGame, *, can_store: bool) -> PlayState:
    """Return the whole state of a game, without the legal moves."""
    info, position = game.order.rules.info, game.follower.position
    plies = (*game.played, *game.plies)
    moved = next((ply.text for ply in reversed(plies) if not ply.is_removal), None)
    drawing = draw(info.id, position, moved, bare=True)
    found = places(info.id, position)
    around = [
        (x - _MARGIN, y - _MARGIN, w + 2 * _MARGIN, h + 2 * _MARGIN)
        for x, y, w, h in (one.box for one in found)
    ]
    return {
        "id": game.id,
        "game": info.id,
        "title": info.title,
        "status": game.status,
        "turn": game.turn,
        "ply": game.ply,
        "position": str(position),
        "seats": _seats(game),
        "moves": [
            {
                "seat": ply.seat,
                "text": ply.text,
                "number": number,
                "written": shown,
                "score": score_text(ply.score),
                "depth": ply.depth,
                "time": "" if ply.is_removal else seconds_text(ply.time),
            }
            for ply, (number, shown) in zip(plies, game.shown, strict=True)
        ],
        "hint": _hint(game),
        "result": _result(game),
        "record": game.has_result,
        "stored": game.stored,
        "page": game.page,
        "board": {
            "look": drawing.look,
            "box": union([drawing.box, *around]),
            "markup": drawing.ground + "".join(drawing.items),
            "caption": drawing.caption,
            "pieces": pieces(info.id),
        },
        "places": found,
        "can_store": can_store,
    }


def _hint(game: CasualGame) -> dict[str, str] | None:
    hint = game.hint
    if hint is None:
        return None
    written = written_text(game.follower.position, hint.move) if hint.move else ""
    return {"move": hint.move, "failed": hint.failed, "written": written}


def _seats(game: CasualGame) -> list[dict[str, Any]]:
    found = []
    info, position = game.order.rules.info, game.follower.position
    marks = dict(enumerate(seat_marks(info.id)))
    hands = position.scene().hands if isinstance(position, Drawable) else ()
    for seat, entry in enumerate(game.order.seats):
        name, colours = SEAT_SHAPES[seat % len(SEAT_SHAPES)]
        side, mark = marks.get(seat, (f"Player {seat + 1}", shape(name, 0, 0, colours)))
        found.append(
            {
                "name": "You" if entry is None else entry.spec.name,
                "person": entry is None,
                "side": side,
                "mark": mark,
                "hand": hands[seat] if hands else None,
                "clock_ms": game.clock_ms(seat),
                "removed": seat in game.follower.removed,
                "said": game.said[seat] if game.said else "",
                "points": _points(game, seat),
            }
        )
    return found


def _points(game: CasualGame, seat: int) -> str:
    """Return what a seat got: points in a game of two, a place in a game of more; "" without a result."""
    seats = () if game.finished is None else game.finished.seats
    ending = seat_endings(seats)[seat] if seats else "void"
    if ending == "void":
        return ""
    if len(seats) > 2:
        return f"place {seats[seat].rank}"
    return points_text({"won": 1.0, "drew": 0.5}.get(ending, 0.0))


def _result(game: CasualGame) -> dict[str, str] | None:
    """Return who has won and why; None while the game goes on."""
    if game.status is not Status.OVER:
        return None
    finished = game.finished
    if finished is None or not game.has_result:
        return {"text": "The game has no result", "detail": game.ended}
    names = ["you" if entry is None else entry.spec.name for entry in game.order.seats]
    seats = finished.seats
    ranks, forfeits = [seat.rank for seat in seats], [seat.forfeit for seat in seats]
    who = who_won(names, ranks, forfeits).replace("you wins", "you win")
    why = how_it_ended(game.order.rules.info, finished.reason, ranks, forfeits)
    return {"text": f"{who[:1].upper()}{who[1:]}: {why}", "detail": finished.detail}


class Moves(TypedDict):
    """The ways to make each legal move."""

    ply: int
    parts: list[Part]
    ways: Annotated[
        Sequence[Sequence[Any]], Meta(description="Each: a move, the indexes of its parts, and more.")
    ]
    written: Annotated[
        dict[str, str],
        Meta(description="The moves as people write them, by their texts; empty if they write these."),
    ]


def legal_moves(game: CasualGame, ply: int, position: Position) -> Moves:
    """Return the parts of all legal moves, and the ways to make each move: a text, and indexes of parts.

    The game may go on meanwhile in another thread, so ``ply`` and ``position`` say which moves are wanted.
    ``written`` has the moves by their texts as people write them; it is empty if they write the texts.
    """
    numbers: dict[Part, int] = {}
    ways_here = game.ways(position)
    notated = isinstance(position, Notated)
    written = {choice.text: written_text(position, choice.text) for choice in ways_here} if notated else {}
    ways = [
        (
            choice.text,
            [numbers.setdefault(part, len(numbers)) for part in choice.parts],
            choice.becomes,
            choice.stands,
        )
        for choice in ways_here
    ]
    return {"ply": ply, "parts": list(numbers), "ways": ways, "written": written}


def refusal(game: CasualGame, position: Position, chosen: str, place: str) -> str:
    """Say why a place cannot follow the chosen parts of a move of the position, whose texts are joined."""
    found = {one.name: one for one in places(game.order.rules.info.id, position)}
    if place not in found:
        return f"there is no place {place[:_LONGEST_PLACE]!a}"
    why = why_not(position, game.ways(position), chosen[:_LONGEST_TEXT], place, found)
    if chosen:
        return why or f"{place} cannot follow here"
    return why or f"no legal move begins at {found[place].label}"
