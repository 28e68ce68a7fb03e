"""What the pages of a door show and do: who comes in, and what is handed in."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final

from itsdangerous import BadData, URLSafeTimedSerializer

from arena.config import TournamentSpec
from arena.config.door_keys import DOOR_SOCKET, DoorKeys
from arena.config.toml_file import TomlFile
from arena.door.asking import Asking, tournament_of, transcript_of
from arena.door.course import marks
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, Line, Participant, State, Submission, token_hash
from arena.door.upload import ArchiveLimits, read_files, remote_plan, understand
from arena.engine_templates import LANGUAGES
from arena.errors import ArenaError, ConfigError
from arena.formats.format import UNTIL_RAISED
from arena.manual import SMALLEST, pages
from arena.model import GameRecord, GameResult
from arena.scoring import fault_of, seat_endings
from arena.single import decisive_turn
from arena.store import GameSearch, Store
from arena.tables.result_text import verdict
from arena.web.boards.svg import Drawing
from arena.web.pages.games import FEED_LENGTH, last_board
from arena.web.server.databases import ServedTournament
from referee.check import CheckStatus

COOKIE_SECONDS: Final = 30 * 86_400
_UNPACKED: Final = 10  # the unpacked files may be this many times as large as the largest upload
_NOTE_LENGTH: Final = 2000
_LAST_GAMES: Final = 5
_PIECE: Final = 1 << 16  # the characters of a dialogue that are read together


@dataclass(frozen=True, slots=True)
class LostGame:
    """A game that a participant's engine lost."""

    number: int  # in the database
    game: str
    version: str  # of the engine that played
    opponents: str
    verdict: str  # the winner and the reason
    detail: str  # the referee's sentence about an engine's fault; may be empty
    plies: int
    turn: int  # the ply of its last turn, from 1; 0 if it had none
    board: Drawing | None  # the last position; None without drawn boards
    transcript: bool  # whether the dialogue with the engine is kept


@dataclass(frozen=True, slots=True)
class SubmissionView:
    """What the page of a submission shows."""

    submission: Submission
    remark: str  # see `DoorRegister.remarks`
    lines: list[Line]  # what happened
    commands: list[str]  # try at home what went wrong
    game: Line | None  # the game that they need, as a file; None for none
    before: int  # the submissions that a worker takes first

    @property
    def groups(self) -> list[list[Line]]:
        """The lines: checks that passed one after another are a group, and so is every other line."""

        def group_of(line: Line) -> int:
            passed = line.kind == "check" and line.text.endswith(f": {CheckStatus.PASSED}")
            return 0 if passed else line.id

        return [list(group) for _, group in groupby(self.lines, group_of)]


