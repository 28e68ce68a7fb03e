"""Games that participants ask for: who may be asked, the queue, and its games.

A request is one opening, played once from every seat: two games for two engines, four games for a table of
four. These games belong to another tournament than the games of the door, and are never rated. A separate
process plays them; its state is the queue in the register and the games that are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import trio

from arena.cli.progress import open_view
from arena.config import TournamentSpec, load
from arena.config.door_keys import DoorKeys
from arena.config.tournament_keys import ExecutorKeys
from arena.door.register import DoorRegister, Participant, Request, RequestState, State
from arena.errors import ArenaError
from arena.formats.contest import Contest, Entrants, Next, ScheduleState, Seating
from arena.formats.format import Format
from arena.formats.plan import Plan
from arena.model import GameRecord, GameResult
from arena.run.tournament import Run
from arena.tables.result_text import verdict
from protocol.keys import KeyTable
from referee import game as find_game

_LOOK_SECONDS: Final = 1.0
_MOST_ATTEMPTS: Final = 3
ENDED_REQUESTS_SHOWN: Final = 5
_ASKED: Final = "asked"


def tournament_of(spec: TournamentSpec) -> str:
    """Return the name of the tournament of the games that are asked for."""
    return f"{spec.name}: {_ASKED}"


def _log_of(spec: TournamentSpec, tournament: str) -> Path | None:
    """Return the folder with the transcripts of one of the two tournaments of a door; None for none."""
    return spec.log / _ASKED if spec.log is not None and tournament == tournament_of(spec) else spec.log


def transcript_of(spec: TournamentSpec, result: GameResult, seat: int) -> Path | None:
    """Return the file with the dialogue between an engine and the referee in a game, if it is kept."""
    return replace(spec, log=_log_of(spec, result.tournament)).transcript(result, seat)


def seatings(entrants: Entrants, number: int) -> Iterator[Seating]:
    """Yield the games of the request with a number: from game to game its engines move on by a seat."""
    places = tuple(range(len(entrants.names)))
    for first in places:
        # The number in the key tells the games of two requests apart.
        yield Seating(places[first:] + places[:first], number, number)


@dataclass(frozen=True, slots=True)
class AskedGame:
    """A game of a request that has ended."""

    number: int  # in the database
    plies: int
    verdict: str  # the winner and the reason
    transcript: bool  # whether the participant's dialogue is kept


@dataclass(frozen=True, slots=True)
class RequestView:
    """What pages show of a request."""

    request: Request
    before: int  # how many are played before it
    games: tuple[AskedGame, ...]  # those that have ended


class Asking:
    """The queue of a door, as its pages need it. Its methods block."""

    def __init__(self, spec: TournamentSpec, door: DoorKeys, register: DoorRegister) -> None:
        self._spec, self._most, self._register = spec, door.most_a_day, register

    def opponents(self, participant: Participant) -> list[str]:
        """Return whom a participant may ask: other participants, then the engines of the file."""
        people, engines = self._problems(self._spec.games)
        names = (name for name, problem in (people | engines).items() if not problem)
        return [name for name in names if name != participant.name]

    def ask(self, participant: Participant, opponent: str, game: str) -> int:
        """Put a request into the queue and return its number; an ArenaError says why it is refused."""
        if participant.organiser:
            raise ArenaError("the organiser has no engine; invite a participant")
        game = game or self._spec.games[0]
        if game not in self._spec.games:
            raise ArenaError(f"choose one of these games: {', '.join(self._spec.games)}")
        if opponent == participant.name:
            raise ArenaError("your engine cannot play against itself; choose another")
        people, engines = self._problems((game,))
        problems = engines | people
        if opponent not in problems:
            raise ArenaError("there is no such engine; choose an engine of the list")
        if problem := problems[participant.name] or problems[opponent]:
            raise ArenaError(problem)
        pair, size = (participant.name, opponent), find_game(game).info.players
        seats = (*pair, *(name for name in problems if not problems[name] and name not in pair))[:size]
        if len(seats) < size:
            raise ArenaError(f"{game} needs {size} engines, and only {len(seats)} play now")
        return self._register.ask(participant.id, game, seats, self._most)

    def clear(self, number: int, participant: Participant) -> None:
        """Take a request that waits out of the queue, for its participant or the organiser."""
        by = "the organiser" if participant.organiser else "its participant"
        for request in self._register.queue():
            if request.id != number or not (participant.organiser or request.seats[0] == participant.name):
                continue
            ended = replace(request, state=RequestState.ENDED, problem=f"{by} has taken it back")
            if request.state is RequestState.WAITS and self._register.change_request(request, ended):
                return
            raise ArenaError("its games are being played; wait for their end")
        raise ArenaError("there is no such request in the queue")

    def queue(self) -> list[RequestView]:
        """Return what has not ended, in the order in which it is played."""
        return self._views(self._register.queue())

    def ended(self, participant: Participant) -> list[RequestView]:
        """Return the last requests of a participant that have ended, the newest first."""
        return self._views(self._register.ended_requests(participant.id, ENDED_REQUESTS_SHOWN))

    def next(self) -> Request | None:
        """Return the request whose turn it is; end those before it that cannot be played."""
        for request in self._register.queue():
            problem = self._problem(request)
            if request.attempts >= _MOST_ATTEMPTS:
                problem = f"the machine stopped {request.attempts} times while this was played"
            if not problem:
                return request
            ended = replace(request, state=RequestState.ENDED, problem=problem)
            self._register.change_request(request, ended)
        return None

    def _problem(self, request: Request) -> str:
        """Return why the games of a request cannot be played; "" if they can."""
        people, engines = self._problems((request.game,))
        left = {name: f"{name} is not in the tournament any more" for name in request.seats}
        problems = left | engines | people
        return next(filter(None, map(problems.get, request.seats)), "")

    def _problems(self, games: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Return why participants, and engines of the file, play none of these games; "" if they do."""
        versions = self._register.submissions()
        admitted = [version for version in versions if version.state in (State.PLAYS, State.AWAY)]
        newest = {version.participant: version for version in reversed(admitted)}
        remarks = self._register.remarks(list(newest.values()))

        def problem(who: Participant) -> str:
            version = newest.get(who.id)
            if who.state == "removed":
                return f"{who.name} is not in the tournament any more"
            if who.state == "paused":
                return f"the organiser has paused {who.name}"
            if version is None:
                return f"{who.name} has no version that plays"
            if version.state is State.AWAY:
                return f"the bot of {who.name} is not connected"
            remark = remarks[version.id].partition(";")[0]
            return f"{who.name} is {remark}" if remark else ""

        people = {who.name: problem(who) for who in self._register.participants() if not who.organiser}
        of_file = {entry.spec.name: entry for entry in self._spec.engines if entry.spec.name not in people}
        engines = {
            name: "" if {*games} & {*entry.games} else f"{name} does not play {games[0]}"
            for name, entry in of_file.items()
        }
        return people, engines

    def _views(self, requests: Sequence[Request]) -> list[RequestView]:
        keys = [key for request in requests for key in _keys(request)]
        finder, name = self._register.store.finder, tournament_of(self._spec)
        records = finder.with_keys(name, keys, counts=True) if keys else ()
        games = {record.result.key: record for record in records}
        return [
            RequestView(
                request,
                before,
                tuple(self._game(games[key], request) for key in _keys(request) if key in games),
            )
            for before, request in enumerate(requests)
        ]

    def _game(self, record: GameRecord, request: Request) -> AskedGame:
        result = record.result
        seat = result.names.index(request.seats[0])
        kept = transcript_of(self._spec, result, seat) is not None
        return AskedGame(result.id or 0, len(record.record), verdict(result), kept)


