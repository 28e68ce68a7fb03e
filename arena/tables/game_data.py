"""A whole game as plain values."""

from __future__ import annotations

from typing import Any

from arena.model import GameRecord
from arena.records.jsonl import game_data
from arena.replay import clocks, positions
from referee import game

__all__ = ["whole_game"]


def whole_game(record: GameRecord, *, boards: bool) -> dict[str, Any]:
    """Return a game as `arena show --json` prints it, with the clock after each ply in nanoseconds.

    Args:
        record: the game.
        boards: whether to add the position string before the first move and after each move.

    Raises:
        ArenaError: the rules refuse a move.
        RefereeError: the game is not installed, or its rules refuse the start position.
    """
    data = game_data(record)
    for ply, (_, left) in zip(data["record"], clocks(record), strict=True):
        ply["clock"] = left
    if boards:
        data["positions"] = list(map(str, positions(game(record.result.game), record)))
    return data
