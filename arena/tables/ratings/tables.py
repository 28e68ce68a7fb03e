"""Rating lists with TrueSkill and fitted Elo, as data for programs and as tables for people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Final

from arena.ratings.fit import Fit
from arena.ratings.fit_check import FitCheck
from arena.ratings.lists import PlayGroups, RatingList
from arena.tables.ratings.ranking import (
    RankingOrder,
    RankingRow,
    groups_note,
    place_cell,
    record_cell,
    trueskill_cells,
)
from arena.tables.standings import points_format
from arena.tables.text_table import PagedTable, TextTable
from protocol.plurals import counted
from protocol.printable import printable

__all__ = [
    "ahead",
    "check_note",
    "error_cell",
    "fit_data",
    "likelihood_cell",
    "ranking_data",
    "rating_notes",
    "rating_table",
    "settings_data",
    "superiority_view",
]

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
