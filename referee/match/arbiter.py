"""The arbiter: judges one game by its rules, clock and adjudication.

It does no I/O and reads no clock: times are arguments. It judges a move in this order: the clock, whether
there is a move, legality, the end by the rules, repetition, length, time used, reported scores. So an engine
that exceeds its time loses even with a winning move, and adjudication never replaces a win by the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.wire.codec import format_removal, parse_report
from protocol.wire.messages import Go
from referee.errors import MoveError
from referee.follower import Follower
from referee.game import Game, Position
from referee.match.adjudication import (
    BALANCE,
    DURATION,
    LENGTH,
    REPETITION,
    SCORE,
    Adjudication,
    RepetitionTracker,
    ScoreTracker,
)
from referee.match.clock import Clock
from referee.match.forfeits import NO_MOVE, RESIGNED, Forfeit, illegal_move, late_move
from referee.outcome import Outcome, Termination
from referee.ply import Ply

__all__ = ["Arbiter", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game ended.

    Attributes:
        ranks: the rank of each seat, as in `Outcome`; None for a void game.
        termination: why play stopped.
        reason: one word, as in `Outcome`.
        detail: a sentence for people; may be empty.
        forfeits: why each seat was removed; None for a seat that was not removed.
    """

    ranks: tuple[int, ...] | None
    termination: Termination
    reason: str
    detail: str
    forfeits: tuple[Termination | None, ...]


