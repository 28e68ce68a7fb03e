"""Tables and ties: what decides between engines with equal points, in a stage and in a Swiss."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import chain, combinations, groupby, permutations
from math import inf
from typing import Final, NamedTuple, TypeVar

from arena.formats.contest import Entrants, Seating, duel, first_opening
from arena.formats.swiss_pairing import SwissPlayer
from arena.model import PlayerRecord
from arena.scoring import EndedGame, GameScoreCounts, exact, total_shares, versus, was_played

TIES: Final = {
    "direct": "direct encounter",
    "sonneborn-berger": "Sonneborn-Berger",
    "time": "time used",
    "game": "deciding game",
    "lot": "lot",
}
"""The tie-breaks: their words in the file, and in tables."""

SEED: Final = "seed"
"""What decides in the end: the order in which the engines entered."""

E = TypeVar("E", bound=Hashable)
"""What identifies an engine: its name, or its place among the entrants."""

TieValues = Callable[[str, list[E]], Mapping[E, float] | None]
"""Returns a tie-break's values of tied engines, the larger the better; None while a game is missing.

Each is at most one division of whole numbers, so that equal values are equal floats.
"""


def settle(tied: Sequence[E], ties: Sequence[str], values: TieValues[E]) -> list[tuple[E, str]]:
    """Order engines with equal points, best first, each with what decided, in words; "" for a single one.

    They are given in the order of their seeds.
    """
    if len(tied) == 1:
        return [(tied[0], "")]
    for index, tie in enumerate(ties):
        of_name = values(tie, list(tied))
        if of_name is None:
            return [(name, f"{TIES[tie]} to come") for name in tied]
        if len(set(of_name.values())) > 1:
            order = sorted(tied, key=lambda name: -of_name[name])
            groups = [(value, list(names)) for value, names in groupby(order, key=of_name.__getitem__)]
            return [
                (name, by or _words(tie, value))
                for value, names in groups
                for name, by in settle(names, ties[index:], values)  # the direct encounter counts again
            ]
    return [(name, SEED) for name in tied]


def _words(tie: str, value: float) -> str:
    if tie == "lot":
        return TIES[tie]
    if tie == "time":
        return "no game played" if value == -inf else f"{TIES[tie]} {abs(value):.3f} s a game"
    return f"{TIES[tie]} {value:g}"


def common_values(tie: str, tied: Iterable[str], results: Iterable[EndedGame], lots: str) -> dict[str, float]:
    """Return the values of the time used in games, or of lots; 0 for any other tie-break.

    The value of the time is the negated mean of the seconds in games that were played; lots depend on
    ``lots`` and the name.
    """
    if tie == "lot":
        return {name: int.from_bytes(sha256(f"{lots}:{name}".encode()).digest()[:6]) + 0.0 for name in tied}
    times: defaultdict[str, list[int]] = defaultdict(list)
    for result in results if tie == "time" else ():
        if was_played(result.players):
            for player in result.players:
                if isinstance(player, PlayerRecord):  # see `Plan.games`
                    times[player.name].append(player.time_used)
    none = -inf if tie == "time" else 0.0
    return {name: -sum(times[name]) / (len(times[name]) * 10**9) if times[name] else none for name in tied}


# --- the table of a stage


class TableRow(NamedTuple):
    """An engine in a table. ``by``: what decided between it and engines with equal points, in words."""

    engine: str
    games: int = 0
    points: float = 0.0
    by: str = ""


def totals(names: Iterable[str], scores: GameScoreCounts) -> dict[str, TableRow]:
    """The games and the points of engines."""
    (each, totals), games = total_shares(scores), Counter[str]()
    for score, number in scores.items():
        games.update({seat.name: number for seat in score})
    return {name: TableRow(name, games[name], totals[name] / each) for name in names}


def ranked(
    rows: Mapping[str, TableRow], ties: Sequence[str], values: TieValues[str], *, by_score: bool
) -> list[TableRow]:
    """Rank engines, which are in the order of their seeds, by points, or by points a game."""
    ranks = {name: exact(row.points) / (max(1, row.games) if by_score else 1) for name, row in rows.items()}
    groups = groupby(sorted(rows, key=ranks.__getitem__, reverse=True), key=ranks.__getitem__)
    settled = chain.from_iterable(settle(list(tied), ties, values) for _, tied in groups)
    return [rows[name]._replace(by=by) for name, by in settled]


class PoolTies:
    """The tie-breaks of a pool.

    Attributes:
        missing: the deciding games without a result between engines whose values were asked for.
    """

    def __init__(
        self,
        entrants: Entrants,
        results: Mapping[str, EndedGame],
        scores: GameScoreCounts,
        deciding: Mapping[str, EndedGame] | None,
        lots: str,
    ) -> None:
        """``deciding`` are results among which deciding games are; None while none can be played."""
        self.missing: dict[str, Seating] = {}
        self._entrants, self._results, self._deciding, self._lots = entrants, results, deciding, lots
        self._cells = versus(scores)
        self._share, self._totals = total_shares(scores)

    def values(self, tie: str, tied: list[str]) -> Mapping[str, float] | None:
        """Return a tie-break's values, as `TieValues` does."""
        cells = self._cells
        if tie == "direct" and all(pair in cells for pair in combinations(tied, 2)):
            return {name: sum(cells[name, other].points for other in tied if other != name) for name in tied}
        if tie == "sonneborn-berger":
            halves = {pair: int(2 * cell.points) * self._totals[pair[1]] for pair, cell in cells.items()}
            sums = {name: sum(half for pair, half in halves.items() if pair[0] == name) for name in tied}
            return {name: total / (2 * self._share) for name, total in sums.items()}
        if tie == "game":
            return None if self._deciding is None else self._decided(tied, self._deciding)
        return common_values(tie, tied, self._results.values(), self._lots)

    def _decided(self, tied: list[str], results: Mapping[str, EndedGame]) -> dict[str, float] | None:
        """The points of tied engines in their deciding games; None while one is missing."""
        points, missing = dict.fromkeys(tied, 0.0), dict[str, Seating]()
        deciding = replace(self._entrants, mark=self._entrants.mark.replace(".", "+"))
        for pair in combinations(sorted(map(deciding.names.index, tied)), 2):
            seating = duel(*pair, 0, len(self._results) + first_opening(pair))  # the opening is new
            key = deciding.key(seating)
            if key not in results:
                missing[key] = seating
                continue
            for seat in results[key].players:
                points[seat.name] += seat.points
        self.missing |= missing
        return None if missing else points


