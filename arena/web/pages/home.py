"""The first page: the newest tournament, a table of all, and their games.

On a server, it also shows the running tournaments, the ratings and the engines.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.ended_games import GameScoreCounts
from arena.store.values import TournamentInfo
from arena.web.figures import grouped
from arena.web.links import PICTURE, FolderLinks, Links
from arena.web.pages.tournament import TournamentView
from arena.web.site_folder import SiteFolder
from arena.web.templating import ASSETS, asset, made_now, page
from arena.web.views.game import SEAT_SHAPES
from arena.web.views.thumbnails import Picture
from protocol.plurals import counted

__all__ = [
    "Hero",
    "HomeLine",
    "HomeRow",
    "HomeView",
    "begun_text",
    "hero",
    "home_page",
    "leaders_of",
    "titles_text",
    "write_home",
]

_LONGEST_NAME = 40
"""The most characters of a tournament's name in the name of its folder."""

_LEADERS = 5
_MOST_TITLES = 3


@dataclass(frozen=True, slots=True)
class HomeLine:
    """A tournament in the table.

    Attributes:
        number: its number in the database, from 1.
        info: its name and when it began.
        tallies: the scores of its games that count, by game id.
    """

    number: int
    info: TournamentInfo
    tallies: dict[str, GameScoreCounts]

    @property
    def folder(self) -> str:
        """The name of the folder with the tournament's pages, which no other tournament has."""
        plain = re.sub(r"[^\w-]", "_", self.info.name, flags=re.ASCII)
        return f"{self.number}-{plain[:_LONGEST_NAME]}"

    @property
    def engines(self) -> int:
        """The number of engines that have played."""
        tallies = self.tallies.values()
        return len({seat.name for tally in tallies for game_score in tally for seat in game_score})


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
class Hero:
    """The tournament at the top of the page: its row, its first engines and its board."""

    row: HomeRow
    leaders: tuple[Mapping[str, Any], ...]
    picture: Picture | None


@dataclass(frozen=True, slots=True)
class HomeView:
    """What the page shows.

    Attributes:
        rows: the tournaments in their order.
        hero: the newest tournament with a game; None if there is none.
        shelf: the games: ``title``, ``picture`` and ``note``.
        made: when the page was made, in words.
        events: on a server, the address of the events of all running tournaments; "" in a report.
        ratings: on a server, for each game id its ``title`` and ``lines``, the best engines.
        engines: on a server, a row for each engine: its name, versions and games.
        picture: the full address of the picture of the newest tournament; "" if there is none.
        computing: whether the server is still computing a part of the page; this takes long for many games.
    """

    rows: Sequence[HomeRow]
    hero: Hero | None
    shelf: Sequence[Mapping[str, Any]]
    made: str = ""
    events: str = ""
    ratings: Sequence[Mapping[str, Any]] = ()
    engines: Sequence[Mapping[str, Any]] = ()
    picture: str = ""
    computing: bool = False


def home_page(view: HomeView, links: Links) -> str:
    """Return the page."""
    values = {"links": links, "tournament": "", "place": "home", "view": view, "shapes": SEAT_SHAPES}
    return page("home.html.j2", values | ({"made": view.made} if view.made else {}))


def titles_text(titles: Sequence[str]) -> str:
    """Return the titles of a tournament's game ids in one line."""
    more = len(titles) - _MOST_TITLES
    return ", ".join(titles[:_MOST_TITLES]) + (f" and {more} more" if more > 0 else "")


def begun_text(seconds: float) -> str:
    """Return the local date and time at which a tournament began."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def hero(row: HomeRow, view: TournamentView) -> Hero:
    """Return the tournament at the top of the page; it has a game."""
    first = view.sections[0]
    ranking = first["lines"] if len(view.sections) == 1 else []
    most = max((one.total for one in ranking), default=0.0) or 1.0
    leaders = tuple(
        {
            "place": one.place,
            "name": one.name,
            "points": one.points,
            "share": round(100 * one.total / most),
        }
        for one in ranking[:_LEADERS]
    )
    return Hero(row, leaders, first["picture"])


def leaders_of(view: TournamentView) -> tuple[str, ...]:
    """Return who is first in a tournament with one game id."""
    if len(view.sections) != 1:
        return ()
    return tuple(one.name for one in view.sections[0]["lines"] if one.place == 1)


def write_home(
    folder: SiteFolder, lines: Sequence[tuple[HomeLine, TournamentView]], origin: str = ""
) -> None:
    """Write the page of a report, the newest tournament first.

    Args:
        folder: the folder of the report.
        lines: the tournaments, each with what its own page shows.
        origin: the full address of the folder; "" if it is not known.
    """
    newest_first = sorted(lines, key=lambda one: one[0].info.created, reverse=True)
    rows = [_row(line, view) for line, view in newest_first]
    sections = {section["game"]: section for _, view in lines for section in view.sections}
    totals = {
        game: sum(line.tallies[game].total() for line, _ in lines if game in line.tallies)
        for game in sections
    }
    shelf = [
        {"title": one["title"], "picture": one["picture"], "note": counted(totals[game], "game")}
        for game, one in sections.items()
        if one["picture"] is not None
    ]
    for name in ASSETS:
        folder.save(name, asset(name))
    first = hero(rows[0], newest_first[0][1]) if rows else None
    links = FolderLinks("", "index.html", origin=origin)
    picture = f"{newest_first[0][0].folder}/{PICTURE}" if newest_first else ""
    shown = f"{origin}/{picture}" if origin and folder.has(picture) else ""
    view = HomeView(rows, first, shelf, made_now(), picture=shown)
    folder.save("index.html", home_page(view, links))


def _row(line: HomeLine, view: TournamentView) -> HomeRow:
    return HomeRow(
        f"{line.folder}/index.html",
        line.info.name,
        begun_text(line.info.created),
        titles_text([section["title"] for section in view.sections]),
        grouped(view.facts.games),
        view.facts.format,
        line.engines,
        "finished" if view.facts.over else "open",
        leaders_of(view),
    )
