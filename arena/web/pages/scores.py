"""The scores of an engine by opponent, seat, opening and reason for the end, and the page of two engines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arena.scoring import GameScoreCounts, SeatEnding, SeatScore, count_forfeits, seat_endings, versus
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


_Seats: TypeAlias = list[tuple[SeatScore, SeatEnding, int]]
"""The seats of an engine in games: its score, how it ended, and the number of such games."""


def scores_of(name: str, meetings: Iterable[Meeting]) -> list[Scores]:
    """Return the scores of an engine in each game id of some games."""
    kinds: defaultdict[str, defaultdict[str, defaultdict[str, _Seats]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for meeting in meetings:
        for seat, (score, ending) in enumerate(zip(meeting.score, seat_endings(meeting.score), strict=True)):
            if score.name != name:
                continue
            others = [other.name for index, other in enumerate(meeting.score) if index != seat]
            parts = [("all", name), ("seat", f"player {seat + 1}"), ("reason", meeting.reason)]
            parts += [("opening", meeting.opening or _NO_MOVE), ("tournament", meeting.tournament)]
            for kind, part in [*parts, *(("opponent", other) for other in dict.fromkeys(others))]:
                kinds[meeting.game][kind][part].append((score, ending, meeting.games))
    return [
        Scores(
            game,
            _line(name, seats["all"][name]),
            _lines(seats["opponent"]),
            tuple(sorted(_lines(seats["seat"]), key=lambda line: line.name)),
            _lines(seats["opening"]),
            _lines(seats["reason"]),
            _lines(seats["tournament"]),
        )
        for game, seats in kinds.items()
    ]


def _lines(seats: Mapping[str, _Seats]) -> tuple[ScoreLine, ...]:
    """Return the lines, the most frequent first, then by name."""
    lines = [_line(name, same) for name, same in seats.items()]
    return tuple(sorted(lines, key=lambda line: (-line.games, line.name)))


def _line(name: str, seats: _Seats) -> ScoreLine:
    endings: Counter[SeatEnding] = Counter()
    for _, ending, games in seats:
        endings[ending] += games
    return ScoreLine(
        name,
        endings.total(),
        f"{endings['won']}-{endings['drew']}-{endings['lost'] + endings['forfeited']}",
        sum(score.points * games for score, _, games in seats),
        sum(count_forfeits([score]) * games for score, _, games in seats),
    )


def pair_scores(
    names: tuple[str, str], game: str, meetings: Sequence[Meeting]
) -> tuple[tuple[float, float] | None, Scores | None]:
    """Return the points of two engines against each other, and the scores of the first in their games."""
    counts: GameScoreCounts = Counter()
    for meeting in meetings:
        counts[meeting.score] += meeting.games
    points = versus(counts)
    if names not in points:
        return None, None
    scores = next((scores for scores in scores_of(names[0], meetings) if scores.game == game), None)
    return (points[names].points, points[names[::-1]].points), scores