def _keys(request: Request) -> list[str]:
    entrants = Entrants(request.game, request.seats, len(request.seats))
    return [entrants.key(seating) for seating in seatings(entrants, request.id)]


# --- playing


@dataclass(frozen=True, slots=True)
class _Keys(KeyTable):
    """There are none."""


class _AskedFormat(Format[_Keys]):
    """The games of one request. No file names it, so the tournament counts as one that is never finished."""

    name = title = _ASKED
    keys = _Keys
    two_players = False
    by_results = False

    def __init__(self, number: int) -> None:
        self._number = number

    def games(self, keys: _Keys, contests: Sequence[Contest], state: ScheduleState) -> Iterator[Next]:
        for contest in contests:
            for seating in seatings(contest.entrants, self._number):
                key, taken = contest.entrants.key(seating), state.taken()
                if key not in state:
                    known = (place for place, other in taken.items() if other == key)
                    yield contest.pairing(next(known, max(taken, default=-1) + 1), key, seating)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSpec(TournamentSpec):
    """The tournament of the games that are asked for, with the games of one request."""

    number: int

    @property
    def plan(self) -> Plan:
        """The games of this request, and no others."""
        names = {game: tuple(entry.spec.name for entry in self.entrants(game)) for game in self.games}
        return Plan(_AskedFormat(self.number), self.format_keys, names)

    def settings(self) -> dict[str, str]:
        """The settings of the door's tournament; the games are never rated."""
        return TournamentSpec.settings(self) | {"rated": "no"}

    def repeats(self) -> str:
        """No warning: two engines play as often as somebody asks."""
        return ""


