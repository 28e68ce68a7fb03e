"""The games that a participant's engine lost, and the dialogues with the engine. All functions block."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final
from urllib.parse import urlsplit

from itsdangerous import BadData, URLSafeTimedSerializer

from arena.config import TournamentSpec
from arena.config.door_keys import DoorKeys
from arena.door.again import Again, again_from, turn_again
from arena.door.archive import ArchiveLimits, read_files
from arena.door.folder import DoorFolder
from arena.door.plan import home_command, understand
from arena.door.register import DoorRegister, Line, Participant, State, Submission, token_hash
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult
from arena.store import Store
from arena.web.pages.engine import EngineView
from arena.web.pages.games import game_line
from arena.web.pages.ranking import RankingLine
from arena.web.server.databases import ServedTournament
from arena.web.server.shown import ShownTournaments
from protocol.hub.transcript import newest_transcript, transcript_file
from referee.check import CheckStatus


@dataclass(frozen=True, slots=True)
class LostGame:
    """A game that a participant's engine lost.

    Attributes:
        number: the number of the game in the database.
        game: the game id.
        version: the version of the engine that played.
        opponents: the names of the others.
        verdict: the winner and the reason.
        detail: the referee's sentence about an engine's fault; may be empty.
        plies: the number of plies after the opening, with removals.
        position: the position string at the end.
        transcript: whether the dialogue with the engine is kept.
    """

    number: int
    game: str
    version: str
    opponents: str
    verdict: str
    detail: str
    plies: int
    position: str
    transcript: bool


def lost_games(spec: TournamentSpec, store: Store, view: EngineView) -> list[LostGame]:
    """Return the last games that an engine lost, the newest first."""
    return [_lost_game(spec, store.game(number), view.name) for number in view.lost]


def _lost_game(spec: TournamentSpec, record: GameRecord, name: str) -> LostGame:
    result = record.result
    seat = _seat_of(name, result)
    others = [player.name for index, player in enumerate(result.players) if index != seat]
    return LostGame(
        result.id or 0,
        result.game,
        result.players[seat].version,
        ", ".join(others),
        game_line(result, has_page=True).verdict,
        result.detail,
        len(record.record),
        record.final_position,
        _transcript(spec, result, seat) is not None,
    )


def own_transcript(spec: TournamentSpec, store: Store, number: int, name: str) -> Path | None:
    """Return the file with what one engine and the referee said in a game.

    Returns:
        None if there is none, or the engine did not play in this game of the tournament.
    """
    seat = own_seat(spec, store, number, name)
    return None if seat is None else _transcript(spec, store.game(number).result, seat)


def own_seat(spec: TournamentSpec, store: Store, number: int, name: str) -> int | None:
    """Return the first seat, from 0, that an engine had in a stored game.

    Returns:
        None if there is no such game in the tournament, or the engine did not play in it.
    """
    try:
        result = store.game(number).result
    except ArenaError:
        return None
    if result.tournament != spec.name or name not in (player.name for player in result.players):
        return None
    return _seat_of(name, result)


def _transcript(spec: TournamentSpec, result: GameResult, seat: int) -> Path | None:
    if spec.log is None:
        return None
    name = result.players[seat].name
    return newest_transcript(transcript_file(spec.log, str(result.number + 1), seat, name))


def _seat_of(name: str, result: GameResult) -> int:
    """Return the first seat, from 0, that an engine has in a game."""
    return next(seat for seat, player in enumerate(result.players) if player.name == name)


_MOST_SHOWN: Final = 5
_ORDERS: Final = {"order": "waits", "trying": "runs", "tried": "ended"}
_OWN: Final = frozenset({"again", "output", *_ORDERS})
"""The kinds of lines about attempts. `happened` leaves them out."""


def happened(lines: Sequence[Line]) -> list[Line]:
    """Return the lines that tell what happened to a submission."""
    return [line for line in lines if line.kind not in _OWN]


def grouped(lines: Sequence[Line]) -> list[list[Line]]:
    """Return lines in groups: checks that passed one after another are a group, every other line is one."""
    return [list(group) for _, group in groupby(lines, lambda line: 0 if _is_passed(line) else line.id)]


def _is_passed(line: Line) -> bool:
    return line.kind == "check" and line.text.endswith(f": {CheckStatus.PASSED}")


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that can be tried again.

    Attributes:
        line: the number of its line.
        title: what this is.
        command: the shell command that does the same on the participant's machine.
        file: the name of the file with the game that the command needs; "" for none.
    """

    line: int
    title: str
    command: str
    file: str

    @classmethod
    def of(cls, line: Line, again: Again) -> Attempt:
        """Return what the page shows of a line."""
        name = f"game-{line.id}"
        return cls(line.id, again.title, again.command(name), f"{name}.txt" if again.record else "")


