"""The values of the door."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, Table, delete, func, insert, select, update
from sqlmodel import Session

from arena.errors import ArenaError
from arena.store import Store
from arena.store.checksums import store_rows, verify_door
from arena.store.database import Database
from arena.store.door_rows import LINE, PARTICIPANT, SUBMISSION
from arena.store.mapping.game_rows import storable


class State(StrEnum):
    """How far a submission is."""

    WAITING = "waiting"
    BUILDING = "building"
    CHECKING = "checking"
    PLAYING = "playing"
    PLAYS = "plays"  # its participant's engine in the tournament
    REPLACED = "replaced"  # it was admitted, and another version plays now
    REFUSED = "refused"

    @property
    def in_hand(self) -> bool:
        """Whether a worker is at work on it."""
        return self in (State.BUILDING, State.CHECKING, State.PLAYING)


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who may come in.

    Attributes:
        id: the number in the database.
        name: the name; the engine has the same.
        organiser: whether the organiser's page is open to them.
        state: ``open``, ``paused`` (the engine rests) or ``removed`` (the link does not work any more).
        created: seconds since the epoch.
    """

    id: int
    name: str
    organiser: bool
    state: str
    created: float


@dataclass(frozen=True, slots=True)
class Submission:
    """A version of a participant's engine.

    Attributes:
        id: the number in the database.
        participant: the participant's number.
        name: the participant's name.
        version: from 1, for each participant.
        digest: the hash of its files.
        filename: the name of the upload.
        plan: the fields of `arena.door.plan.Plan`.
        state: how far it is.
        problem: why it was refused; "" if it was not.
        attempts: how often a worker has begun with it.
        created: seconds since the epoch.
        ended: when it was admitted or refused; None before.
    """

    id: int
    participant: int
    name: str
    version: int
    digest: str
    filename: str
    plan: Mapping[str, Any]
    state: State
    problem: str
    attempts: int
    created: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """Something that happened to a submission, or a note to all.

    Attributes:
        id: the number in the database.
        at: seconds since the epoch.
        kind: ``plan``, ``build``, ``check``, ``failed``, ``game``, ``end`` or ``note``; ``again`` for what
            can be tried again; ``order``, ``trying`` or ``tried`` for an order to do so; ``output`` for the
            output of the last order.
        text: a sentence, or output; of ``again`` and orders the text of `arena.door.again.Again`.
    """

    id: int
    at: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Order:
    """An order to try something again.

    Attributes:
        id: the number of its line.
        submission: the number of the submission.
        text: the text of its line.
    """

    id: int
    submission: int
    text: str


_DAY: Final = 86_400
_BYTES: Final = 24
"""192 bits: nobody guesses a token, so a plain hash protects it as well as a slow one."""


def new_token() -> str:
    """Return a new token: 32 characters of which each may stand in an address."""
    return secrets.token_urlsafe(_BYTES)


