"""Games in lists: the line of a game, the last games of a tournament, and the pages that list games."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from arena.model import GameRecord, GameResult
from arena.scoring import SeatEnding, seat_endings
from arena.tables.result_text import verdict
from arena.web.boards import Drawing, draw
from arena.web.figures import points_text
from arena.web.links import Links
from arena.web.templating import page
from referee import game
from referee.errors import RefereeError

FEED_LENGTH = 10
"""The number of games in a list of the last results."""

_SIX = 6


class GameLine(NamedTuple):
    """A game in a list."""

    number: int
    names: tuple[str, ...]
    firsts: tuple[bool, ...]  # for each player, whether it won alone or shared the first place
    score: str  # in seat order; "void" if the game does not count
    verdict: str  # the winner and the reason
    why: str  # the reason alone, and whether a bot was remote
    fault: str  # the name and kind of the first forfeit, such as "lea: crash", likewise; "" without one
    plies: int
    has_page: bool


def game_line(result: GameResult, *, has_page: bool) -> GameLine:
    """Return the line of a stored game. Equal texts are one text in memory."""
    faults = [
        f"{player.name}: {player.forfeit.value}"
        for player in result.players
        if player.forfeit is not None and player.forfeit.is_forfeit
    ]
    mark = ", remote" if result.remote else ""
    return GameLine(
        result.id or 0,
        tuple(intern(player.name) for player in result.players),
        tuple(ending in ("won", "drew") for ending in seat_endings(result.players)),
        intern(score_of(result)),
        intern(verdict(result)),
        intern(result.reason + mark),
        intern(faults[0] + mark) if faults else "",
        result.plies,
        has_page,
    )


def score_of(result: GameResult) -> str:
    """Return the points in seat order, such as ``1–0``; "void" if the game does not count."""
    return "–".join(points_text(player.points) for player in result.players) if result.counts else "void"


@lru_cache(maxsize=32)
def thumbnail(game_id: str, position: str | None = None, move: str | None = None) -> Drawing | None:
    """Draw a position after its last move, or the start position; None without the game's rules."""
    try:
        rules = game(game_id)
        return draw(game_id, rules.start() if position is None else rules.parse_position(position), move)
    except RefereeError:
        return None


class RecentGames:
    """The last games, the form of each engine, and the dates and time controls of all games."""

    def __init__(self) -> None:
        self.first: float | None = None  # when the first game started, in seconds since the epoch
        self.last: float | None = None
        self.controls: Counter[str] = Counter()  # the number of seats with each time control
        self.void = 0  # games
        self.forfeits = 0  # seats
        self.positions: dict[str, tuple[str, str]] = {}  # the last position and move of each id
        self._lines: deque[GameLine] = deque(maxlen=FEED_LENGTH)
        self._form: defaultdict[str, deque[SeatEnding]] = defaultdict(lambda: deque(maxlen=_SIX))

    def add(self, record: GameRecord, line: GameLine) -> None:
        """Count a game."""
        result = record.result
        self.first = record.started if self.first is None else min(self.first, record.started)
        self.last = record.started if self.last is None else max(self.last, record.started)
        self.controls.update(player.time_control for player in result.players)
        self.void += not result.counts
        endings = seat_endings(result.players)
        self.forfeits += endings.count("forfeited")
        self._lines.append(line)
        last = next((ply.text for ply in reversed(record.record) if ply.is_move), None)
        if last is not None:
            self.positions[result.game] = record.final_position, last
        if result.counts:
            for player, ending in zip(result.players, endings, strict=True):
                self._form[player.name].append(ending)

    @property
    def lines(self) -> list[GameLine]:
        """The last games, the newest first."""
        return list(reversed(self._lines))

    def form(self, name: str) -> tuple[SeatEnding, ...]:
        """Return how an engine ended its last six games, the newest last."""
        return tuple(self._form.get(name, ()))


@dataclass(frozen=True, slots=True)
class GamesPage:
    """A page of a report that lists games of a game id, or of two engines in it."""

    tournament: str
    game: str
    anchor: str  # of the game id on the page of the tournament
    title: str
    lines: Sequence[GameLine]
    first: int  # the place of the first one in the whole list, from 1
    total: int  # the length of the whole list
    pages: Sequence[str]  # the files of all pages of the list
    here: int  # the place of this page among them, from 0


@dataclass(frozen=True, slots=True)
class ServedGamesPage:
    """A page of a server that lists games, the newest first."""

    tournament: str
    game: str | None  # None for all ids
    between: tuple[str, ...]  # the engines that played them; empty for any
    lines: Sequence[GameLine]
    older: str  # the address of the next page; "" on the last one


def games_page(view: GamesPage | ServedGamesPage, links: Links) -> str:
    """Return a page that lists games."""
    template = "list.html.j2" if isinstance(view, GamesPage) else "served_games.html.j2"
    return page(template, links=links, place="games", tournament=view.tournament, view=view)
