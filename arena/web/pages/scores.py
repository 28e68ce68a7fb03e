"""The scores of an engine in games with the same opponent, seat, opening or reason for the end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arena.scoring import SeatEnding, count_forfeits, seat_endings
from arena.store import Meeting
from arena.web.figures import points_text

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
