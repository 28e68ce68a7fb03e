"""Who has how many points, and against whom: pure functions of results.

Void games are left out: they are played again. The order of the results does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from arena.model import PlayerRecord, Result

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


def standings(results: Iterable[Result]) -> tuple[Standing, ...]:
    """The table: by points, then wins, then Sonneborn-Berger, then name."""
    return _table(list(_scored(results)))


def crosstable(results: Iterable[Result]) -> Crosstable:
    """Who scored how much against whom.

    A game of more than two counts once for every pair at the table, by their ranks: 1 for the better one, 1/2
    each for a tie. So a row's points are those of the table only where two play. Neither of two seats that
    share a rank because both forfeited gets anything.
    """
    scored = list(_scored(results))
    return Crosstable(tuple(standing.name for standing in _table(scored)), _versus(scored))


def _table(scored: list[Result]) -> tuple[Standing, ...]:
    seats: defaultdict[str, list[tuple[PlayerRecord, str]]] = defaultdict(list)
    for result in scored:
        shared = sum(player.rank == 1 for player in result.players) > 1
        for player in result.players:
            seats[player.name].append((player, _letter(player, shared=shared)))
    points = {name: fsum(player.points for player, _ in played) for name, played in seats.items()}
    berger: defaultdict[str, list[float]] = defaultdict(list)
    for (name, opponent), versus in _versus(scored).items():
        berger[name].append(versus.points * points[opponent])
    table = [
        Standing(
            name=name,
            games=len(played),
            wins=sum(letter == "W" for _, letter in played),
            draws=sum(letter == "D" for _, letter in played),
            losses=sum(letter == "L" for _, letter in played),
            points=points[name],
            forfeits=sum(_forfeited(player) for player, _ in played),
            sonneborn_berger=fsum(berger[name]),
        )
        for name, played in seats.items()
    ]
    return tuple(sorted(table, key=lambda row: (-row.points, -row.wins, -row.sonneborn_berger, row.name)))


def _versus(scored: list[Result]) -> dict[tuple[str, str], Versus]:
    """The cells; an engine's games against itself have none."""
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    games: defaultdict[tuple[str, str], int] = defaultdict(int)
    for result in scored:
        for one, other in combinations(result.players, 2):
            if one.name == other.name:
                continue
            gained, lost = _pair_points(one, other)
            points[one.name, other.name] += gained
            points[other.name, one.name] += lost
            games[one.name, other.name] += 1
            games[other.name, one.name] += 1
    return {pair: Versus(points[pair], count) for pair, count in games.items()}


def _scored(results: Iterable[Result]) -> Iterator[Result]:
    return (result for result in results if result.counts)


def _letter(player: PlayerRecord, *, shared: bool) -> str:
    if player.rank != 1 or _forfeited(player):
        return "L"
    return "D" if shared else "W"


def _pair_points(one: PlayerRecord, other: PlayerRecord) -> tuple[float, float]:
    assert one.rank is not None, "only a void game has no ranks"
    assert other.rank is not None, "only a void game has no ranks"
    if one.rank == other.rank:
        return (0.0, 0.0) if _forfeited(one) and _forfeited(other) else (0.5, 0.5)
    return (1.0, 0.0) if one.rank < other.rank else (0.0, 1.0)


def _forfeited(player: PlayerRecord) -> bool:
    return player.forfeit is not None and player.forfeit.is_forfeit
