"""The register of a door: its participants, their submissions, and what happens to these, in the database."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, Table, delete, func, insert, select, update
from sqlmodel import Session

from arena.config.door_keys import REMOTE
from arena.errors import ArenaError
from arena.run.game_loop import MOST_STRIKES, stored_strikes
from arena.store import Store
from arena.store.mapping import storable
from arena.store.rows import LINE, PARTICIPANT, REQUEST, SUBMISSION

_DAY: Final = 86_400
_TOKEN_BYTES: Final = 24
"""192 bits: nobody guesses a token, so a plain hash protects it as well as a slow hash."""

_LINES_SHOWN: Final = 2000  # of a submission, or of the notes

LOST_GAME: Final = "lost.jsonl"
"""The name under which a participant gets a game of kind ``record``."""

_MOST_OPEN_REQUESTS: Final = 3


class State(StrEnum):
    """How far a submission is."""

    WAITING = "waiting"
    BUILDING = "building"
    CHECKING = "checking"
    PLAYING = "playing"
    PLAYS = "plays"  # its participant's engine in the tournament
    AWAY = "away"  # it plays from its author's machine, which is not connected
    REPLACED = "replaced"  # it was admitted, and another version plays now
    REFUSED = "refused"


_OPEN: Final = (State.WAITING, State.BUILDING, State.CHECKING, State.PLAYING)


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who may come in; the engine has the same name."""

    id: int
    name: str
    organiser: bool  # the organiser's page is open to them
    state: str  # open, paused (the engine rests) or removed (the link does not work any more)
    token: str = field(repr=False)  # the hash of the token in their link


@dataclass(frozen=True, slots=True)
class Submission:
    """A version of a participant's engine. Times are seconds since the epoch."""

    id: int
    participant: int
    name: str  # of the participant
    version: int  # from 1, for each participant
    digest: str  # the hash of its files
    filename: str  # of the upload
    plan: Mapping[str, Any]  # the fields of `arena.door.upload.Plan`
    state: State
    problem: str  # why it was refused; "" if it was not
    attempts: int  # how often a worker has taken it
    created: float
    ended: float | None  # when it was admitted or refused

    @property
    def remote(self) -> bool:
        """Whether it plays from its author's machine; then its digest is what that machine says."""
        return bool(self.plan["command"][0].startswith(REMOTE))


@dataclass(frozen=True, slots=True)
class Line:
    """Something that happened to a submission, or a note to all.

    Its kind is ``plan``, ``build``, ``check``, ``failed``, ``game``, ``end`` or ``note``; ``home`` for a
    command that tries at home what went wrong, and ``record`` for the game that this command needs.
    """

    id: int
    at: float  # seconds since the epoch
    kind: str
    text: str  # a sentence, output, a command, or a file of JSON lines


class RequestState(StrEnum):
    """How far the games are that a participant asked for."""

    WAITS = "waits"
    PLAYS = "plays"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Request:
    """Games that a participant asks for: one opening, played from every seat."""

    id: int
    state: RequestState
    game: str
    seats: tuple[str, ...]  # in the first game: the participant, the opponent, and who fills a larger table
    attempts: int  # how often its games were started
    problem: str  # why they did not all end
    created: float  # seconds since the epoch


