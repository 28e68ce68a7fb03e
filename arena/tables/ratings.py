"""Rating lists: standings with TrueSkill and Elo, in their order, as tables for people and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, TypedDict

from rich.console import RenderableType

from arena.ratings.lists import PlayGroups, RatingList, elo_fit, rating_list, repeated_games, repeats_note
from arena.ratings.settings import Anchor
from arena.ratings.trueskill import Rating
from arena.scoring import GameScoreCounts
from arena.store import ALL_GAMES, GameFilter, Store
from arena.tables.standings import ORDER_NOTES, Standing, games_line, points_format, standings
from arena.tables.text_table import TextTable
from protocol.words import counted, percent, printable

if TYPE_CHECKING:
    from arena.ratings.fit import Fit

RankingOrder = Literal["trueskill", "elo", "points"]
"""How a ranking is sorted: by mu-3sigma, by the Elo of the fit, or by points."""

_UNRATED_LAST = "engines without a rated game come last, by points, wins, Sonneborn-Berger, name."

RANKING_NOTES: dict[RankingOrder, str] = {
    "trueskill": f"Order: mu-3sigma (mu: strength, sigma: uncertainty); {_UNRATED_LAST}",
    "elo": f"Order: Elo, then name; {_UNRATED_LAST}",
    "points": ORDER_NOTES["points"],
}
"""What decides, in a line below a table."""

_NAMED_IN_WARNING: Final = 8  # the most groups, and the most names of a group, in a warning


_MANY_DRAWS: Final = 0.5
"""If equal engines draw more often, a note says how this Elo differs from the Elo of a match."""


class RankingRow(TypedDict):
    """One engine in the ranking, with its rank in its ``group``, from 1, if there are several."""

    rank: int
    group: int | None
    engine: str
    mu: float | None
    sigma: float | None
    conservative: float | None
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    forfeits: int
    unplayed: int


def ranking_rows(
    standings: Sequence[Standing],
    ratings: Mapping[str, Rating],
    order: RankingOrder = "trueskill",
    by_elo: Sequence[str] = (),
    groups: PlayGroups = PlayGroups(),  # noqa: B008 - it is frozen
) -> list[RankingRow]:
    """Join standings and ratings, and sort them, group after group unless by points; unrated ones last."""
    names = [standing.name for standing in standings]
    rated = [name for name in names if name in ratings]
    best_first: dict[RankingOrder, Sequence[str]] = {
        "trueskill": sorted(rated, key=lambda name: -ratings[name].conservative),
        "elo": by_elo,
        "points": names,
    }
    places = {name: place for place, name in enumerate(best_first[order])}
    group_of = groups.index() if order != "points" and len(groups.groups) > 1 else {}
    last = len(groups.groups), len(places)
    ranked = sorted(
        standings, key=lambda row: (group_of.get(row.name, last[0]), places.get(row.name, last[1]))
    )
    rows: list[RankingRow] = []
    before: Counter[int | None] = Counter()
    for place, standing in enumerate(ranked, 1):
        rating = ratings.get(standing.name)
        group = group_of.get(standing.name)
        before[group] += 1
        rows.append(
            RankingRow(
                rank=before[group] if group_of else place,
                group=None if group is None else group + 1,
                engine=standing.name,
                mu=None if rating is None else rating.mu,
                sigma=None if rating is None else rating.sigma,
                conservative=None if rating is None else rating.conservative,
                games=standing.games,
                wins=standing.wins,
                draws=standing.draws,
                losses=standing.losses,
                points=standing.points,
                forfeits=standing.forfeits,
                unplayed=standing.unplayed,
            )
        )
    return rows


def groups_note(groups: PlayGroups) -> str:
    """Return a warning if there are several groups of engines that never played each other, else ""."""
    if len(groups.groups) < 2:
        return ""
    shown = "; ".join(
        f"{number}: {_some(group)}" for number, group in enumerate(groups.groups[:_NAMED_IN_WARNING], 1)
    )
    more = len(groups.groups) - _NAMED_IN_WARNING
    left = f"; and {counted(more, 'other group')}" if more > 0 else ""
    joined = "".join(
        f" Groups {_some([str(place + 1) for place in places])} met, but no game between them was played to"
        " the end."
        for places in groups.by_forfeits[:_NAMED_IN_WARNING]
    )
    return (
        f"Warning: {len(groups.groups)} groups of engines played no game to the end with each other, so"
        f" their ratings cannot be compared; each is ranked by itself: {shown}{left}.{joined}"
    )


def other_order_note(
    names: Iterable[tuple[int | None, str]], ratings: Mapping[str, Rating], elo: Mapping[str, float]
) -> str:
    """Return why Elo has another order than mu-3sigma, by which these groups and names are sorted; or ""."""
    turned = [
        (elo[name] - elo[above], above, name)
        for (group, above), (other_group, name) in pairwise(names)
        if group == other_group and {above, name} <= elo.keys() and elo[name] >= elo[above] + 1
    ]
    if not turned:
        return ""
    _, above, name = max(turned)
    why = "TrueSkill rates game after game, and Elo fits all games at the same time"
    if ratings[name].mu > ratings[above].mu:
        why = (
            f"after {counted(ratings[name].games, 'game')} TrueSkill is less sure of {printable(name)}"
            f" than of {printable(above)} after {ratings[above].games}"
        )
    return f"Elo puts {printable(name)} before {printable(above)}, but the order is by mu-3sigma: {why}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED_IN_WARNING
    return ", ".join(map(printable, names[:_NAMED_IN_WARNING])) + (
        f" and {counted(more, 'other')}" if more > 0 else ""
    )


def _rating(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A rating list with all that is shown of it, in one order, by terminals, files, programs and pages."""

    rated: RatingList
    fit: Fit | None  # Elo; None if no game is rated
    groups: PlayGroups
    order: RankingOrder
    rows: tuple[RankingRow, ...]
    better: tuple[float | None, ...]  # how likely each is stronger than the next one of its group
    repeated: int | None  # games that repeat an earlier one; None if too many to compare

    def data(self, counted: object, *, superiority: bool = False) -> dict[str, object]:
        """Return the list as `arena ratings --json` prints it; ``counted`` says which games were counted."""
        fit = self.fit
        return {
            "game": self.rated.game,
            "counted": counted,
            "repeated": self.repeated,
            "ranking": [
                {**row, "better": better} for row, better in zip(self.rows, self.better, strict=True)
            ],
            "fit": None
            if fit is None
            else {
                "strengths": [asdict(strength) for strength in fit.strengths],
                "seats": [asdict(seat) for seat in fit.seats],
                "draws": fit.draws,
                **({"superiority": fit.superiority()} if superiority else {}),
            },
            "settings": {
                **asdict(self.rated.model),
                "estimated": self.rated.settings.estimated,
                "anchor": None if self.rated.settings.anchor is None else asdict(self.rated.settings.anchor),
            },
        }

    def renderables(self, counted: str, *, los: bool) -> Iterator[RenderableType]:
        """Yield what people read; ``counted`` says which games were counted."""
        game = self.rated.game
        yield f"{game}: {games_line(self.rated.tally)}; counted: {counted}"
        yield self.table("ratings", points=self.order == "points")
        yield from filter(None, (self.notes(), repeats_note(self.repeated, self.rated.tally)))
        if los and self.fit is not None:
            yield "Probability that the engine of the row is stronger than the engine of the column:"
            yield superiority_table(game, self.fit)

    def table(self, name: str = "ranking", *, elo: bool = True, points: bool = True) -> TextTable:
        """Return the ranking with Elo and half the width of its interval; without points 80 columns wide.

        Without Elo names of 20 characters fit into 80 columns.
        """
        fitted = () if self.fit is None else self.fit.strengths
        elos = {strength.name: (str(round(strength.elo)), error_cell(strength.error)) for strength in fitted}
        points_of = points_format([row["points"] for row in self.rows])
        rows = []
        for row, better in zip(self.rows, self.better, strict=True):
            likely = "" if better is None else likelihood_cell(better)
            rows.append(
                (
                    str(row["rank"]),
                    row["engine"],
                    *map(_rating, (row["mu"], row["sigma"], row["conservative"])),
                    *((*elos.get(row["engine"], ("", "")), likely) if elo else ()),
                    str(row["games"]),
                    f"{row['wins']}-{row['draws']}-{row['losses']}",
                    *((format(row["points"], points_of),) if points else ()),
                    str(row["forfeits"] or ""),
                )
            )
        headers = (
            *("#", "engine", "mu", "sigma", "mu-3sigma"),
            *(("Elo", "+-95%", "better") if elo else ()),
            *("games", "W-D-L"),
            *(("points",) if points else ()),
            "forfeits",
        )
        groups = tuple(row["group"] for row in self.rows)
        return TextTable(self.rated.game, name, headers, tuple(rows), RANKING_NOTES[self.order], groups)

    def notes(self) -> str:
        """Return what the numbers of the table mean, and what a reader must know; "" without a fit."""
        if self.fit is None:
            return ""
        settings = self.rated.settings
        seats = ", ".join(
            f"player {number} {round(seat.elo):+d} +-{error_cell(seat.error)}"
            for number, seat in enumerate(self.fit.seats, 1)
        )
        share = self.fit.draws
        draws = likelihood_cell(share) if share else percent(share)
        estimated = ", estimated" if settings.estimated else ""
        zero = "mean 0" if settings.anchor is None else f"{settings.anchor.name} is {settings.anchor.elo:g}"
        lines = [
            f"Elo: {zero}; seats: {seats}; draws between equals: {draws}",
            f"TrueSkill: draw probability {self.rated.model.draw_probability:g}{estimated}",
        ]
        if len(self.fit.seats) == 2 and self.fit.draws > _MANY_DRAWS:
            lines.append(
                "Elo leaves out drawn games. `arena match` counts them as half a point, so it shows about"
                f" {percent(1 - self.fit.draws)} of these differences"
            )
        if self.fit.clustered:
            lines.append("+-95%: the games of the same engines on one opening count as one observation")
        if len(self.rows) > 1:
            lines.append("better: how likely it is that the engine is stronger than the next one")
        if self.order == "trueskill":
            elo = {strength.name: strength.elo for strength in self.fit.strengths}
            names = [(row["group"], row["engine"]) for row in self.rows]
            lines.append(other_order_note(names, self.rated.ratings, elo))
        lines.append(groups_note(self.groups))
        return "\n".join(filter(None, lines))


