"""The first page of a report about all tournaments: the newest one, a table of all, and their games."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.ended_games import GameScoreCounts
from arena.store.values import TournamentInfo
from arena.web.figures import grouped
from arena.web.links import FolderLinks
from arena.web.pages.tournament import TournamentView
from arena.web.site_folder import SiteFolder
from arena.web.templating import ASSETS, asset, made_now, page
from protocol.plurals import counted

__all__ = ["HomeLine", "write_home"]

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


def write_home(folder: SiteFolder, lines: Sequence[tuple[HomeLine, TournamentView]]) -> None:
    """Write the page, the newest tournament first.

    Args:
        folder: the folder of the report.
        lines: the tournaments, each with what its own page shows.
    """
    rows = [
        _row(line, view) for line, view in sorted(lines, key=lambda one: one[0].info.created, reverse=True)
    ]
    sections = {section["game"]: section for _, view in lines for section in view.sections}
    totals = {
        game: sum(line.tallies[game].total() for line, _ in lines if game in line.tallies)
        for game in sections
    }
    shelf = [
        {"title": one["title"], "picture": one["picture"], "note": counted(totals[game], "game")}
        for game, one in sections.items()
    ]
    for name in ASSETS:
        folder.save(name, asset(name))
    values = {
        "links": FolderLinks("", "index.html"),
        "tournament": "",
        "place": "home",
        "made": made_now(),
        "tournaments": rows,
        "newest": rows[0] if rows else None,
        "games": [one for one in shelf if one["picture"] is not None],
    }
    folder.save("index.html", page("home.html.j2", values))


def _row(line: HomeLine, view: TournamentView) -> dict[str, Any]:
    first = view.sections[0]
    titles = [section["title"] for section in view.sections]
    more = len(titles) - _MOST_TITLES
    ranking = first["lines"]
    most = max((one.total for one in ranking), default=0.0) or 1.0
    return {
        "to": f"{line.folder}/index.html",
        "name": line.info.name,
        "begun": time.strftime("%Y-%m-%d %H:%M", time.localtime(line.info.created)),
        "games": ", ".join(titles[:_MOST_TITLES]) + (f" and {more} more" if more > 0 else ""),
        "count": grouped(view.facts.games),
        "format": view.facts.format,
        "engines": line.engines,
        "over": view.facts.over,
        "winners": [one.name for one in ranking if one.place == 1] if len(view.sections) == 1 else [],
        "picture": first["picture"],
        "leaders": [
            {
                "place": one.place,
                "name": one.name,
                "points": one.points,
                "share": round(100 * one.total / most),
            }
            for one in ranking[:_LEADERS]
        ]
        if len(view.sections) == 1
        else [],
    }
