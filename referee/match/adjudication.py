"""Adjudication: ends a game that the rules have not ended, by settings of the tournament.

`Adjudication` holds the settings. `RepetitionTracker` and `ScoreTracker` follow one game; they only count and
compare. The arbiter ends the game, with one of the reasons `REPETITION`, `NO_PROGRESS`, `LENGTH`, `COUNT`,
`DURATION`, `SCORE` and `BALANCE`.

Scores are reports of the engines. They end a game only if both engines report a score with every move that
counts, and agree about who is ahead. The result quotes these reports.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

from protocol.spec import MAX_SECONDS
from protocol.wire.codec import parse_info
from referee.game import GameInfo

REPETITION = "repetition"
"""The outcome's reason when a position has occurred too often."""

NO_PROGRESS = "no-progress"
"""The outcome's reason when too many moves in a row have made no progress."""

LENGTH = "length"
"""The outcome's reason when the ply limit is reached."""

COUNT = "count"
"""The outcome's reason when the ply limit is reached, and the game's own count decides."""

DURATION = "duration"
"""The outcome's reason when all players together have used too much time."""

SCORE = "score"
"""The outcome's reason when the engines agree that one of them has lost."""

BALANCE = "balance"
"""The outcome's reason when the engines agree that the game is even."""

MAX_SCORE = 1_000_000
"""The score of a mate in 0 moves in centipawns: more than any evaluation."""

MAX_MOVES = 1_000_000
"""The most moves or plies that a setting may count."""

MAX_REPETITION = 1000

AtLimit: TypeAlias = Literal["draw", "count"]
"""The result at the ply limit: a draw, or the result of the game's count (see `CountingGame`)."""


@dataclass(frozen=True, slots=True)
class ResignRule:
    """When a game is lost by the engines' reported scores.

    Attributes:
        score: how many centipawns the loser must be behind, by its own reports.
        moves: how many of its own moves in a row must have such a report.
        both: True if the other engine must report as much for itself; False if it need only be ahead.

    Raises:
        ValueError: a score or a number of moves is below 1, or more than `MAX_SCORE` or `MAX_MOVES`.
    """

    score: int
    moves: int = 4
    both: bool = True

    def __post_init__(self) -> None:
        if min(self.score, self.moves) < 1:
            raise ValueError("a resign rule needs a score and a number of moves of at least 1")
        _check_most("the score to resign", self.score, MAX_SCORE)
        _check_most("the moves to resign", self.moves, MAX_MOVES)


@dataclass(frozen=True, slots=True)
class DrawRule:
    """When a game is drawn by the engines' reported scores.

    Attributes:
        score: how many centipawns a report may differ from 0.
        moves: how many moves in a row of each engine must have such a report.
        after: how many plies must have been played, including the opening's.

    Raises:
        ValueError: a score or a ply is negative, a number of moves is below 1, or one of them is more than
            `MAX_SCORE` or `MAX_MOVES`.
    """

    score: int
    moves: int = 8
    after: int = 0

    def __post_init__(self) -> None:
        if min(self.score, self.after) < 0 or self.moves < 1:
            raise ValueError("a draw rule needs a score and a ply of at least 0, and at least 1 move")
        _check_most("the score of a draw", self.score, MAX_SCORE)
        _check_most("the moves of a draw", self.moves, MAX_MOVES)
        _check_most("the plies before a draw", self.after, MAX_MOVES)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When the referee ends a game that the rules have not ended. None means never.

    Attributes:
        repetition: the game is drawn when the same position occurs this many times with the same seat to
            move.
        plies: the game ends after this number of plies, including the opening's.
        seconds: the game is drawn after this number of seconds on all clocks together.
        resign: when the game is lost by reported scores. Ignored with more than two players.
        draw: when the game is drawn by reported scores. Ignored with more than two players.
        no_progress: the game is drawn after this number of plies in a row without progress. Only for games
            whose positions are `CountsProgress`.
        at_limit: how the game ends after ``plies``.

    Raises:
        ValueError: the repetition is below 2, a number of plies or the time is below 1, or one of them is
            more than `MAX_REPETITION`, `MAX_MOVES` or `MAX_SECONDS`.
    """

    repetition: int | None = 3
    plies: int | None = None
    seconds: int | None = None
    resign: ResignRule | None = None
    draw: DrawRule | None = None
    no_progress: int | None = None
    at_limit: AtLimit = "draw"

    def __post_init__(self) -> None:
        if self.repetition is not None:
            _check_repetition(self.repetition)
        if self.plies is not None and self.plies < 1:
            raise ValueError(f"the ply limit must be at least 1, or off; not {self.plies}")
        if self.seconds is not None and self.seconds < 1:
            raise ValueError(f"the longest time must be at least 1 second, or off; not {self.seconds}")
        if self.no_progress is not None and self.no_progress < 1:
            raise ValueError(f"the moves without progress must be at least 1, or off; not {self.no_progress}")
        _check_most("the moves without progress", self.no_progress, MAX_MOVES)
        _check_most("repetition", self.repetition, MAX_REPETITION)
        _check_most("the ply limit", self.plies, MAX_MOVES)
        _check_most("the longest time", self.seconds, MAX_SECONDS)

    @classmethod
    def for_game(cls, info: GameInfo) -> Self:
        """Return the default settings: the third repetition, and the game's own limits."""
        return cls(plies=info.ply_limit, no_progress=info.no_progress)


