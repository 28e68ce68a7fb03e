"""Ended games: their records, who took which place with how many points, and how often each score occurred.

Standings, ratings and schedules use the scores. Many games have the same score: a hundred thousand games
between twenty engines have only some thousand different scores. So a computation over the counted scores
takes as long for a hundred thousand games as for a thousand.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import lcm
from typing import Final, Literal, NamedTuple, TypeAlias

from arena.model import GameRecord, GameResult, Opening, Pairing, PlayerRecord
from referee import game as find_game
from referee.match.job import Job, JobFinished, SeatResult
from referee.outcome import Termination
from referee.ply import count_moves


class SeatScore(NamedTuple):
    """The score of one seat in a game, with the values of a `PlayerRecord`."""

    name: str
    rank: int
    points: float
    forfeit: Termination | None

    @property
    def forfeited(self) -> bool:
        """Whether the engine lost by misbehaviour. Resigning is not a forfeit."""
        return self.forfeit is not None and self.forfeit.is_forfeit


GameScore: TypeAlias = tuple[SeatScore, ...]
"""The score of a game that counts, in seat order."""


class GameEnding(NamedTuple):
    """A stored game that counts, with only the values that schedules use: a tenth of a `GameResult`."""

    number: int
    key: str
    game: str
    termination: Termination
    players: GameScore

    @property
    def counts(self) -> bool:
        """As in `GameResult`."""
        return True


ScoredSeat: TypeAlias = SeatScore | PlayerRecord
"""A seat, as schedules and ratings use it."""

EndedGame: TypeAlias = GameEnding | GameResult
"""An ended game, as schedules use it."""

GameScoreCounts: TypeAlias = Counter[GameScore]
"""The different scores of the games of one id, each with the number of games."""


def was_played(seats: Iterable[ScoredSeat]) -> bool:
    """Return whether a game that counts was played. It was not, if an engine in it was already disabled."""
    return all(seat.forfeit is not Termination.DISABLED for seat in seats)


def nobody_won(seats: Iterable[ScoredSeat]) -> bool:
    """Return whether all engines failed in a game, so that it does not show which of them is stronger."""
    return all(ending == "forfeited" for ending in seat_endings(tuple(seats)))


def contested(results: Iterable[EndedGame]) -> list[EndedGame]:
    """Return the games that were played by two engines or more that did not lose each game by a fault."""
    games = [result for result in results if was_played(result.players)]
    seats = [seat for result in games for seat in result.players]
    able = {seat.name for seat in seats if seat.forfeit is None or not seat.forfeit.is_forfeit}
    return [result for result in games if sum(seat.name in able for seat in result.players) > 1]


def count_unplayed(counts: GameScoreCounts) -> int:
    """Return the number of games that were not played, because an engine was disabled."""
    return sum(count for game_score, count in counts.items() if not was_played(game_score))


SeatEnding: TypeAlias = Literal["won", "drew", "lost", "forfeited", "void"]
"""How a seat ended a game: it won alone, shared the first place, lost by the rules or resigned, was removed
for misbehaviour, or the game does not count."""


def seat_endings(seats: Sequence[ScoredSeat | SeatResult]) -> tuple[SeatEnding, ...]:
    """Say how each seat ended a game."""
    shared = sum(seat.rank == 1 for seat in seats) > 1

    def ending(seat: ScoredSeat | SeatResult) -> SeatEnding:
        if seat.rank is None:
            return "void"
        if seat.forfeit is not None and seat.forfeit.is_forfeit:
            return "forfeited"
        if seat.rank > 1:
            return "lost"
        return "drew" if shared else "won"

    return tuple(map(ending, seats))


def count_forfeits(seats: Iterable[ScoredSeat]) -> int:
    """Return how many seats lost by a fault while the game was played, for a game that counts.

    This is what all tables and pages call forfeits. Two engines that crash in one game are two forfeits.
    """
    return sum(seat.forfeit is not None and seat.forfeit.is_fault for seat in seats)


def fault_of(detail: str, seat: int) -> str:
    """Return what the detail of a result says about a seat, from 0; all of it if it is about no seat."""
    first, *about = _SEAT.split(detail)
    if not about:
        return first
    return "; ".join(part for part in about if part.startswith(f"seat {seat + 1} "))


def with_names(detail: str, names: Sequence[str]) -> str:
    """Return the detail of a result with these names of the seats instead of ``seat 1``, ``seat 2``."""
    parts = _SEAT.split(detail)
    for seat, name in enumerate(names, 1):
        words = f"seat {seat} "
        parts = [f"{name} {part.removeprefix(words)}" if part.startswith(words) else part for part in parts]
    return "; ".join(filter(None, parts))


_SEAT = re.compile(r"(?:^|; )(?=seat \d+ )")


def points(ranks: tuple[int, ...], forfeits: tuple[Termination | None, ...]) -> tuple[float, ...]:
    """The points of each seat: (players - mean place) / (players - 1), or 0 for a forfeit.

    Tied seats get the mean of their places. So with two players a win, a draw and a loss are 1, 1/2 and 0
    points. With four players, if three share the second place, the winner has 1 point and each of the others
    has 1/3.
    """
    players = len(ranks)
    return tuple(
        0.0
        if forfeit is not None and forfeit.is_forfeit
        else (players - rank - (ranks.count(rank) - 1) / 2) / (players - 1)
        for rank, forfeit in zip(ranks, forfeits, strict=True)
    )


_SHARES_LIMIT: Final = 10**6
"""The most equal shares of a point, see `exact`."""


def exact(points: float) -> Fraction:
    """Return points, or a sum of some, without the error of a float: no float is a third."""
    return Fraction(points).limit_denominator(_SHARES_LIMIT)


def total_shares(counts: GameScoreCounts) -> tuple[int, Counter[str]]:
    """Return how many equal shares make a point, and how many each engine has in all: whole numbers."""
    values = {points: exact(points) for points in {seat.points for score in counts for seat in score}}
    each = lcm(*(value.denominator for value in values.values()))
    shares = {points: int(value * each) for points, value in values.items()}
    totals: Counter[str] = Counter()
    for game_score, count in counts.items():
        for seat in game_score:
            totals[seat.name] += shares[seat.points] * count
    return each, totals


def tally(results: Iterable[EndedGame]) -> GameScoreCounts:
    """Count the scores of the games that count."""
    return Counter(
        tuple(
            SeatScore(player.name, player.rank, player.points, player.forfeit)
            for player in result.players
            if player.rank is not None
        )
        for result in results
        if result.counts
    )


@dataclass(frozen=True, slots=True)
class Versus:
    """The score of one engine against another: 1 for each better place, 1/2 for each equal place."""

    points: float
    games: int


def versus(counts: GameScoreCounts) -> dict[tuple[str, str], Versus]:
    """Return the score of each engine against each other one. Games against itself are ignored."""
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    games: defaultdict[tuple[str, str], int] = defaultdict(int)
    for game_score, count in counts.items():
        for first, second in permutations(game_score, 2):
            if first.name != second.name:
                points[first.name, second.name] += _points_against(first, second) * count
                games[first.name, second.name] += count
    return {pair: Versus(points[pair], count) for pair, count in games.items()}


def _points_against(first: SeatScore, second: SeatScore) -> float:
    if first.rank == second.rank:
        return 0.0 if first.forfeited and second.forfeited else 0.5
    return float(first.rank < second.rank)


def game_record(
    job: Job,
    finished: JobFinished,
    *,
    tournament: str = "",
    pairing: Pairing | None = None,
    versions: Sequence[str] = (),
    programs: Sequence[str] = (),
) -> GameRecord:
    """Return the record of a finished job. Without a pairing it is the first game of its tournament.

    A version of the tournament file, if there is one, counts more than the one that the engine reports.
    """
    if pairing is None:
        position = job.position
        if position is None and job.setup is not None:
            position = str(find_game(job.game).start(job.setup))
        names = tuple(seat.engine.name for seat in job.seats)
        pairing = Pairing(0, job.id, job.game, names, Opening(position, job.moves))
    ranks = tuple(seat.rank for seat in finished.seats if seat.rank is not None)
    void = len(ranks) < len(finished.seats)
    scores = (
        (0.0,) * len(job.seats) if void else points(ranks, tuple(seat.forfeit for seat in finished.seats))
    )
    players = tuple(
        PlayerRecord(
            name=seat.engine.name,
            version=version or end.version,
            rank=end.rank,
            points=score,
            forfeit=end.forfeit,
            time_control=seat.time_control,
            margin=seat.engine.margin,
            time_used=end.time_used,
            program=program,
            options=seat.engine.options,
        )
        for seat, end, score, version, program in zip(
            job.seats,
            finished.seats,
            scores,
            versions or [""] * len(job.seats),
            programs or [""] * len(job.seats),
            strict=True,
        )
    )
    result = GameResult(
        id=None,
        tournament=tournament,
        number=pairing.number,
        key=pairing.key,
        game=pairing.game,
        termination=finished.termination,
        reason=finished.reason,
        detail=finished.detail,
        plies=count_moves(finished.record),
        players=players,
    )
    return GameRecord(
        result,
        pairing.opening,
        finished.record,
        finished.final_position,
        finished.started,
        finished.duration,
        finished.worker,
    )


def not_played(job: Job, disabled: Collection[str]) -> JobFinished:
    """Return the end of a game that disabled engines lose without a move."""
    names = [seat.engine.name for seat in job.seats]
    losers = sorted(set(names).intersection(disabled))
    winners = sum(name not in losers for name in names)
    word = Termination.DISABLED
    ends = ((winners + 1, word) if name in losers else (1, None) for name in names)
    seats = tuple(SeatResult("", "", rank, forfeit, 0, 0) for rank, forfeit in ends)
    detail = f"not played: {', '.join(losers)} {'were' if len(losers) > 1 else 'was'} disabled"
    return JobFinished(job.id, word, word.value, detail, seats, (), "", time.time(), 0)