class Desk:
    """The door of a tournament, as its pages need it. Its methods block."""

    def __init__(self, spec: TournamentSpec, door: DoorKeys, store: Store, folder: DoorFolder) -> None:
        self.spec = spec
        self.door = door
        self._store = store
        self.register = DoorRegister(store, spec.name)
        self._folder = folder
        self._storing = Lock()  # held while a file and its row are stored: others may hand in the same file
        self._cookies = URLSafeTimedSerializer(folder.secret(), salt="arena.door")
        self.socket = folder.path / DOOR_SOCKET
        self.asking = Asking(spec, door, self.register)

    # --- who comes in

    def enter(self, token: str) -> Participant | None:
        """Return the participant whose link has this token; None if there is none."""
        return self.register.with_token(token_hash(token))

    def cookie(self, participant: Participant) -> str:
        """Return a signed cookie. It works until it expires, or the participant's link is renewed."""
        return str(self._cookies.dumps([participant.id, participant.token[:16]]))

    def participant(self, cookie: str) -> Participant | None:
        """Return the participant of a cookie; None if the cookie is forged, expired or of an old link."""
        try:
            signed = self._cookies.loads(cookie, max_age=COOKIE_SECONDS)
        except (BadData, ValueError, TypeError):
            return None
        invited = self.register.invited()
        return next((who for who in invited if [who.id, who.token[:16]] == signed), None)

    # --- handing in

    def check_open(self, participant: Participant) -> None:
        """Raise an ArenaError that says why a participant may not hand something in now."""
        if self.door.bots == "remote":
            raise ArenaError("this door takes no files: let your bot play from home, with `arena connect`")
        if participant.organiser:
            raise ArenaError("the organiser hands nothing in; invite a participant")
        if participant.state != "open":
            raise ArenaError("the organiser has paused your engine; ask before you hand in another")
        if passed := self.door.passed:
            raise ArenaError(passed)

    def hand_in(self, participant: Participant, name: str, data: IO[bytes]) -> Submission:
        """Store an upload as a submission, which a worker takes."""
        self.check_open(participant)
        limits = ArchiveLimits(self.door.upload * _UNPACKED)
        files = read_files(name, data, limits)
        plan = understand(files, self.door.languages)
        shown = name.encode("utf-8", "replace").decode()[:100]
        with self._storing:
            digest = self._folder.add(files)
            try:
                return self.register.hand_in(
                    participant.id,
                    digest,
                    shown,
                    asdict(plan),
                    self.door.most_a_day,
                    sentence=plan.sentence(),
                )
            except ArenaError:
                if not any(stored.digest == digest for stored in self.register.submissions()):
                    self._folder.remove(digest)
                raise

    def connect(self, participant: Participant, digest: str, *, is_new: bool, plays: bool) -> int:
        """Let a participant's bot play from home, and return its version; ``digest`` is of its files.

        Of files that were handed in and a bot at home, the last that came plays. So a bot that only comes
        back takes no place from files, unless it ``plays`` a game now, or ``is_new``: just started.
        """
        if participant.organiser:
            raise ArenaError("the organiser has no bot; invite a participant")
        if self.door.bots == "uploaded":
            raise ArenaError("this door takes only files: hand in your bot, with `arena submit`")
        versions = self.register.submissions(participant.id)
        last = _at_home(versions)
        playing = next((version for version in versions if version.state is State.PLAYS), None)
        if last is not None and playing is not None and playing.version > last.version and not is_new:
            if plays:
                return last.version
            raise ArenaError(
                f"version {playing.version}, which you handed in, has taken its place; start `arena connect`"
                " again to let it play from home"
            )
        if last is None or last.digest != digest:
            plan, most = asdict(remote_plan(participant.name)), self.door.most_a_day
            try:
                last = self.register.hand_in(participant.id, digest, "arena connect", plan, most, State.AWAY)
            except ArenaError:  # too many versions today, or another line of the bot was quicker
                last = _at_home(self.register.submissions(participant.id))
                if last is None:
                    raise
        if last.state is not State.PLAYS and not self.register.move_on(last.id, State.PLAYS, was=last.state):
            return self.connect(participant, digest, is_new=is_new, plays=plays)
        return last.version

    # --- what pages show

    def guides(self) -> list[str]:
        """Return the names of the pages of the documentation that a participant needs."""
        documented = pages()
        return ["protocol", *(game for game in self.spec.games if game in documented), "tiny", SMALLEST]

    def example(self) -> str:
        """Return an ``engine.toml`` in the first language that is allowed."""
        id_ = (self.door.languages or ("c",))[0]
        language = LANGUAGES[id_]
        build = f"build = {json.dumps(language.build)}\n" if language.build else ""
        return f'language = "{id_}"\n{build}command = {json.dumps(language.command)}\n'

    def view(self, submission: Submission) -> SubmissionView:
        """Return what the page of a submission shows."""
        lines = self.register.lines(submission.id)
        return SubmissionView(
            submission,
            self.register.remarks([submission])[submission.id],
            [line for line in lines if line.kind not in ("home", "record")],
            [line.text for line in lines if line.kind == "home"],
            next((line for line in lines if line.kind == "record"), None),
            self.register.waiting_before(submission) if submission.ended is None else 0,
        )

    def submissions(self, participant: Participant) -> list[Submission]:
        """Return the submissions that somebody may see, the newest first."""
        return self.register.submissions(None if participant.organiser else participant.id)

    def submission(self, number: int, participant: Participant) -> Submission | None:
        """Return a submission; None if there is none, or the participant may not see it."""
        visible = self.submissions(participant)
        return next((submission for submission in visible if submission.id == number), None)

    def notes(self) -> list[tuple[float, str]]:
        """Return the organiser's notes to all, the newest first, after why nobody plays, if so."""
        limit = [(time.time(), f"No game is played: {text}.") for text in [self.limit()] if text]
        return limit + [(line.at, line.text) for line in reversed(self.register.lines())]

    def limit(self) -> str:
        """Return why no engine gets a game; "" if engines play."""
        try:
            most = TomlFile.read(self.spec.path).data.get("max_games")  # the run reads a changed file, too
        except ConfigError:
            return ""
        played = sum(info.games for info in self._store.tournaments() if info.name == self.spec.name)
        return UNTIL_RAISED if isinstance(most, int) and played >= most * len(self.spec.games) else ""

    def participants(self) -> list[Participant]:
        """Return all participants but the organiser."""
        return [who for who in self.register.participants() if not who.organiser]

    def state(self, participant: Participant, tournament: ServedTournament | None) -> dict[str, Any]:
        """Return a participant's last games, the oldest first, and places, as plain values."""
        name, tournaments = participant.name, (self.spec.name, tournament_of(self.spec))
        results = self._store.finder.results(GameSearch(engines=(name,)), FEED_LENGTH)
        sections = tournament.view().sections if tournament is not None else ()
        lines = {section.results.game: section.ranking.group_of(name) for section in sections}
        return {
            "games": [
                _plain(name, result) for result in reversed(results) if result.tournament in tournaments
            ],
            "places": {
                game: {
                    "place": next(line.place for line in group if line.name == name),
                    "engines": len(group),
                }
                for game, group in lines.items()
                if group
            },
        }

    def last_games(self, name: str) -> list[dict[str, Any]]:
        """Return the last games of an engine in the tournament, the newest first, as plain values."""
        search = GameSearch(self.spec.name, engines=(name,))
        return [_plain(name, result) for result in self._store.finder.results(search, _LAST_GAMES)]

    def lost_games(self, name: str, tournament: ServedTournament | None) -> list[LostGame]:
        """Return the last games that an engine lost, the newest first."""
        if tournament is None:
            return []
        search = GameSearch(tournament.name, engines=(name,), result="lost")
        return [self._lost_game(record, name) for record in self._store.finder.find(search, FEED_LENGTH)]

    def _lost_game(self, record: GameRecord, name: str) -> LostGame:
        result = record.result
        seat = result.names.index(name)
        return LostGame(
            result.id or 0,
            result.game,
            result.players[seat].version,
            ", ".join(player.name for index, player in enumerate(result.players) if index != seat),
            verdict(result),
            self._folder.without_paths(fault_of(result.detail, seat)),
            len(record.record),
            decisive_turn(record, seat),
            last_board(record),
            transcript_of(self.spec, result, seat) is not None,
        )

    def transcript(self, number: int, participant: Participant) -> Iterator[str] | None:
        """Return the dialogue of a participant's engine with the referee in pieces; None if it is not kept.

        Many clients that read slowly would fill the memory with whole ones.
        """
        if participant.organiser:  # an engine of this name would not be the organiser's
            return None
        try:
            record = self._store.game(number)
        except ArenaError:
            return None
        result = record.result
        played = participant.name in result.names
        if not played or result.tournament not in (self.spec.name, tournament_of(self.spec)):
            return None
        file = transcript_of(self.spec, result, result.names.index(participant.name))
        return None if file is None else self._pieces(file)

    def _pieces(self, file: Path) -> Iterator[str]:
        with file.open(encoding="utf-8", errors="replace") as lines:
            while piece := "".join(lines.readlines(_PIECE)):
                yield self._folder.without_paths(piece)

    def marks(self, tournament: ServedTournament | None) -> str:
        """Return the marks of all participants as CSV; the engines of the file are the references."""
        participants = self.participants()
        sections = tournament.view().sections if tournament is not None else ()
        names = {who.name for who in participants}
        references = [entry.spec.name for entry in self.spec.engines if entry.spec.name not in names]
        return marks(participants, self.register.submissions(), sections, references)

    # --- what the organiser does

    def act(self, action: str, values: Mapping[str, str]) -> None:
        """Do what a form of the organiser's page asks for, by the last part of its address and its fields."""
        if action == "note":
            text = values.get("text", "").replace("\0", "").strip()[:_NOTE_LENGTH]
            if not text:
                raise ArenaError("the note is empty")
            self.register.note("note", text)
        elif action == "roll-back":
            number, versions = values.get("submission", ""), self.register.submissions()
            chosen = next((version for version in versions if str(version.id) == number), None)
            if chosen is None or chosen.state is not State.REPLACED or chosen.remote:
                raise ArenaError("only a version that has played can play again")
            if not self._folder.engine(chosen.id).exists():
                raise ArenaError("what was built of this version is gone; let its author hand it in again")
            self.register.move_on(chosen.id, State.PLAYS)
        else:
            state = {"pause": "paused", "open": "open", "remove": "removed"}[action]
            name = values.get("name", "")
            if name not in {who.name for who in self.participants()}:
                raise ArenaError("there is no such participant")
            self.register.change(name, state=state)


def _at_home(submissions: Sequence[Submission]) -> Submission | None:
    """Return the newest version of a bot that stays at home."""
    return next((submission for submission in submissions if submission.remote), None)


def _plain(name: str, result: GameResult) -> dict[str, Any]:
    """Return a game as its participant sees it, for programs."""
    seat = result.names.index(name)
    return {
        "number": result.id,
        "game": result.game,
        "seat": seat + 1,
        "opponents": [player.name for index, player in enumerate(result.players) if index != seat],
        "ending": seat_endings(result.players)[seat],
        "reason": result.reason,
    }
