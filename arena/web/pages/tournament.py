"""The page of a tournament: first the running games or the winners, then the ranking and the statistics.

On a server a script shows the running games and keeps the page up to date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.web.glossary import GLOSSARY
from arena.web.links import Links
from arena.web.templating import page
from arena.web.views.facts import TournamentFacts
from arena.web.views.game import SEAT_SHAPES

__all__ = ["TournamentView", "tournament_page"]


@dataclass(frozen=True, slots=True)
class TournamentView:
    """A tournament.

    Attributes:
        name: its name.
        made: when the page was made, in words; "" to leave it out.
        sections: the values of each game id, from `arena.web.index_section.section_values`.
        facts: what the tournament is.
        overall: the tables of all game ids together; None if there is one.
        events: on a server, the address of the events that keep the page up to date; "" in a report.
        door: the address at which engines are handed in; "" without a door.
        computing: whether the server is still computing the tables; this takes long for many games.
    """

    name: str
    made: str
    sections: Sequence[Mapping[str, Any]]
    facts: TournamentFacts
    overall: Mapping[str, Any] | None
    events: str = ""
    door: str = ""
    computing: bool = False


def tournament_page(view: TournamentView, links: Links) -> str:
    """Return the page."""
    values = {
        "links": links,
        "place": "tournament",
        "tournament": view.name,
        "made": view.made,
        "sections": view.sections,
        "facts": view.facts,
        "overall": view.overall,
        "events": view.events,
        "door": view.door,
        "computing": view.computing,
        "shapes": SEAT_SHAPES,
        "words": GLOSSARY,
    }
    return page("tournament.html.j2", values)
