"""Who won a game and why, in a sentence."""

from __future__ import annotations

from arena.model import Result
from referee.outcome import Termination

__all__ = ["verdict"]


def verdict(result: Result) -> str:
    """Who won and why; names stand in it as they are."""
    first = [player.name for player in result.players if player.rank == 1]
    if result.termination is Termination.VOID:
        said = "none, the game does not count"
    elif len(first) == 1:
        said = f"{first[0]} wins"
    elif all(player.forfeit for player in result.players):
        said = "nobody wins"
    elif len(first) == len(result.players):
        said = "a draw"
    else:
        said = f"{' and '.join(first)} share first place"
    known = (Termination.NORMAL, result.reason)  # the rules' reason needs no more words
    why = result.reason if result.termination in known else f"{result.reason}, {result.termination}"
    return f"{said} ({why})"
