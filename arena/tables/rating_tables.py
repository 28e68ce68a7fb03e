"""Rating lists with TrueSkill and fitted Elo, as data for programs and as tables for people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict

from arena.ratings.fit import Fit
from arena.ratings.lists import RatingList
from arena.tables.ranking import RankingRow, record_cell, trueskill_cells
from arena.tables.text_table import PagedTable, TextTable

__all__ = ["by_elo", "fit_data", "fit_note", "rating_table", "settings_data", "superiority_view"]


def by_elo(rows: Sequence[RankingRow], elo_fit: Fit | None) -> list[RankingRow]:
    """Sort the ranking by fitted Elo; engines that are not in the fit come last."""
    places = {
        strength.name: place for place, strength in enumerate(() if elo_fit is None else elo_fit.strengths)
    }
    order = sorted(rows, key=lambda row: places.get(row["engine"], len(places)))
    return [RankingRow({**row, "rank": rank}) for rank, row in enumerate(order, 1)]


def rating_table(rows: Sequence[RankingRow], elo_fit: Fit | None) -> TextTable:
    """Return the ranking with Elo and half the width of its interval; it fits into 80 columns."""
    elo = {
        strength.name: (str(round(strength.elo)), f"{strength.error:.0f}")
        for strength in (() if elo_fit is None else elo_fit.strengths)
    }
    return TextTable(
        ("#", "engine", "mu", "sigma", "mu-3sigma", "Elo", "+-95%", "games", "W-D-L", "forfeits"),
        tuple(
            (
                str(row["rank"]),
                row["engine"],
                *trueskill_cells(row),
                *elo.get(row["engine"], ("", "")),
                str(row["games"]),
                record_cell(row),
                str(row["forfeits"] or ""),
            )
            for row in rows
        ),
    )


def fit_note(ratings: RatingList, elo_fit: Fit) -> str:
    """Return the lines below the table: anchor, advantage of the seats, and draw probabilities."""
    anchor = ratings.settings.anchor
    seats = ", ".join(
        f"player {number} {round(seat.elo):+d} +-{seat.error:.0f}"
        for number, seat in enumerate(elo_fit.seats, 1)
    )
    estimated = ", estimated" if ratings.settings.estimated else ""
    return (
        f"Elo: {'mean 0' if anchor is None else f'{anchor.name} is {anchor.elo:g}'}; seats: {seats};"
        f" draws between equals: {elo_fit.draws:.1%}\n"
        f"TrueSkill: draw probability {ratings.model.draw_probability:g}{estimated}"
    )


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
            *("*" if row == column else f"{matrix[row][column]:.0%}" for row, _ in selected),
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


def fit_data(elo_fit: Fit | None, *, superiority: bool) -> dict[str, object] | None:
    """Return the fit as data for programs."""
    if elo_fit is None:
        return None
    data: dict[str, object] = {
        "strengths": [asdict(strength) for strength in elo_fit.strengths],
        "seats": [asdict(seat) for seat in elo_fit.seats],
        "draws": elo_fit.draws,
    }
    if superiority:
        data["superiority"] = elo_fit.superiority()
    return data