# --- the table of a Swiss


@dataclass(frozen=True, slots=True)
class SwissRow:
    """One engine in the table.

    Attributes:
        place: its place in the list of entrants.
        buchholz: the sum of its opponents' points. A bye or a missed round counts as an opponent with the
            engine's own points. A round that an opponent missed since it left counts as drawn.
        sonneborn_berger: the sum over all meetings of the points scored times the opponent's points. A bye
            counts in the same way.
        direct: the points against all engines that are tied with it in the values above; None if not all of
            them have met. Engines that are tied in this, too, are ordered by the games among themselves.
    """

    place: int
    points: float
    buchholz: float
    sonneborn_berger: float
    direct: float | None
    byes: int


def swiss_table(players: Sequence[SwissPlayer], games: int) -> list[SwissRow]:
    """The table, best first: by points, Buchholz, Sonneborn-Berger, direct encounter, order of entrants."""
    scores = {player.place: player.score + player.missed_since * games / 2 for player in players}
    rows = []
    for player in players:
        meetings = [(scores[opponent], points) for opponent, each in player.met.items() for points in each]
        meetings += [(player.score, float(games))] * player.byes + [(player.score, 0.0)] * player.missed
        rows.append(
            SwissRow(
                place=player.place,
                points=player.score,
                buchholz=sum(score for score, _ in meetings),
                sonneborn_berger=sum(score * points for score, points in meetings),
                direct=None,
                byes=player.byes,
            )
        )
    rows.sort(key=lambda row: (*_rank_key(row), row.place))
    encounters = SwissEncounters({player.place: player for player in players}, games)
    return [row for _, tied in groupby(rows, key=_rank_key) for row in encounters.order(list(tied))]


def _rank_key(row: SwissRow) -> tuple[float, float, float]:
    return -row.points, -row.buchholz, -row.sonneborn_berger


class SwissEncounters:
    """The direct encounters of tied engines (C.07, article 6)."""

    def __init__(self, players: Mapping[int, SwissPlayer], games: int) -> None:
        self._players = players
        self._games = games

    def order(self, tied: list[SwissRow]) -> list[SwissRow]:
        """Order tied engines by their points against each other, and fill in `SwissRow.direct`."""
        rows = {row.place: row for row in tied}
        places = list(rows)
        if len(tied) > 1 and self._all_met(places):
            points = self.values("direct", places)
            rows = {place: replace(row, direct=points[place]) for place, row in rows.items()}
        return [rows[place] for place, _ in settle(places, ["direct"], self.values)]

    def values(self, _tie: str, tied: list[int]) -> Mapping[int, float]:
        """Return the points of engines against each other, if all have met.

        Otherwise one of them may lead in any case: also if it lost all meetings that did not take place.
        """
        points = {place: self._points(place, tied) for place in tied}
        if self._all_met(tied):
            return {place: float(scored) for place, (scored, _) in points.items()}
        leads = {
            place: all(scored > most for other, (_, most) in points.items() if other != place)
            for place, (scored, _) in points.items()
        }
        return {place: float(leads[place]) for place in tied}

    def _all_met(self, tied: Sequence[int]) -> bool:
        return all(second in self._players[first].met for first, second in permutations(tied, 2))

    def _points(self, place: int, tied: Sequence[int]) -> tuple[Fraction, Fraction]:
        """The points of an engine in its meetings with the other tied engines, and if it also won the rest.

        If two engines met several times, the mean counts.
        """
        met = self._players[place].met
        opponents = [other for other in tied if other != place]
        means = (Fraction(sum(met[other])) / len(met[other]) for other in opponents if other in met)
        points = sum(means, Fraction())  # a mean of three meetings is no float
        return points, points + self._games * sum(opponent not in met for opponent in opponents)
