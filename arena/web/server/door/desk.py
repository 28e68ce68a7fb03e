"""What the pages of the door do: who comes in, and what they may hand in. All methods block."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final
from urllib.parse import urlsplit

from itsdangerous import BadData, URLSafeTimedSerializer

from arena.config import TournamentSpec
from arena.config.door_keys import DoorKeys
from arena.door.archive import ArchiveLimits, read_files
from arena.door.folder import DoorFolder
from arena.door.tokens import token_hash
from arena.door.understanding import understand
from arena.errors import ArenaError
from arena.store import Store
from arena.store.door import Participant, State, Submission
from arena.web.server.databases import ServedTournament
from arena.web.server.door.attempts import Attempts, grouped, happened
from arena.web.server.door.lost_games import LostGame, lost_games, own_transcript
from arena.web.server.shown import ShownTournaments
from arena.web.views.ranking import RankingLine

__all__ = ["COOKIE_SECONDS", "Desk", "Place"]

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
        self._register = store.door(spec.name)
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
        lines: list[RankingLine] = section["lines"]
        for number, line in enumerate(lines):
            if line.name == name:
                yield Place(section["title"], line, lines[number - 1] if number else None)
