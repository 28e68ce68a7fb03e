"""Who has how many points, and against whom: pure functions of results, or of a tally of them.

Void games are left out: they are played again. The order of the results does not matter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from arena.model import Result
from arena.scoring import Share, Tally, tally

__all__ = ["Crosstable", "Standing", "Versus", "crosstable", "standings"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One engine's share in a number of games.

    Attributes:
        name: the engine.
        games: how many it played; a seat it was given counts, also when it was disabled by then.
        wins: it was first, alone.
        draws: it shared the first place.
        losses: somebody else was placed better, or it forfeited.
        points: the sum of `PlayerRecord.points`.
        forfeits: how many it lost by misbehaving.
        sonneborn_berger: the points of those it beat, and half the points of those it drew with, in
            each game against each of them; see `crosstable` for what that is among four.
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    forfeits: int
    sonneborn_berger: float


@dataclass(frozen=True, slots=True)
class Versus:
    """What one engine scored against another: 1 for each game it was placed better, 1/2 for each tie."""

    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Everybody against everybody.

    Attributes:
        names: the engines in the order of `standings`.
        cells: by (engine, opponent); pairs that never met are missing.
    """

    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Versus]


def standings(games: Iterable[Result] | Tally) -> tuple[Standing, ...]:
    """The table: by points, then wins, then Sonneborn-Berger, then name."""
    return _table(_tallied(games))


def crosstable(games: Iterable[Result] | Tally) -> Crosstable:
    """Who scored how much against whom.

    A game of more than two counts once for every pair at the table, by their ranks: 1 for the better one, 1/2
    each for a tie. So a row's points are those of the table only where two play. Neither of two seats that
    share a rank because both forfeited gets anything.
    """
    counts = _tallied(games)
    return Crosstable(tuple(standing.name for standing in _table(counts)), _versus(counts))


def _tallied(games: Iterable[Result] | Tally) -> Tally:
    return games if isinstance(games, Counter) else tally(games)


def _table(counts: Tally) -> tuple[Standing, ...]:
    seats: defaultdict[str, list[tuple[Share, str, int]]] = defaultdict(list)
    for outcome, count in counts.items():
        shared = sum(share.rank == 1 for share in outcome) > 1
        for share in outcome:
            seats[share.name].append((share, _letter(share, shared=shared), count))
    points = {
        name: fsum(share.points * count for share, _, count in played) for name, played in seats.items()
    }
    berger: defaultdict[str, list[float]] = defaultdict(list)
    for (name, opponent), versus in _versus(counts).items():
        berger[name].append(versus.points * points[opponent])
    table = [
        Standing(
            name=name,
            games=sum(count for _, _, count in played),
            wins=sum(count for _, letter, count in played if letter == "W"),
            draws=sum(count for _, letter, count in played if letter == "D"),
            losses=sum(count for _, letter, count in played if letter == "L"),
            points=points[name],
            forfeits=sum(count for share, _, count in played if share.forfeited),
            sonneborn_berger=fsum(berger[name]),
        )
        for name, played in seats.items()
    ]
    return tuple(sorted(table, key=lambda row: (-row.points, -row.wins, -row.sonneborn_berger, row.name)))


def _versus(counts: Tally) -> dict[tuple[str, str], Versus]:
    """The cells; an engine's games against itself have none."""
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    games: defaultdict[tuple[str, str], int] = defaultdict(int)
    for outcome, count in counts.items():
        for one, other in combinations(outcome, 2):
            if one.name == other.name:
                continue
            gained, lost = _pair_points(one, other)
            points[one.name, other.name] += gained * count
            points[other.name, one.name] += lost * count
            games[one.name, other.name] += count
            games[other.name, one.name] += count
    return {pair: Versus(points[pair], count) for pair, count in games.items()}


def _letter(share: Share, *, shared: bool) -> str:
    if share.rank != 1 or share.forfeited:
        return "L"
    return "D" if shared else "W"


def _pair_points(one: Share, other: Share) -> tuple[float, float]:
    if one.rank == other.rank:
        return (0.0, 0.0) if one.forfeited and other.forfeited else (0.5, 0.5)
    return (1.0, 0.0) if one.rank < other.rank else (0.0, 1.0)
