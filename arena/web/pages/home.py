"""The first page: the newest tournament, a table of all, and their games.

On a server, it also shows the running tournaments, the ratings and the engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.web.boards import Drawing
from arena.web.links import Links
from arena.web.pages.game import SEAT_SHAPES
from arena.web.pages.tournament import TournamentView
from arena.web.templating import page
from protocol.plurals import counted

_LEADERS = 5
_MOST_TITLES = 3


@dataclass(frozen=True, slots=True)
class HomeRow:
    """A tournament on the page.

    Attributes:
        to: its page.
        name: its name.
        begun: when it began, in words.
        games: the titles of its game ids.
        count: the number of its games that count, in words.
        format: its format in words; "" if it is not known.
        engines: the number of its engines.
        state: ``live``, ``open`` or ``finished``.
        winners: the engines in the first place; empty if they are not known, or if there are several game
            ids.
    """

    to: str
    name: str
    begun: str
    games: str
    count: str
    format: str
    engines: int
    state: str
    winners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leader:
    """One of the first engines of the newest tournament; ``share`` is the length of its bar in percent."""

    place: int
    name: str
    points: str
    share: int


@dataclass(frozen=True, slots=True)
class Hero:
    """The tournament at the top of the page: its row, its first engines and its board."""

    row: HomeRow
    leaders: tuple[Leader, ...]
    picture: Drawing | None


@dataclass(frozen=True, slots=True)
class ShelfTile:
    """A game that tournaments play."""

    title: str
    picture: Drawing
    note: str


@dataclass(frozen=True, slots=True)
class RatedEngine:
    """An engine in a rating list."""

    place: int
    name: str
    rating: str
    games: int


@dataclass(frozen=True, slots=True)
class BestEngines:
    """The best engines of a rating list.

    Attributes:
        title: the title of the game.
        engines: the engines.
        more: how many others there are, in words; "" if there are none.
        apart: whether the list has several groups that did not play each other.
        database: the database of the list; "" if there is one.
    """

    title: str
    engines: tuple[RatedEngine, ...]
    more: str
    apart: bool
    database: str = ""


@dataclass(frozen=True, slots=True)
class EngineRow:
    """An engine: its versions, the number of its games, their titles, and its database as `BestEngines`."""

    name: str
    versions: str
    count: str
    games: str
    database: str


@dataclass(frozen=True, slots=True)
class HomeView:
    """What the page shows.

    Attributes:
        rows: the tournaments in their order.
        hero: the newest tournament with a game; None if there is none.
        shelf: the games.
        events: on a server, the address of the events of all running tournaments; "" in a report.
        ratings: on a server, the best engines of each rating list.
        engines: on a server, the engines.
        computing: whether the server is still computing a part of the page; this takes long for many games.
    """

    rows: Sequence[HomeRow]
    hero: Hero | None
    shelf: Sequence[ShelfTile]
    events: str = ""
    ratings: Sequence[BestEngines] = ()
    engines: Sequence[EngineRow] = ()
    computing: bool = False


def home_page(view: HomeView, links: Links, made: str = "") -> str:
    """Return the page; ``made`` says when a report was made, in words."""
    values = {
        "links": links,
        "place": "home",
        "tournament": "",
        "made": made,
        "view": view,
        "shapes": SEAT_SHAPES,
    }
    return page("home.html.j2", values)


def titles_text(titles: Sequence[str]) -> str:
    """Return the titles of a tournament's game ids in one line."""
    more = len(titles) - _MOST_TITLES
    return ", ".join(titles[:_MOST_TITLES]) + (f" and {more} more" if more > 0 else "")


def hero(row: HomeRow, view: TournamentView) -> Hero:
    """Return the tournament at the top of the page; it has a game."""
    first = view.sections[0]
    lines = first.ranking.lines if len(view.sections) == 1 else ()
    most = max((one.total for one in lines), default=0.0) or 1.0
    leaders = tuple(
        Leader(one.place, one.name, one.points, round(100 * one.total / most)) for one in lines[:_LEADERS]
    )
    return Hero(row, leaders, first.picture)


def shelf(games: Iterable[tuple[str, Drawing | None, int]]) -> list[ShelfTile]:
    """Return a tile for each game that can be drawn: its title, its picture, the number of games."""
    return [
        ShelfTile(title, picture, counted(number, "game"))
        for title, picture, number in games
        if picture is not None
    ]
