"""The page of one engine: its ratings, its results by opponent, seat, opening and reason, its faults."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.model import GameRecord
from arena.scoring import SeatEnding, fault_of, seat_endings
from arena.tables.statistics import has_more_than_moves
from arena.web.figures import points_text
from arena.web.links import Links
from arena.web.pages.games import FEED_LENGTH, GameLine
from arena.web.templating import page
from referee.ply import RANDOM

_MOST_OPENINGS = 20
_MOST_FAULTS = 100


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The score in games with the same opponent, seat, opening or reason."""

    name: str
    games: int
    record: str  # won, drawn and lost
    points: str
    share: int  # of the possible points, in percent


@dataclass(frozen=True, slots=True)
class FaultLine:
    """A fault: the game, the ply after which it happened, the kind, and the referee's sentence."""

    number: int
    ply: int
    game: str
    kind: str
    detail: str
    has_page: bool


@dataclass(frozen=True, slots=True)
class EngineGame:
    """The results of an engine in one game id."""

    game: str
    total: ScoreLine
    opponents: tuple[ScoreLine, ...]
    seats: tuple[ScoreLine, ...]
    openings: tuple[ScoreLine, ...]
    reasons: tuple[ScoreLine, ...]


@dataclass(frozen=True, slots=True)
class EngineView:
    """What an engine did in a tournament."""

    name: str
    versions: tuple[str, ...]  # in the order of their first games
    first: float | None  # when its first game began, in seconds since the epoch
    games: tuple[EngineGame, ...]
    faults: tuple[FaultLine, ...]  # the first ones in full
    forfeit_count: int
    forgiven_count: int
    recent: tuple[GameLine, ...]  # its last games, the newest first
    lost: tuple[int, ...]  # the numbers of the last games that it lost, the newest first


@dataclass(frozen=True, slots=True)
class EngineRating:
    """The rating of an engine in one game id; "" and None without a rated game."""

    title: str
    scale: str  # "Elo", or "mu" if nothing can be fitted
    elo: str
    error: str  # half of the 95 % interval
    place: int  # among the engines of the tournament
    engines: int  # their number
    history: Markup | None


class _Score:
    """Counts games by how they ended, and their points."""

    __slots__ = ("endings", "points")

    def __init__(self) -> None:
        self.endings: Counter[SeatEnding] = Counter()
        self.points = 0.0

    def add(self, ending: SeatEnding, points: float) -> None:
        self.endings[ending] += 1
        self.points += points

    def line(self, name: str) -> ScoreLine:
        games = self.endings.total()
        lost = self.endings["lost"] + self.endings["forfeited"]
        record = f"{self.endings['won']}-{self.endings['drew']}-{lost}"
        return ScoreLine(
            name, games, record, points_text(self.points), round(100 * self.points / max(games, 1))
        )


class EngineCollector:
    """Collects the games of one engine. Its memory does not grow with the games of the same opponents."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._versions: dict[str, None] = {}
        self._first: float | None = None
        self._scores: defaultdict[tuple[str, str], dict[str, _Score]] = defaultdict(dict)
        self._faults: list[FaultLine] = []
        self._forfeit_count = self._forgiven_count = 0
        self._recent: list[GameLine] = []
        self._lost: list[int] = []

    def add(self, record: GameRecord, line: GameLine, seat: int) -> None:
        """Count a game that the engine played in ``seat``, from 0."""
        result = record.result
        player = result.players[seat]
        self._versions.setdefault(player.version)
        self._first = record.started if self._first is None else min(self._first, record.started)
        self._recent = [line, *self._recent][:FEED_LENGTH]
        ending = seat_endings(result.players)[seat]
        for number, ply in enumerate(record.record if has_more_than_moves(record) else (), 1):
            if ply.seat == seat and ply.fault and ply.fault != RANDOM:
                self._forgiven_count += 1
                self._add_fault(result.game, number, "forgiven", ply.text[1:], line)
        if player.forfeit is not None and player.forfeit.is_fault and result.counts:
            self._forfeit_count += 1
            kind, detail = player.forfeit.value, fault_of(result.detail, seat)
            self._add_fault(result.game, len(record.record), kind, detail, line)
        if not result.counts:
            return
        if ending in ("lost", "forfeited"):
            self._lost = [line.number, *self._lost][:FEED_LENGTH]
        parts = [("all", result.game), ("seat", f"player {seat + 1}"), ("reason", result.reason)]
        parts.append(("opening", line.opening))
        parts += [("opponent", other.name) for index, other in enumerate(result.players) if index != seat]
        for kind, name in parts:
            self._scores[result.game, kind].setdefault(name, _Score()).add(ending, player.points)

    def _add_fault(self, game: str, ply: int, kind: str, detail: str, line: GameLine) -> None:
        if len(self._faults) < _MOST_FAULTS:
            self._faults.append(FaultLine(line.number, ply, game, kind, detail, line.has_page))

    def view(self) -> EngineView:
        """Return what was collected."""
        games = tuple(dict.fromkeys(game for game, _ in self._scores))
        return EngineView(
            self._name,
            tuple(filter(None, self._versions)),
            self._first,
            tuple(self._game(game) for game in games),
            tuple(self._faults),
            self._forfeit_count,
            self._forgiven_count,
            tuple(self._recent),
            tuple(self._lost),
        )

    def _game(self, game: str) -> EngineGame:
        return EngineGame(
            game,
            self._scores[game, "all"][game].line(game),
            _lines(self._scores[game, "opponent"]),
            tuple(sorted(_lines(self._scores[game, "seat"]), key=lambda line: line.name)),
            _lines(self._scores[game, "opening"])[:_MOST_OPENINGS],
            _lines(self._scores[game, "reason"]),
        )


def _lines(scores: Mapping[str, _Score]) -> tuple[ScoreLine, ...]:
    """Return the lines, the most frequent first, then by name."""
    lines: Sequence[ScoreLine] = [score.line(name) for name, score in scores.items()]
    return tuple(sorted(lines, key=lambda line: (-line.games, line.name)))


def engine_page(tournament: str, view: EngineView, ratings: Mapping[str, EngineRating], links: Links) -> str:
    """Return the page of an engine; its ratings are by game id."""
    return page(
        "engine.html.j2", tournament=tournament, view=view, ratings=ratings, links=links, place="engine"
    )
