"""The values of the door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Line", "Order", "Participant", "State", "Submission"]


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
        plan: the fields of `arena.door.understanding.Plan`.
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
