"""`DoorRegister`: what is stored of the door of one tournament."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Row, Select, func, select

from arena.errors import ArenaError
from arena.store.database import Database
from arena.store.door.changes import add_line, add_row, change_rows
from arena.store.door.orders import DoorOrders
from arena.store.door.rows import LINE, PARTICIPANT, SUBMISSION
from arena.store.door.values import Line, Participant, State, Submission

__all__ = ["DoorRegister"]

_DAY: Final = 86_400
_MOST_LINES: Final = 2000
_IN_HAND: Final = tuple(state for state in State if state.in_hand)
_OPEN: Final = (State.WAITING, *_IN_HAND)


class DoorRegister:
    """The participants, submissions and lines of a tournament. Its methods block; any thread may call them.

    Args:
        database: the open database.
        tournament: the name of the tournament.

    Attributes:
        orders: the orders of participants to the worker.
    """

    __slots__ = ("_database", "_tournament", "orders")

    def __init__(self, database: Database, tournament: str) -> None:
        self._database = database
        self._tournament = tournament
        self.orders = DoorOrders(database, tournament)

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
