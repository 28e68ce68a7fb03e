"""Standings: points, wins and tie-breaks of each engine, from results in any order, without void games."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arena.formats.format import StandingsOrder
from arena.formats.match_progress import number_of_games
from arena.scoring import (
    GameScoreCounts,
    SeatEnding,
    count_forfeits,
    count_unplayed,
    exact,
    seat_endings,
    total_shares,
    versus,
    was_played,
)

ORDER_NOTES: dict[StandingsOrder, str] = {
    "points": "Order: points, wins, Sonneborn-Berger (points against each opponent times that opponent's"
    " points), name.",
    "score": "Order: score, wins, name.",
}
"""What decides, in a line below a table."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of one engine.

    Attributes:
        name: the engine.
        games: the number of its games that count, with those that were not played.
        wins: the games in which it alone had the first place.
        draws: the games in which it shared the first place.
        losses: the games in which another engine had a better place, or in which it forfeited.
        points: the sum of `PlayerRecord.points`.
        forfeits: the games that it lost by a fault of its own while they were played.
        unplayed: its games that were not played, because it or an opponent was disabled.
        sonneborn_berger: the sum of its points against each opponent times the total points of that opponent;
            `arena.tables.crosstable.crosstable` defines these points for games of more than two players.
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    forfeits: int
    unplayed: int
    sonneborn_berger: float

    @property
    def score(self) -> float:
        """Points per game, from 0 to 1."""
        return float(exact(self.points) / self.games)


_KEYS: dict[StandingsOrder, Callable[[Standing], tuple[float | str, ...]]] = {
    "points": lambda row: (-row.points, -row.wins, -row.sonneborn_berger, row.name),
    "score": lambda row: (-row.score, -row.wins, row.name),
}


def standings(counts: GameScoreCounts, order: StandingsOrder = "points") -> tuple[Standing, ...]:
    """Return the standings. `ORDER_NOTES` says how they are sorted."""
    return tuple(sorted(_table(counts), key=_KEYS[order]))


def shared_places(table: Sequence[Standing], order: StandingsOrder) -> list[int]:
    """Return the place of each row of sorted standings. Rows that differ in their names only share one."""
    keys = [_KEYS[order](row)[:-1] for row in table]
    return [keys.index(key) + 1 for key in keys]


def _table(counts: GameScoreCounts) -> list[Standing]:
    endings: defaultdict[str, Counter[SeatEnding]] = defaultdict(Counter)
    forfeits, unplayed = Counter[str](), Counter[str]()
    for game_score, count in counts.items():
        if not was_played(game_score):
            unplayed.update({seat.name: count for seat in game_score})
        for seat, ending in zip(game_score, seat_endings(game_score), strict=True):
            endings[seat.name][ending] += count
            if ending == "forfeited":
                forfeits[seat.name] += count * count_forfeits([seat])
    each, totals = total_shares(counts)
    berger: defaultdict[str, int] = defaultdict(int)  # in halves of a share
    for (name, opponent), cell in versus(counts).items():
        berger[name] += int(2 * cell.points) * totals[opponent]
    return [
        Standing(
            name=name,
            games=ended.total(),
            wins=ended["won"],
            draws=ended["drew"],
            losses=ended["lost"] + ended["forfeited"],
            points=totals[name] / each,
            forfeits=forfeits[name],
            unplayed=unplayed[name],
            sonneborn_berger=berger[name] / (2 * each),
        )
        for name, ended in endings.items()
    ]


def games_line(counts: GameScoreCounts, most: int | None = None, *, exact: bool = True) -> str:
    """Return the number of games that count, and how many of them were not played.

    While games are missing, ``most`` and ``exact`` are as in `number_of_games`.
    """
    unplayed = count_unplayed(counts)
    text = number_of_games(counts.total(), most, exact)
    return f"{text}, {unplayed} of them not played (an engine was disabled)" if unplayed else text


def points_format(values: Iterable[float]) -> str:
    """Return a format with as few decimals as all values need: halves for two players, thirds for four."""
    all_values = list(values)
    for decimals in (0, 1):
        if all(abs(value - round(value, decimals)) < 0.001 for value in all_values):
            return f".{decimals}f"
    return ".2f"