def read_ratings(
    store: Store,
    game: str,
    games: GameScoreCounts,
    only: GameFilter = ALL_GAMES,
    order: RankingOrder = "trueskill",
    anchor: Anchor | None = None,
) -> RatingTable:
    """Rate the games of an id that meet conditions; ``games`` has their scores.

    An `ArenaError` says that the anchor (if None, the anchor of the list) has no rated game.
    """
    rated = rating_list(store, game, games, only)
    if anchor is not None:
        rated = replace(rated, settings=replace(rated.settings, anchor=anchor))
    repeated = repeated_games(store, game, games, only)
    return rating_table(rated, elo_fit(store, rated, only), standings(games), repeated, order)


def rating_table(
    rated: RatingList,
    fit: Fit | None,
    ranked: Sequence[Standing],
    repeated: int | None = 0,
    order: RankingOrder = "trueskill",
) -> RatingTable:
    """Return a rating list with all that is shown of it, for the engines of some standings."""
    groups = rated.groups().among({standing.name for standing in ranked})
    by_elo = [] if fit is None else [strength.name for strength in fit.strengths]
    rows = ranking_rows(ranked, rated.ratings, order, by_elo, groups)
    return RatingTable(rated, fit, groups, order, tuple(rows), tuple(_better(rows, fit)), repeated)


