"""What participants may try again with their own versions. All methods block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from arena.config import TournamentSpec
from arena.config.door_keys import DoorKeys
from arena.door.again import Again, again_from, turn_again
from arena.door.understanding import home_command
from arena.errors import ArenaError
from arena.store import Store
from arena.store.door import Line, Participant, State, Submission
from arena.web.server.door.lost_games import own_seat
from referee.check import CheckStatus

__all__ = ["Attempt", "Attempts", "grouped", "happened"]

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
        self._register = store.door(spec.name)

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
