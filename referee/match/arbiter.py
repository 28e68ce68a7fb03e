"""One game's state machine: rules, clock and adjudication joined; pure, time comes in as an argument.

The order in which a move is judged: the clock, whether there is a move, legality, the rules' own end,
repetition, length, time used, reported scores. So an engine that oversteps its time loses on time even with a
winning move, and a move that wins by the rules is never overtaken by an adjudication.
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
from referee.outcome import Outcome, Termination
from referee.ply import Ply

__all__ = ["Arbiter", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game ended.

    Attributes:
        ranks: one a seat, 1 = best, ties share; None for a void game.
        termination: why play stopped.
        reason: one word.
        detail: a sentence for people; may be empty.
        forfeits: why each seat was removed; None for a seat that was not.
    """

    ranks: tuple[int, ...] | None
    termination: Termination
    reason: str
    detail: str
    forfeits: tuple[Termination | None, ...]


class Arbiter:
    """Judges one game; knows no engine.

    Args:
        game: the rules.
        start: the first position.
        opening: texts of moves that are played before the engines begin; they count for the ply limit.
        clock: one for all seats, not yet running.
        adjudication: what ends a game beside the rules.

    Attributes:
        line: everything since ``start`` as an engine is told it, openings and removals included.
        record: the plies that the engines played.
        used: nanoseconds on the clock, one sum a seat.
        last_fault: result word and sentence of the last forfeit.
        verdict: None until the game has ended.

    Raises:
        MoveError: the opening is not legal, or it ends the game.
    """

    __slots__ = (
        "_adjudication",
        "_detail",
        "_follower",
        "_forfeits",
        "_repetition",
        "_scores",
        "_watches",
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
        self._watches = self._scores is not None or adjudication.seconds is not None
        self._forfeits: list[Termination | None] = [None] * self.players
        self._detail = ""
        for text in opening:
            self._advance(text)
        if self.over or self._follower.outcome is not None:
            raise MoveError("the game is over before the engines have moved")

    @property
    def over(self) -> bool:
        """Whether there is a verdict."""
        return self.verdict is not None

    @property
    def position(self) -> Position:
        """The position now, with the seat to move next (`seat`)."""
        return self._follower.position

    @property
    def seat(self) -> int:
        """The seat to move, 0-based."""
        return self._follower.position.turn

    def in_play(self, seat: int) -> bool:
        """Whether ``seat`` has not been removed."""
        return seat not in self._follower.removed

    def go(self) -> Go:
        """The limits to send to the seat to move."""
        return self.clock.go(self.seat)

    def budget(self) -> int:
        """Nanoseconds that the seat to move may take at most, its margin included."""
        return self.clock.budget(self.seat)

    def on_move(self, text: str | None, started: int, ended: int, info: str) -> None:
        """The seat to move answered ``text`` (None: it has no move), between two instants in nanoseconds."""
        seat = self.seat
        self.clock.start(seat, started)
        charge = self.clock.stop(seat, ended)
        self.used[seat] += charge.used_ns
        if charge.over_ns:
            over = f"was {charge.over_ns / 1e6:.1f} ms over its time and margin"
            self.on_forfeit({seat: (Termination.TIME, over)})
            return
        if text is None:
            self.on_forfeit({seat: (Termination.ILLEGAL, "said that it has no move")})
            return
        if text == "resign":
            self.on_forfeit({seat: (Termination.RESIGN, "resigned")})
            return
        try:
            text = self._advance(text)
        except MoveError as error:
            self.on_forfeit({seat: (Termination.ILLEGAL, f"played {text[:60]!r}: {error}")})
            return
        score, depth = parse_report(info)
        self.record.append(Ply(seat, text, charge.used_ns, score, depth))
        if self._watches and self.verdict is None:
            self._adjudicate_play(seat, info)

    def on_forfeit(self, faults: dict[int, tuple[Termination, str]]) -> None:
        """Seats misbehaved, all at the same instant: each is removed; the last one left wins."""
        self._follower.remove(*faults)
        for seat, (termination, detail) in faults.items():
            self._forfeits[seat] = termination
            self._detail = f"{self._detail}; seat {seat + 1} {detail}".removeprefix("; ")
            self.last_fault = (termination.value, detail)
            self.clock.remove(seat)
            if self.players > 2:
                text = format_removal(seat)
                self.line.append(text)
                self.record.append(Ply(seat, text, 0))
        last = next(reversed(faults.values()))[0]
        if self.players - len(self._follower.removed) <= 1:
            self._end(Outcome.draw(self.players, last.value), last)
            return
        self._follower.skip_removed()
        if self._repetition is not None:
            self._repetition.reset()
            self._repetition.update(self.position.key())

    def on_void(self, detail: str) -> None:
        """Nobody is to blame: the game does not count and is to be played again."""
        self.verdict = Verdict(None, Termination.VOID, Termination.VOID.value, detail, (None,) * self.players)

    def _advance(self, text: str) -> str:
        """Play ``text`` by the rules and look whether that ends the game; returns the move's own text."""
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

    def _adjudicate_play(self, seat: int, info: str) -> None:
        """End the game by the time that was used or by what the engines report, where that is set."""
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
        """Rank those in play by ``outcome``, and the removed below them, the later removed the better."""
        removed = self._follower.removed
        keys = [
            (1, -removed[seat]) if seat in removed else (0, outcome.ranks[seat])
            for seat in range(self.players)
        ]
        ranks = tuple(1 + sum(other < key for other in keys) for key in keys)
        self.verdict = Verdict(ranks, termination, outcome.reason, self._detail, tuple(self._forfeits))
