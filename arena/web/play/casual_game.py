"""The state of a game of a person against engines, from the reports of its referee."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from arena.ended_games import game_record
from arena.model import GameRecord
from arena.web.play.offer import CASUAL, Order
from protocol.wire.codec import RESIGN
from referee import MoveError
from referee.follower import Follower
from referee.match.job import JobFinished, RunningGame
from referee.ply import Ply

__all__ = ["CasualGame", "Hint", "Status", "Unplayable"]


class Unplayable(Exception):
    """What a person wants is not possible now; the text says why."""


class Status(StrEnum):
    """What a game waits for: its engines, an engine's move, a person's move, or nothing."""

    STARTING = "starting"
    THINKING = "thinking"
    YOURS = "yours"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Hint:
    """The move that an engine would play.

    Attributes:
        move: the move; "" while the engine thinks.
        failed: why there is no move; "" if there is one.
    """

    move: str = ""
    failed: str = ""


@dataclass(slots=True)
class CasualGame:
    """One game. A take-back begins a new job at an earlier position, with the moves before it as an opening.

    Attributes:
        id: names it in addresses; nobody can guess it.
        order: its rules, players, time control and opening.
        job: the id of its job at the referee; "" if none is running.
        played: the plies before the current job.
        plies: the plies of the current job.
        clocks_ms: what is left on each clock.
        said: the last ``info`` line of each seat.
        hint: the last hint; None without one for this position.
        finished: the result of the last job; None before its end.
        ended: why the game ended without a result; "" if it is running or has a result.
        touched: when something last happened in it, in seconds of the monotonic clock.
        stored: the number of the game in the database; None if it is not stored.
    """

    id: str
    order: Order
    job: str = ""
    played: list[Ply] = field(default_factory=list)
    plies: list[Ply] = field(default_factory=list)
    clocks_ms: tuple[int, ...] = ()
    said: list[str] = field(default_factory=list)
    hint: Hint | None = None
    finished: JobFinished | None = None
    ended: str = ""
    touched: float = 0.0
    stored: int | None = None
    follower: Follower = field(init=False)
    began: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.follower = self.order.start()
        self.touch()

    def touch(self) -> None:
        """Note that something has happened."""
        self.touched = time.monotonic()

    @property
    def status(self) -> Status:
        """What the game waits for."""
        if not self.job:
            return Status.OVER
        if not self.began:
            return Status.STARTING
        return Status.YOURS if self.turn in self.order.people else Status.THINKING

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.follower.position.turn

    @property
    def texts(self) -> list[str]:
        """The texts of all plies."""
        return [ply.text for ply in (*self.played, *self.plies)]

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return sum(not ply.is_removal for ply in (*self.played, *self.plies))

    # --- what the referee tells

    def begin(self, job: str) -> None:
        """A job continues the game after `played`."""
        self.job, self.began, self.finished, self.ended, self.stored = job, False, None, "", None
        self.said = [""] * len(self.order.seats)
        self.touch()

    def on_turn(self, running: RunningGame, said: Sequence[str]) -> None:
        """The game has begun, or plies were played."""
        self.began = True
        self.clocks_ms = running.clocks_ms
        self._add(running.plies)
        self.said = [new or old for new, old in zip(said, self.said, strict=True)]
        self.touch()

    def on_finished(self, finished: JobFinished) -> None:
        """The job has ended."""
        self._add(finished.record[len(self.plies) :])
        self.job, self.finished = "", finished
        if finished.void is not None:
            self.ended = self.ended or finished.detail
        self.touch()

    def _add(self, plies: Sequence[Ply]) -> None:
        for ply in plies:
            self.follower.follow(ply.text)
            self.plies.append(ply)
            self.hint = None

    def end(self, why: str) -> None:
        """The game ends without a result."""
        self.job, self.ended = "", why

    # --- what people want

    def checked_move(self, text: str, ply: int) -> str:
        """Return the text of a person's move for the referee.

        Args:
            text: any legal text, or ``resign``.
            ply: the number of moves that the person saw.

        Raises:
            Unplayable: it is not the person's turn, or the move is not legal.
        """
        if self.status is not Status.YOURS:
            raise Unplayable("it is not your turn")
        if ply != self.ply:
            raise Unplayable("the position has changed meanwhile")
        if text == RESIGN:
            return text
        try:
            return str(self.follower.position.parse_move(text))
        except MoveError as error:
            raise Unplayable(str(error)) from None

    def take_back(self) -> None:
        """Go back to the position before the last move of a person. The next job continues there.

        Raises:
            Unplayable: no person has moved, or a player was removed.
        """
        plies = [*self.played, *self.plies]
        if any(ply.is_removal for ply in plies):
            raise Unplayable("a player was removed, so nothing can be taken back")
        own = [index for index, ply in enumerate(plies) if ply.seat in self.order.people]
        if not own:
            raise Unplayable("you have not moved yet")
        self.played, self.plies, self.hint = plies[: own[-1]], [], None
        self.follower = self.order.start()
        for ply in self.played:
            self.follower.follow(ply.text)

    def record(self) -> GameRecord:
        """Return the record of the game as its referee reported it.

        Raises:
            Unplayable: the game has no result.
        """
        if self.finished is None or self.finished.void is not None:
            raise Unplayable("a game without a result has no record")
        job = self.order.job(self.finished.id, tuple(ply.text for ply in self.played))
        versions = [entry.version for entry in self.order.entries()]
        return game_record(job, self.finished, tournament=CASUAL, versions=versions)