class RepetitionTracker:
    """Counts how often each position has occurred.

    Call `update` with every position of the game, including the first one. The tracker keeps one entry for
    each distinct key.

    Args:
        limit: how often a position must occur to end the game.

    Raises:
        ValueError: the limit is below 2.
    """

    __slots__ = ("_counts", "_limit")

    def __init__(self, limit: int) -> None:
        _check_repetition(limit)
        self._limit = limit
        self._counts: dict[Hashable, int] = {}

    def update(self, key: Hashable) -> bool:
        """Count the position with this `Position.key`. Return True if it has now occurred ``limit`` times."""
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        return count >= self._limit

    def reset(self) -> None:
        """Forget all positions. Call this when none of them can occur again, as after a removal."""
        self._counts.clear()


class ScoreTracker:
    """Collects the scores that the engines of a two-player game report.

    Args:
        resign: when the game is lost; None for never.
        draw: when the game is drawn; None for never.
    """

    __slots__ = ("_draw", "_reports", "_resign")

    def __init__(self, resign: ResignRule | None, draw: DrawRule | None) -> None:
        self._resign = resign
        self._draw = draw
        self._reports: tuple[list[int | None], list[int | None]] = ([], [])

    def update(self, seat: int, info: str) -> None:
        """Add the report of a move.

        Args:
            seat: the seat that moved.
            info: its last ``info`` with a score, or "".
        """
        self._reports[seat].append(centipawns(info))

    def loser(self) -> int | None:
        """Return the seat that has lost by both engines' reports; None if there is none."""
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
        """Return whether the game is drawn by both engines' reports, after this number of plies."""
        rule = self._draw
        if rule is None or plies < rule.after:
            return False
        reports = [self._last(seat, rule.moves) for seat in (0, 1)]
        return all(reports) and max(abs(score) for own in reports for score in own) <= rule.score

    def sentence(self) -> str:
        """Return the last reports of both engines, for people."""
        move_counts = [rule.moves for rule in (self._resign, self._draw) if rule is not None]
        clauses = []
        for seat in (0, 1):
            scores = ", ".join(f"{score:+}" for score in self._last(seat, min(move_counts)))
            clauses.append(f"player {seat + 1} reported {scores}")
        return "; ".join(clauses)

    def _last(self, seat: int, count: int) -> list[int]:
        """Return the last ``count`` scores of a seat; an empty list if one of them is missing."""
        last = self._reports[seat][-count:]
        scores = [score for score in last if score is not None]
        return scores if len(scores) == count else []


def centipawns(info: str) -> int | None:
    """Return the score of an ``info`` text, from the engine's own point of view.

    A mate has a larger score than any evaluation. The result is None if the text has no score, or a score of
    the kind ``wdl``.
    """
    kind, _, number = parse_info(info).score.partition(" ")
    match kind:
        case "cp":
            return int(number)
        case "mate":
            moves = int(number)
            return MAX_SCORE - moves if moves > 0 else -MAX_SCORE - moves
    return None


def _check_most(setting: str, value: int | None, most: int) -> None:
    if value is not None and value > most:
        raise ValueError(f"{setting} must be at most {most}, not {value}")


def _check_repetition(limit: int) -> None:
    if limit < 2:
        raise ValueError(f"repetition must be at least 2, or off; not {limit}")
