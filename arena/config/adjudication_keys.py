"""The keys of ``[adjudication]`` in a tournament file."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from arena.config.key import Between, Key, KeyTable, OrOff
from arena.config.key_types import COUNT, WHOLE_SECONDS
from referee.game import GameInfo
from referee.match.adjudication import (
    MAX_REPETITION,
    MAX_SCORE,
    Adjudication,
    AtLimit,
    DrawRule,
    ResignRule,
)

__all__ = ["AdjudicationSpec", "DrawKeys", "ResignKeys"]

_RESIGN: Final = ResignRule(score=1)
_DRAW: Final = DrawRule(score=0)
_USUAL: Final = Adjudication()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResignKeys(KeyTable):
    """``[adjudication.resign]``."""

    score: Annotated[
        int,
        Between(1, MAX_SCORE, "centipawns"),
        Key("The losing engine must report that it is behind by at least this much."),
    ]
    moves: Annotated[int, COUNT, Key("How many moves of each engine in a row need such reports.")] = (
        _RESIGN.moves
    )
    sides: Annotated[
        Literal["both", "one"],
        Key(
            '`"both"`: the winning engine must report that it is ahead by at least `score`. `"one"`: it must'
            " only report that it is ahead."
        ),
    ] = "both" if _RESIGN.both else "one"

    @property
    def rule(self) -> ResignRule:
        """The rule that the referee applies."""
        return ResignRule(self.score, self.moves, self.sides == "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawKeys(KeyTable):
    """``[adjudication.draw]``."""

    score: Annotated[
        int, Between(0, MAX_SCORE, "centipawns"), Key("The reports may differ from 0 by at most this much.")
    ]
    moves: Annotated[int, COUNT, Key("How many moves of each engine in a row need such reports.")] = (
        _DRAW.moves
    )
    after: Annotated[
        int,
        Between(0, COUNT.most),
        Key("The rule applies only after this many moves, including those of the opening."),
    ] = _DRAW.after

    @property
    def rule(self) -> DrawRule:
        """The rule that the referee applies."""
        return DrawRule(self.score, self.moves, self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicationSpec(KeyTable):
    """``[adjudication]``, for all games of the tournament. None turns a rule off.

    Attributes:
        plies, no_progress: ``game`` stands for each game's own limit. It is the default, and a file cannot
            contain it.
    """

    repetition: Annotated[
        int | None,
        OrOff(2, MAX_REPETITION),
        Key("The game is drawn when a position occurs this many times with the same player to move."),
    ] = _USUAL.repetition
    plies: Annotated[
        int | Literal["game"] | None,
        OrOff(1, COUNT.most),
        Key(
            "The game ends after this many moves, including those of the opening.",
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
    ] = _USUAL.at_limit
    no_progress: Annotated[
        int | Literal["game"] | None,
        OrOff(1, COUNT.most),
        Key(
            "The game is drawn after this many moves in a row without progress, in games that count them: in"
            " chess, moves of both players without a capture or a pawn's move.",
            default="the game's own limit, 100 in chess",
            elsewhere=("fifty_moves",),
        ),
    ] = "game"
    max_time: Annotated[
        int | None,
        OrOff(1, WHOLE_SECONDS.most, "seconds"),
        Key("The game is drawn when all clocks together have used this much time.", default="off"),
    ] = _USUAL.seconds
    resign: Annotated[
        ResignKeys | None, Key("When a game is lost by the scores that the engines report.", default="never")
    ] = None
    draw: Annotated[
        DrawKeys | None, Key("When a game is drawn by the scores that the engines report.", default="never")
    ] = None

    def for_game(self, info: GameInfo) -> Adjudication:
        """The adjudication of the games of one id."""
        return Adjudication(
            repetition=self.repetition,
            plies=info.ply_limit if self.plies == "game" else self.plies,
            seconds=self.max_time,
            resign=None if self.resign is None else self.resign.rule,
            draw=None if self.draw is None else self.draw.rule,
            no_progress=self._no_progress(info),
            at_limit=self.at_limit,
        )

    def _no_progress(self, info: GameInfo) -> int | None:
        return info.no_progress if self.no_progress == "game" or not info.no_progress else self.no_progress

    def text(self, infos: Iterable[GameInfo]) -> str:
        """The settings for games, as a text.

        `no_progress` is left out if it has no effect. Then the text is the same as in a tournament that began
        before this setting existed, and such a tournament can continue.
        """
        if self.no_progress is None or all(info.no_progress is None for info in infos):
            return str(self)
        limit = "the game's own" if self.no_progress == "game" else self.no_progress
        return f"{self}, no_progress {limit}"

    def __str__(self) -> str:
        plies = "the game's own" if self.plies == "game" else self.plies or "off"
        parts = [f"repetition {self.repetition or 'off'}", f"plies {plies}"]
        if self.at_limit != _USUAL.at_limit:
            parts.append(f"at_limit {self.at_limit}")
        if self.max_time is not None:
            parts.append(f"max_time {self.max_time}")
        if self.resign is not None:
            parts.append(f"resign {self.resign.score} for {self.resign.moves} moves, {self.resign.sides}")
        if self.draw is not None:
            parts.append(f"draw {self.draw.score} for {self.draw.moves} moves after {self.draw.after}")
        return ", ".join(parts)