def asked_spec(spec: TournamentSpec, request: Request) -> AskedSpec | None:
    """Return the tournament with the games of a request; None if not all of its engines are there."""
    entries = {entry.spec.name: entry for entry in spec.engines}
    if not entries.keys() >= set(request.seats):
        return None
    values: dict[str, Any] = {field.name: getattr(spec, field.name) for field in fields(TournamentSpec)}
    name = tournament_of(spec)
    values |= {
        "name": name, "format": _ASKED, "format_keys": _Keys(), "log": _log_of(spec, name),
        "engines": tuple(replace(entries[seat], games=(request.game,)) for seat in request.seats), "past": {},
        "door": None, "notify": None, "concurrency": 1, "affinity": False, "executor": ExecutorKeys(),
        "number": request.id,
    }  # fmt: skip
    return AskedSpec(**values)


async def play_asked(path: Path, door: DoorKeys, register: DoorRegister) -> None:
    """Play what is asked for at the door of the tournament in a file, until the user stops it."""
    while True:
        request, asked = None, None
        if await trio.to_thread.run_sync(register.queue):
            spec = await trio.to_thread.run_sync(load, path)  # the door has other engines than before
            request = await trio.to_thread.run_sync(Asking(spec, door, register).next)
            asked = None if request is None else asked_spec(spec, request)
        if request is None or asked is None:  # the worker has not published an engine yet
            await trio.sleep(_LOOK_SECONDS)
        elif not await _play(asked, request, register):
            return


async def _play(spec: AskedSpec, request: Request, register: DoorRegister) -> bool:
    """Play the games of a request that are not stored; return whether the user wants more."""
    started = replace(request, state=RequestState.PLAYS, attempts=request.attempts + 1)
    if not await trio.to_thread.run_sync(register.change_request, request, started):
        return True  # it was taken back
    with open_view(spec, quiet=True) as view:
        summary = await Run(spec, view.observe, accept_changed_options=True).play()
    stored = await trio.to_thread.run_sync(register.store.finished, spec.name)
    over = stored.issuperset(_keys(request))
    if over or summary.stopped:  # else the machine had a fault, and this attempt counts
        state = RequestState.ENDED if over else RequestState.PLAYS
        after = replace(started, state=state, attempts=request.attempts)
        await trio.to_thread.run_sync(register.change_request, started, after)
    return not summary.stopped
