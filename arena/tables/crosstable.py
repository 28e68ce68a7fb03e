"""The crosstable: the score of each engine against each other one, as rows and as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import TypedDict

from arena.formats.format import StandingsOrder
from arena.scoring import GameScoreCounts, Versus, versus
from arena.tables.standings import ORDER_NOTES, points_format, standings
from arena.tables.text_table import TextTable
from protocol.words import percent

WIDEST = 100
"""The largest number of engines in a crosstable for people."""


class CrosstableRow(TypedDict):
    """One engine's row of the crosstable. Opponents that it never met are missing."""

    engine: str
    against: dict[str, Versus]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """The scores by (engine, opponent) of pairs that met, and the engines in the order that ``note`` says."""

    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Versus]
    order: StandingsOrder
    note: str

    def data(self) -> list[CrosstableRow]:
        """Return the rows of the crosstable, the best engine first."""
        return [
            CrosstableRow(
                engine=name,
                against={
                    opponent: cell
                    for opponent in self.names
                    if (cell := self.cells.get((name, opponent))) is not None
                },
            )
            for name in self.names
        ]

    def titled(self, game: str) -> TextTable:
        """Return it with numbered columns; the cells are points/games if pairs differ in games."""
        counts = {cell.games for cell in self.cells.values()}
        per_pair = len(counts) == 1
        points = points_format([cell.points for cell in self.cells.values()])
        scores: defaultdict[str, list[Versus]] = defaultdict(list)
        for (name, _), cell in self.cells.items():
            scores[name].append(cell)

        def cell_text(name: str, opponent: str) -> str:
            cell = self.cells.get((name, opponent))
            if name == opponent or cell is None:
                return "*" if name == opponent else ""
            return format(cell.points, points) + ("" if per_pair else f"/{cell.games}")

        def sums(name: str) -> tuple[str, ...]:
            total = fsum(cell.points for cell in scores[name])
            games = sum(cell.games for cell in scores[name])
            score = (percent(total / games) if games else "",) if self.order == "score" else ()
            return format(total, points), *score

        rows = tuple(
            (str(number), name, *sums(name), *(cell_text(name, opponent) for opponent in self.names))
            for number, name in enumerate(self.names, 1)
        )
        fixed = ("#", "engine", "total", *(("score",) if self.order == "score" else ()))
        headers = (*fixed, *map(str, range(1, len(self.names) + 1)))
        cells = "points" if per_pair else "points/games"
        note = f"{self.note} Columns 1, 2, ...: {cells} against the engine with that number."
        return TextTable(game, "crosstable", headers, rows, note, fixed=len(fixed))


def crosstable(counts: GameScoreCounts, order: StandingsOrder = "points") -> Crosstable:
    """Count the score of each engine against each other one, in the order of `standings`.

    In a game of more than two players every pair counts: 1 for the better rank, 1/2 for the same one, 0 if
    both forfeited. So the sum of a row equals the points in the standings only in games of two players.
    """
    names = tuple(standing.name for standing in standings(counts, order))
    return Crosstable(names, versus(counts), order, ORDER_NOTES[order])
