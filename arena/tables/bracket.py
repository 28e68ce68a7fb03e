"""A knock-out's bracket: as rows for programs, and as a tree for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from arena.schedule.knockout import KnockoutMatch
from protocol.printable import printable

__all__ = ["BracketView", "MatchRow", "bracket_rows"]

_NARROWEST = 8
_GAP = 5  # cells between two columns: a line out, the joint, a line in


class MatchRow(TypedDict):
    """A match; engines that are not known yet are null, and so is the missing opponent of a bye."""

    engines: list[str | None]
    points: list[float]
    games: int
    winner: str | None
    by: str


def bracket_rows(rounds: Sequence[Sequence[KnockoutMatch]], names: Sequence[str]) -> list[list[MatchRow]]:
    """The rounds from the first to the final, each from the top of the bracket down."""
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
    """The bracket from left to right; beside an engine are its points in the match its line leads to."""

    __slots__ = ("_names", "_rounds")

    def __init__(self, rounds: Sequence[Sequence[KnockoutMatch]], names: Sequence[str]) -> None:
        self._rounds = rounds
        self._names = names

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = self._columns()
        widest = max(cell_len(name + points) for column in columns for name, points in column)
        room = (options.max_width - _GAP * len(self._rounds)) // len(columns)
        width = min(widest, max(room, _NARROWEST))
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
        rows = [row for row, spots in enumerate(canvas) if spots]
        for spots in canvas[rows[0] : rows[-1] + 1]:
            yield Text(_joined(spots), no_wrap=True)

    def _columns(self) -> list[list[tuple[str, str]]]:
        """Names and points in each column from the top down; no name where there is only a bye."""
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
    """So many cells; a name that is too long is cut, its points are not."""
    text = printable(name).encode(options.encoding, "replace").decode(options.encoding)
    if cell_len(text + points) > width:
        ellipsis = ".." if options.ascii_only else "…"
        room = max(width - cell_len(ellipsis + points), 1)
        text = set_cell_size(text, room).rstrip() + ellipsis
    return set_cell_size(text + points, width)


def _joined(spots: dict[int, str]) -> str:
    text = ""
    for left, piece in sorted(spots.items()):
        text += " " * (left - cell_len(text)) + piece
    return text.rstrip()
