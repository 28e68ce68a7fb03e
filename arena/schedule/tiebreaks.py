"""The table of a Swiss, with what parts engines of equal points: pure functions of rounds and results.

Buchholz, Sonneborn-Berger, the direct encounter and what byes count in them are those of the FIDE Handbook
(C.07, Tie-Break Regulations, 2024), with all the games of a meeting in the place of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations

from arena.model import Result
from arena.schedule.seating import Entrants
from arena.schedule.swiss import Player, Round, Swiss

__all__ = ["SwissRow", "replay", "table"]


@dataclass(frozen=True, slots=True)
class SwissRow:
    """One engine in the table.

    Attributes:
        place: in the list of entrants.
        points: of its games and byes.
        buchholz: the sum of its opponents' points; a bye counts as an opponent with the engine's own points.
        sonneborn_berger: for each meeting the points scored in it times the opponent's points; byes likewise.
        direct: points against those with whom it is level in all of the above, when all of them have met.
        byes: how often it had no opponent.
    """

    place: int
    points: float
    buchholz: float
    sonneborn_berger: float
    direct: float | None
    byes: int


def replay(
    entrants: Entrants, rounds: int, games: int, results: Mapping[str, Result]
) -> tuple[list[Player], list[Round]]:
    """Everybody's score, and the rounds that have begun, the last of them perhaps not complete."""
    swiss = Swiss(entrants, games)
    drawn: list[Round] = []
    complete = True
    while complete and len(drawn) < rounds:
        draw = swiss.draw()
        if not any(key in results for bout in draw.bouts for key, _ in bout.games):
            break
        complete = swiss.score(draw, results)
        drawn.append(draw)
    return swiss.players, drawn


def table(players: Sequence[Player], games: int) -> list[SwissRow]:
    """The table, best first: by points, Buchholz, Sonneborn-Berger, direct encounter, order of entrants."""
    scores = {player.place: player.score for player in players}
    rows = []
    for player in players:
        met = [(scores[other], points) for other, all_points in player.met.items() for points in all_points]
        met += [(player.score, float(games))] * player.byes
        rows.append(
            SwissRow(
                place=player.place,
                points=player.score,
                buchholz=sum(score for score, _ in met),
                sonneborn_berger=sum(score * points for score, points in met),
                direct=None,
                byes=player.byes,
            )
        )
    rows.sort(key=lambda row: (*_level(row), row.place))
    by_place = {player.place: player for player in players}
    ordered: list[SwissRow] = []
    for _, level in groupby(rows, key=_level):
        ordered += _by_direct_encounter(list(level), by_place)
    return ordered


def _level(row: SwissRow) -> tuple[float, float, float]:
    return -row.points, -row.buchholz, -row.sonneborn_berger


def _by_direct_encounter(level: list[SwissRow], players: Mapping[int, Player]) -> list[SwissRow]:
    """Engines that are level so far, parted by their points against each other if all of them have met."""
    pairs = list(permutations([row.place for row in level], 2))
    if not pairs or not all(other in players[place].met for place, other in pairs):
        return level
    direct = dict.fromkeys((row.place for row in level), 0.0)
    for place, other in pairs:
        direct[place] += sum(players[place].met[other])
    parted = [
        SwissRow(row.place, row.points, row.buchholz, row.sonneborn_berger, direct[row.place], row.byes)
        for row in level
    ]
    return sorted(parted, key=lambda row: -direct[row.place])
