"""The arbiter: judges one game by its rules, clock and adjudication.

It does no I/O and reads no clock: times are arguments. It judges a move in this order: the clock, legality,
the end by the rules, repetition, progress, the ply limit, time used, reported scores. So an engine that
exceeds its time loses even with a winning move, and adjudication never replaces a win by the rules. A legal
text is always played as a move. Only another text can mean that the engine resigns or has no move. So
``0000``, which mostly means that there is no move, is a pass in some games.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from operator import attrgetter

from protocol.hub.search import Recent
from protocol.wire.codec import CLAIM, NO_MOVE, RESIGN, format_removal, is_removal, parse_report
from protocol.wire.messages import Go
from referee.errors import MoveError
from referee.follower import Follower
from referee.game import CountingGame, Game, Position, foreign_parser, irreversibility
from referee.match.adjudication import (
    BALANCE,
    COUNT,
    LENGTH,
    NO_PROGRESS,
    REPETITION,
    SCORE,
    Adjudication,
    RepetitionTracker,
    ScoreTracker,
)
from referee.match.clock import Clock
from referee.match.forfeits import RESIGNED, SAID_NO_MOVE, Forfeit, false_claim, illegal_move, late_move
from referee.match.forgiveness import Forgiver
from referee.outcome import Outcome, Termination
from referee.ply import RANDOM, Ply, fault_text

_progress = attrgetter("plies_without_progress")
"""Returns the plies without progress of a position that is `CountsProgress`."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game ended."""

    ranks: tuple[int, ...] | None  # of each seat, as in `Outcome`; None for a void game
    termination: Termination  # why play stopped
    reason: str  # one word, as in `Outcome`
    detail: str  # a sentence for people; may be empty
    forfeits: tuple[Termination | None, ...]  # why each seat was removed


