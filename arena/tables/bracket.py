"""The bracket of a knock-out: rows for programs and a drawing for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from arena.formats.knockout import KnockoutMatch
from protocol.printable import printable

__all__ = ["BracketView", "MatchRow", "bracket_rows"]

_MIN_NAME_WIDTH = 8
_GAP = 5
"""The cells between two columns: a line out of the left one, a joint, a line into the right one."""


class MatchRow(TypedDict):
    """One match. An engine that is not known yet is null, and so is the missing opponent in a bye."""

    engines: list[str | None]
    points: list[float]
    games: int
    winner: str | None
    by: str


def bracket_rows(rounds: Sequence[Sequence[KnockoutMatch]], names: Sequence[str]) -> list[list[MatchRow]]:
    """Return the rounds from the first to the final, each with its matches from top to bottom."""
    return [
        [
            MatchRow(
                engines=[_name(side, names) for side in match.sides],
                points=list(match.points),
                games=match.played,
                winner=_name(match.winner, names),
                by=match.reason,
            )
            for match in matches
        ]
        for matches in rounds
    ]


def _name(place: int | None, names: Sequence[str]) -> str | None:
    return names[place] if place is not None and place < len(names) else None


class BracketView:
    """The drawing of a bracket, from left to right.

    A line leads from an engine to its match. The points beside the engine are from that match.
    """

    __slots__ = ("_names", "_rounds")

    def __init__(self, rounds: Sequence[Sequence[KnockoutMatch]], names: Sequence[str]) -> None:
        self._rounds = rounds
        self._names = names

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = self._columns()
        widest = max(cell_len(name + points) for column in columns for name, points in column)
        room = (options.max_width - _GAP * len(self._rounds)) // len(columns)
        width = min(widest, max(room, _MIN_NAME_WIDTH))
        line, upper, lower, bar, joint = "-++|+" if options.ascii_only else "─┐┘│├"
        canvas: list[dict[int, str]] = [{} for _ in range(2 * len(columns[0]) - 1)]
        for depth, column in enumerate(columns):
            left = depth * (width + _GAP)
            for place, (name, points) in enumerate(column):
                if not name:
                    continue
                row = 2**depth * (2 * place + 1) - 1
                canvas[row][left] = _fitted(name, points, width, options)
                if depth < len(self._rounds):
                    canvas[row][left + width + 1] = line + (lower if place % 2 else upper)
                    if place % 2 == 0:
                        for between in range(row + 1, row + 2**depth):
                            canvas[between][left + width + 2] = bar
                        canvas[row + 2**depth][left + width + 2] = joint + line
                        for between in range(row + 2**depth + 1, row + 2 ** (depth + 1)):
                            canvas[between][left + width + 2] = bar
        rows = [row for row, cells in enumerate(canvas) if cells]
        for cells in canvas[rows[0] : rows[-1] + 1]:
            yield Text(_joined(cells), no_wrap=True)

    def _columns(self) -> list[list[tuple[str, str]]]:
        """Return the names and points of each column from top to bottom; a bye has no name."""
        columns = []
        for matches in self._rounds:
            column: list[tuple[str, str]] = []
            for match in matches:
                if match.reason == "bye":
                    column += [("", ""), ("", "")]
                    continue
                for side, points in zip(match.sides, match.points, strict=True):
                    column.append((_name(side, self._names) or "?", f" {points:g}" if match.played else ""))
            columns.append(column)
        return [*columns, [(_name(self._rounds[-1][0].winner, self._names) or "?", "")]]


def _fitted(name: str, points: str, width: int, options: ConsoleOptions) -> str:
    """Fit a name and its points into ``width`` cells. A long name is cut, but the points are not."""
    text = printable(name).encode(options.encoding, "replace").decode(options.encoding)
    if cell_len(text + points) > width:
        ellipsis = ".." if options.ascii_only else "…"
        room = max(width - cell_len(ellipsis + points), 1)
        text = set_cell_size(text, room).rstrip() + ellipsis
    return set_cell_size(text + points, width)


def _joined(cells: dict[int, str]) -> str:
    """Join the texts of a row, each at its column."""
    text = ""
    for left, piece in sorted(cells.items()):
        text += " " * (left - cell_len(text)) + piece
    return text.rstrip()
