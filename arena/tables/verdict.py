"""Who won a game and why, in words: the same on terminals and on pages, while it runs and afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from arena.model import GameResult
from referee.outcome import Termination

__all__ = ["verdict", "who_won"]


def who_won(
    names: Sequence[str], ranks: Sequence[int | None], forfeits: Sequence[Termination | None] = ()
) -> str:
    """Who won a game, without the reason.

    Args:
        names: the players in seat order; they stand in the text as they are.
        ranks: one a seat, 1 = best, ties share; None in a void game.
        forfeits: why each seat was removed, None for a seat that was not; empty for an end by the rules.
    """
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
    """Who won and why, in one line; names stand in it as they are."""
    players = result.players
    who = who_won(
        [player.name for player in players],
        [player.rank for player in players],
        [player.forfeit for player in players],
    )
    known = (Termination.NORMAL, result.reason)  # the rules' reason needs no more words
    why = result.reason if result.termination in known else f"{result.reason}, {result.termination}"
    return f"{who} ({why})"
