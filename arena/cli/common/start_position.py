"""Where ``--setup`` and ``--position`` begin."""

from __future__ import annotations

from arena.errors import ArenaError
from referee import Game, Position

__all__ = ["beginning"]


def beginning(game: Game, setup: str | None, position: str | None) -> Position:
    """Where ``--setup`` and ``--position`` begin: at most one of them is given.

    Raises:
        ArenaError: both are.
        PositionError: the game has no such set-up, or the position string is damaged.
    """
    if setup is not None and position is not None:
        raise ArenaError("--setup and --position both say where to begin; give one of them")
    return game.start(setup) if position is None else game.parse_position(position)
