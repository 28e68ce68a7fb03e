"""The crosstable as a heat map, the rounds of a bracket, and the gauge of a sequential test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Any

from arena.ratings.match_elo import EloEstimate
from arena.tables.crosstable import Crosstable
from arena.tables.match import elo_line
from arena.web.figures import MINUS, points_text, signed

_DENSE = 30
"""With more engines the cells of a crosstable have no figures."""

_STEPS = 6


@dataclass(frozen=True, slots=True)
class HeatCell:
    """The score of one engine against another.

    Attributes:
        text: the points; "" for the engine itself; a dot for a pair that has not met.
        look: the class of the cell: ``h0`` (lost) to ``h6`` (won), ``own`` or ``unmet``.
        link: the page with the games of the pair; "" if there is none.
        label: what the cell means, in words.
    """

    text: str
    look: str
    link: str
    label: str


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of the crosstable."""

    name: str
    total: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class Heat:
    """A crosstable whose cells are coloured from lost to won.

    Attributes:
        rows: its rows.
        dense: whether it has so many engines that the cells have no figures.
        note: how it is sorted.
    """

    rows: tuple[HeatRow, ...]
    dense: bool
    note: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match of a knock-out: for each side its name, its points, and whether it won. A bye has one side."""

    sides: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class KnockoutRound:
    """The title of a round of a knock-out, and its matches."""

    title: str
    meetings: tuple[Meeting, ...]


@dataclass(frozen=True, slots=True)
class Gauge:
    """The log-likelihood ratio of a test between its bounds, all in per cent of the track.

    Attributes:
        low, high: the bounds.
        value: the ratio with its sign.
        at: where it is on the track, from 0 to 100.
        zero: where 0 is.
        verdict: a sentence with the state of the test.
    """

    low: str
    high: str
    value: str
    at: float
    zero: float
    verdict: str

    @property
    def start(self) -> float:
        """Where the filled part begins."""
        return min(self.at, self.zero)

    @property
    def width(self) -> float:
        """The width of the filled part."""
        return abs(self.at - self.zero)


@dataclass(frozen=True, slots=True)
class MatchState:
    """The state of a match of two engines.

    Attributes:
        engines: their names.
        elo: what is known of the Elo of the first one against the second one.
        gauge: the gauge of its test; None if it has none, or if the ratio is not finite.
    """

    engines: tuple[str, str]
    elo: str
    gauge: Gauge | None


def heat(table: Crosstable, link: Callable[[int, int], str]) -> Heat:
    """Colour a crosstable.

    Args:
        table: the crosstable.
        link: returns the page with the games of two engines, by their places from 1.
    """
    uneven = len({cell.games for cell in table.cells.values()}) > 1

    def cell(row: int, column: int) -> HeatCell:
        name, opponent = table.names[row], table.names[column]
        score = table.cells.get((name, opponent))
        if score is None:
            return HeatCell("", "own", "", "") if row == column else HeatCell("·", "unmet", "", "not met")
        points = points_text(score.points)
        look = f"h{round(_STEPS * score.points / score.games)}"
        label = f"{points} of {score.games}: games of {name} and {opponent}"
        return HeatCell(
            f"{points}/{score.games}" if uneven else points, look, link(row + 1, column + 1), label
        )

    places = range(len(table.names))
    rows = (
        HeatRow(
            name,
            points_text(fsum(one.points for (first, _), one in table.cells.items() if first == name)),
            tuple(cell(row, column) for column in places),
        )
        for row, name in enumerate(table.names)
    )
    return Heat(tuple(rows), len(table.names) > _DENSE, table.note)


def knockout_rounds(rounds: Sequence[Sequence[Mapping[str, Any]]]) -> list[KnockoutRound]:
    """Return the rounds of a knock-out, from the first one to the final."""
    titles = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
    return [
        KnockoutRound(titles.get(len(matches), f"Round {number}"), tuple(map(_meeting, matches)))
        for number, matches in enumerate(rounds, 1)
    ]


def _meeting(match: Mapping[str, Any]) -> Meeting:
    names, points = match["engines"], match["points"]
    return Meeting(
        tuple(
            (
                name or "–",
                points_text(points[side]) if match["games"] else "",
                name is not None and name == match["winner"],
            )
            for side, name in enumerate(names)
            if name is not None or match["by"] != "bye"
        )
    )


def match_state(match: Mapping[str, Any]) -> MatchState:
    """Return the state of a match.

    Args:
        match: the data of `arena.tables.match.MatchProgress`.
    """
    found, test = match["estimate"], match.get("sprt")
    units = sum(match["counts"])
    if test is not None and test["accepted"] is not None:
        units = test["units"]
    line = elo_line(None if found is None else EloEstimate(**found), units, match["unit"])
    first, second = match["engines"]
    return MatchState((first, second), line.replace("-", MINUS), _gauge(match["unit"], test))


def _gauge(unit: str, test: Mapping[str, Any] | None) -> Gauge | None:
    if test is None or not isfinite(test["llr"]):
        return None
    low, high = test["bounds"]
    share = (min(max(test["llr"], low), high) - low) / (high - low)
    verdicts = {
        None: "Undecided: the test ends when the mark reaches a bound.",
        "elo0": f"Not better: {test['elo0']:g} Elo is accepted after {test['units']} {unit}s.",
        "elo1": f"Better: {test['elo1']:g} Elo is accepted after {test['units']} {unit}s.",
    }
    return Gauge(
        signed(low, 2),
        signed(high, 2),
        signed(test["llr"], 2),
        round(100 * share, 2),
        round(100 * -low / (high - low), 2),
        verdicts[test["accepted"]],
    )
