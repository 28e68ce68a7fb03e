"""The scores of an engine by opponent, seat, opening and reason for the end, and the page of two engines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.scoring import GameScoreCounts, SeatEnding, count_forfeits, seat_endings, versus
from arena.store import Meeting
from arena.web.figures import points_text
from arena.web.links import Links
from arena.web.pages.games import GameLine
from arena.web.templating import page

_NO_MOVE = "(no move)"


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The score in some games."""

    name: str  # what they have in common
    games: int
    record: str  # won, drawn and lost
    total: float
    forfeits: int

    @property
    def points(self) -> str:
        """The points as a text."""
        return points_text(self.total)

    @property
    def share(self) -> int:
        """The part of the possible points, in percent."""
        return round(100 * self.total / max(self.games, 1))


class _Score:
    """Counts games by how they ended, and their points."""

    __slots__ = ("endings", "forfeits", "points")

    def __init__(self) -> None:
        self.endings: Counter[SeatEnding] = Counter()
        self.points = 0.0
        self.forfeits = 0

    def line(self, name: str) -> ScoreLine:
        ends = self.endings
        record = f"{ends['won']}-{ends['drew']}-{ends['lost'] + ends['forfeited']}"
        return ScoreLine(name, ends.total(), record, self.points, self.forfeits)


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of an engine in one game id, each table with the most frequent line first."""

    game: str
    total: ScoreLine
    opponents: tuple[ScoreLine, ...]
    seats: tuple[ScoreLine, ...]  # in their order
    openings: tuple[ScoreLine, ...]
    reasons: tuple[ScoreLine, ...]
    tournaments: tuple[ScoreLine, ...]


def scores_of(name: str, meetings: Iterable[Meeting]) -> list[Scores]:
    """Return the scores of an engine in each game id of some games."""
    found: defaultdict[str, defaultdict[str, dict[str, _Score]]] = defaultdict(lambda: defaultdict(dict))
    for one in meetings:
        for seat, (own, ending) in enumerate(zip(one.score, seat_endings(one.score), strict=True)):
            if own.name != name:
                continue
            others = [other.name for index, other in enumerate(one.score) if index != seat]
            parts = [("all", name), ("seat", f"player {seat + 1}"), ("reason", one.reason)]
            parts += [("opening", one.opening or _NO_MOVE), ("tournament", one.tournament)]
            for kind, part in [*parts, *(("opponent", other) for other in dict.fromkeys(others))]:
                score = found[one.game][kind].setdefault(part, _Score())
                score.endings[ending] += one.games
                score.points += own.points * one.games
                score.forfeits += count_forfeits([own]) * one.games
    return [_scores(name, game, kinds) for game, kinds in found.items()]


def _scores(name: str, game: str, kinds: Mapping[str, Mapping[str, _Score]]) -> Scores:
    return Scores(
        game,
        kinds["all"][name].line(name),
        _lines(kinds["opponent"]),
        tuple(sorted(_lines(kinds["seat"]), key=lambda line: line.name)),
        _lines(kinds["opening"]),
        _lines(kinds["reason"]),
        _lines(kinds["tournament"]),
    )


def _lines(scores: Mapping[str, _Score]) -> tuple[ScoreLine, ...]:
    """Return the lines, the most frequent first, then by name."""
    lines = [score.line(name) for name, score in scores.items()]
    return tuple(sorted(lines, key=lambda line: (-line.games, line.name)))


@dataclass(frozen=True, slots=True)
class PairView:
    """What the page shows, as the first of the two sees it."""

    tournament: str
    game: str
    title: str  # of the game
    anchor: str  # of the game id on the page of the tournament
    names: tuple[str, str]
    points: tuple[float, float] | None  # of each against the other; None before a game that counts
    scores: Scores | None  # of the first in these games
    lines: Sequence[GameLine]
    every: str  # the address of the list of all their games; "" in a report if all are here
    running: Sequence[tuple[str, str]] = ()  # the words and the address of each game that runs
    following: Sequence[str] = ()  # the next games, in words
    records: Mapping[str, str] = field(default_factory=dict)

    @property
    def result(self) -> str:
        """The points of both, such as ``3½–2½``."""
        return "–".join(map(points_text, self.points or ())) or "–"


def pair_scores(
    names: tuple[str, str], game: str, meetings: Sequence[Meeting]
) -> tuple[tuple[float, float] | None, Scores | None]:
    """Return the points of two engines against each other, and the scores of the first in their games."""
    counts: GameScoreCounts = Counter()
    for one in meetings:
        counts[one.score] += one.games
    points = versus(counts)
    if names not in points:
        return None, None
    own = next((one for one in scores_of(names[0], meetings) if one.game == game), None)
    return (points[names].points, points[names[::-1]].points), own


def pair_page(view: PairView, links: Links) -> str:
    """Return the page."""
    return page("pair.html.j2", links=links, place="games", tournament=view.tournament, view=view)
