"""The results of the engines in one game id: the ranking, the crosstable, a bracket, the gauge of a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import TypeAlias

from markupsafe import Markup

from arena.formats.format import FormatView, MatchRow
from arena.formats.knockout import THIRD_PLACE
from arena.formats.match_progress import MatchProgress
from arena.ratings import DEVIATIONS
from arena.ratings.fit import Fit
from arena.ratings.lists import RatingList
from arena.scoring import SeatEnding
from arena.tables.crosstable import Crosstable
from arena.tables.places import Placed, decisive_places, leaders, order_note
from arena.tables.ratings import other_order_note
from arena.tables.standings import Standing
from arena.tables.text_table import in_groups
from arena.web.figures import number, points_text, signed
from arena.web.pages.games import RecentGames
from arena.web.plots import interval


@dataclass(frozen=True, slots=True)
class RankingLine:
    """An engine in the ranking."""

    place: int  # engines may share one
    name: str
    points: str
    total: float  # what orders the ranking, as a number: the points or the rating
    games: int
    record: str  # won, drawn and lost
    elo: str  # with its sign, or mu if nothing can be fitted; "" without a rated game
    error: str  # half of the 95 % interval
    interval: Markup | str  # the drawing of the interval
    rating: str  # what orders the ranking if ratings decide; else ""
    form: tuple[SeatEnding, ...]  # how its last six games ended, the newest last
    forfeits: int
    group: int | None  # as in a `Placed`

    @property
    def deciding(self) -> str:
        """What orders the ranking, as a text."""
        return self.rating or self.points


@dataclass(frozen=True, slots=True)
class Ranking:
    """The engines by what decides the format, and the note below them."""

    lines: tuple[RankingLine, ...]
    note: str
    scale: str  # the word for what orders it: "points", or "mu-3sigma"
    by_number: bool  # whether this number orders it, and not the rounds of a knock-out

    @property
    def sections(self) -> list[tuple[str, list[RankingLine]]]:
        """The lines under the headings of their groups."""
        return in_groups([line.group for line in self.lines], self.lines)

    def group_of(self, name: str) -> list[RankingLine]:
        """Return the lines among which an engine has its place; empty if it has none."""
        return next((part for _, part in self.sections if any(line.name == name for line in part)), [])

    @property
    def leaders(self) -> tuple[str, ...]:
        """The engines in the first place of the first group."""
        return leaders([Placed(line.place, line.name, line.group) for line in self.lines])

    @property
    def podium(self) -> tuple[RankingLine, ...]:
        """The first three places of the first group, the winner first; ties share a step's height."""
        return tuple(line for line in self.sections[0][1][:3] if line.place <= 3)


def ranking(
    format_: FormatView,
    standings: Sequence[Standing],
    strengths: Fit | None,
    rated: RatingList,
    recent: RecentGames,
) -> Ranking:
    """Return the ranking, with mu instead of Elo if nothing can be fitted; all intervals have one axis."""
    places = decisive_places(format_, standings, rated)
    by_rating = format_.decided_by == "ratings" and not format_.places
    by_name = {standing.name: standing for standing in standings}
    if strengths is None:
        values = {name: (rating.mu, DEVIATIONS * rating.sigma) for name, rating in rated.ratings.items()}
    else:
        values = {fitted.name: (fitted.elo, fitted.error) for fitted in strengths.strengths}
    digits = 2 if strengths is None else 0
    shown = [values[placed.name] for placed in places if placed.name in values]
    span = (
        min((elo - error for elo, error in shown), default=0.0),
        max((elo + error for elo, error in shown), default=1.0),
    )
    lines = []
    for place, name, group in places:
        row = by_name[name]
        elo, error = values.get(name, (None, 0.0))
        rating = rated.ratings[name].conservative if by_rating and name in rated.ratings else None
        lines.append(
            RankingLine(
                place,
                name,
                points_text(row.points),
                (rating or 0.0) if by_rating else row.points,
                row.games,
                f"{row.wins}-{row.draws}-{row.losses}",
                "" if elo is None else signed(elo) if digits == 0 else f"{elo:.2f}",
                "" if elo is None else f"{error:.{digits}f}",
                "" if elo is None else interval(elo, error, span),
                "" if rating is None else number(rating),
                recent.form(name),
                row.forfeits,
                group,
            )
        )
    note = order_note(format_) + (_APART if any(line.group for line in lines) else "")
    if by_rating and strengths is not None:
        fitted_elo = {fitted.name: fitted.elo for fitted in strengths.strengths}
        why = other_order_note([(line.group, line.name) for line in lines], rated.ratings, fitted_elo)
        note += f" {why}." if why else ""
    return Ranking(
        tuple(lines), note, "mu-3sigma" if by_rating else "points", not (format_.bracket or format_.parts)
    )


