"""The picture of a game's last position, which other programs show beside a link to a page."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from arena.model import GameRecord
from arena.web.boards import draw, has_board
from arena.web.boards.picture import picture
from referee import RefereeError, game

__all__ = ["preview"]

_KEPT: Final = 64
"""The most pictures in memory: some 3 MB."""


def preview(record: GameRecord) -> bytes | None:
    """Return the last position as PNG; None if the game has no drawing of its own, or its rules are gone."""
    played = [ply.text for ply in record.record if not ply.is_removal]
    return _drawn(record.result.game, record.final_position, played[-1] if played else None)


@lru_cache(_KEPT)
def _drawn(game_id: str, position: str, move: str | None) -> bytes | None:
    if not has_board(game_id):
        return None
    try:
        return picture(draw(game_id, game(game_id).parse_position(position), move))
    except RefereeError:
        return None
