"""Games in lists: the line of a game, the last games of a tournament, and the pages that list games."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from arena.model import GameRecord, GameResult
from arena.scoring import SeatEnding, count_forfeits, seat_endings
from arena.store.finder import ORDERS
from arena.tables.statistics import opening_line
from arena.web.boards import draw, has_board
from arena.web.boards.svg import Drawing
from arena.web.figures import points_text
from arena.web.links import Links
from referee import game
from referee.errors import RefereeError

FEED_LENGTH = 10
"""The number of games in a list of the last results."""

OPENING_PLIES = 2
"""The first moves that lists show as the opening of a game without a given opening."""

_FORM_LENGTH = 6

RACE_ENGINES = 20
"""With more engines the lines of a race cannot be told apart."""

_RACE_GAMES = 4
_RACE_STOPS = 100


class GameLine(NamedTuple):
    """A game in a list."""

    number: int
    names: tuple[str, ...]
    firsts: tuple[bool, ...]  # for each player, whether it won alone or shared the first place
    score: str  # in seat order; "void" if the game does not count
    why: str  # the reason, and whether a bot was remote
    fault: str  # the name and kind of the first forfeit, such as "lea: crash", likewise; "" without one
    opening: str  # see `opening_line`
    plies: int
    started: float  # in seconds since the epoch
    ended: float


def game_line(record: GameRecord) -> GameLine:
    """Return the line of a stored game. Equal texts are one text in memory."""
    result = record.result
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
        intern(result.reason + mark),
        intern(faults[0] + mark) if faults else "",
        intern(opening_line(record, OPENING_PLIES)),
        result.plies,
        record.started,
        record.started + record.duration / 1e9,
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


def last_board(record: GameRecord | None) -> Drawing | None:
    """Return the last position of a game; None if there is none, or its game has no drawn board."""
    if record is None or not has_board(record.result.game):
        return None
    move = next((ply.text for ply in reversed(record.record) if ply.is_move), None)
    return thumbnail(record.result.game, record.final_position, move)


class Race:
    """The points of each engine over the games, at few of them to take little room."""

    def __init__(self) -> None:
        self.points: defaultdict[str, float] = defaultdict(float)
        self.stops: list[tuple[int, dict[str, float]]] = []  # the games so far, and the points after them
        self._games = 0
        self._step = 1

    def add(self, result: GameResult) -> None:
        """Count a game."""
        self._games += 1
        for player in result.players:
            self.points[player.name] += player.points
        if self._games % self._step == 0 and len(self.points) <= RACE_ENGINES:
            self.stops.append((self._games, dict(self.points)))
        if len(self.stops) > _RACE_STOPS:
            self.stops = self.stops[1::2]
            self._step *= 2

    def course(self) -> list[tuple[int, Mapping[str, float]]]:
        """Return the points of each engine after some numbers of games, from none to all."""
        return [(0, {}), *self.stops, (self._games, dict(self.points))]

    def lines(self) -> dict[str, list[tuple[float, float]]]:
        """Return the games and the points of each engine, the best one first; {} if there are too many."""
        if len(self.points) > RACE_ENGINES or self._games < _RACE_GAMES:
            return {}
        return {
            name: [(float(games), points.get(name, 0.0)) for games, points in self.course()]
            for name in sorted(self.points, key=lambda name: -self.points[name])
        }


class RecentGames:
    """The last games, the form of each engine, and the dates and time controls of all games."""

    def __init__(self) -> None:
        self.first: float | None = None  # when the first game started, in seconds since the epoch
        self.last: float | None = None
        self.controls: Counter[str] = Counter()  # the number of seats with each time control
        self.void = 0  # games
        self.forfeits = 0  # seats
        self.positions: dict[str, tuple[str, str]] = {}  # the last position and move of each id
        self.race = Race()
        self._lines: deque[GameLine] = deque(maxlen=FEED_LENGTH)
        self._form: defaultdict[str, deque[SeatEnding]] = defaultdict(lambda: deque(maxlen=_FORM_LENGTH))

    def add(self, record: GameRecord, line: GameLine) -> None:
        """Count a game."""
        result = record.result
        self.first = record.started if self.first is None else min(self.first, record.started)
        self.last = record.started if self.last is None else max(self.last, record.started)
        self.controls.update(player.time_control for player in result.players)
        self.void += not result.counts
        endings = seat_endings(result.players)
        self.forfeits += count_forfeits(result.players) if result.counts else 0
        self._lines.append(line)
        last = next((ply.text for ply in reversed(record.record) if ply.is_move), None)
        if last is not None:
            self.positions[result.game] = record.final_position, last
        if result.counts:
            self.race.add(result)
            for player, ending in zip(result.players, endings, strict=True):
                self._form[player.name].append(ending)

    @property
    def lines(self) -> list[GameLine]:
        """The last games, the newest first."""
        return list(reversed(self._lines))

    def form(self, name: str) -> tuple[SeatEnding, ...]:
        """Return how an engine ended its last six games, the newest last."""
        return tuple(self._form.get(name, ()))


def list_heads(given: Mapping[str, str], links: Links) -> dict[str, tuple[str, str]]:
    """Return for each column that sorts the address of its order, and the mark of the present one.

    ``given`` has the parameters of the list.
    """
    now = given.get("order", ORDERS[0])
    heads = {}
    for head, (falling, rising) in {"game": ORDERS[:2], "plies": ORDERS[2:]}.items():
        order = rising if now == falling else falling
        mark = " ↓" if now == falling else " ↑" if now == rising else ""
        heads[head] = links.list(**{**given, "order": order}), mark
    return heads