def likelihood_cell(probability: float) -> str:
    """Return a probability in whole percent, but never 0 % or 100 %: games do not prove anything."""
    if probability <= 0.005:
        return f"<{percent(0.01)}"
    return f">{percent(0.99)}" if probability >= 0.995 else percent(probability)


def error_cell(error: float) -> str:
    """Return half of an interval in whole Elo; an error that is not 0 is never shown as 0."""
    return "<1" if 0 < error < 0.5 else f"{error:.0f}"


def _better(rows: Sequence[RankingRow], elo_fit: Fit | None) -> list[float | None]:
    """Return for each row how likely it is that its engine is stronger than the next one of its group."""
    if elo_fit is None:
        return [None] * len(rows)
    following = [*(row["group"] for row in rows[1:]), None]
    return [
        better if row["group"] == group else None
        for row, group, better in zip(
            rows, following, elo_fit.ahead([row["engine"] for row in rows]), strict=True
        )
    ]


def superiority_table(game: str, elo_fit: Fit, among: Collection[str] | None = None) -> TextTable:
    """Return how likely it is that the row's engine is stronger than the column's, for all or some."""
    matrix = elo_fit.superiority()
    selected = [
        (place, strength)
        for place, strength in enumerate(elo_fit.strengths)
        if among is None or strength.name in among
    ]
    rows = tuple(
        (
            str(number),
            strength.name,
            str(round(strength.elo)),
            *("*" if row == column else likelihood_cell(matrix[row][column]) for column, _ in selected),
        )
        for number, (row, strength) in enumerate(selected, 1)
    )
    headers = ("#", "engine", "Elo", *(number for number, *_ in rows))
    return TextTable(game, "superiority", headers, rows, RANKING_NOTES["elo"], fixed=3)
