"""The page of two engines in one game id: their score by seat, opening and reason, and their games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.scoring import GameScoreCounts, versus
from arena.store import Meeting
from arena.web.figures import points_text
from arena.web.links import Links
from arena.web.pages.games import GameLine
from arena.web.pages.scores import Scores, scores_of
from arena.web.templating import page


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
