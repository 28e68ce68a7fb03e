"""One game id on the index of a site: what the template shows of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from arena.confidence import DEVIATIONS
from arena.ratings.fit import Fit
from arena.ratings.history import RatingSample
from arena.ratings.lists import RatingList
from arena.scoring import GameScoreCounts
from arena.tables import statistics_tables as overview
from arena.tables.crosstable import CROSSTABLE_NOTE, WIDEST, Crosstable, crosstable_view
from arena.tables.format_tables import FormatView
from arena.tables.ranking import (
    RANKING_NOTE,
    RankingRow,
    ranking_rows,
    record_cell,
    trueskill_cells,
)
from arena.tables.rating_tables import fit_note, superiority_view
from arena.tables.standings import points_format, standings
from arena.tables.statistics import StatisticsCollector
from arena.tables.text_table import TextTable
from arena.web.plots import STYLES, PlotAxes, Series, histogram, interval, line_plot, share_bars
from protocol.plurals import counted
from referee import game
from referee.errors import RefereeError

__all__ = ["IndexSection", "section"]

OPENINGS = 20
"""Openings shown."""


@dataclass(frozen=True, slots=True)
class IndexSection:
    """One game id of a tournament.

    Attributes:
        game: the id.
        tally: the tournament's games that count.
        table: who scored how much against whom in them.
        ratings: the id's rating list, over all tournaments of the database.
        strengths: the fit of the same games.
        samples: how these ratings went.
        format: what the tournament's format has to show.
    """

    game: str
    tally: GameScoreCounts
    table: Crosstable
    ratings: RatingList
    strengths: Fit | None
    samples: list[RatingSample]
    format: FormatView

    @property
    def anchor(self) -> str:
        """Where it is on the index."""
        return f"game-{self._slug}"

    @property
    def has_pairs(self) -> bool:
        """Whether everybody against everybody can be looked at."""
        return len(self.table.names) <= WIDEST

    def list_page(self, number: int) -> str:
        """The file of a page of its list, from 1."""
        return f"{self._slug}-{number}.html"

    def pair_page(self, one: int, other: int, number: int) -> str:
        """The file of a page of the games of two engines, by their rows in the crosstable; all from 1."""
        return f"{self._slug}-{min(one, other)}v{max(one, other)}-{number}.html"

    @property
    def _slug(self) -> str:
        return re.sub(r"[^\w-]", "_", self.game, flags=re.ASCII)


def section(part: IndexSection, found: StatisticsCollector) -> dict[str, Any]:
    """What the template needs; ``found`` has the tournament's games of this id."""
    rows = ranking_rows(standings(part.tally), part.ratings.ratings)
    best = [row["engine"] for row in rows[:STYLES]]
    left = len(rows) - len(best)
    return {
        "game": part.game,
        "title": _title(part.game),
        "anchor": part.anchor,
        "list": part.list_page(1),
        "played": counted(part.tally.total(), "game"),
        "summary": overview.summary(found) if found.games else "",
        "format": part.format.parts,
        "scale": "mu" if part.strengths is None else "Elo",
        "ranking": list(_ranking(part, rows)),
        "ranking_note": RANKING_NOTE,
        "fit_note": "" if part.strengths is None else fit_note(part.ratings, part.strengths),
        "crosstable": crosstable_view(part.table).whole() if part.has_pairs else None,
        "links": _links(part) if part.has_pairs else None,
        "superiority": _superiority(part) if part.has_pairs else None,
        "crosstable_note": CROSSTABLE_NOTE,
        "history": _history(part, best),
        "history_names": best,
        "history_left": counted(left, "other") if left else "",
        **_statistics(part, found),
    }


def _title(game_id: str) -> str:
    try:
        return game(game_id).info.title
    except RefereeError:  # a plug-in that isn't installed any more
        return ""


def _ranking(part: IndexSection, rows: list[RankingRow]) -> Iterator[dict[str, Any]]:
    """Rows with the picture of an interval: of Elo, or of mu where nothing could be fitted."""
    if part.strengths is None:
        known = {name: (one.mu, DEVIATIONS * one.sigma) for name, one in part.ratings.ratings.items()}
        digits = 2
    else:
        known = {one.name: (one.elo, one.error) for one in part.strengths.strengths}
        digits = 0
    shown = [known[row["engine"]] for row in rows if row["engine"] in known]
    low = min((value - error for value, error in shown), default=0.0)
    high = max((value + error for value, error in shown), default=1.0)
    points = points_format(row["points"] for row in rows)
    for row in rows:
        value, error = known.get(row["engine"], (None, 0.0))
        yield {
            "place": row["rank"],
            "engine": row["engine"],
            "trueskill": trueskill_cells(row),
            "estimate": "" if value is None else _rounded(value, digits),
            "error": "" if value is None else _rounded(error, digits),
            "interval": "" if value is None else interval(value, error, (low, high)),
            "record": [row["games"], record_cell(row), format(row["points"], points), row["forfeits"] or ""],
        }


def _links(part: IndexSection) -> list[list[dict[str, str]]]:
    """For each cell of the crosstable the list of its games; nothing where there are none."""
    numbered = list(enumerate(part.table.names, 1))
    return [
        [
            *({} for _ in ("#", "engine", "total")),
            *(
                {"to": part.pair_page(row, column, 1), "label": f"games of {name} and {opponent}"}
                if (name, opponent) in part.table.cells
                else {}
                for column, opponent in numbered
            ),
        ]
        for row, name in numbered
    ]


def _superiority(part: IndexSection) -> TextTable | None:
    return None if part.strengths is None else superiority_view(part.strengths, part.table.names).whole()


def _rounded(value: float, digits: int) -> str:
    """Without the sign of a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _history(part: IndexSection, names: list[str]) -> Markup | None:
    """Mu after some of the games, with sigma to either side, in the order of the ranking."""
    series = []
    for name in names:
        known = [(sample.games, sample.ratings[name]) for sample in part.samples if name in sample.ratings]
        points = tuple((float(games), rating.mu) for games, rating in known)
        series.append(Series(points, tuple(rating.sigma for _, rating in known)))
    edges = [
        y + sign * spread
        for one in series
        for (_, y), spread in zip(one.points, one.spread, strict=True)
        for sign in (-1, 1)
    ]
    if not edges:
        return None
    across = (0.0, float(part.samples[-1].games))
    frame = PlotAxes(f"Ratings in {part.game}", "games", "mu", across, (min(edges), max(edges)))
    return line_plot(frame, series)


def _statistics(part: IndexSection, found: StatisticsCollector) -> dict[str, Any]:
    seats = [(f"player {number}", share.score, share.interval) for number, share in enumerate(found.seats, 1)]
    lengths = found.lengths
    return {
        "seats": overview.seats_table(found, part.strengths),
        "seats_note": overview.SEATS_NOTE,
        "seats_plot": share_bars("Score of each seat", seats),
        "lengths": overview.lengths_note(lengths),
        "lengths_plot": histogram("Length of games", "plies", lengths) if lengths else None,
        "openings": overview.openings_table(found, OPENINGS),
        "openings_note": overview.openings_note(found, OPENINGS),
        "ends": overview.ends_table(found),
        "ends_note": overview.ENDS_NOTE,
        "forfeits": overview.forfeits_table(part.tally),
        "forfeits_note": overview.FORFEITS_NOTE,
        "times": overview.times_table(found),
        "times_note": overview.TIMES_NOTE,
    }
