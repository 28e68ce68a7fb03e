"""Adjudication: ends a game that the rules have not ended, by settings of the tournament.

`Adjudication` holds the settings. `RepetitionTracker` and `ScoreTracker` follow one game; they only count and
compare. The arbiter ends the game, with one of the reasons `REPETITION`, `NO_PROGRESS`, `LENGTH`, `COUNT`,
`SCORE` and `BALANCE`.

Scores are reports of the engines. They end a game only if both engines report a score with every move that
counts, and agree about who is ahead. The result quotes these reports.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from protocol.keys import NUMBER, Between, Key, KeyTable, OrOff
from protocol.wire.codec import parse_info
from referee.game import GameInfo

# The reasons of outcomes:
REPETITION = "repetition"  # a position has occurred too often
NO_PROGRESS = "no-progress"  # too many moves in a row have made no progress
LENGTH = "length"  # the ply limit is reached
COUNT = "count"  # the ply limit is reached, and the game's own count decides
SCORE = "score"  # the engines agree that one of them has lost
BALANCE = "balance"  # the engines agree that the game is even

MAX_SCORE = 1_000_000
"""The score of a mate in 0 moves in centipawns: more than any evaluation."""

AtLimit: TypeAlias = Literal["draw", "count"]
"""The result at the ply limit: a draw, or the result of the game's count (see `CountingGame`)."""


@dataclass(frozen=True, slots=True)
class ResignRule(KeyTable):
    """When a game is lost by the engines' reported scores."""

    score: Annotated[
        int,
        Between(1, MAX_SCORE, "centipawns"),
        Key("The losing engine must report that it is behind by at least this much."),
    ]
    moves: Annotated[int, NUMBER, Key("How many moves of each engine in a row need such reports.")] = 4
    sides: Annotated[
        Literal["both", "one"],
        Key(
            '`"both"`: the winning engine must report that it is ahead by at least `score`. `"one"`: it must'
            " only report that it is ahead."
        ),
    ] = "both"

    def __post_init__(self) -> None:
        self.check_bounds("resign.")


@dataclass(frozen=True, slots=True)
class DrawRule(KeyTable):
    """When a game is drawn by the engines' reported scores."""

    score: Annotated[
        int, Between(0, MAX_SCORE, "centipawns"), Key("The reports may differ from 0 by at most this much.")
    ]
    moves: Annotated[int, NUMBER, Key("How many moves of each engine in a row need such reports.")] = 8
    after: Annotated[
        int,
        Between(0, NUMBER.most),
        Key("The rule applies only after this many moves, including opening moves."),
    ] = 0

    def __post_init__(self) -> None:
        self.check_bounds("draw.")


@dataclass(frozen=True, slots=True)
class Adjudication(KeyTable):
    """When the referee ends a game that the rules have not ended; None means never.

    ``game`` stands for each game's own limit; a file cannot contain it. ``resign`` and ``draw`` are ignored
    with more than two players.
    """

    repetition: Annotated[
        int | None,
        OrOff(2, 1000),
        Key("The game is drawn when a position occurs this many times with the same player to move."),
    ] = 3
    plies: Annotated[
        int | Literal["game"] | None,
        OrOff(1, NUMBER.most),
        Key(
            "The game ends after this many moves, including opening moves.",
            default="the game's own limit",
            elsewhere=("maxmoves",),
        ),
    ] = "game"
    at_limit: Annotated[
        AtLimit,
        Key(
            'How the game ends after that many moves. `"draw"`: it is drawn. `"count"`: the game\'s own count'
            " decides, see [below](#the-count-at-the-limit)."
        ),
    ] = "draw"
    resign: Annotated[
        ResignRule | None, Key("When a game is lost by the scores that the engines report.", default="never")
    ] = None
    draw: Annotated[
        DrawRule | None, Key("When a game is drawn by the scores that the engines report.", default="never")
    ] = None

    def __post_init__(self) -> None:
        self.check_bounds("adjudication.")

    def ply_limit(self, info: GameInfo) -> int | None:
        """The number of plies after which a game ends; None for no limit."""
        return info.ply_limit if self.plies == "game" else self.plies

    def __str__(self) -> str:
        plies = "the game's own" if self.plies == "game" else self.plies or "off"
        parts = [f"repetition {self.repetition or 'off'}", f"plies {plies}"]
        if self.at_limit != "draw":
            parts.append(f"at_limit {self.at_limit}")
        if self.resign is not None:
            parts.append(f"resign {self.resign.score} for {self.resign.moves} moves, {self.resign.sides}")
        if self.draw is not None:
            parts.append(f"draw {self.draw.score} for {self.draw.moves} moves after {self.draw.after}")
        return ", ".join(parts)


USUAL: Final = Adjudication()
"""The third repetition, and each game's own limits."""


class RepetitionTracker:
    """Counts how often each position has occurred, including the first one; ``limit`` times end the game."""

    __slots__ = ("_counts", "_limit")

    def __init__(self, limit: int) -> None:
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
    """Collects the scores that the engines of a two-player game report."""

    __slots__ = ("_draw", "_reports", "_resign")

    def __init__(self, resign: ResignRule | None, draw: DrawRule | None) -> None:
        self._resign = resign
        self._draw = draw
        self._reports: tuple[list[int | None], list[int | None]] = ([], [])

    def update(self, seat: int, info: str) -> None:
        """Add the report of a move: the last ``info`` with a score of the seat that moved, or ""."""
        self._reports[seat].append(centipawns(info))

    def loser(self) -> int | None:
        """Return the seat that has lost by both engines' reports; None if there is none."""
        rule = self._resign
        if rule is None:
            return None
        for seat in (0, 1):
            losing, winning = self._last(seat, rule.moves), self._last(1 - seat, rule.moves)
            if not losing or not winning or max(losing) > -rule.score:
                continue
            if min(winning) >= (rule.score if rule.sides == "both" else 1):
                return seat
        return None

    def drawn(self, plies: int) -> bool:
        """Return whether the game is drawn by both engines' reports, after this number of plies."""
        rule = self._draw
        if rule is None or plies < rule.after:
            return False
        reports = [self._last(seat, rule.moves) for seat in (0, 1)]
        return all(reports) and max(abs(score) for scores in reports for score in scores) <= rule.score

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
