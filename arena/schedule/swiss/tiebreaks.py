"""The table of a Swiss, with its tie-breaks.

Buchholz, Sonneborn-Berger and the direct encounter follow the FIDE Handbook (C.07, Tie-Break Regulations,
2024), also for byes. All games of a meeting together count as one game of these rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, permutations
from statistics import fmean

from arena.ended_games import EndedGame
from arena.schedule.seating import Entrants
from arena.schedule.swiss.pairing import SwissPlayer
from arena.schedule.swiss.rounds import Swiss, SwissRound

__all__ = ["SwissRow", "replay_rounds", "swiss_table"]


@dataclass(frozen=True, slots=True)
class SwissRow:
    """One engine in the table.

    Attributes:
        place: its place in the list of entrants.
        points: the points of its games and byes.
        buchholz: the sum of its opponents' points. A bye counts as an opponent with the engine's own points.
        sonneborn_berger: the sum over all meetings of the points scored times the opponent's points. A bye
            counts in the same way.
        direct: the points against all engines that are tied with it in the values above; None if not all of
            them have met. Engines that are tied in this, too, are ordered by the games among themselves.
        byes: the number of byes.
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
    """Repeat the pairings of a Swiss from its results.

    Returns:
        The engines with their scores, and the rounds that have begun. The last round may be incomplete.
    """
    swiss = Swiss(entrants, games)
    begun: list[SwissRound] = []
    complete = True
    while complete and len(begun) < rounds:
        round_ = swiss.next_round()
        if not any(key in results for match in round_.matches for key, _ in match.games):
            break
        complete = swiss.score(round_, results)
        begun.append(round_)
    return swiss.players, begun


def swiss_table(players: Sequence[SwissPlayer], games: int) -> list[SwissRow]:
    """The table, best first: by points, Buchholz, Sonneborn-Berger, direct encounter, order of entrants.

    Args:
        players: the engines with their scores.
        games: the number of games that two engines play when they meet.
    """
    scores = {player.place: player.score for player in players}
    rows = []
    for player in players:
        meetings = [(scores[opponent], points) for opponent, each in player.met.items() for points in each]
        meetings += [(player.score, float(games))] * player.byes
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
    encounters = _Encounters({player.place: player for player in players}, games)
    return [row for _, tied in groupby(rows, key=_rank_key) for row in encounters.order(list(tied))]


def _rank_key(row: SwissRow) -> tuple[float, float, float]:
    return -row.points, -row.buchholz, -row.sonneborn_berger


class _Encounters:
    """The direct encounters of tied engines (C.07, article 6).

    Args:
        players: the engines by place.
        games: the number of games that two engines play when they meet.
    """

    def __init__(self, players: Mapping[int, SwissPlayer], games: int) -> None:
        self._players = players
        self._games = games

    def order(self, tied: list[SwissRow]) -> list[SwissRow]:
        """Order tied engines by their points against each other, and fill in `SwissRow.direct`."""
        if len(tied) > 1 and self._all_met(tied):
            tied = [replace(row, direct=self._points(row, tied)[0]) for row in tied]
        return self._sorted(tied)

    def _sorted(self, tied: list[SwissRow]) -> list[SwissRow]:
        """Order tied engines. Engines that are still tied are ordered by the games among themselves."""
        if len(tied) < 2:
            return tied
        points = {row.place: self._points(row, tied) for row in tied}
        if self._all_met(tied):
            tied = sorted(tied, key=lambda row: -points[row.place][0])
            groups = [list(group) for _, group in groupby(tied, key=lambda row: points[row.place])]
            return tied if len(groups) == 1 else [row for group in groups for row in self._sorted(group)]
        for first in tied:  # it leads, whatever the results of the meetings that did not take place
            rest = [row for row in tied if row is not first]
            if all(points[first.place][0] > points[row.place][1] for row in rest):
                return [first, *self._sorted(rest)]
        return tied

    def _all_met(self, tied: Sequence[SwissRow]) -> bool:
        return all(second.place in self._players[first.place].met for first, second in permutations(tied, 2))

    def _points(self, row: SwissRow, tied: Sequence[SwissRow]) -> tuple[float, float]:
        """The points of an engine against the other tied engines.

        If two engines met several times, the mean counts.

        Returns:
            Its points in the meetings that took place, and its points if it also won all the others.
        """
        met = self._players[row.place].met
        opponents = [other.place for other in tied if other is not row]
        points = sum(fmean(met[opponent]) for opponent in opponents if opponent in met)
        return points, points + self._games * sum(opponent not in met for opponent in opponents)