def new_token() -> str:
    """Return a token for a link. The database gets only its hash, so it reveals no link."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def token_hash(token: str) -> str:
    """Return the hash of a token: 64 hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class DoorRegister:
    """What is stored of the door of one tournament. Its methods block; any thread may call them."""

    __slots__ = ("_database", "_tournament", "store")

    def __init__(self, store: Store, tournament: str) -> None:
        self.store = store
        self._database = store.database
        self._tournament = tournament

    # --- participants

    def invite(self, tokens: Mapping[str, str], *, organiser: bool = False) -> list[Participant]:
        """Register all participants, by their names and the hashes of their tokens, or none."""
        role = "organiser" if organiser else "guest"
        with self._database.writing() as session:
            known = session.execute(self._participants()).all()
            for name, token in tokens.items():
                if any(row.name.casefold() == name.casefold() for row in known):
                    raise ArenaError(
                        f"{name} is invited already; `arena door change --renew` makes a new link"
                    )
                values = {"tournament": self._tournament, "name": name, "token": token, "role": role}
                _add(session, PARTICIPANT, **values, state="open", created=time.time())
        return [who for who in self.participants() if who.name in tokens]

    def participants(self) -> list[Participant]:
        """Return all participants in the order of their invitations; the organiser is one of them."""
        return [
            Participant(row.id, row.name, row.role == "organiser", row.state, row.token)
            for row in self._read(self._participants())
        ]

    def invited(self) -> list[Participant]:
        """Return the participants who may come in: nobody who was removed."""
        return [who for who in self.participants() if who.state != "removed"]

    def with_token(self, token: str) -> Participant | None:
        """Return who may come in with the token that has this hash; None if nobody may."""
        return next((who for who in self.invited() if who.token == token), None)

    def change(self, name: str, *, token: str | None = None, state: str | None = None) -> None:
        """Give a participant another token, by its hash, or another state; None keeps what there is."""
        values = {key: value for key, value in (("token", token), ("state", state)) if value is not None}
        with self._database.writing() as session:
            who = (PARTICIPANT.c.tournament == self._tournament, PARTICIPANT.c.name == name)
            if not _change(session, PARTICIPANT, *who, **values):
                raise ArenaError(f"{name} is not invited; `arena door list` shows who is")

    # --- submissions

    def hand_in(
        self,
        participant: int,
        digest: str,
        filename: str,
        plan: Mapping[str, Any],
        most: int,
        state: State = State.WAITING,
        sentence: str = "",
    ) -> Submission:
        """Store a submission, which a worker takes if it waits, with a ``sentence`` about its plan as a line.

        It takes the place of a submission that still waits, which is refused. ArenaError: the newest version
        has the same files, or the participant has handed in ``most`` times within 24 hours.
        """
        now = time.time()
        mine = SUBMISSION.c.participant_id == participant
        with self._database.writing() as session:
            recent = select(func.count()).where(mine, SUBMISSION.c.created > now - _DAY)
            if session.execute(recent).scalar_one() >= most:
                raise ArenaError(f"you have handed in {most} times within 24 hours; come back later")
            newest = session.execute(
                select(SUBMISSION).where(mine).order_by(SUBMISSION.c.version.desc()).limit(1)
            ).one_or_none()
            if newest is not None and newest.digest == digest and newest.state != State.REFUSED:
                raise ArenaError(f"these are the files of your version {newest.version}; nothing has changed")
            problem = "a newer version came in before this one was tried"
            waits = (mine, SUBMISSION.c.state == State.WAITING)
            _change(session, SUBMISSION, *waits, state=State.REFUSED, problem=problem, ended=now)
            number = _add(
                session,
                SUBMISSION,
                participant_id=participant,
                version=1 if newest is None else newest.version + 1,
                digest=digest,
                filename=filename,
                plan=dict(plan),
                state=state,
                problem="",
                attempts=0,
                created=now,
            )
            if sentence:
                self._add_line(session, "plan", sentence, number)
            return _submission(session.execute(self._submissions().where(SUBMISSION.c.id == number)).one())

    def set_present(self, names: Collection[str]) -> None:
        """Let the remote bots of these participants play, and no others."""
        changed = {State.PLAYS: State.AWAY, State.AWAY: State.PLAYS}
        admitted = self._submissions().where(SUBMISSION.c.state.in_(tuple(changed)))
        for version in map(_submission, self._read(admitted)):
            if version.remote and (version.state is State.PLAYS) != (version.name in names):
                self.move_on(version.id, changed[version.state], was=version.state)

    def submissions(self, participant: int | None = None) -> list[Submission]:
        """Return the submissions of all, or of one participant, the newest first."""
        query = self._submissions().order_by(SUBMISSION.c.id.desc())
        if participant is not None:
            query = query.where(SUBMISSION.c.participant_id == participant)
        return [_submission(row) for row in self._read(query)]

    def remarks(self, submissions: Sequence[Submission]) -> dict[int, str]:
        """Return, by number, why each was refused, or why it plays no games now; "" for neither."""
        remarks = {submission.id: submission.problem for submission in submissions}
        playing = [submission for submission in submissions if submission.state is State.PLAYS]
        versions = {submission.name: str(submission.version) for submission in playing}
        strikes = stored_strikes(self.store, self._tournament, versions) if playing else {}
        for submission in playing:
            if (count := strikes[submission.name]) >= MOST_STRIKES:
                advice = "change it" if submission.remote else "hand in a new version"
                remarks[submission.id] = f"disabled: failed {count} times in a row; {advice}"
        return remarks

    def waiting_before(self, submission: Submission) -> int:
        """Return how many submissions a worker takes before this one."""
        before = (SUBMISSION.c.state.in_(_OPEN), SUBMISSION.c.id < submission.id)
        return len(self._read(self._submissions().where(*before)))

    def take(self, most_attempts: int) -> Submission | None:
        """Take the submission that has waited longest, for the only worker; None if none waits.

        A submission that a worker did not finish is taken again; after too many attempts it is refused.
        """
        waiting = self._submissions().where(SUBMISSION.c.state.in_(_OPEN))
        oldest = waiting.order_by(SUBMISSION.c.state == State.WAITING, SUBMISSION.c.id).limit(1)
        with self._database.writing() as session:
            while (row := session.execute(oldest).one_or_none()) is not None:
                this = SUBMISSION.c.id == row.id
                if row.attempts < most_attempts:
                    _change(session, SUBMISSION, this, state=State.BUILDING, attempts=row.attempts + 1)
                    of_worker = (LINE.c.submission_id == row.id, LINE.c.kind != "plan")
                    session.execute(delete(LINE).where(*of_worker))
                    return _submission(session.execute(self._submissions().where(this)).one())
                problem = f"the machine stopped {row.attempts} times while this was tried"
                _change(session, SUBMISSION, this, state=State.REFUSED, ended=time.time(), problem=problem)
        return None

    def move_on(self, submission: int, state: State, problem: str = "", *, was: State | None = None) -> bool:
        """Store the state of a submission. If it plays, it replaces the participant's earlier version.

        With the state that it ``was`` in when the caller looked, nothing changes if it is in another state
        now; return whether something has changed.
        """
        values: dict[str, Any] = {"state": state, "problem": _plain(problem)}
        if state in (State.PLAYS, State.REFUSED):
            values["ended"] = time.time()
        expected = SUBMISSION.c.state.in_(State if was is None else (was,))
        with self._database.writing() as session:
            if not _change(session, SUBMISSION, SUBMISSION.c.id == submission, expected, **values):
                return False
            if state is State.PLAYS:
                owner = select(SUBMISSION.c.participant_id).where(SUBMISSION.c.id == submission)
                same = SUBMISSION.c.participant_id == owner.scalar_subquery()
                others = SUBMISSION.c.state.in_((State.PLAYS, State.AWAY)), SUBMISSION.c.id != submission
                _change(session, SUBMISSION, same, *others, state=State.REPLACED)
        return True

    # --- lines

    def note(self, kind: str, text: str, submission: int | None = None) -> None:
        """Store a line of a submission, or a note to all."""
        with self._database.writing() as session:
            self._add_line(session, kind, text, submission)

    def lines(self, submission: int | None = None) -> list[Line]:
        """Return the lines of a submission, or the notes to all, the oldest first."""
        which = (LINE.c.tournament == self._tournament, LINE.c.submission_id == submission)
        rows = self._read(select(LINE).where(*which).order_by(LINE.c.id).limit(_LINES_SHOWN))
        return [Line(row.id, row.at, row.kind, row.text) for row in rows]

    # --- games that participants ask for

    def ask(self, participant: int, game: str, seats: Sequence[str], most: int) -> int:
        """Store a request for games and return its number.

        A participant has at most three that have not ended, and at most ``most`` within 24 hours.
        """
        mine = REQUEST.c.participant_id == participant
        count = select(func.count()).where(mine)
        with self._database.writing() as session:
            unended = count.where(REQUEST.c.state != RequestState.ENDED)
            if session.execute(unended).scalar_one() >= _MOST_OPEN_REQUESTS:
                raise ArenaError(
                    f"you have {_MOST_OPEN_REQUESTS} requests in the queue; wait until a request has ended"
                )
            now = time.time()
            if session.execute(count.where(REQUEST.c.created > now - _DAY)).scalar_one() >= most:
                raise ArenaError(f"you have asked for games {most} times within 24 hours; come back later")
            return _add(
                session,
                REQUEST,
                participant_id=participant,
                state=RequestState.WAITS,
                game=game,
                seats=list(seats),
                attempts=0,
                problem="",
                created=now,
            )

    def queue(self) -> list[Request]:
        """Return the requests that have not ended, in the order in which they are played."""
        unended = self._requests().where(REQUEST.c.state != RequestState.ENDED)
        return [_request(row) for row in self._read(unended.order_by(REQUEST.c.id))]

    def ended_requests(self, participant: int, most: int) -> list[Request]:
        """Return the last requests of a participant that have ended, the newest first."""
        ended = (REQUEST.c.participant_id == participant, REQUEST.c.state == RequestState.ENDED)
        newest = self._requests().where(*ended).order_by(REQUEST.c.id.desc()).limit(most)
        return [_request(row) for row in self._read(newest)]

    def change_request(self, request: Request, changed: Request) -> bool:
        """Store how far a request is; False if somebody else has done this meanwhile."""
        values = {"state": changed.state, "attempts": changed.attempts, "problem": _plain(changed.problem)}
        with self._database.writing() as session:
            same = (REQUEST.c.id == request.id, REQUEST.c.state == request.state)
            return _change(session, REQUEST, *same, **values) > 0

    # --- rows

    def _read(self, query: Select[Any]) -> list[Row[Any]]:
        with self._database.reading() as session:
            return list(session.execute(query).all())

    def _participants(self) -> Select[Any]:
        mine = PARTICIPANT.c.tournament == self._tournament
        return select(PARTICIPANT).where(mine).order_by(PARTICIPANT.c.id)

    def _submissions(self) -> Select[Any]:
        return (
            select(SUBMISSION, PARTICIPANT.c.name)
            .join(PARTICIPANT, PARTICIPANT.c.id == SUBMISSION.c.participant_id)
            .where(PARTICIPANT.c.tournament == self._tournament)
        )

    def _requests(self) -> Select[Any]:
        return (
            select(REQUEST)
            .join(PARTICIPANT, PARTICIPANT.c.id == REQUEST.c.participant_id)
            .where(PARTICIPANT.c.tournament == self._tournament)
        )

    def _add_line(self, session: Session, kind: str, text: str, submission: int | None) -> None:
        values = {"tournament": self._tournament, "submission_id": submission, "at": time.time()}
        _add(session, LINE, **values, kind=kind, text=_plain(text))


def _plain(text: str) -> str:
    """Replace what no database stores: null characters, and halves of characters."""
    return storable(text.encode("utf-8", "replace").decode())


def _add(session: Session, table: Table, **values: Any) -> int:  # noqa: ANN401 - the values of columns
    """Add a row; return its number."""
    # Not a sequence of the server, which does not know the rows of a copy.
    highest = select(func.coalesce(func.max(table.c.id), 0))
    number: int = session.execute(highest).scalar_one() + 1
    session.execute(insert(table).values(id=number, **values))
    return number


def _change(
    session: Session,
    table: Table,
    *conditions: ColumnElement[bool],
    **values: Any,  # noqa: ANN401 - as above
) -> int:
    """Change the rows that meet the conditions; return how many there are."""
    return session.exec(update(table).where(*conditions).values(**values)).rowcount


def _submission(row: Row[Any]) -> Submission:
    return Submission(
        row.id, row.participant_id, row.name, row.version, row.digest, row.filename, row.plan,
        State(row.state), row.problem, row.attempts, row.created, row.ended,
    )  # fmt: skip


def _request(row: Row[Any]) -> Request:
    return Request(
        row.id, RequestState(row.state), row.game, tuple(row.seats), row.attempts, row.problem, row.created
    )