class Attempts:
    """The turns and checks that participants can try again, and the result of the last attempt.

    Args:
        spec: the tournament.
        door: its door.
        store: its database.
    """

    def __init__(self, spec: TournamentSpec, door: DoorKeys, store: Store) -> None:
        self._spec = spec
        self._door = door
        self._store = store
        self._register = DoorRegister(store, spec.name)

    def view(self, lines: Sequence[Line]) -> dict[str, object]:
        """Return what the page of a submission shows.

        Args:
            lines: all lines of the submission.
        """
        offered: dict[Again, Line] = {}
        for line in lines:
            if line.kind in ("again", *_ORDERS) and (again := again_from(line.text)):
                offered.setdefault(again, line)
        orders = [line for line in lines if line.kind in _ORDERS]
        last = again_from(orders[-1].text) if orders else None
        return {
            "attempts": [Attempt.of(line, again) for again, line in offered.items()][-_MOST_SHOWN:],
            "tried": "" if last is None else last.title,
            "trying": _ORDERS[orders[-1].kind] if orders else "",
            "output": "".join(line.text for line in lines if line.kind == "output"),
        }

    def order(self, submission: Submission, line: int) -> None:
        """Order that the worker tries something again.

        Args:
            submission: a version.
            line: the number of the line that offers it.

        Raises:
            ArenaError: this cannot be tried now.
        """
        self._add(submission, self._offered(submission, line))

    def file(self, submission: Submission, line: int) -> str:
        """Return the game that a line offers, as text.

        Raises:
            ArenaError: it offers none.
        """
        record = self._offered(submission, line).record
        if not record:
            raise ArenaError("there is no such game")
        return record

    def order_game(self, number: int, participant: Participant) -> Submission:
        """Order that the worker tries the last turn of a stored game, and return the version that played it.

        Args:
            number: the number of the game.
            participant: whose engine played it.

        Raises:
            ArenaError: this cannot be tried now, or the participant's engine did not play.
        """
        seat = own_seat(self._spec, self._store, number, participant.name)
        if seat is None:
            raise ArenaError("your engine did not play this game")
        record = self._store.game(number)
        version = record.result.players[seat].version
        own = self._register.submissions(participant.id)
        played = [one for one in own if str(one.version) == version]
        if not played:
            raise ArenaError(f"there is no version {version} of yours")
        words = home_command(played[0].plan["command"])
        title = f"The last turn of game {number} of {record.result.game}"
        again = turn_again(record, seat, words, title)
        if again is None:
            raise ArenaError("your engine had no turn in this game that can be tried again")
        self._add(played[0], again)
        return played[0]

    def _offered(self, submission: Submission, line: int) -> Again:
        for one in self._register.lines(submission.id):
            if one.id == line and one.kind in ("again", *_ORDERS) and (again := again_from(one.text)):
                return again
        raise ArenaError("this cannot be tried again")

    def _add(self, submission: Submission, again: Again) -> None:
        if submission.ended is None or (submission.state is State.REFUSED and not submission.attempts):
            raise ArenaError("this version has not been tried yet")
        self._register.orders.add(submission, again.text(), self._door.most_a_day)


