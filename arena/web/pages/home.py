"""The first page: a running or the newest tournament, a table of all, games, and on a server the ratings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.tables.ratings import RankingRow
from arena.tables.text_table import in_groups
from arena.web.boards.svg import Drawing
from arena.web.links import Links
from arena.web.pages.games import FEED_LENGTH, GameLine
from arena.web.pages.standings import RankingLine
from arena.web.pages.tournament import TournamentView

_LEADERS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class HomeRow:
    """A tournament on the page."""

    to: str  # its page
    name: str
    begun: float  # in seconds since the epoch
    games: str  # the titles of its game ids
    count: str  # of games that count, in words
    format: str  # in words; "" if it is not known
    engines: int
    state: str  # "live", "resting", "unfinished" or "finished"
    winners: tuple[str, ...] = ()  # in the first place; empty for several game ids


@dataclass(frozen=True, slots=True)
class Hero:
    """The tournament at the top of the page: its row, its first engines and its board."""

    row: HomeRow
    leaders: Sequence[RankingLine]
    picture: Drawing | None
    links: Links  # of its pages
    seats: int = 2  # of the board

    @property
    def events(self) -> str:
        """The address of its events, if its games are being played."""
        live = self.row.state in ("live", "resting")
        return self.links.events() if live else ""


class Tile(NamedTuple):
    """A game on the page: its title, a board, the number of its games, and where people play it, or ""."""

    title: str
    picture: Drawing | None
    games: int
    play: str


class Result(NamedTuple):
    """One of the last games: its tournament, with the links of its pages."""

    tournament: str
    links: Links
    line: GameLine


@dataclass(frozen=True, slots=True)
class BestEngines:
    """The best engines of a rating list."""

    title: str  # of the game
    engines: Sequence[RankingRow]
    more: bool  # whether there are others

    @property
    def sections(self) -> list[tuple[str, list[RankingRow]]]:
        """The engines under the headings of their groups."""
        return in_groups([row["group"] for row in self.engines], self.engines)


def hero(row: HomeRow, view: TournamentView, links: Links, seats: int = 2) -> Hero:
    """Return the tournament at the top of the page, with the links of its pages. It may have no game yet."""
    if not view.sections:
        return Hero(row, (), None, links, seats)
    first = view.sections[0]
    lines = first.ranking.lines if len(view.sections) == 1 else ()
    return Hero(row, lines[:_LEADERS_SHOWN], first.picture, links, seats)


def latest(tournaments: Iterable[tuple[str, Links, Iterable[GameLine]]]) -> list[Result]:
    """Return the last games of all these tournaments, the newest first."""
    results = [Result(name, links, line) for name, links, lines in tournaments for line in lines]
    return sorted(results, key=lambda result: -result.line.ended)[:FEED_LENGTH]
