"""The section of one game id on the index page: its data and the values for its template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from arena.config import PairingPlan
from arena.ended_games import GameScoreCounts
from arena.ratings import DEVIATIONS
from arena.ratings.fit import Fit
from arena.ratings.fit_check import FitCheck, check_fit
from arena.ratings.lists import RatingList
from arena.ratings.trueskill import RatingSample
from arena.tables.crosstable import WIDEST, Crosstable
from arena.tables.format_tables import FormatView
from arena.tables.ratings.ranking import (
    RANKING_NOTES,
    RankingRow,
    place_cell,
    ranking_rows,
    record_cell,
    trueskill_cells,
)
from arena.tables.ratings.tables import ahead, likelihood_cell, rating_notes, superiority_view
from arena.tables.standings import points_format, points_note, points_table, standings
from arena.tables.statistics import tables as overview
from arena.tables.statistics.collector import StatisticsCollector
from arena.tables.text_table import TextTable
from arena.web.links import Links, slug
from arena.web.pages.engine import EngineRating
from arena.web.plots import STYLES, PlotAxes, Series, histogram, line_plot, share_bars
from arena.web.views.pairs import DENSE, gauge, heat_rows, knockout_rounds, match_line
from arena.web.views.progress import is_over
from arena.web.views.ranking import RankingLine, decisive_places, podium, ranking_lines, ranking_note
from arena.web.views.results import RecentGames
from arena.web.views.shares import end_bars, seat_bars
from arena.web.views.thumbnails import picture
from protocol.plurals import counted
from referee import game
from referee.errors import RefereeError

__all__ = ["IndexSection", "ratings_of", "section_values"]

_HISTORY_WIDTH, _ENGINE_WIDTH = 1200, 800
"""The widths of the plots of ratings on the two pages, so that letters have the same size on both."""

MAX_OPENINGS = 20
"""The largest number of openings in the table."""


@dataclass(frozen=True, slots=True)
class IndexSection:
    """The results of one game id of a tournament.

    Attributes:
        game: the game id.
        tally: the scores of the tournament's games that count.
        table: the crosstable of these games.
        ratings: the rating list of the game id, from all tournaments of the database.
        strengths: the Elo fit to the same games as the rating list; ``None`` if nothing can be fitted.
        repeats: a sentence about games that repeat earlier ones; may be empty.
        samples: the history of the ratings.
        format: the extra tables of the tournament's format.
    """

    game: str
    tally: GameScoreCounts
    table: Crosstable
    ratings: RatingList
    strengths: Fit | None
    repeats: str
    samples: list[RatingSample]
    format: FormatView

    @property
    def anchor(self) -> str:
        """The anchor of the section on the index page."""
        return f"game-{slug(self.game)}"

    @property
    def has_pairs(self) -> bool:
        """Whether there is a crosstable, and a list of games for each pair."""
        return len(self.table.names) <= WIDEST


def section_values(
    section: IndexSection,
    statistics: StatisticsCollector,
    recent: RecentGames,
    plan: PairingPlan | None,
    links: Links,
) -> dict[str, Any]:
    """Return the values for the template.

    Args:
        section: the results of the game id.
        statistics: the statistics of the same games.
        recent: the last games of the game id.
        plan: the tournament's plan; None if it is not known.
        links: the links of the page.
    """
    order = section.format.order
    table = standings(section.tally, order)
    groups = section.ratings.groups()
    check = (
        None
        if section.strengths is None
        else check_fit(section.ratings.tally, section.ratings.model, section.strengths)
    )
    rows = ranking_rows(table, section.ratings.ratings, groups=groups)
    top = [row["engine"] for row in rows[:STYLES]]
    omitted = len(rows) - len(top)
    data = section.format.data
    ratings = section.ratings.ratings
    places = decisive_places(section.format, table, ratings)
    lines = ranking_lines(places, table, section.strengths, ratings, recent)
    over = is_over(plan, section.game, section.tally.total(), data)
    match: Any = data.get("match")
    bracket: Any = data.get("bracket")
    return {
        "game": section.game,
        "title": _title(section.game) or section.game,
        "anchor": section.anchor,
        "list": links.games(section.game),
        "picture": picture(section.game, recent),
        "over": over,
        "podium": podium(lines) if over and len(lines) > 2 else [],
        "winners": [line.name for line in lines if line.place == 1] if over and len(lines) > 1 else [],
        "lines": lines,
        "lines_note": ranking_note(section.format),
        "feed": recent.lines,
        "games": section.tally.total(),
        "match": None if match is None else {"engines": match["engines"], "elo": match_line(match)},
        "gauge": None if match is None else gauge(match),
        "rounds": None if bracket is None else knockout_rounds(bracket),
        "bars": end_bars(statistics),
        "seat_bars": seat_bars(statistics),
        "summary": overview.summary(statistics),
        "standings": points_table(table, order) if section.format.decided_by == "standings" else None,
        "standings_note": points_note(order),
        "format": section.format.renderables,
        "scale": "mu" if section.strengths is None else "Elo",
        "ranking": list(_ranking(section, rows)),
        "ranking_note": RANKING_NOTES["trueskill"],
        "fit_note": ""
        if section.strengths is None
        else rating_notes(section.ratings, section.strengths, rows, groups=groups, check=check),
        "heat": heat_rows(section.table, _pair_link(section, links)) if section.has_pairs else None,
        "dense": len(section.table.names) > DENSE,
        "superiority": _superiority(section) if section.has_pairs else None,
        "repeats": section.repeats,
        "crosstable_note": section.table.note,
        "fit_plot": None if check is None else _fit_plot(section.game, check),
        "history": _history(section, top),
        "history_names": top,
        "history_left": counted(omitted, "other") if omitted else "",
        **_statistics(section, statistics),
    }


def ratings_of(
    name: str, sections: Sequence[IndexSection], values: Sequence[Mapping[str, Any]]
) -> dict[str, EngineRating]:
    """Return the ratings of an engine by game id, for its page; ids without a game that counts are left out.

    Args:
        name: the engine.
        sections: the results of each game id.
        values: what `section_values` returned for each.
    """
    found = {}
    for section, shown in zip(sections, values, strict=True):
        lines: list[RankingLine] = shown["lines"]
        for line in lines:
            if line.name == name:
                plot = _history(section, [name], width=_ENGINE_WIDTH)
                found[section.game] = EngineRating(
                    shown["title"], shown["scale"], line.elo, line.error, line.place, len(lines), plot
                )
    return found


def _pair_link(section: IndexSection, links: Links) -> Callable[[int, int], str]:
    names = section.table.names
    return lambda row, column: links.pair(section.game, (row, column), (names[row - 1], names[column - 1]))


def _title(game_id: str) -> str:
    try:
        return game(game_id).info.title
    except RefereeError:  # a plug-in that is not installed any more
        return ""


def _ranking(section: IndexSection, rows: list[RankingRow]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the ranking by TrueSkill with Elo, or mu if nothing can be fitted."""
    if section.strengths is None:
        estimates = {
            name: (rating.mu, DEVIATIONS * rating.sigma) for name, rating in section.ratings.ratings.items()
        }
        digits = 2
    else:
        estimates = {
            strength.name: (strength.elo, strength.error) for strength in section.strengths.strengths
        }
        digits = 0
    points = points_format(row["points"] for row in rows)
    for row, better in zip(rows, ahead(rows, section.strengths), strict=True):
        value, error = estimates.get(row["engine"], (None, 0.0))
        yield {
            "place": place_cell(row),
            "engine": row["engine"],
            "trueskill": trueskill_cells(row),
            "estimate": "" if value is None else _rounded(value, digits),
            "error": "" if value is None else _rounded(error, digits),
            "better": "" if better is None else likelihood_cell(better),
            "record": [row["games"], record_cell(row), format(row["points"], points), row["forfeits"] or ""],
        }