COOKIE_SECONDS: Final = 30 * 86_400
_UNPACKED: Final = 10
"""The unpacked files may be this many times as large as the largest upload."""

_MOST_FILES: Final = 2000
_NOTE: Final = 2000
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an engine stands in one game id.

    Attributes:
        game: the title of the game.
        line: its line of the ranking.
        above: the line of the next engine above it; None for the first.
    """

    game: str
    line: RankingLine
    above: RankingLine | None


class Desk:
    """The door as its pages need it.

    Args:
        spec: the tournament.
        door: its door.
        store: its database.
        folder: the door's folder.

    Attributes:
        spec, door: as above.
        attempts: what participants try again.
    """

    def __init__(self, spec: TournamentSpec, door: DoorKeys, store: Store, folder: DoorFolder) -> None:
        self.spec = spec
        self.door = door
        self._store = store
        self._register = DoorRegister(store, spec.name)
        self._folder = folder
        self._storing = Lock()  # held while a file and its row are stored: others may hand in the same file
        self._cookies = URLSafeTimedSerializer(folder.secret(), salt="arena.door")
        self._shown = ShownTournaments()
        self.attempts = Attempts(spec, door, store)

    @property
    def host(self) -> str:
        """The host under which participants reach the pages."""
        return urlsplit(self.door.url).hostname or ""

    # --- who comes in

    def enter(self, token: str) -> Participant | None:
        """Return the participant whose link has this token; None if there is none."""
        return self._register.with_token(token_hash(token))

    def cookie(self, participant: Participant) -> str:
        """Return a signed cookie. It works until it expires, or the participant's link is renewed."""
        return str(self._cookies.dumps([participant.id, self._register.token_of(participant.id)[:16]]))

    def participant(self, cookie: str) -> Participant | None:
        """Return the participant of a cookie; None if the cookie is forged, expired or of an old link."""
        try:
            number, mark = self._cookies.loads(cookie, max_age=COOKIE_SECONDS)
        except (BadData, ValueError, TypeError):
            return None
        token = self._register.token_of(number)
        if not token or token[:16] != mark:
            return None
        return next((one for one in self._register.participants() if one.id == number), None)

    # --- handing in

    def check_open(self, participant: Participant) -> None:
        """Check that a participant may hand something in now.

        Raises:
            ArenaError: the participant may not; the message says why.
        """
        if participant.organiser:
            raise ArenaError("the organiser hands nothing in; invite a participant")
        if participant.state != "open":
            raise ArenaError("the organiser has paused your engine; ask before you hand in another")
        deadline = self.door.deadline
        if deadline is not None and time.time() > datetime.fromisoformat(deadline).timestamp():
            raise ArenaError(f"the deadline has passed: {deadline}")

    def hand_in(self, participant: Participant, name: str, data: IO[bytes]) -> Submission:
        """Store an upload as a submission, which a worker takes.

        Raises:
            ArenaError: it cannot be taken; the message says why.
        """
        self.check_open(participant)
        limits = ArchiveLimits(self.door.upload * _UNPACKED, _MOST_FILES)
        files = read_files(name, data, limits)
        plan = understand(files, self.door.languages)
        shown = name.encode("utf-8", "replace").decode()[:100]
        with self._storing:
            digest = self._folder.add(files)
            try:
                submission = self._register.hand_in(
                    participant.id, digest, shown, asdict(plan), self.door.most_a_day
                )
            except ArenaError:
                if not any(one.digest == digest for one in self._register.submissions()):
                    self._folder.remove(digest)
                raise
        self._register.note("plan", plan.sentence(), submission.id)
        return submission

    # --- what pages show

    def view(self, submission: Submission) -> dict[str, Any]:
        """Return what the page of a submission shows."""
        lines = self._register.lines(submission.id)
        shown = happened(lines)
        return {
            "submission": submission,
            "lines": shown,
            "groups": grouped(shown),
            **self.attempts.view(lines),
            "before": self._register.waiting_before(submission) if submission.ended is None else 0,
        }

    def submissions(self, participant: Participant) -> list[Submission]:
        """Return the submissions that somebody may see, the newest first."""
        return self._register.submissions(None if participant.organiser else participant.id)

    def submission(self, number: int, participant: Participant) -> Submission | None:
        """Return a submission; None if there is none, or the participant may not see it."""
        return next((one for one in self.submissions(participant) if one.id == number), None)

    def notes(self) -> list[tuple[float, str]]:
        """Return the organiser's notes to all, the newest first."""
        return [(line.at, line.text) for line in reversed(self._register.lines())]

    def participants(self) -> list[Participant]:
        """Return all participants but the organiser."""
        return [one for one in self._register.participants() if not one.organiser]

    def places(self, name: str, tournament: ServedTournament | None) -> list[Place]:
        """Return where an engine stands in each game id in which it has played."""
        return [] if tournament is None else list(_places(name, self._shown, tournament))

    def lost_games(self, name: str, tournament: ServedTournament | None) -> list[LostGame]:
        """Return the last games that an engine lost, the newest first."""
        view = None if tournament is None else self._shown.get(tournament).engines.get(name)
        return [] if view is None else lost_games(self.spec, self._store, view)

    def transcript(self, number: int, participant: Participant) -> Path | None:
        """Return the file with the dialogue between a participant's own engine and the referee, if any."""
        if participant.organiser:  # an engine of this name would not be the organiser's
            return None
        return own_transcript(self.spec, self._store, number, participant.name)

    def marks(self, tournament: ServedTournament | None) -> str:
        """Return the marks of all participants as CSV."""
        buffer = io.StringIO()
        writer = csv.writer(buffer)
        head = ("name", "state", "versions", "playing", "checks", "handed_in", "game", "place", "points")
        writer.writerow([*head, "games", "rating", "plus_minus"])
        submissions = self._register.submissions()
        for one in self.participants():
            own = [other for other in submissions if other.participant == one.id]
            playing = next((other for other in own if other.state is State.PLAYS), None)
            handed_in = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(own[0].created)) if own else ""
            first = [
                one.name, one.state, len(own), playing.version if playing else "",
                "passed" if playing else "failed" if own else "", handed_in,
            ]  # fmt: skip
            places = [
                [
                    place.game,
                    place.line.place,
                    place.line.points,
                    place.line.games,
                    place.line.elo,
                    place.line.error,
                ]
                for place in self.places(one.name, tournament)
            ]
            for rest in places or [[""] * 6]:
                writer.writerow([*map(_plain, first), *rest])
        return buffer.getvalue()

    # --- what the organiser does

    def act(self, action: str, values: dict[str, str]) -> None:
        """Do what a form of the organiser's page asks for.

        Args:
            action: ``pause``, ``open``, ``remove``, ``roll-back`` or ``note``.
            values: the fields of the form.

        Raises:
            ArenaError: this cannot be done.
        """
        if action == "note":
            text = values.get("text", "").replace("\0", "").strip()[:_NOTE]
            if not text:
                raise ArenaError("the note is empty")
            self._register.note("note", text.encode("utf-8", "replace").decode())
        elif action == "roll-back":
            number = values.get("submission", "")
            chosen = [one for one in self._register.submissions() if str(one.id) == number]
            if not chosen or chosen[0].state is not State.REPLACED:
                raise ArenaError("only a version that has played can play again")
            self._register.move_on(chosen[0].id, State.PLAYS)
        else:
            state = {"pause": "paused", "open": "open", "remove": "removed"}[action]
            name = values.get("name", "")
            if name not in {one.name for one in self.participants()}:
                raise ArenaError("there is no such participant")
            self._register.change(name, state=state)


def _plain(value: object) -> object:
    """Return a value that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _places(name: str, shown: ShownTournaments, tournament: ServedTournament) -> Iterator[Place]:
    for section in shown.get(tournament).view.sections:
        lines = section.ranking.lines
        for number, line in enumerate(lines):
            if line.name == name:
                yield Place(section.title, line, lines[number - 1] if number else None)