_APART = " Engines of two groups met in forfeited games only, or not at all, so they cannot be compared."


# --- crosstable, bracket, match

_WIDEST_WITH_FIGURES = 30
"""With more engines than these, the cells of a crosstable have no figures."""

_HEAT_STEPS = 6


@dataclass(frozen=True, slots=True)
class HeatCell:
    """The score of one engine against another."""

    text: str  # the points; "" for the engine itself; a dot for a pair that has not met
    look: str  # "h0" (lost) to "h6" (won), "own" or "unmet"
    link: str  # the page with the games of the pair


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of the crosstable."""

    name: str
    total: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class Heat:
    """A crosstable whose cells are coloured from lost to won."""

    rows: tuple[HeatRow, ...]
    dense: bool  # whether the cells have no figures, because there are too many engines
    each: int | None  # the games of each pair that has met; None if they differ
    note: str  # how it is sorted


Meeting: TypeAlias = tuple[tuple[str, str, bool], ...]
"""A match of a bracket: for each side its name, its points, and whether it won. A bye has one side."""


@dataclass(frozen=True, slots=True)
class BracketRound:
    """The title of a round of a bracket, and its matches."""

    title: str
    meetings: tuple[Meeting, ...]


@dataclass(frozen=True, slots=True)
class Gauge:
    """The log-likelihood ratio of a test between its bounds."""

    low: str
    high: str
    value: str
    at: float  # where it is on the track, from 0 to 100
    zero: float  # where 0 is
    verdict: str  # a sentence with the state of the test

    @property
    def start(self) -> float:
        """Where the filled part starts."""
        return min(self.at, self.zero)

    @property
    def width(self) -> float:
        """The width of the filled part."""
        return abs(self.at - self.zero)


def heat(table: Crosstable, link: Callable[[int, int], str]) -> Heat:
    """Colour a crosstable; ``link`` gives the page of the games of two engines, by their places from 1."""
    numbers = {cell.games for cell in table.cells.values()}
    each = numbers.pop() if len(numbers) == 1 else None

    def cell(row: int, column: int) -> HeatCell:
        name, opponent = table.names[row], table.names[column]
        score = table.cells.get((name, opponent))
        if score is None:
            return HeatCell("", "own", "") if row == column else HeatCell("·", "unmet", "")
        points = points_text(score.points)
        look = f"h{round(_HEAT_STEPS * score.points / score.games)}"
        return HeatCell(points if each else f"{points}/{score.games}", look, link(row + 1, column + 1))

    places = range(len(table.names))
    rows = (
        HeatRow(
            name,
            points_text(fsum(score.points for (first, _), score in table.cells.items() if first == name)),
            tuple(cell(row, column) for column in places),
        )
        for row, name in enumerate(table.names)
    )
    return Heat(tuple(rows), len(table.names) > _WIDEST_WITH_FIGURES, each, table.note)


def brackets(view: FormatView, title: str = "Bracket") -> list[tuple[str, list[BracketRound]]]:
    """Return the brackets of a format and of its stages, each with a title and its rounds, the final last."""
    titles = {1: "" if title == THIRD_PLACE else "Final", 2: "Semi-finals", 4: "Quarter-finals"}
    rounds = [
        BracketRound(titles.get(len(matches), f"Round {number}"), tuple(map(_meeting, matches)))
        for number, matches in enumerate(view.bracket, 1)
    ]
    inner = [bracket for part in view.parts for bracket in brackets(part, part.title)]
    return [(title, rounds), *inner] if rounds else inner


def _meeting(match: MatchRow) -> Meeting:
    names, points = match["engines"], match["points"]
    return tuple(
        (
            name or "–",
            points_text(points[side]) if match["games"] else "",
            name is not None and name == match["winner"],
        )
        for side, name in enumerate(names)
        if name is not None or match["by"] != "bye"
    )


def gauge(duel: MatchProgress) -> Gauge | None:
    """Return the gauge; None without a test, or if the ratio is not finite."""
    sprt, status = duel.sprt, duel.status
    if sprt is None or not isfinite(status.llr):
        return None
    low, high = sprt.bounds
    share = (min(max(status.llr, low), high) - low) / (high - low)
    verdicts = {
        None: "Undecided: the test ends when the mark reaches a bound.",
        "elo0": f"Not better: {sprt.elo0:g} Elo is accepted after {status.units} pairs.",
        "elo1": f"Better: {sprt.elo1:g} Elo is accepted after {status.units} pairs.",
    }
    return Gauge(
        signed(low, 2),
        signed(high, 2),
        signed(status.llr, 2),
        round(100 * share, 2),
        round(100 * -low / (high - low), 2),
        verdicts[status.accepted],
    )
