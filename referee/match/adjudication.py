"""Adjudication: ends that no rule sheet knows, and that every tournament may set.

`Adjudication` holds the settings, the two trackers see one game go by. They only count and compare: what that
means for the game is the arbiter's to say, by the words `REPETITION`, `LENGTH`, `DURATION`, `SCORE` and
`BALANCE`.

Scores are what engines report, so they decide nothing unless both engines report one with every move that
counts, and agree about who is ahead; the reports go into the result's sentence.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

from protocol.wire.codec import parse_info
from referee.game import GameInfo

__all__ = [
    "BALANCE",
    "DURATION",
    "LENGTH",
    "REPETITION",
    "SCORE",
    "Adjudication",
    "DrawRule",
    "RepetitionTracker",
    "ResignRule",
    "ScoreTracker",
    "centipawns",
]

REPETITION = "repetition"
"""The outcome's reason when a position has come up too often."""

LENGTH = "length"
"""The outcome's reason when the ply limit is reached."""

DURATION = "duration"
"""The outcome's reason when the players together have used too much time."""

SCORE = "score"
"""The outcome's reason when the engines agree that one of them has lost."""

BALANCE = "balance"
"""The outcome's reason when the engines agree that nobody is ahead."""

_MATE = 1_000_000
"""What a mate in no moves counts in centipawns: more than any evaluation."""


@dataclass(frozen=True, slots=True)
class ResignRule:
    """When a game counts as lost by what the engines report.

    Attributes:
        score: centipawns that the loser must be behind by its own report.
        moves: its own moves in a row with such a report.
        both: whether the other engine must report as much for itself, and not only that it is ahead.

    Raises:
        ValueError: a score or a number of moves below 1.
    """

    score: int
    moves: int = 4
    both: bool = True

    def __post_init__(self) -> None:
        if min(self.score, self.moves) < 1:
            raise ValueError("resignation takes a score and a number of moves of at least 1")


@dataclass(frozen=True, slots=True)
class DrawRule:
    """When a game counts as drawn by what the engines report.

    Attributes:
        score: centipawns that no report may be away from 0.
        moves: moves in a row of each engine with such a report.
        after: plies that must have been played, the opening's included.

    Raises:
        ValueError: a negative score or ply, or a number of moves below 1.
    """

    score: int
    moves: int = 8
    after: int = 0

    def __post_init__(self) -> None:
        if min(self.score, self.after) < 0 or self.moves < 1:
            raise ValueError("a draw takes a score and plies of at least 0, and at least 1 move")


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game is ended although its rules would go on.

    Attributes:
        repetition: how often the same position, with the same seat to move, may come up until the game is
            drawn, counting the first time; None for never.
        plies: after how many plies, the opening's included, it is drawn; None for never.
        seconds: after how many seconds, on all clocks together, it is drawn; None for never.
        resign: when it is lost by the engines' reports; None for never, and never with more than two players.
        draw: when it is drawn by them; the same.

    Raises:
        ValueError: a repetition below 2, a ply limit or a time below 1.
    """

    repetition: int | None = 3
    plies: int | None = None
    seconds: int | None = None
    resign: ResignRule | None = None
    draw: DrawRule | None = None

    def __post_init__(self) -> None:
        if self.repetition is not None:
            _check_repetition(self.repetition)
        if self.plies is not None and self.plies < 1:
            raise ValueError(f"the ply limit must be at least 1, or off; not {self.plies}")
        if self.seconds is not None and self.seconds < 1:
            raise ValueError(f"the longest time must be at least 1 second, or off; not {self.seconds}")

    @classmethod
    def for_game(cls, info: GameInfo) -> Self:
        """What holds unless a tournament says otherwise: the third time, the game's own ply limit."""
        return cls(plies=info.ply_limit)


class RepetitionTracker:
    """Counts how often each position has come up.

    Feed it every position of the game, the first one too. It keeps one entry for each different key, so never
    more than there were updates.

    Raises:
        ValueError: a limit below 2.
    """

    __slots__ = ("_counts", "_limit")

    def __init__(self, limit: int) -> None:
        _check_repetition(limit)
        self._limit = limit
        self._counts: dict[Hashable, int] = {}

    def update(self, key: Hashable) -> bool:
        """Count the position with this `Position.key`; True when it has now come up ``limit`` times."""
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        return count >= self._limit

    def reset(self) -> None:
        """Forget all positions: for those that cannot come again, as when a seat was removed since."""
        self._counts.clear()


class ScoreTracker:
    """Listens to what the engines of a game for two report of it.

    Args:
        resign: when the game is lost; None for never.
        draw: when it is drawn; None for never.
    """

    __slots__ = ("_draw", "_reports", "_resign")

    def __init__(self, resign: ResignRule | None, draw: DrawRule | None) -> None:
        self._resign = resign
        self._draw = draw
        self._reports: tuple[list[int | None], list[int | None]] = ([], [])

    def update(self, seat: int, info: str) -> None:
        """Seat ``seat`` has moved, and ``info`` is the last ``info`` with a score, or ""."""
        self._reports[seat].append(centipawns(info))

    def loser(self) -> int | None:
        """The seat that has lost by both engines' reports; None while there is none."""
        rule = self._resign
        if rule is None:
            return None
        for seat in (0, 1):
            own, other = self._last(seat, rule.moves), self._last(1 - seat, rule.moves)
            if not own or not other or max(own) > -rule.score:
                continue
            if min(other) >= (rule.score if rule.both else 1):
                return seat
        return None

    def drawn(self, plies: int) -> bool:
        """Whether nobody is ahead by both engines' reports, after so many plies."""
        rule = self._draw
        if rule is None or plies < rule.after:
            return False
        reports = [self._last(seat, rule.moves) for seat in (0, 1)]
        return all(reports) and max(abs(score) for own in reports for score in own) <= rule.score

    def sentence(self) -> str:
        """What was reported at last, for people."""
        rules = [rule.moves for rule in (self._resign, self._draw) if rule is not None]
        told = []
        for seat in (0, 1):
            scores = ", ".join(f"{score:+}" for score in self._last(seat, min(rules)))
            told.append(f"player {seat + 1} reported {scores}")
        return "; ".join(told)

    def _last(self, seat: int, count: int) -> list[int]:
        """The last so many reports of a seat; none when one of them is missing."""
        last = self._reports[seat][-count:]
        known = [score for score in last if score is not None]
        return known if len(known) == count else []


def centipawns(info: str) -> int | None:
    """The score in an ``info`` text, for the engine's own side; None for none, and for ``wdl``.

    A mate counts more than any evaluation.
    """
    kind, _, number = parse_info(info).score.partition(" ")
    match kind:
        case "cp":
            return int(number)
        case "mate":
            moves = int(number)
            return _MATE - moves if moves > 0 else -_MATE - moves
    return None


def _check_repetition(limit: int) -> None:
    if limit < 2:
        raise ValueError(f"repetition must be at least 2, or off; not {limit}")
