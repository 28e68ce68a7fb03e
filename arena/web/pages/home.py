"""The first page: a running or the newest tournament, a table of all, games, and on a server the ratings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.model import GameRecord, game_title
from arena.store import GameSearch, Store
from arena.store.finder import UPSET
from arena.tables.standings import Standing
from arena.web.boards.svg import Drawing
from arena.web.figures import points_text
from arena.web.links import Links
from arena.web.pages.engine import ListedEngines
from arena.web.pages.games import FEED_LENGTH, GameLine, last_board
from arena.web.pages.standings import Ranking, RankingLine
from arena.web.pages.tournament import TournamentView
from protocol.words import counted
from referee import Termination

_LEADERS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class HomeRow:
    """A tournament on the page."""

    to: str  # its page
    name: str
    started: float  # in seconds since the epoch
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
    ranking: Ranking | None  # None for several game ids
    picture: Drawing | None
    links: Links  # of its pages
    seats: int = 2  # of the board

    @property
    def leaders(self) -> Sequence[RankingLine]:
        """The first engines."""
        return () if self.ranking is None else self.ranking.lines[:_LEADERS_SHOWN]

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


class Highlight(NamedTuple):
    """Something remarkable in a database, and the tournament and the game in which it happened."""

    title: str
    news: str
    detail: str
    tournament: str
    game: int | None = None  # its number; None for the whole tournament
    picture: Drawing | None = None


def hero(row: HomeRow, view: TournamentView, links: Links, seats: int = 2) -> Hero:
    """Return the tournament at the top of the page, with the links of its pages. It may have no game yet."""
    if not view.sections:
        return Hero(row, None, None, links, seats)
    first = view.sections[0]
    return Hero(row, first.ranking if len(view.sections) == 1 else None, first.picture, links, seats)


def latest(tournaments: Iterable[tuple[str, Links, Iterable[GameLine]]]) -> list[Result]:
    """Return the last games of all these tournaments, the newest first."""
    results = [Result(name, links, line) for name, links, lines in tournaments for line in lines]
    return sorted(results, key=lambda result: -result.line.ended)[:FEED_LENGTH]


def highlights(
    store: Store, lists: Sequence[ListedEngines], races: Mapping[str, Sequence[Standing]]
) -> list[Highlight]:
    """Return the upset, the shortest win and the closest race of a database. Blocks.

    ``races`` has the standings of the finished tournaments that they decided, by name.
    """
    shown = []
    upset = max((listed.upset for listed in lists if listed.upset), default=None)
    if upset is not None and upset.elo >= UPSET:
        pair = upset.winner, upset.loser
        search = GameSearch(game=upset.game, engines=pair, result="won", reason=_PLAYED)
        news = f"{upset.winner} beats {upset.loser}"
        detail = f"{upset.loser} is {upset.elo:.0f} Elo stronger"
        shown += [_of_game("Upset", news, detail, game) for game in store.finder.find(search, 1)]
    if lists:
        most = max(lists, key=lambda listed: sum(line.games for line in listed.ranking.lines))
        search = GameSearch(game=most.game, result="decided", reason=_PLAYED)
        for game in store.finder.find(search, 1, order="shortest"):
            winner = next(player.name for player in game.result.players if player.rank == 1)
            detail = f"after {counted(game.result.plies, 'ply', 'plies')}"
            shown.append(_of_game("Shortest win", f"{winner} wins", detail, game))
    margins = {name: table[0].points - table[1].points for name, table in races.items() if len(table) > 1}
    if margins:
        name = min(margins, key=margins.__getitem__)
        first, second = races[name][:2]
        news = f"{first.name} {points_text(first.points)}, {second.name} {points_text(second.points)}"
        shown.append(Highlight("Closest race", news, "the first two at the end", name))
    return shown


_PLAYED = Termination.NORMAL.value


def _of_game(title: str, news: str, detail: str, game: GameRecord) -> Highlight:
    where = f"{detail}, {game_title(game.result.game)}"
    return Highlight(title, news, where, game.result.tournament, game.result.id, last_board(game))
