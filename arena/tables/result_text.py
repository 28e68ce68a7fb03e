"""Say who won a game and why, in the same words for terminals and web pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.model import GameResult
from referee import game
from referee.errors import RefereeError
from referee.game import GameInfo
from referee.match import adjudication
from referee.outcome import Termination

_FAULTS: Final[Mapping[str, str]] = {
    Termination.TIME: "runs out of time",
    Termination.ILLEGAL: "plays an illegal move",
    Termination.CRASH: "crashes",
    Termination.STALL: "does not answer",
    Termination.FLOOD: "prints too much",
    Termination.GONE: "loses the connection",
    Termination.RESIGN: "resigns",
    Termination.DISABLED: "is disabled",
}
_REASONS: Final[Mapping[str, str]] = {
    adjudication.REPETITION: "a position has occurred too often",
    adjudication.NO_PROGRESS: "too many moves without progress",
    adjudication.LENGTH: "the limit of plies is reached",
    adjudication.COUNT: "the limit of plies is reached, and the count decides",
    adjudication.SCORE: "both engines say who is losing",
    adjudication.BALANCE: "both engines say that the game is even",
}
"""What adjudication means, in words."""


def who_won(
    names: Sequence[str], ranks: Sequence[int | None], forfeits: Sequence[Termination | None] = ()
) -> str:
    """Say who won a game, without the reason and with unchanged names; a void game has a rank of None."""
    first = [name for name, rank in zip(names, ranks, strict=True) if rank == 1]
    if None in ranks:
        return "none, the game does not count"
    if forfeits and all(forfeits):
        return "nobody wins"
    if len(first) == 1:
        return f"{first[0]} wins"
    if len(first) == len(names):
        return "a draw"
    return f"{', '.join(first[:-1])} and {first[-1]} share first place"


def verdict(result: GameResult) -> str:
    """Say who won and why, and whether a bot was remote, in one line that contains the names unchanged."""
    players = result.players
    winner = who_won(
        [player.name for player in players],
        [player.rank for player in players],
        [player.forfeit for player in players],
    )
    implied = (Termination.NORMAL, result.reason)  # then the reason alone explains the end
    why = result.reason if result.termination in implied else f"{result.reason}, {result.termination}"
    return f"{winner} ({why}, remote)" if result.remote else f"{winner} ({why})"


def how_it_ended(
    info: GameInfo,
    reason: str,
    ranks: Sequence[int | None],
    forfeits: Sequence[Termination | None],
    names: Sequence[str] = (),
) -> str:
    """Say why a game ended, with these names or the names in the rules: "Blue carries the ball out"."""
    drawn = info.drawn.sides if info.drawn is not None else ()
    names = names or [*drawn] or [f"player {number}" for number in range(1, len(ranks) + 1)]
    first = [name for name, rank in zip(names, ranks, strict=True) if rank == 1]
    lost = [f"{name} {_FAULTS[why]}" for name, why in zip(names, forfeits, strict=True) if why == reason]
    if lost:
        return ", ".join(lost)
    if len(first) == 1 and reason in info.endings:
        return f"{first[0]} {info.endings[reason]}"
    return _REASONS.get(reason, reason.replace("-", " "))


def sentence(result: GameResult) -> str:
    """Say who won and why in a sentence, such as "lea beats emil: reaches the goal"."""
    names = result.names
    ranks = [player.rank for player in result.players]
    forfeits = [player.forfeit for player in result.players]
    who = who_won(names, ranks, forfeits)
    try:
        why = how_it_ended(game(result.game).info, result.reason, ranks, forfeits, names)
    except RefereeError:  # the rules are not installed here
        why = result.reason
    if ranks.count(1) == 1 and not all(forfeits):
        winner = names[ranks.index(1)]
        why = why.removeprefix(f"{winner} ")
        if len(names) == 2:
            who = f"{winner} beats {names[ranks.index(2)]}"
    elif who == "a draw":
        who = f"{', '.join(names[:-1])} and {names[-1]} draw"
    return f"{who}: {why}"