def token_hash(token: str) -> str:
    """Return the hash of a token: 64 hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def add_row(session: Session, table: Table, **values: Any) -> int:  # noqa: ANN401 - the values of columns
    """Add a row; return its number."""
    connection = session.connection()
    # Not a sequence of the server, which does not know the rows of a copy.
    highest = select(func.coalesce(func.max(table.c.id), 0))
    number: int = connection.execute(highest).scalar_one() + 1
    connection.execute(insert(table).values(id=number, **values))
    store_rows(connection, table, table.c.id == number)
    return number


def change_rows(
    session: Session,
    table: Table,
    *conditions: ColumnElement[bool],
    **values: Any,  # noqa: ANN401 - as above
) -> int:
    """Change the rows that meet the conditions; return how many there are."""
    connection = session.connection()
    numbers = list(connection.execute(select(table.c.id).where(*conditions)).scalars())
    if numbers:
        these = table.c.id.in_(numbers)
        connection.execute(update(table).where(these).values(**values))
        store_rows(connection, table, these)
    return len(numbers)


def add_line(session: Session, tournament: str, kind: str, text: str, submission: int | None) -> None:
    """Add a line of a submission, or a note to all."""
    values = {"tournament": tournament, "submission_id": submission, "kind": kind, "text": storable(text)}
    add_row(session, LINE, at=time.time(), **values)


_WAITS: Final = "order"
_TAKEN: Final = "trying"
_ENDED: Final = "tried"
_OUTPUT: Final = "output"


class DoorOrders:
    """The orders of a tournament. An order is a line of its submission, whose kind says how far it is.

    Args:
        database: the open database.
        tournament: the name of the tournament.
    """

    __slots__ = ("_database", "_tournament")

    def __init__(self, database: Database, tournament: str) -> None:
        self._database = database
        self._tournament = tournament

    def add(self, submission: Submission, text: str, most: int) -> None:
        """Store an order, and remove the output of the last one for this submission.

        Args:
            submission: what is tried again.
            text: what to do.
            most: how many orders a participant may give within 24 hours.

        Raises:
            ArenaError: an order of the participant has not ended yet, or there were as many today.
        """
        own = select(SUBMISSION.c.id).where(SUBMISSION.c.participant_id == submission.participant)
        mine = LINE.c.submission_id.in_(own)
        with self._database.writing() as session:
            connection = session.connection()
            count = select(func.count()).select_from(LINE)
            if connection.execute(count.where(mine, LINE.c.kind.in_((_WAITS, _TAKEN)))).scalar_one():
                raise ArenaError("what you tried last has not ended yet; wait for it")
            today = count.where(mine, LINE.c.kind == _ENDED, LINE.c.at > time.time() - _DAY)
            if connection.execute(today).scalar_one() >= most:
                raise ArenaError(f"you have tried {most} times within 24 hours; use the command at home")
            connection.execute(
                delete(LINE).where(LINE.c.submission_id == submission.id, LINE.c.kind == _OUTPUT)
            )
            add_line(session, self._tournament, _WAITS, text, submission.id)

    def take(self) -> Order | None:
        """Take the order that has waited longest; None if none waits. Nobody takes it again."""
        waiting = select(LINE).where(LINE.c.tournament == self._tournament, LINE.c.kind == _WAITS)
        with self._database.writing() as session:
            row = session.connection().execute(waiting.order_by(LINE.c.id).limit(1)).one_or_none()
            if row is None:
                return None
            change_rows(session, LINE, LINE.c.id == row.id, kind=_TAKEN)
            return Order(row.id, row.submission_id, row.text)

    def end(self, order: Order) -> None:
        """Say that an order has been carried out."""
        with self._database.writing() as session:
            change_rows(session, LINE, LINE.c.id == order.id, kind=_ENDED)

    def end_interrupted(self) -> None:
        """End the orders that a worker had taken when it was killed."""
        taken = (LINE.c.tournament == self._tournament, LINE.c.kind == _TAKEN)
        with self._database.writing() as session:
            for row in session.connection().execute(select(LINE).where(*taken)).all():
                sentence = "the machine stopped meanwhile; try it again"
                add_line(session, self._tournament, _OUTPUT, sentence, row.submission_id)
            change_rows(session, LINE, *taken, kind=_ENDED)


_MOST_LINES: Final = 2000
_IN_HAND: Final = tuple(state for state in State if state.in_hand)
_OPEN: Final = (State.WAITING, *_IN_HAND)


class DoorRegister:
    """The participants, submissions and lines of a tournament. Its methods block; any thread may call them.

    Args:
        store: the open database.
        tournament: the name of the tournament.

    Attributes:
        orders: the orders of participants to the worker.
    """

    __slots__ = ("_database", "_tournament", "orders")

    def __init__(self, store: Store, tournament: str) -> None:
        self._database = store.database
        self._tournament = tournament
        self.orders = DoorOrders(self._database, tournament)
        with self._database.reading() as session:
            verify_door(session.connection())

    # --- participants

    def invite(self, name: str, token: str, *, organiser: bool = False) -> Participant:
        """Register a participant.

        Args:
            name: the name.
            token: the hash of the token.
            organiser: whether the participant is the organiser.

        Raises:
            ArenaError: somebody has this name already.
        """
        with self._database.writing() as session:
            known = session.connection().execute(self._participants()).all()
            if any(row.name.casefold() == name.casefold() for row in known):
                raise ArenaError(f"{name} is invited already; `arena door renew` makes a new link")
            number = add_row(
                session,
                PARTICIPANT,
                tournament=self._tournament,
                name=name,
                token=token,
                role="organiser" if organiser else "guest",
                state="open",
                created=time.time(),
            )
            return self._one(
                session.connection().execute(self._participants().where(PARTICIPANT.c.id == number))
            )

    def participants(self) -> list[Participant]:
        """Return all participants in the order of their invitations; the organiser is one of them."""
        with self._database.reading() as session:
            rows = session.connection().execute(self._participants().order_by(PARTICIPANT.c.id))
            return [_participant(row) for row in rows]

    def with_token(self, token: str) -> Participant | None:
        """Return the participant whose token has this hash; None if there is none."""
        query = self._participants().where(PARTICIPANT.c.token == token, PARTICIPANT.c.state != "removed")
        with self._database.reading() as session:
            row = session.connection().execute(query).one_or_none()
        return None if row is None else _participant(row)

    def token_of(self, participant: int) -> str:
        """Return the hash of a participant's token; "" if the link works no more."""
        query = select(PARTICIPANT.c.token).where(
            PARTICIPANT.c.id == participant,
            PARTICIPANT.c.tournament == self._tournament,
            PARTICIPANT.c.state != "removed",
        )
        with self._database.reading() as session:
            return str(session.connection().execute(query).scalar() or "")

    def change(self, name: str, *, token: str | None = None, state: str | None = None) -> Participant:
        """Give a participant another token or state.

        Args:
            name: the name.
            token: the hash of the new token; None to keep the old one.
            state: as in `Participant`; None to keep it.

        Raises:
            ArenaError: nobody has this name.
        """
        values = {key: value for key, value in (("token", token), ("state", state)) if value is not None}
        where = (PARTICIPANT.c.tournament == self._tournament, PARTICIPANT.c.name == name)
        with self._database.writing() as session:
            if not change_rows(session, PARTICIPANT, *where, **values):
                raise ArenaError(f"{name} is not invited; `arena door list` shows who is")
            return self._one(session.connection().execute(self._participants().where(*where)))

    # --- submissions

    def hand_in(
        self, participant: int, digest: str, filename: str, plan: Mapping[str, Any], most: int
    ) -> Submission:
        """Store a submission, which a worker will take. An earlier one that still waits is refused.

        Args:
            participant: the participant's number.
            digest: the hash of its files.
            filename: the name of the upload.
            plan: as in `Submission`.
            most: how many submissions a participant may hand in within 24 hours.

        Raises:
            ArenaError: the participant has handed in as many today, or this very submission before.
        """
        now = time.time()
        mine = SUBMISSION.c.participant_id == participant
        with self._database.writing() as session:
            connection = session.connection()
            recent = select(func.count()).where(mine, SUBMISSION.c.created > now - _DAY)
            if connection.execute(recent).scalar_one() >= most:
                raise ArenaError(f"you have handed in {most} times within 24 hours; come back later")
            newest = connection.execute(
                select(SUBMISSION).where(mine).order_by(SUBMISSION.c.version.desc()).limit(1)
            ).one_or_none()
            if newest is not None and newest.digest == digest and newest.state != State.REFUSED:
                raise ArenaError(f"these are the files of your version {newest.version}; nothing has changed")
            replaced = {
                "state": State.REFUSED,
                "problem": "a newer version came in before this one was tried",
                "ended": now,
            }
            change_rows(session, SUBMISSION, mine, SUBMISSION.c.state == State.WAITING, **replaced)
            number = add_row(
                session,
                SUBMISSION,
                participant_id=participant,
                version=1 if newest is None else newest.version + 1,
                digest=digest,
                filename=filename,
                plan=dict(plan),
                state=State.WAITING,
                problem="",
                attempts=0,
                created=now,
            )
            return _submission(connection.execute(self._submissions().where(SUBMISSION.c.id == number)).one())

    def submissions(self, participant: int | None = None) -> list[Submission]:
        """Return all submissions, or those of a participant, the newest first."""
        query = self._submissions().order_by(SUBMISSION.c.id.desc())
        if participant is not None:
            query = query.where(SUBMISSION.c.participant_id == participant)
        with self._database.reading() as session:
            return [_submission(row) for row in session.connection().execute(query)]

    def waiting_before(self, submission: Submission) -> int:
        """Return how many submissions a worker takes before this one."""
        query = self._submissions().where(SUBMISSION.c.state.in_(_OPEN), SUBMISSION.c.id < submission.id)
        with self._database.reading() as session:
            return len(session.connection().execute(query).all())

    def take(self, most_attempts: int) -> Submission | None:
        """Take the submission that has waited longest, for a worker; None if none waits.

        A submission that a worker did not finish is taken again: call this only while no other worker runs.
        After too many attempts it is refused, because it ends the worker each time.
        """
        with self._database.writing() as session:
            connection = session.connection()
            while True:
                row = connection.execute(
                    self._submissions()
                    .where(SUBMISSION.c.state.in_(_OPEN))
                    .order_by(SUBMISSION.c.state == State.WAITING, SUBMISSION.c.id)
                    .limit(1)
                ).one_or_none()
                if row is None:
                    return None
                if row.attempts < most_attempts:
                    break
                values = {
                    "state": State.REFUSED,
                    "ended": time.time(),
                    "problem": f"the machine stopped {row.attempts} times while this was tried",
                }
                change_rows(session, SUBMISSION, SUBMISSION.c.id == row.id, **values)
            mine = SUBMISSION.c.id == row.id
            change_rows(session, SUBMISSION, mine, state=State.BUILDING, attempts=row.attempts + 1)
            connection.execute(LINE.delete().where(LINE.c.submission_id == row.id, LINE.c.kind != "plan"))
            return _submission(connection.execute(self._submissions().where(mine)).one())

    def move_on(self, submission: int, state: State, problem: str = "") -> None:
        """Store the state of a submission. One that plays replaces the participant's earlier version."""
        values: dict[str, Any] = {"state": state, "problem": problem}
        if state in (State.PLAYS, State.REFUSED):
            values["ended"] = time.time()
        with self._database.writing() as session:
            if state is State.PLAYS:
                owner = select(SUBMISSION.c.participant_id).where(SUBMISSION.c.id == submission)
                same = SUBMISSION.c.participant_id == owner.scalar_subquery()
                before = (same, SUBMISSION.c.state == State.PLAYS)
                change_rows(session, SUBMISSION, *before, state=State.REPLACED)
            change_rows(session, SUBMISSION, SUBMISSION.c.id == submission, **values)

    # --- lines

    def note(self, kind: str, text: str, submission: int | None = None) -> None:
        """Store a line of a submission, or a note to all."""
        with self._database.writing() as session:
            add_line(session, self._tournament, kind, text, submission)

    def lines(self, submission: int | None = None) -> list[Line]:
        """Return the lines of a submission, or the notes to all, the oldest first."""
        query = (
            select(LINE)
            .where(LINE.c.tournament == self._tournament, LINE.c.submission_id == submission)
            .order_by(LINE.c.id)
            .limit(_MOST_LINES)
        )
        with self._database.reading() as session:
            return [Line(row.id, row.at, row.kind, row.text) for row in session.connection().execute(query)]

    # --- rows

    def _participants(self) -> Select[Any]:
        return select(PARTICIPANT).where(PARTICIPANT.c.tournament == self._tournament)

    def _submissions(self) -> Select[Any]:
        return (
            select(SUBMISSION, PARTICIPANT.c.name)
            .join(PARTICIPANT, PARTICIPANT.c.id == SUBMISSION.c.participant_id)
            .where(PARTICIPANT.c.tournament == self._tournament)
        )

    @staticmethod
    def _one(rows: Any) -> Participant:  # noqa: ANN401 - SQLAlchemy's generic result
        return _participant(rows.one())


def _participant(row: Row[Any]) -> Participant:
    return Participant(row.id, row.name, row.role == "organiser", row.state, row.created)


def _submission(row: Row[Any]) -> Submission:
    return Submission(
        row.id, row.participant_id, row.name, row.version, row.digest, row.filename, row.plan,
        State(row.state), row.problem, row.attempts, row.created, row.ended,
    )  # fmt: skip
