"""A game of people against engines: what happens in it, and what its page shows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final, NamedTuple, TypedDict

from msgspec import Meta

from arena import samples
from arena.model import GameRecord, Opening
from arena.run.executor import JobLost
from arena.scoring import game_record, seat_endings
from arena.tables.result_text import how_it_ended, who_won
from arena.web.boards import draw, pieces, places, seat_marks, ways_to_move
from arena.web.boards.moves import Choice, Part, why_not
from arena.web.boards.svg import SEAT_SHAPES, shape, union
from arena.web.figures import number_of, points_text, score_text, seconds_text, written_text
from arena.web.offer import Order
from arena.web.server.answers import EventLog
from protocol.wire.codec import RESIGN
from referee import MoveError, Position
from referee.follower import Follower
from referee.game import Drawable, Notated, foreign_parser
from referee.match.job import JobFinished, OrderRefused, TurnBegan
from referee.ply import Ply

CASUAL: Final = "casual games"
"""The tournament of the games of people."""

UNRATED: Final = {"rated": "no"}
"""The settings of this tournament: no rating list has its games."""

_POINTS: Final = {"won": 1.0, "drew": 0.5}
_LONGEST_TEXT: Final = 2000
_LONGEST_PLACE: Final = 20
_MARGIN: Final = 10
"""The space around places that are outside a drawing, such as places where a tile can be laid."""


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


class Client(NamedTuple):
    """Who plays: the cookie of a browser, or the address of another program; and the address."""

    name: str
    address: str


JobEvent = TurnBegan | JobFinished | OrderRefused | JobLost


@dataclass(slots=True, eq=False)
class CasualGame:
    """One game. A take-back starts a new job at an earlier position, with the moves before it as opening."""

    id: str  # names it in addresses; nobody can guess it
    order: Order
    client: Client  # who started it
    can_store: bool
    log: EventLog = field(default_factory=EventLog)  # for the pages that show it
    job: str = ""  # the id of its job at the referee; "" if none is running
    hint_job: str = ""  # of the last search for a hint, which an engine plays in a person's place
    plies: list[Ply] = field(default_factory=list)
    kept: int = 0  # the plies before the current job
    clocks_ms: tuple[int | None, ...] = ()  # as in `RunningGame`, when the turn started
    turn_began: float = 0.0  # in seconds of the monotonic clock
    said: list[str] = field(default_factory=list)  # the last `info` line of each seat
    hint: Hint | None = None  # for this position
    finished: JobFinished | None = None  # the result of the last job
    ended: str = ""  # why the game ended without a result
    touched: float = field(default_factory=time.monotonic)  # when something last happened in it
    seen: float = field(default_factory=time.monotonic)  # when somebody last looked at it
    stored: int | None = None  # its number in the database
    page: str = ""  # the address of its page, once it is stored
    follower: Follower = field(init=False)
    written: list[tuple[str, str]] = field(init=False)  # the number and the move of each ply, for people
    has_started: bool = field(init=False, default=False)
    _ways: tuple[Position, list[Choice]] | None = field(init=False, default=None)  # of one position

    def __post_init__(self) -> None:
        self._go_to([])

    def touch(self) -> None:
        """Note that something has happened."""
        self.touched = time.monotonic()

    @property
    def status(self) -> Status:
        """What the game waits for."""
        if not self.job:
            return Status.OVER
        if not self.has_started:
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

    def texts(self, count: int | None = None) -> tuple[str, ...]:
        """Return the texts of the first plies, or of all."""
        return tuple(ply.text for ply in self.plies[:count])

    @property
    def has_result(self) -> bool:
        """Whether the game was played to its end."""
        return self.finished is not None and self.finished.void is None

    def against_level(self) -> tuple[int, float] | None:
        """Return the level and the points of the person, if both played the usual game without help."""
        helped = self.kept or self.hint_job or self.order.opening != Opening()
        if self.finished is None or not self.has_result or helped or len(self.order.people) != 1:
            return None
        level = samples.level_of(next(entry.spec.command for entry in self.order.seats if entry is not None))
        ending = seat_endings(self.finished.seats)[self.order.people[0]]
        return None if level is None else (level, _POINTS.get(ending, 0.0))

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return sum(not ply.is_removal for ply in self.plies)

    def ways(self, position: Position) -> list[Choice]:
        """Return the ways to make each legal move here; a large board takes a quarter of a second."""
        known = self._ways
        if known is None or known[0] is not position:
            self._ways = known = position, ways_to_move(self.order.rules.info.id, position)
        return known[1]

    # --- what the referee sends

    def start(self, job: str) -> None:
        """Let a job continue the game after its plies."""
        self.job, self.has_started, self.finished, self.ended = job, False, None, ""
        self.stored, self.page = None, ""
        self.said = [""] * len(self.order.seats)
        self.touch()
        self.log.renew()

    def hear(self, event: JobEvent) -> None:
        """Take an event of the game's job."""
        match event:
            case TurnBegan(running, said):
                self.has_started = True
                self.clocks_ms, self.turn_began = running.clocks_ms, time.monotonic()
                self._add(running.plies)
                self.said = [new or old for new, old in zip(said, self.said, strict=True)]
            case JobFinished():
                self._add(event.record[len(self.plies) - self.kept :])
                self.job, self.finished = "", event
                if event.void is not None:
                    self.ended = self.ended or event.detail
            case OrderRefused(_, text) | JobLost(_, text):
                self.end(text)
        self.touch()
        self.log.renew()

    def hear_hint(self, event: JobEvent) -> bool:
        """Take an event of the search for a hint; return whether it has a move, or why there is none."""
        match event:
            case TurnBegan(running) if running.plies:
                hint = Hint(running.plies[0].text)
            case JobFinished(detail=text, record=record):
                hint = Hint(record[0].text) if record else Hint(failed=text)
            case OrderRefused(_, text) | JobLost(_, text):
                hint = Hint(failed=text)
            case _:
                return False
        if self.hint == Hint():  # the position has not changed meanwhile
            self.hint = hint
            self.log.renew()
        return True

    def end(self, why: str) -> None:
        """The game ends without a result."""
        self.job, self.ended = "", why
        self.log.renew()

    def _go_to(self, plies: Sequence[Ply]) -> None:
        """Go to the position after some plies, from which the next job continues."""
        self.follower, self.written, self.plies = self.order.start(), [], []
        self._add(plies)
        self.kept = len(plies)

    def _add(self, plies: Sequence[Ply]) -> None:
        for ply in plies:
            before = self.follower.position
            text = written_text(before, ply.text) if ply.is_move else ply.text
            self.follower.follow(ply.text)
            self.written.append((number_of(before), text))
            self.plies.append(ply)
            self.hint = None

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
        if any(ply.is_removal for ply in self.plies):
            raise Unplayable("a player was removed, so nothing can be taken back")
        by_people = [index for index, ply in enumerate(self.plies) if ply.seat in self.order.people]
        if not by_people:
            raise Unplayable("you have not moved yet")
        self.hint = None
        self._go_to(self.plies[: by_people[-1]])

    def record(self) -> GameRecord:
        """Return the record of the game as its referee reported it."""
        if self.finished is None or not self.has_result:
            raise Unplayable("a game without a result has no record")
        job = self.order.job(self.finished.id, self.texts(self.kept))
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