class Arbiter:
    """Judges one game. It does not talk to engines.

    Args:
        game: the rules.
        start: the first position.
        opening: the texts of moves that are played before the engines begin. They count for the ply limit.
        clock: the clock of all seats, not yet running.
        adjudication: when the referee ends a game that the rules have not ended.

    Attributes:
        players: the number of seats.
        clock: the clock of all seats.
        line: all moves since ``start`` as the engines get them, with the opening and removals.
        record: the plies since the opening.
        plies: the number of moves played, including the opening's.
        used: the nanoseconds that each seat has used.
        last_fault: the termination and the detail of the last forfeit.
        verdict: the end of the game; None until it has ended.

    Raises:
        MoveError: the opening is not legal, or it ends the game.
    """

    __slots__ = (
        "_adjudicates_moves",
        "_adjudication",
        "_detail",
        "_follower",
        "_forfeits",
        "_repetition",
        "_scores",
        "clock",
        "last_fault",
        "line",
        "players",
        "plies",
        "record",
        "used",
        "verdict",
    )

    def __init__(
        self, game: Game, start: Position, opening: Sequence[str], clock: Clock, adjudication: Adjudication
    ) -> None:
        self.players = game.info.players
        self.clock = clock
        self._follower = Follower(start, self.players)
        self.line: list[str] = []
        self.record: list[Ply] = []
        self.verdict: Verdict | None = None
        self.plies = 0
        self.used = [0] * self.players
        self.last_fault = ("", "")
        self._adjudication = adjudication
        limit = adjudication.repetition
        self._repetition = None if limit is None else RepetitionTracker(limit)
        if self._repetition is not None:
            self._repetition.update(start.key())
        self._scores: ScoreTracker | None = None
        if self.players == 2 and (adjudication.resign or adjudication.draw):
            self._scores = ScoreTracker(adjudication.resign, adjudication.draw)
        self._adjudicates_moves = self._scores is not None or adjudication.seconds is not None
        self._forfeits: list[Termination | None] = [None] * self.players
        self._detail = ""
        for text in opening:
            self._advance(text)
        if self.over or self._follower.outcome is not None:
            raise MoveError("the game is over before the engines have moved")

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.verdict is not None

    @property
    def position(self) -> Position:
        """The current position."""
        return self._follower.position

    @property
    def seat(self) -> int:
        """The seat to move, 0-based."""
        return self._follower.position.turn

    def in_play(self, seat: int) -> bool:
        """Return whether ``seat`` is still in the game, and not removed."""
        return seat not in self._follower.removed

    def go(self) -> Go:
        """Return the limits to send to the seat to move."""
        return self.clock.go(self.seat)

    def budget(self) -> int:
        """Return the most nanoseconds that the seat to move may take, with its margin."""
        return self.clock.budget(self.seat)

    def on_move(self, text: str | None, started: int, ended: int, info: str) -> None:
        """Judge the answer of the seat to move.

        Args:
            text: the answer; None if the engine answered that it has no move.
            started: when its clock started, in nanoseconds.
            ended: when its answer came, in nanoseconds.
            info: its last ``info`` with a score, or "".
        """
        seat = self.seat
        self.clock.start(seat, started)
        charge = self.clock.stop(seat, ended)
        self.used[seat] += charge.used_ns
        if charge.over_ns:
            self.on_forfeit({seat: late_move(charge.over_ns)})
            return
        if text is None:
            self.on_forfeit({seat: NO_MOVE})
            return
        if text == "resign":
            self.on_forfeit({seat: RESIGNED})
            return
        try:
            text = self._advance(text)
        except MoveError as error:
            self.on_forfeit({seat: illegal_move(text, error)})
            return
        score, depth = parse_report(info)
        self.record.append(Ply(seat, text, charge.used_ns, score, depth))
        if self._adjudicates_moves and self.verdict is None:
            self._adjudicate_move(seat, info)

    def on_forfeit(self, forfeits: dict[int, Forfeit]) -> None:
        """Remove seats that failed at the same time. If only one seat is left, it wins and the game ends.

        Args:
            forfeits: by seat.
        """
        self._follower.remove(*forfeits)
        for seat, (termination, detail) in forfeits.items():
            self._forfeits[seat] = termination
            self._detail = f"{self._detail}; seat {seat + 1} {detail}".removeprefix("; ")
            self.last_fault = (termination.value, detail)
            self.clock.remove(seat)
            if self.players > 2:
                text = format_removal(seat)
                self.line.append(text)
                self.record.append(Ply(seat, text, 0))
        last = next(reversed(forfeits.values())).termination
        if self.players - len(self._follower.removed) <= 1:
            self._end(Outcome.draw(self.players, last.value), last)
            return
        self._follower.skip_removed()
        if self._repetition is not None:
            self._repetition.reset()
            self._repetition.update(self.position.key())

    def on_void(self, detail: str) -> None:
        """End the game as void: no engine is to blame, and the game is played again."""
        self.verdict = Verdict(None, Termination.VOID, Termination.VOID.value, detail, (None,) * self.players)

    def _advance(self, text: str) -> str:
        """Play a move, and end the game by the rules, repetition or length. Return the canonical text."""
        follower = self._follower
        text = follower.play(text)
        self.line.append(text)
        self.plies += 1
        if follower.outcome is not None:
            self._end(follower.outcome, Termination.NORMAL)
            return text
        if self._repetition is not None and self._repetition.update(follower.position.key()):
            self._end(Outcome.draw(self.players, REPETITION), Termination.ADJUDICATED)
        elif self._adjudication.plies is not None and self.plies >= self._adjudication.plies:
            self._end(Outcome.draw(self.players, LENGTH), Termination.ADJUDICATED)
        return text

    def _adjudicate_move(self, seat: int, info: str) -> None:
        """After a move, end the game by the time used or by reported scores, if these are set."""
        seconds = self._adjudication.seconds
        if seconds is not None and sum(self.used) >= seconds * 1_000_000_000:
            self._end(Outcome.draw(self.players, DURATION), Termination.ADJUDICATED)
            return
        if self._scores is None:
            return
        self._scores.update(seat, info)
        loser = self._scores.loser()
        if loser is not None:
            self._detail = self._scores.sentence()
            self._end(Outcome.win(1 - loser, 2, SCORE), Termination.ADJUDICATED)
        elif self._scores.drawn(self.plies):
            self._detail = self._scores.sentence()
            self._end(Outcome.draw(2, BALANCE), Termination.ADJUDICATED)

    def _end(self, outcome: Outcome, termination: Termination) -> None:
        """Make the verdict. Removed seats rank below all others, and later removals above earlier ones."""
        removed = self._follower.removed
        keys = [
            (1, -removed[seat]) if seat in removed else (0, outcome.ranks[seat])
            for seat in range(self.players)
        ]
        ranks = tuple(1 + sum(other < key for other in keys) for key in keys)
        self.verdict = Verdict(ranks, termination, outcome.reason, self._detail, tuple(self._forfeits))
