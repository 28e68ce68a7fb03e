"""The section of one game id on the page of a tournament: what is read for it, and what it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from markupsafe import Markup
from rich.console import RenderableType

from arena.formats.format import Curve, FormatView, Played
from arena.formats.plan import Plan
from arena.model import game_title
from arena.ratings import DEVIATIONS, trueskill
from arena.ratings.fit import Fit
from arena.ratings.lists import RatingList, elo_fit, rating_list, repeated_games, repeats_note
from arena.ratings.trueskill import RatingSample
from arena.scoring import GameScoreCounts
from arena.store import GameFilter, Store
from arena.tables.crosstable import WIDEST, Crosstable
from arena.tables.match_block import MatchBlock, conditions
from arena.tables.places import decisive_crosstable
from arena.tables.ratings import RatingTable, rating_table, superiority_table
from arena.tables.standings import standings
from arena.tables.statistics import GameStatistics, StatisticsCollector
from arena.tables.text_table import TextTable
from arena.tables.tournament_tables import format_renderables, points_table
from arena.web.boards.svg import Drawing
from arena.web.links import Links, game_anchor
from arena.web.pages.games import GameLine, RecentGames, thumbnail
from arena.web.pages.standings import (
    BracketRound,
    Gauge,
    Heat,
    Ranking,
    RankingLine,
    brackets,
    gauge,
    heat,
    ranking,
)
from arena.web.plots import STYLES, WIDTH, PlotAxes, Series, histogram, line_plot, share_bars
from protocol.words import counted

_HISTORY_WIDTH = 1200
"""The widths of the plots of ratings on the two pages, so that letters have the same size on both."""

_RACE_WIDTH = 800
_RACE_LEAST = 3
"""The fewest engines of a race: of two the score is enough."""

_OPENINGS_SHOWN = 20
_REASONS_SHOWN = 8


Course: TypeAlias = Sequence[tuple[int, Mapping[str, float]]]
"""Numbers of games, and after each what orders the engines."""


@dataclass(frozen=True, slots=True)
class GameResults:
    """The results of one game id of a tournament."""

    game: str
    tally: GameScoreCounts  # the scores of the games of this tournament that count
    table: Crosstable
    ratings: RatingList  # from this tournament, or from the list that decides it
    strengths: Fit | None  # the Elo fit to the games of the rating list
    repeats: str  # a sentence about games that repeat earlier ones; may be empty
    samples: list[RatingSample]  # the history of the ratings
    format: FormatView  # the extra tables of the tournament's format
    over: bool | None  # whether no game is missing; None if that is not known
    match: MatchBlock | None  # None unless two engines play a match

    @property
    def anchor(self) -> str:
        """The anchor of the section on the page."""
        return game_anchor(self.game)

    @property
    def elo(self) -> dict[str, float]:
        """The Elo of each engine; empty if nothing can be fitted."""
        return (
            {}
            if self.strengths is None
            else {strength.name: strength.elo for strength in self.strengths.strengths}
        )

    @property
    def has_pairs(self) -> bool:
        """Whether there is a crosstable, and a list of games for each pair."""
        return len(self.table.names) <= WIDEST


def read_results(
    store: Store, tournament: str, plan: Plan | None, game: str, tally: GameScoreCounts
) -> GameResults:
    """Read the results of one game id of a tournament; ``tally`` has the scores of the games that count."""
    results = store.results(tournament=tournament, game=game)
    played = Played(tally.total(), lambda: results)
    view = FormatView() if plan is None else plan.view(game, played)
    only = store.list_of(tournament) if view.decided_by == "ratings" else GameFilter(tournament)
    rated = store.tally(game=game, only=only).get(game, Counter())  # none of games that people played
    ratings = rating_list(store, game, rated, only)
    match = None
    if view.duel is not None:
        match = MatchBlock(game, view.duel, conditions(store, tournament, view.duel.engines))
    return GameResults(
        game,
        tally,
        decisive_crosstable(view, tally, ratings),
        ratings,
        elo_fit(store, ratings, only),
        repeats_note(repeated_games(store, game, tally, GameFilter(tournament)), tally),
        trueskill.history(
            [rated.outcome for rated in store.rating_lists.scored(game, only=only)], ratings.model
        ),
        view,
        None if plan is None else plan.is_over(game, played),
        match,
    )


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A bar: its name, its length from 0 to 100, and the figure beside it."""

    name: str
    share: float
    figure: str


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """The plot of the ratings of the best engines, their names, and how many are left out, in words."""

    plot: Markup
    names: list[str]
    left_out: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of games: of one id with all plots and tables, of several ids with the first five."""

    summary: str  # the numbers of games, draws and forfeits
    seats: TextTable  # a table without rows is not shown
    ends: TextTable
    forfeits: TextTable
    times: TextTable
    thinking: TextTable
    usage: TextTable
    openings: TextTable | None = None
    seats_plot: Markup | None = None
    lengths: str = ""  # the mean, the median and the range
    lengths_plot: Markup | None = None


@dataclass(frozen=True, slots=True)
class EngineRating:
    """Where an engine is in one game id, and how it came there; "" and None without a rated game."""

    title: str
    scale: str  # "Elo", or "mu" if nothing can be fitted
    elo: str
    error: str  # half of the 95 % interval
    rating: str  # "" if points decide, and not ratings
    place: int  # among the engines of the tournament, or of the rating list
    engines: int  # their number
    change: str  # of the place, in words
    above: tuple[str, str] | None  # the engine to overtake next, and what its place depends on
    history: Markup | None


@dataclass(frozen=True, slots=True)
class GameSection:
    """What the section shows."""

    results: GameResults
    title: str  # of the game
    list: str  # the page with the list of its games
    ranking: Ranking  # by what decides the format
    scale: str  # "Elo", or "mu" if nothing can be fitted
    picture: Drawing | None  # the last position of the newest game
    feed: Sequence[GameLine]  # the last games, the newest first
    gauge: Gauge | None
    curves: Sequence[tuple[str, Markup]]  # with their titles
    brackets: Sequence[tuple[str, Sequence[BracketRound]]]  # with their titles
    heat: Heat | None  # None for too many engines
    end_bars: Sequence[ShareBar]
    seat_bars: Sequence[ShareBar]
    history: RatingHistory | None
    standings: TextTable | None  # None if another table decides
    format: Sequence[RenderableType]  # the extra tables of the format
    rating_table: TextTable  # the ranking by TrueSkill with Elo, or with mu if nothing can be fitted
    fit_note: str  # what the numbers of the fit mean; "" without a fit
    superiority: TextTable | None  # None without a fit
    statistics: Statistics
    race: Markup | None  # the points over the games, of a league of few engines
    points: Course
    forgiven: Mapping[str, Counter[str]]  # the forgiven faults of each engine, by their words

    @property
    def winners(self) -> tuple[str, ...]:
        """The engines in the first place at the end."""
        over = self.results.over and not self.curves  # an engine that plays itself does not win
        return self.ranking.leaders if over and len(self.ranking.lines) > 1 else ()

    @property
    def podium(self) -> tuple[RankingLine, ...]:
        """The first three places at the end, if there are more than two engines."""
        return self.ranking.podium if self.results.over and len(self.ranking.lines) > 2 else ()


def game_section(
    results: GameResults,
    statistics: StatisticsCollector,
    recent: RecentGames,
    links: Links,
) -> GameSection:
    """Return what the section shows."""
    game, format_, names = results.game, results.format, results.table.names
    table = standings(results.tally, format_.order)
    rated = rating_table(results.ratings, results.strengths, table)
    shown = GameStatistics(statistics, game, results.strengths)

    def pair_link(row: int, column: int) -> str:
        whole = links.pair(game, (names[row - 1], names[column - 1]))
        return whole.removeprefix(links.tournament())  # there are thousands of them

    return GameSection(
        results=results,
        title=game_title(game),
        list=links.list(game=game),
        ranking=ranking(format_, table, results.strengths, results.ratings, recent),
        scale="mu" if results.strengths is None else "Elo",
        picture=thumbnail(game, *recent.positions.get(game, ())),
        feed=recent.lines,
        gauge=None if format_.duel is None else gauge(format_.duel),
        curves=[(curve.name, _curve(curve)) for curve in format_.curves],
        brackets=brackets(format_),
        heat=heat(results.table, pair_link) if results.has_pairs else None,
        end_bars=_end_bars(statistics),
        seat_bars=_seat_bars(statistics),
        history=_history(results, rated),
        standings=points_table(game, "standings", table, format_.order)
        if format_.decided_by == "standings"
        else None,
        format=format_renderables(game, format_, bracket=False),
        rating_table=rated.table(),
        fit_note=rated.notes(),
        superiority=None
        if results.strengths is None or not results.has_pairs
        else superiority_table(game, results.strengths, names),
        statistics=replace(
            statistics_of(shown),
            openings=shown.openings(_OPENINGS_SHOWN),
            seats_plot=share_bars(
                "Score of each seat",
                [
                    (f"player {number}", seat.score, seat.interval)
                    for number, seat in enumerate(statistics.seats, 1)
                ],
            ),
            lengths=shown.lengths(),
            lengths_plot=histogram("Length of games", "plies", statistics.lengths)
            if statistics.lengths
            else None,
        ),
        race=_race(recent, format_),
        points=recent.race.course(),
        forgiven=statistics.forgiven,
    )


def _race(recent: RecentGames, format_: FormatView) -> Markup | None:
    """Plot the points of a league over its games; a knock-out has a bracket instead."""
    lines = recent.race.lines()
    if format_.bracket or format_.duel is not None or len(lines) < _RACE_LEAST:
        return None
    most = max(points[-1][1] for points in lines.values())
    last = next(iter(lines.values()))[-1][0]
    axes = PlotAxes(
        "Points over the games", "games", "", (0.0, last), (0.0, most), height=300, width=_RACE_WIDTH
    )
    return line_plot(axes, [Series(tuple(points), (), name) for name, points in lines.items()])


def statistics_of(statistics: GameStatistics) -> Statistics:
    """Return the statistics that games of one id and of several ids have."""
    return Statistics(
        statistics.summary(),
        statistics.seats(),
        statistics.ends(),
        statistics.forfeits(),
        statistics.times(),
        statistics.thinking(),
        statistics.usage(),
    )


def ratings_of(name: str, sections: Sequence[GameSection]) -> dict[str, EngineRating]:
    """Return where an engine is, by game id, for its page, if it has a game of this id that counts."""
    ratings = {}
    for section in sections:
        results, ranked = section.results, section.ranking
        rating = engine_rating(
            name,
            section.title,
            section.scale,
            results.game,
            ranked,
            results.samples,
            section.points,
            results.format,
        )
        if rating is not None:
            ratings[results.game] = rating
    return ratings


def engine_rating(
    name: str,
    title: str,
    scale: str,
    game: str,
    ranked: Ranking,
    samples: Sequence[RatingSample],
    points: Course = (),
    format_: FormatView | None = None,
) -> EngineRating | None:
    """Return where an engine is in a ranking; None if it is not in it."""
    group = ranked.group_of(name)
    line = next((line for line in group if line.name == name), None)
    if line is None:
        return None
    above = next((other for other in reversed(group) if other.place < line.place), None)
    unit, course = "points", points
    if ranked.scale != "points":
        unit, course = "rating", [(sample.games, sample.conservative()) for sample in samples]
    return EngineRating(
        title,
        scale,
        line.elo,
        line.error,
        line.rating,
        line.place,
        max(line.place, len(group), len(format_.places) if format_ else 0),
        place_change(name, {other.name for other in group}, course) if ranked.by_number else "",
        (above.name, f"{above.deciding} {unit}") if above and ranked.by_number else None,
        history_plot(game, samples, [name]),
    )


def place_change(name: str, among: Collection[str], course: Course) -> str:
    """Say from which other place an engine has come to its place; "" if it has always had this one."""
    now, last = 0, 0
    for games, values in reversed(course):
        if name not in values:
            break
        place = 1 + sum(values[other] > values[name] for other in among if other in values)
        now, last = now or place, last or games
        if place != now:
            return (
                f"{'up' if place > now else 'down'} from {place} in the last {counted(last - games, 'game')}"
            )
    return ""


def _curve(curve: Curve) -> Markup:
    """Draw how a value has changed."""
    last = max(curve.points[-1][0], 1)
    axes = PlotAxes(f"Path of {curve.name}", "step", "", (0, last), curve.span)
    return line_plot(axes, [Series(tuple(curve.points))])


def _end_bars(statistics: StatisticsCollector) -> list[ShareBar]:
    """Return the most frequent reasons for the end of a game."""
    reasons: Counter[str] = Counter()
    for (reason, _), games in statistics.ends.items():
        reasons[reason] += games
    most = max(reasons.values(), default=1)
    frequent = reasons.most_common(_REASONS_SHOWN)
    return [ShareBar(reason, round(100 * games / most, 1), str(games)) for reason, games in frequent]


def _seat_bars(statistics: StatisticsCollector) -> list[ShareBar]:
    """Return the share of the points of each seat."""
    return [
        ShareBar(f"player {number}", round(100 * seat.score, 1), f"{100 * seat.score:.0f}\u202f%")
        for number, seat in enumerate(statistics.seats, 1)
        if seat.games
    ]


def _history(results: GameResults, rated: RatingTable) -> RatingHistory | None:
    names = [row["engine"] for row in rated.rows[:STYLES]]
    plot = history_plot(results.game, results.samples, names, _HISTORY_WIDTH)
    omitted = len(rated.rows) - len(names)
    return None if plot is None else RatingHistory(plot, names, counted(omitted, "other") if omitted else "")


def history_plot(
    game: str, history: Sequence[RatingSample], names: Sequence[str], width: int = WIDTH
) -> Markup | None:
    """Plot the history of mu of some engines, with the 95 % band of the first one."""
    series: list[Series] = []
    for name in names:
        samples = [(sample.games, sample.ratings[name]) for sample in history if name in sample.ratings]
        points = tuple((float(games), rating.mu) for games, rating in samples)
        spread = tuple(DEVIATIONS * rating.sigma for _, rating in samples)
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
    first = min(x for line in series for x, _ in line.points) if len(names) == 1 else 0.0
    x_range = (first, float(history[-1].games))
    y_range = min(edges), max(edges)
    axes = PlotAxes(
        f"TrueSkill mu in {game}",
        "games",
        "TrueSkill mu, not Elo",
        x_range,
        y_range,
        height=340,
        width=width,
    )
    return line_plot(axes, series)
