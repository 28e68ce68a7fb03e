"""Rating lists: standings with TrueSkill and Elo, in their order, as tables for people and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final, Literal, TypedDict

from arena.ratings.lists import PlayGroups
from arena.ratings.trueskill import Rating
from arena.tables.standings import ORDER_NOTES, Standing, points_format
from arena.tables.text_table import PagedTable, TextTable
from protocol.plurals import counted
from protocol.printable import printable

if TYPE_CHECKING:
    from arena.ratings.fit import Fit
    from arena.ratings.fit_check import FitCheck
    from arena.ratings.lists import RatingList


RankingOrder = Literal["trueskill", "elo", "points"]
"""How a ranking is sorted: by mu-3sigma, by the Elo of the fit, or by points."""

_UNRATED_LAST = "engines without a rated game come last, by points, wins, Sonneborn-Berger, name."

RANKING_NOTES: dict[RankingOrder, str] = {
    "trueskill": f"Order: mu-3sigma; {_UNRATED_LAST}",
    "elo": f"Order: Elo, then name; {_UNRATED_LAST}",
    "points": ORDER_NOTES["points"],
}
"""What decides, in a line below a table."""

_MOST: Final = 8
"""The most groups, and the most names of a group, in a warning."""


class RankingRow(TypedDict):
    """One engine in the ranking. The rating is null for an engine without a rated game.

    If there are several groups of engines that never played each other, ``group`` is the number of the
    engine's group, from 1, and ``rank`` is its place in the group.
    """

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
    """Join standings and ratings, and sort them.

    Args:
        standings: the standings by points. Engines without a rating come last, in this order.
        ratings: the engines that have a rated game.
        order: what decides.
        by_elo: these engines sorted by Elo, the best first; needed only for this order.
        groups: the groups that played each other. Each is ranked by itself, except by points.
    """
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
                rank=place if group is None else before[group],
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


def ranking_table(rows: Sequence[RankingRow]) -> TextTable:
    """Return the ranking as a table. Names of 20 characters fit into 80 columns."""
    points = points_format([row["points"] for row in rows])
    return TextTable(
        ("#", "engine", "mu", "sigma", "mu-3sigma", "games", "W-D-L", "points", "forfeits"),
        tuple(
            (
                place_cell(row),
                row["engine"],
                *trueskill_cells(row),
                str(row["games"]),
                record_cell(row),
                format(row["points"], points),
                str(row["forfeits"] or ""),
            )
            for row in rows
        ),
    )


def place_cell(row: RankingRow) -> str:
    """Return the rank; with several groups the number of the group and the rank in it, as in 2.1."""
    return str(row["rank"]) if row["group"] is None else f"{row['group']}.{row['rank']}"


def groups_note(groups: PlayGroups) -> str:
    """Return a warning if there are several groups of engines that never played each other, else ""."""
    if len(groups.groups) < 2:
        return ""
    shown = "; ".join(f"{number}: {_some(group)}" for number, group in enumerate(groups.groups[:_MOST], 1))
    more = len(groups.groups) - _MOST
    left = f"; and {counted(more, 'other group')}" if more > 0 else ""
    joined = "".join(
        f" Groups {_some([str(place + 1) for place in one])} met in forfeited games only."
        for one in groups.by_forfeits[:_MOST]
    )
    return (
        f"Warning: {len(groups.groups)} groups of engines did not play each other, so their ratings cannot be"
        f" compared; each is ranked by itself: {shown}{left}.{joined}"
    )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(map(printable, names[:_MOST])) + (f" and {counted(more, 'other')}" if more > 0 else "")


def trueskill_cells(row: RankingRow) -> tuple[str, str, str]:
    """Return mu, sigma and mu-3sigma; they are empty for an engine without a rated game."""
    return _rating(row["mu"]), _rating(row["sigma"]), _rating(row["conservative"])


def record_cell(row: RankingRow) -> str:
    """Return the numbers of games won, drawn and lost."""
    return f"{row['wins']}-{row['draws']}-{row['losses']}"


def _rating(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


_UNEVEN: Final = 4
"""If an engine has this many times as many rated games as another, a note says what this means."""


def ranking_data(rows: Sequence[RankingRow], elo_fit: Fit | None) -> list[dict[str, object]]:
    """Return the ranking for programs, with the likelihood that an engine is stronger than the next one."""
    return [{**row, "better": better} for row, better in zip(rows, ahead(rows, elo_fit), strict=True)]


def rating_table(
    rows: Sequence[RankingRow],
    elo_fit: Fit | None,
    order: RankingOrder = "trueskill",
    *,
    points_elo: bool = False,
) -> TextTable:
    """Return the ranking with Elo and half the width of its interval; it fits into 80 columns.

    Args:
        rows: the ranking.
        elo_fit: the fit; None if no game is rated.
        order: what decides. A ranking by points has a column with them.
        points_elo: whether there is a column with Elo on the scale of points.
    """
    strengths = {strength.name: strength for strength in (() if elo_fit is None else elo_fit.strengths)}
    points = points_format([row["points"] for row in rows])
    by_points = order == "points"
    headers = (
        *("#", "engine", "mu", "sigma", "mu-3sigma", "Elo", "+-95%"),
        *(("points-Elo",) if points_elo else ()),
        *("better", "games", "W-D-L"),
        *(("points",) if by_points else ()),
        "forfeits",
    )
    table = []
    for row, better in zip(rows, ahead(rows, elo_fit), strict=True):
        strength = strengths.get(row["engine"])
        of_points = "" if strength is None or elo_fit is None else str(round(elo_fit.on_points(strength.elo)))
        table.append(
            (
                *(place_cell(row), row["engine"], *trueskill_cells(row)),
                *(("", "") if strength is None else (str(round(strength.elo)), error_cell(strength.error))),
                *((of_points,) if points_elo else ()),
                *("" if better is None else likelihood_cell(better), str(row["games"]), record_cell(row)),
                *((format(row["points"], points),) if by_points else ()),
                str(row["forfeits"] or ""),
            )
        )
    return TextTable(headers, tuple(table))


def rating_notes(
    ratings: RatingList,
    elo_fit: Fit,
    rows: Sequence[RankingRow],
    order: RankingOrder = "trueskill",
    *,
    groups: PlayGroups = PlayGroups(),  # noqa: B008 - it is frozen
    check: FitCheck | None = None,
    points_elo: bool = False,
) -> str:
    """Return the lines below the table: what its numbers mean, and what a reader must know.

    Args:
        ratings: the list.
        elo_fit: its fit.
        rows: the ranking in the table.
        order: what decides in it.
        groups: the groups of the list.
        check: how well the fit explains the games; None for no line about it.
        points_elo: whether the table has Elo on the scale of points.
    """
    anchor = ratings.settings.anchor
    seats = ", ".join(
        f"player {number} {round(seat.elo):+d} +-{error_cell(seat.error)}"
        for number, seat in enumerate(elo_fit.seats, 1)
    )
    estimated = ", estimated" if ratings.settings.estimated else ""
    zero = "mean 0" if anchor is None else f"{anchor.name} is {anchor.elo:g}"
    lines = [
        f"Elo: {zero}; seats: {seats}; draws between equals: {_share_cell(elo_fit.draws)}",
        f"TrueSkill: draw probability {ratings.model.draw_probability:g}{estimated}",
    ]
    if elo_fit.clustered:
        lines.append("+-95%: the games of the same engines on one opening count as one observation")
    if len(rows) > 1:
        lines.append("better: how likely it is that the engine is stronger than the next one")
    if points_elo:
        scale = 1 - elo_fit.draws
        lines.append(
            "points-Elo: Elo on the scale of points, where draws count half. Differences and errors are"
            f" {'less than 0.01' if scale < 0.01 else f'{scale:.2f}'} times those of Elo"
        )
    games = [ratings.ratings[row["engine"]].games for row in rows if row["engine"] in ratings.ratings]
    if order == "trueskill" and games and max(games) >= _UNEVEN * min(games):
        lines.append(
            f"Engines have from {min(games)} to {max(games)} rated games: mu-3sigma puts those with few games"
            " low, Elo does not"
        )
    if check is not None:
        lines.append(check_note(check))
    lines.append(groups_note(groups))
    return "\n".join(filter(None, lines))


def check_note(check: FitCheck) -> str:
    """Return what the check of a fit has found; "" if there is nothing to compare."""
    worst = check.worst
    if worst is None or worst.deviation == 0 or len(check.differences) < 2:
        return ""
    if check.freedom < 1 and check.pairs < 2:
        return ""
    one, other = map(printable, worst.names)
    pair = (
        f"worst for {one} against {other}: {worst.points:g} of {counted(worst.games, 'point')},"
        f" expected {worst.expected:.1f}"
    )
    if check.explains:
        return f"Check of the fit: {pair}" + ("; chance explains the differences" if check.freedom else "")
    return (
        f"Warning: the strengths do not explain the results of the pairs, {pair}; some engines may beat"
        " stronger ones regularly, so look at the crosstable"
    )


def likelihood_cell(probability: float) -> str:
    """Return a probability in whole percent, but never 0 % or 100 %: games do not prove anything."""
    percent = round(100 * probability)
    return "<1%" if percent < 1 else ">99%" if percent > 99 else f"{percent}%"


def error_cell(error: float) -> str:
    """Return half of an interval in whole Elo; an error that is not 0 is never shown as 0."""
    return "<1" if 0 < error < 0.5 else f"{error:.0f}"


def _share_cell(share: float) -> str:
    return "<0.1%" if 0 < share < 0.0005 else ">99.9%" if share >= 0.9995 else f"{share:.1%}"


def ahead(rows: Sequence[RankingRow], elo_fit: Fit | None) -> list[float | None]:
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


def superiority_view(elo_fit: Fit, among: Collection[str] | None = None) -> PagedTable:
    """Return the table of the probabilities that the row's engine is stronger than the column's engine.

    Args:
        elo_fit: the fit.
        among: the engines in the table; ``None`` for all of them.
    """
    matrix = elo_fit.superiority()
    selected = [
        (place, strength)
        for place, strength in enumerate(elo_fit.strengths)
        if among is None or strength.name in among
    ]
    head = [("#", "engine", "Elo")] + [
        (str(number), strength.name, str(round(strength.elo)))
        for number, (_, strength) in enumerate(selected, 1)
    ]
    columns = [
        (
            str(number),
            *("*" if row == column else likelihood_cell(matrix[row][column]) for row, _ in selected),
        )
        for number, (column, _) in enumerate(selected, 1)
    ]
    return PagedTable(head, columns)


def settings_data(ratings: RatingList) -> dict[str, object]:
    """Return the settings of the list, and whether the draw probability was estimated."""
    anchor = ratings.settings.anchor
    return {
        **asdict(ratings.model),
        "estimated": ratings.settings.estimated,
        "anchor": None if anchor is None else asdict(anchor),
    }


def fit_data(elo_fit: Fit | None, check: FitCheck | None, *, superiority: bool) -> dict[str, object] | None:
    """Return the fit as data for programs."""
    if elo_fit is None:
        return None
    data: dict[str, object] = {
        "strengths": [asdict(strength) for strength in elo_fit.strengths],
        "seats": [asdict(seat) for seat in elo_fit.seats],
        "draws": elo_fit.draws,
        "check": None
        if check is None
        else {
            **asdict(check),
            "probability": check.probability if check.freedom else None,
        },
    }
    if superiority:
        data["superiority"] = elo_fit.superiority()
    return data


def rating_data(
    rated: RatingList,
    rows: Sequence[RankingRow],
    best: Fit | None,
    check: FitCheck | None,
    *,
    counted: object,
    repeated: int | None,
    superiority: bool = False,
) -> dict[str, object]:
    """Return a rating list as `arena ratings --json` prints it.

    Args:
        rated: the list.
        rows: its ranking.
        best: the fit of Elo; None if nothing can be fitted.
        check: how well the fit explains the games.
        counted: which games were counted.
        repeated: how many games repeat earlier ones; None if that was not counted.
        superiority: whether to add the likelihood of superiority of each pair.
    """
    return {
        "game": rated.game,
        "counted": counted,
        "repeated": repeated,
        "ranking": ranking_data(rows, best),
        "fit": fit_data(best, check, superiority=superiority),
        "settings": settings_data(rated),
    }
