"""The page of a tournament: first what is on or who won, then the ranking, and the statistics at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.web.glossary import GLOSSARY
from arena.web.links import Links
from arena.web.templating import page
from arena.web.views.facts import TournamentFacts
from arena.web.views.thumbnails import Picture

__all__ = ["LiveBoard", "LiveSeat", "RunningState", "TournamentView", "tournament_page"]


@dataclass(frozen=True, slots=True)
class LiveSeat:
    """A player of a running game.

    Attributes:
        name: the engine.
        shape: the symbol of the seat and its colours, from `arena.web.views.game.SEAT_SHAPES`.
        score: what the engine said of the position; "" if nothing.
        clock: the time left; "" without a clock.
        turn: whether it is to move.
    """

    name: str
    shape: tuple[str, str]
    score: str
    clock: str
    turn: bool


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A running game.

    Attributes:
        key: identifies the game while it runs.
        link: its page; "" if it has none yet.
        seats: the players in seat order.
        picture: the board; None if it cannot be drawn.
        note: the last move and what the board does not show.
    """

    key: str
    link: str
    seats: tuple[LiveSeat, ...]
    picture: Picture | None
    note: str


@dataclass(frozen=True, slots=True)
class RunningState:
    """What a running tournament shows that is not in the database.

    Attributes:
        boards: the running games.
        remaining: an estimate of the time to the end, in words; "" if there is none.
        pairings: the next pairings, in words.
    """

    boards: tuple[LiveBoard, ...]
    remaining: str
    pairings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TournamentView:
    """A tournament.

    Attributes:
        name: its name.
        made: when the page was made, in words; "" to leave it out.
        sections: the values of each game id, from `arena.web.index_section.section_values`.
        facts: what the tournament is.
        overall: the tables of all game ids together; None if there is one.
        running: what is on now; None if nothing runs, as in every report.
    """

    name: str
    made: str
    sections: Sequence[Mapping[str, Any]]
    facts: TournamentFacts
    overall: Mapping[str, Any] | None
    running: RunningState | None = None


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
        "running": view.running,
        "words": GLOSSARY,
    }
    return page("tournament.html.j2", values)
