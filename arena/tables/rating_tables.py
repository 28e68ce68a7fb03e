"""A rating list: TrueSkill and the order-free fit side by side, as data and as tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict

from arena.ratings.fit import Fit
from arena.ratings.lists import RatingList
from arena.tables.ranking import RankingRow, record_cell, trueskill_cells
from arena.tables.text_table import PagedTable, TextTable

__all__ = ["by_elo", "fit_data", "fit_note", "rating_table", "settings_data", "superiority_view"]


def by_elo(rows: Sequence[RankingRow], found: Fit | None) -> list[RankingRow]:
    """The ranking in the order of the fit; who is not in it comes last."""
    places = {strength.name: place for place, strength in enumerate(() if found is None else found.strengths)}
    order = sorted(rows, key=lambda row: places.get(row["engine"], len(places)))
    return [RankingRow({**row, "rank": rank}) for rank, row in enumerate(order, 1)]


def rating_table(rows: Sequence[RankingRow], found: Fit | None) -> TextTable:
    """The ranking with Elo and the half of its interval; six engines with long names fit into 80 columns."""
    elo = {
        strength.name: (str(round(strength.elo)), f"{strength.error:.0f}")
        for strength in (() if found is None else found.strengths)
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


def fit_note(ratings: RatingList, found: Fit) -> str:
    """What else the numbers say, and what they go by."""
    anchor = ratings.settings.anchor
    seats = ", ".join(
        f"player {number} {round(seat.elo):+d} +-{seat.error:.0f}"
        for number, seat in enumerate(found.seats, 1)
    )
    estimated = ", estimated" if ratings.settings.estimated else ""
    return (
        f"Elo: {'mean 0' if anchor is None else f'{anchor.name} is {anchor.elo:g}'}; seats: {seats};"
        f" draws between equals: {found.draws:.1%}\n"
        f"TrueSkill: draw probability {ratings.model.draw_probability:g}{estimated}"
    )


def superiority_view(found: Fit, among: Collection[str] | None = None) -> PagedTable:
    """How likely the engine of the row is stronger than that of the column: some of them, or all."""
    matrix = found.superiority()
    shown = [
        (place, strength)
        for place, strength in enumerate(found.strengths)
        if among is None or strength.name in among
    ]
    head = [("#", "engine", "Elo")] + [
        (str(number), strength.name, str(round(strength.elo)))
        for number, (_, strength) in enumerate(shown, 1)
    ]
    columns = [
        (
            str(number),
            *("*" if row == column else f"{matrix[row][column]:.0%}" for row, _ in shown),
        )
        for number, (column, _) in enumerate(shown, 1)
    ]
    return PagedTable(head, columns)


def settings_data(ratings: RatingList) -> dict[str, object]:
    """How the list is set, and what was estimated."""
    anchor = ratings.settings.anchor
    return {
        **asdict(ratings.model),
        "estimated": ratings.settings.estimated,
        "anchor": None if anchor is None else asdict(anchor),
    }


def fit_data(found: Fit | None, *, superiority: bool) -> dict[str, object] | None:
    """The fit for programs."""
    if found is None:
        return None
    data: dict[str, object] = {
        "strengths": [asdict(strength) for strength in found.strengths],
        "seats": [asdict(seat) for seat in found.seats],
        "draws": found.draws,
    }
    if superiority:
        data["superiority"] = found.superiority()
    return data
