"""Orders of participants, which the worker of the door carries out."""

from __future__ import annotations

import time
from typing import Final

from sqlalchemy import delete, func, select

from arena.errors import ArenaError
from arena.store.database import Database
from arena.store.door.changes import add_line, change_rows
from arena.store.door.rows import LINE, SUBMISSION
from arena.store.door.values import Order, Submission

__all__ = ["DoorOrders"]

_DAY: Final = 86_400
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
