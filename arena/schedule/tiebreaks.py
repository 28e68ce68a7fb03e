"""The table of a Swiss, with what parts engines of equal points: pure functions of rounds and results.

Buchholz, Sonneborn-Berger, the direct encounter and what byes count in them are those of the FIDE Handbook
(C.07, Tie-Break Regulations, 2024), with all the games of a meeting in the place of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, permutations
from statistics import fmean

from arena.schedule.seating import Entrants
from arena.schedule.swiss import Swiss, SwissRound
from arena.schedule.swiss_pairing import SwissPlayer
from arena.scoring import EndedGame

__all__ = ["SwissRow", "replay_rounds", "swiss_table"]


@dataclass(frozen=True, slots=True)
class SwissRow:
    """One engine in the table.

    Attributes:
        place: in the list of entrants.
        points: of its games and byes.
        buchholz: the sum of its opponents' points; a bye counts as an opponent with the engine's own points.
        sonneborn_berger: for each meeting the points scored in it times the opponent's points; byes likewise.
        direct: points against those with whom it is level in all of the above, when all of them have met;
            those who are level in it too are parted by their games among themselves.
        byes: how often it had no opponent.
    """

    place: int
    points: float
    buchholz: float
    sonneborn_berger: float
    direct: float | None
    byes: int


def replay_rounds(
    entrants: Entrants, rounds: int, games: int, results: Mapping[str, EndedGame]
) -> tuple[list[SwissPlayer], list[SwissRound]]:
    """Everybody's score, and the rounds that have begun, the last of them perhaps not complete."""
    swiss = Swiss(entrants, games)
    drawn: list[SwissRound] = []
    complete = True
    while complete and len(drawn) < rounds:
        draw = swiss.draw()
        if not any(key in results for bout in draw.bouts for key, _ in bout.games):
            break
        complete = swiss.score(draw, results)
        drawn.append(draw)
    return swiss.players, drawn


def swiss_table(players: Sequence[SwissPlayer], games: int) -> list[SwissRow]:
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
    encounters = _Encounters({player.place: player for player in players}, games)
    return [row for _, level in groupby(rows, key=_level) for row in encounters.order(list(level))]


def _level(row: SwissRow) -> tuple[float, float, float]:
    return -row.points, -row.buchholz, -row.sonneborn_berger


class _Encounters:
    """The direct encounters of those who are level in all else (C.07, article 6).

    Args:
        players: by place.
        games: of a meeting.
    """

    def __init__(self, players: Mapping[int, SwissPlayer], games: int) -> None:
        self._players = players
        self._games = games

    def order(self, level: list[SwissRow]) -> list[SwissRow]:
        """Those who are level, parted by their points against each other as far as these tell."""
        if len(level) > 1 and self._all_met(level):
            level = [replace(row, direct=self._scored(row, level)[0]) for row in level]
        return self._parted(level)

    def _parted(self, level: list[SwissRow]) -> list[SwissRow]:
        """The same, and those who still are level afterwards anew, among themselves."""
        if len(level) < 2:
            return level
        scored = {row.place: self._scored(row, level) for row in level}
        if self._all_met(level):
            level = sorted(level, key=lambda row: -scored[row.place][0])
            groups = [list(group) for _, group in groupby(level, key=lambda row: scored[row.place])]
            return level if len(groups) == 1 else [row for group in groups for row in self._parted(group)]
        for first in level:  # alone at the top, however the games that were not played would have ended
            rest = [row for row in level if row is not first]
            if all(scored[first.place][0] > scored[row.place][1] for row in rest):
                return [first, *self._parted(rest)]
        return level

    def _all_met(self, level: Sequence[SwissRow]) -> bool:
        return all(two.place in self._players[one.place].met for one, two in permutations(level, 2))

    def _scored(self, row: SwissRow, level: Sequence[SwissRow]) -> tuple[float, float]:
        """What one scored against the others, and at best could have with those it did not meet as well.

        Of several meetings of two the mean counts.
        """
        met = self._players[row.place].met
        others = [other.place for other in level if other is not row]
        points = sum(fmean(met[other]) for other in others if other in met)
        return points, points + self._games * sum(other not in met for other in others)