def game_state(game: CasualGame) -> PlayState:
    """Return the whole state of a game, without the legal moves."""
    info, position = game.order.rules.info, game.follower.position
    moved = next((ply.text for ply in reversed(game.plies) if not ply.is_removal), None)
    drawing = draw(info.id, position, moved, bare=True)
    board_places = places(info.id, position)
    around = [
        (x - _MARGIN, y - _MARGIN, width + 2 * _MARGIN, height + 2 * _MARGIN)
        for x, y, width, height in (place.box for place in board_places)
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
                "written": text,
                "score": score_text(ply.score),
                "depth": ply.depth,
                "time": "" if ply.is_removal else seconds_text(ply.time),
            }
            for ply, (number, text) in zip(game.plies, game.written, strict=True)
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
        "places": board_places,
        "can_store": game.can_store,
    }


def _hint(game: CasualGame) -> dict[str, str] | None:
    hint = game.hint
    if hint is None:
        return None
    written = written_text(game.follower.position, hint.move) if hint.move else ""
    return {"move": hint.move, "failed": hint.failed, "written": written}


def _seats(game: CasualGame) -> list[dict[str, Any]]:
    rows = []
    info, position = game.order.rules.info, game.follower.position
    marks = dict(enumerate(seat_marks(info.id)))
    hands = position.scene().hands if isinstance(position, Drawable) else ()
    for seat, entry in enumerate(game.order.seats):
        name, colours = SEAT_SHAPES[seat % len(SEAT_SHAPES)]
        side, mark = marks.get(seat, (f"Player {seat + 1}", shape(name, 0, 0, colours)))
        rows.append(
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
    return rows


def _points(game: CasualGame, seat: int) -> str:
    """Return what a seat got: points in a game of two, a place in a game of more; "" without a result."""
    seats = () if game.finished is None else game.finished.seats
    ending = seat_endings(seats)[seat] if seats else "void"
    if ending == "void":
        return ""
    if len(seats) > 2:
        return f"place {seats[seat].rank}"
    return points_text(_POINTS.get(ending, 0.0))


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
    board_places = {place.name: place for place in places(game.order.rules.info.id, position)}
    if place not in board_places:
        return f"there is no place {place[:_LONGEST_PLACE]!a}"
    why = why_not(position, game.ways(position), chosen[:_LONGEST_TEXT], place, board_places)
    if chosen:
        return why or f"{place} cannot follow here"
    return why or f"no legal move starts at {board_places[place].label}"
