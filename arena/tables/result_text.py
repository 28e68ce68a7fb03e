"""Say who won a game and why, in the same words for terminals and web pages."""

from __future__ import annotations

from collections.abc import Sequence

from arena.model import GameResult
from referee.outcome import Termination


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
