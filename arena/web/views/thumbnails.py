"""A small board for a game: the start position, or any other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from arena.web.boards import Drawing, draw
from arena.web.views.results import RecentGames
from referee import game
from referee.errors import RefereeError

__all__ = ["Picture", "as_picture", "picture"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A board for a template.

    Attributes:
        look: the class that gives the board its colours.
        box: the attribute ``viewBox``.
        markup: the elements.
    """

    look: str
    box: str
    markup: Markup


def as_picture(drawing: Drawing) -> Picture:
    """Convert a drawing."""
    return Picture(
        drawing.look,
        " ".join(map(str, drawing.box)),
        Markup(drawing.ground + "".join(drawing.items)),  # noqa: S704 - `draw` escapes it
    )


def picture(game_id: str, recent: RecentGames | None = None) -> Picture | None:
    """Return the last position of the newest game, or the start position; None without the game's rules."""
    newest = None if recent is None else recent.positions.get(game_id)
    return _picture(game_id, *(newest or (None, None)))


@lru_cache(maxsize=32)
def _picture(game_id: str, text: str | None, move: str | None) -> Picture | None:
    try:
        rules = game(game_id)
        position = rules.start() if text is None else rules.parse_position(text)
    except RefereeError:
        return None
    return as_picture(draw(game_id, position, move))