class Arbiter:
    """Judges one game. It does not talk to engines.

    The moves of the opening are played before the engines start, and count for the ply limit. The moves of
    ``foreign`` seats are parsed by `foreign_parser`. Without a ``forgiver`` every fault loses. MoveError: a
    move of the opening is not legal, or ends the game. ValueError: a count should decide a game without one.
    """

    __slots__ = (
        "_base",
        "_counting",
        "_detail",
        "_follower",
        "_foreign",
        "_forfeits",
        "_forgiver",
        "_is_irreversible",
        "_no_progress",
        "_parse_foreign",
        "_ply_limit",
        "_recent",
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
        self,
        game: Game,
        start: Position,
        opening: Sequence[str],
        clock: Clock,
        adjudication: Adjudication,
        foreign: Container[int] = (),
        forgiver: Forgiver | None = None,
    ) -> None:
        self.players = game.info.players
        self.clock = clock
        self._follower = Follower(start, self.players)
        self.line: list[str] = []  # all moves since `start`, with the opening and removals
        self._is_irreversible = irreversibility(start)
        self._foreign = foreign
        self._parse_foreign = foreign_parser(start)
        self._base: tuple[Position, int] | None = None
        self._recent: Recent | None = None
        self.record: list[Ply] = []  # since the opening
        self.verdict: Verdict | None = None
        self.plies = 0  # the moves played, with the opening's
        self.used = [0] * self.players  # nanoseconds
        self.last_fault = ("", "")  # termination and detail of the last forfeit or forgiven fault
        self._forgiver = forgiver
        self._ply_limit = adjudication.ply_limit(game.info)
        self._no_progress = game.info.no_progress
        self._counting: CountingGame | None = None
        if adjudication.at_limit == "count":
            if not isinstance(game, CountingGame):
                raise ValueError(f'{game.info.id} has no count, so at_limit must be "draw"')
            self._counting = game
        limit = adjudication.repetition
        self._repetition = None if limit is None else RepetitionTracker(limit)
        if self._repetition is not None:
            self._repetition.update(start.key())
        self._scores: ScoreTracker | None = None
        if self.players == 2 and (adjudication.resign or adjudication.draw):
            self._scores = ScoreTracker(adjudication.resign, adjudication.draw)
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

    def recent(self) -> Recent | None:
        """Return the position after the last irreversible move; None before there is one.

        Every position that can still occur again is this one, or follows from it by later moves of `line`.
        """
        if self._recent is None and self._base is not None:
            position, number = self._base
            removals = [*filter(is_removal, self.line[:number])] if self.players > 2 else ()
            self._recent = str(position), number, removals
        return self._recent

    def go(self) -> Go:
        """Return the limits to send to the seat to move."""
        return self.clock.go(self._follower.position.turn)

    def budget(self) -> int:
        """Return the most nanoseconds that the seat to move may take, with its margin."""
        return self.clock.budget(self._follower.position.turn)

    def on_move(self, text: str, started: int, ended: int, info: str) -> bool:
        """Judge the answer of the seat to move, its first word, and return whether it was played.

        ``started`` and ``ended`` are nanoseconds; ``info`` is its last one with a score, or "".
        """
        seat = self.seat
        used = ended - started
        over = self.clock.charge(seat, used)
        self.used[seat] += used
        if over:
            self._on_fault(seat, late_move(over), used, over)
            return False
        try:
            text = self._advance(text, foreign=seat in self._foreign)
        except MoveError as error:
            self._on_fault(seat, _fault_of(text, error), used)
            return False
        self.record.append(Ply(seat, text, used, *parse_report(info)))
        if self._scores is not None and self.verdict is None:
            self._adjudicate_by_scores(self._scores, seat, info)
        return True

    def on_timeout(self, fault: Forfeit) -> None:
        """Judge the seat to move after all of its time has passed without an answer."""
        seat, budget = self.seat, self.budget()
        self.used[seat] += budget
        self._on_fault(seat, fault, budget + 1, 1)

    def _on_fault(self, seat: int, fault: Forfeit, used: int, over: int = 0) -> None:
        """Forgive a fault in a search that was charged like this, play a drawn move, or remove the seat."""
        forgiver = self._forgiver
        then = "" if forgiver is None else forgiver.judge(seat, fault)
        if forgiver is None or not then:
            self.on_forfeit({seat: fault})
            return
        text = fault_text(fault.termination, fault.detail)
        if then != RANDOM:
            self.clock.reopen(seat, used, over)
            self.record.append(Ply(seat, text, used))
        else:
            if over:  # the move costs all that was left, but at least 1 ns, as 0 is no known time
                self.clock.reopen(seat, used, over)
                used = self.clock.left_ns(seat) or 1
                self.clock.charge(seat, used)
            self.record += (Ply(seat, text, 0), Ply(seat, fault_text(RANDOM, ""), 0))
            move = self._advance(forgiver.draw(self.position, self.plies))
            self.record.append(Ply(seat, move, used))
            then = f"the referee has played {move}"
            if self._scores is not None and self.verdict is None:
                self._adjudicate_by_scores(self._scores, seat, "")
        self.last_fault = (fault.termination.value, f"{fault.detail}; {then}")

    def on_forfeit(self, forfeits: dict[int, Forfeit]) -> None:
        """Remove seats that failed at the same time. If only one seat is left, it wins and the game ends."""
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

    def _advance(self, text: str, *, foreign: bool = False) -> str:
        """Play a move, and end the game by rules, repetition, progress or ply limit. Return its own text."""
        follower = self._follower
        before = follower.position
        move = self._parse_foreign(before, text) if foreign else before.parse_move(text)
        follower.play_parsed(move)
        text = str(move)
        self.line.append(text)
        self.plies += 1
        if self._is_irreversible(before, move):
            self._base, self._recent = (follower.position, len(self.line)), None
        if follower.outcome is not None:
            self._end(follower.outcome, Termination.NORMAL)
            return text
        if self._repetition is not None and self._repetition.update(follower.position.key()):
            self._end(Outcome.draw(self.players, REPETITION), Termination.ADJUDICATED)
        elif self._no_progress is not None and _progress(follower.position) >= self._no_progress:
            self._end(Outcome.draw(self.players, NO_PROGRESS), Termination.ADJUDICATED)
        elif self._ply_limit is not None and self.plies >= self._ply_limit:
            self._end(self._outcome_at_limit(), Termination.ADJUDICATED)
        return text

    def _outcome_at_limit(self) -> Outcome:
        if self._counting is None:
            return Outcome.draw(self.players, LENGTH)
        counts = self._counting.count(self.position)
        clauses = "; ".join(
            f"player {seat + 1} counts {count}" for seat, count in enumerate(counts) if self.in_play(seat)
        )
        self._detail = f"{self._detail}; {clauses}".removeprefix("; ")
        return Outcome.by_count(counts, COUNT)

    def _adjudicate_by_scores(self, scores: ScoreTracker, seat: int, info: str) -> None:
        """After a move, end the game by the reported scores."""
        scores.update(seat, info)
        loser = scores.loser()
        if loser is not None:
            self._detail = scores.sentence()
            self._end(Outcome.win(1 - loser, 2, SCORE), Termination.ADJUDICATED)
        elif scores.drawn(self.plies):
            self._detail = scores.sentence()
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


def _fault_of(text: str, error: MoveError) -> Forfeit:
    """Return the forfeit for a text that is no legal move."""
    if text == RESIGN:
        return RESIGNED
    if CLAIM.match(text):
        return false_claim(text)
    return SAID_NO_MOVE if text in NO_MOVE else illegal_move(text, error)
