"""The start position that ``--setup`` or ``--position`` names."""

from __future__ import annotations

from arena.errors import ArenaError
from referee import Game, Position

__all__ = ["start_position"]


def start_position(game: Game, setup: str | None, position: str | None) -> Position:
    """Return the position that ``--setup`` or ``--position`` names, or the usual start of the game.

    Raises:
        ArenaError: both options are given.
        PositionError: the game has no such set-up, or the position string is damaged.
    """
    if setup is not None and position is not None:
        raise ArenaError("--setup and --position both name a start position; give only one of them")
    return game.start(setup) if position is None else game.parse_position(position)
