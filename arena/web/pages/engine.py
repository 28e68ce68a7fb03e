"""The page of one engine: its ratings, its results by opponent, seat, opening and reason, its forfeits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from arena.web.links import Links
from arena.web.templating import page
from arena.web.views.engine import EngineView

__all__ = ["EngineRating", "engine_page"]


@dataclass(frozen=True, slots=True)
class EngineRating:
    """The rating of an engine in one game id.

    Attributes:
        title: the title of the game.
        scale: ``Elo``, or ``mu`` if nothing can be fitted.
        elo, error: the rating on this scale and half of the 95 % interval; "" without a rated game.
        place, engines: its place among the engines of the tournament, and their number.
        history: the plot of its rating; None without a rated game.
    """

    title: str
    scale: str
    elo: str
    error: str
    place: int
    engines: int
    history: Markup | None


def engine_page(tournament: str, view: EngineView, ratings: Mapping[str, EngineRating], links: Links) -> str:
    """Return the page.

    Args:
        tournament: the tournament whose games are shown.
        view: the engine.
        ratings: its ratings by game id.
        links: the links of the page.
    """
    values = {"tournament": tournament, "view": view, "ratings": ratings, "links": links, "place": "engine"}
    return page("engine.html.j2", values)