def _superiority(section: IndexSection) -> TextTable | None:
    return (
        None
        if section.strengths is None
        else superiority_view(section.strengths, section.table.names).whole()
    )


def _rounded(value: float, digits: int) -> str:
    """Format a number without a sign before zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _history(section: IndexSection, names: list[str], width: int = _HISTORY_WIDTH) -> Markup | None:
    """Plot the history of mu with a band of one sigma, for the engines ``names``."""
    series: list[Series] = []
    for name in names:
        samples = [
            (sample.games, sample.ratings[name]) for sample in section.samples if name in sample.ratings
        ]
        points = tuple((float(games), rating.mu) for games, rating in samples)
        spread = tuple(rating.sigma for _, rating in samples)
        series.append(Series(points, () if series else spread, name if len(names) > 1 else ""))
    edges = [y for line in series for _, y in line.points]
    for line in series:
        edges += [
            y + sign * error
            for (_, y), error in zip(line.points, line.spread, strict=False)  # a line may have no band
            for sign in (-1, 1)
        ]
    if not edges:
        return None
    x_range = (0.0, float(section.samples[-1].games))
    y_range = min(edges), max(edges)
    axes = PlotAxes(f"Ratings in {section.game}", "games", "mu", x_range, y_range, height=340, width=width)
    return line_plot(axes, series)


def _fit_plot(game_id: str, check: FitCheck) -> Markup | None:
    """Plot the observed points (with 95 % bands) and the expected points by the difference in Elo."""
    parts = check.differences
    if len(parts) < 2:
        return None
    observed = tuple((part.difference, part.points) for part in parts)
    expected = tuple((part.difference, part.expected_points) for part in parts)
    ranges = (0.0, parts[-1].difference), (0.0, 1.0)
    axes = PlotAxes(
        f"Check of the fit in {game_id}", "difference in Elo, seats included", "points a game", *ranges
    )
    return line_plot(axes, [Series(observed, tuple(part.error for part in parts)), Series(expected)])


def _statistics(section: IndexSection, statistics: StatisticsCollector) -> dict[str, Any]:
    seats = [
        (f"player {number}", seat.score, seat.interval) for number, seat in enumerate(statistics.seats, 1)
    ]
    lengths = statistics.lengths
    return {
        "seats": overview.seats_table(statistics, section.strengths),
        "seats_note": overview.SEATS_NOTE,
        "seats_plot": share_bars("Score of each seat", seats),
        "lengths": overview.lengths_note(lengths),
        "lengths_plot": histogram("Length of games", "plies", lengths) if lengths else None,
        "openings": overview.openings_table(statistics, MAX_OPENINGS),
        "openings_note": overview.openings_note(statistics, MAX_OPENINGS),
        "ends": overview.ends_table(statistics),
        "ends_note": overview.ENDS_NOTE,
        "forfeits": overview.forfeits_table(section.tally),
        "forfeits_note": overview.FORFEITS_NOTE,
        "times": overview.times_table(statistics),
        "times_note": overview.TIMES_NOTE,
    }
