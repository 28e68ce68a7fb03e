"""The first page of a report about all tournaments: a table with a link to each of them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass

from arena.ended_games import GameScoreCounts
from arena.store.values import TournamentInfo
from arena.web.site_folder import SiteFolder
from arena.web.templating import asset, made_now, page

__all__ = ["HomeLine", "write_home"]

_LONGEST_NAME = 40
"""The most characters of a tournament's name in the name of its folder."""


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


def write_home(folder: SiteFolder, lines: Iterable[HomeLine]) -> None:
    """Write the page, the newest tournament first."""
    rows = [
        {
            "to": f"{line.folder}/index.html",
            "name": line.info.name,
            "begun": time.strftime("%Y-%m-%d %H:%M", time.localtime(line.info.created)),
            "games": ", ".join(f"{game} {tally.total()}" for game, tally in line.tallies.items()),
            "engines": line.engines,
        }
        for line in sorted(lines, key=lambda line: line.info.created, reverse=True)
    ]
    folder.save("style.css", asset("style.css"))
    folder.save("index.html", page("home.html.j2", {"root": "", "made": made_now(), "tournaments": rows}))
