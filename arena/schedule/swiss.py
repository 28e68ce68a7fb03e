"""Swiss system for two players: so many rounds, in each of which equals meet who have not met before.

The rules are in the manner of FIDE's Dutch system (Handbook C.04.3), in this order:

1. Nobody meets anybody twice, as long as everybody can be paired without it; else as few as can be.
2. Where a round has odd games: two do not meet if to both is due the same seat, on which they would else have
   sat three times in a row or three games more often than on the other.
3. With an odd number of engines the lowest in the table that had none yet has a bye: a full score.
4. From the top of the table down, each engine meets one of its own score, as many of a score group as can be:
   its upper half meets the lower half in order. Where seats or earlier meetings are against that, the next
   below is taken, then the next above; who is left over in a group meets the top of the next.

`arena.schedule.swiss_pairing` does that. Unlike the Dutch system it does not look at the next group when it
chooses who leaves a group, and it does not spare engines that left theirs in the round before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.model import Stage
from arena.schedule.contest import Contest
from arena.schedule.seating import Entrants, Seating, duel
from arena.schedule.state import Next, ScheduleState
from arena.schedule.swiss_pairing import SwissPlayer, pair_round
from arena.scoring import EndedGame

__all__ = ["Swiss", "SwissMatch", "SwissRound", "pending", "total"]


@dataclass(frozen=True, slots=True)
class SwissMatch:
    """Two engines that meet in a round.

    Attributes:
        first, second: their places; ``first`` sits first in their first game.
        games: what they play, with keys.
    """

    first: int
    second: int
    games: tuple[tuple[str, Seating], ...]


@dataclass(frozen=True, slots=True)
class SwissRound:
    """A round as it was drawn.

    Attributes:
        bouts: from the top of the table down.
        bye: the place of the engine that has a bye.
    """

    bouts: tuple[SwissMatch, ...]
    bye: int | None


class Swiss:
    """A Swiss tournament up to some round: drawn round by round, each once the one before is scored.

    Args:
        entrants: in the order of their strength, as far as it is known.
        games: that two engines play when they meet.
    """

    def __init__(self, entrants: Entrants, games: int) -> None:
        self._entrants = entrants
        self._games = games
        self.players = [SwissPlayer(place) for place in range(len(entrants.names))]

    def draw(self) -> SwissRound:
        """The next round; a function of the earlier ones and their results."""
        table = sorted(self.players, key=lambda player: (-player.score, player.place))
        drawn = pair_round(table, seats=self._games % 2 == 1)
        bouts = []
        for board, (one, other) in enumerate(drawn.pair()):
            first, second = (other, one) if _exchange(one, other, board) else (one, other)
            bouts.append(SwissMatch(first.place, second.place, tuple(self._duels(first, second))))
        return SwissRound(tuple(bouts), None if drawn.bye is None else drawn.bye.place)

    def _duels(self, first: SwissPlayer, second: SwissPlayer) -> Iterator[tuple[str, Seating]]:
        """Their games; those of an earlier meeting come before, in whole pairs."""
        before = len(first.met.get(second.place, ())) * (self._games + self._games % 2)
        for index in range(before, before + self._games):
            seating = duel(first.place, second.place, index)
            yield self._entrants.key(seating), seating

    def score(self, drawn: SwissRound, results: Mapping[str, EndedGame]) -> bool:
        """Enter what was played of a round; False when games are missing."""
        complete = True
        for bout in drawn.bouts:
            points = {bout.first: 0.0, bout.second: 0.0}
            for key, seating in bout.games:
                result = results.get(key)
                complete = complete and result is not None
                for place, player in zip(seating.seats, result.players if result else (), strict=False):
                    points[place] += player.points
            self._meet(bout.first, bout.second, points)
            self._meet(bout.second, bout.first, points)
            if self._games % 2:
                self.players[bout.first].seats.append(1)
                self.players[bout.second].seats.append(-1)
        if drawn.bye is not None:
            self.players[drawn.bye].byes += 1
            self.players[drawn.bye].score += self._games
        return complete

    def _meet(self, place: int, opponent: int, points: Mapping[int, float]) -> None:
        self.players[place].score += points[place]
        self.players[place].met.setdefault(opponent, []).append(points[place])


def _exchange(one: SwissPlayer, other: SwissPlayer, board: int) -> bool:
    """Whether the lower of two in the table sits first.

    As the Dutch system allocates colours: to whom it is due more; then by turns since the two last sat
    differently; then the higher one's due; then by the board.
    """
    if one.demand != other.demand:
        return one.demand < other.demand
    if one.lean != other.lean:
        return one.lean > other.lean
    for seat, its_seat in zip(reversed(one.seats), reversed(other.seats), strict=False):
        if seat != its_seat:
            return seat > its_seat
    return one.demand < 0 if one.demand else bool(board % 2)


def total(engines: int, rounds: int, games: int) -> int:
    """The number of games."""
    return engines // 2 * rounds * games


def pending(part: Contest, state: ScheduleState, *, rounds: int, games: int) -> Iterator[Next]:
    """The games of each round, once all of the round before have a result."""
    swiss = Swiss(part.entrants, games)
    number = 0
    for turn in range(rounds):
        drawn = swiss.draw()
        duels = [played for bout in drawn.bouts for played in bout.games]
        if any(key not in state.results for key, _ in duels):
            yield Stage(part.entrants.game, f"round {turn + 1} of {rounds}")
        for place, (key, seating) in enumerate(duels, number):
            if key not in state:
                yield part.pairing(place, key, seating)
        number += len(duels)
        while any(key not in state.results for key, _ in duels):
            yield None
        swiss.score(drawn, state.results)
