"""Swiss system for two players: so many rounds, in each of which equals meet who have not met before.

The rules are in the manner of FIDE's Dutch system (Handbook C.04.3), in this order:

1. With an odd number of engines the lowest in the table that had none yet has a bye: a full score.
2. Nobody meets anybody twice, as long as everybody can be paired without it.
3. Nobody sits on one seat three games more often than on the other; only where a round has odd games at all.
4. From the top of the table down, each engine meets one of its own score: the upper half of a score group
   meets the lower half in order. Where seats or earlier meetings are against that, the next below is taken,
   then the next above; who is left over in a group meets the top of the next.

Nothing is taken back: before two engines are paired it is made sure that all others still can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from arena.model import Pairing, Result
from arena.schedule.matching import Matching
from arena.schedule.part import Part
from arena.schedule.seating import Entrants, Seating, duel
from arena.schedule.state import State

__all__ = ["Bout", "Player", "Round", "Swiss", "pending", "total"]

_TOLERATED = 2


@dataclass(frozen=True, slots=True)
class Bout:
    """Two engines that meet in a round.

    Attributes:
        first, second: their places; ``first`` sits first in their first game.
        games: what they play, with keys.
    """

    first: int
    second: int
    games: tuple[tuple[str, Seating], ...]


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it was drawn.

    Attributes:
        bouts: from the top of the table down.
        bye: the place of the engine that has a bye.
    """

    bouts: tuple[Bout, ...]
    bye: int | None


@dataclass(slots=True)
class Player:
    """One engine on its way through the rounds.

    Attributes:
        place: in the list of entrants, which is its rank among those with equal scores.
        score: points so far, byes included.
        met: the opponents' places, and what was scored against each, with a list for each meeting.
        byes: how often it had none to play.
        lean: how many more games it had on the first seat than on the second.
        last: 1 when the last odd game was on the first seat, -1 when on the second.
    """

    place: int
    score: float = 0.0
    met: dict[int, list[float]] = field(default_factory=dict)
    byes: int = 0
    lean: int = 0
    last: int = 0

    @property
    def wish(self) -> int:
        """1 for the first seat, -1 for the second, 0 for either."""
        return (self.lean < 0) - (self.lean > 0) or -self.last


class Swiss:
    """A Swiss tournament up to some round: drawn round by round, each once the one before is scored.

    Args:
        entrants: in the order of their strength, as far as it is known.
        games: that two engines play when they meet.
    """

    def __init__(self, entrants: Entrants, games: int) -> None:
        self._entrants = entrants
        self._games = games
        self.players = [Player(place) for place in range(len(entrants.names))]

    def draw(self) -> Round:
        """The next round; a function of the earlier ones and their results."""
        table = sorted(self.players, key=lambda player: (-player.score, player.place))
        draw = self._possible(table)
        bye = draw.give_bye() if len(table) % 2 else None
        bouts = []
        for board, (one, other) in enumerate(draw.pairs()):
            first, second = (other, one) if self._exchange(one, other, board) else (one, other)
            bouts.append(Bout(first.place, second.place, tuple(self._duels(first, second))))
        return Round(tuple(bouts), bye)

    def _possible(self, table: list[Player]) -> _Draw:
        """The draw under the strictest conditions that let everybody be paired."""
        meetings = 0
        while True:
            for strict in (True, False) if self._games % 2 else (False,):
                draw = _Draw(table, meetings, strict=strict)
                if draw.matching.complete():
                    return draw
            meetings += 1

    def _exchange(self, one: Player, other: Player, board: int) -> bool:
        """Whether the lower of two in the table sits first."""
        if one.lean != other.lean:
            return one.lean > other.lean
        if one.wish:
            return one.wish < 0
        return bool(board % 2)

    def _duels(self, first: Player, second: Player) -> Iterator[tuple[str, Seating]]:
        """Their games; those of an earlier meeting come before, in whole pairs."""
        before = len(first.met.get(second.place, ())) * (self._games + self._games % 2)
        for index in range(before, before + self._games):
            seating = duel(first.place, second.place, index)
            yield self._entrants.key(seating), seating

    def score(self, drawn: Round, results: Mapping[str, Result]) -> bool:
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
                for place, lean in ((bout.first, 1), (bout.second, -1)):
                    self.players[place].lean += lean
                    self.players[place].last = lean
        if drawn.bye is not None:
            self.players[drawn.bye].byes += 1
            self.players[drawn.bye].score += self._games
        return complete

    def _meet(self, place: int, opponent: int, points: Mapping[int, float]) -> None:
        self.players[place].score += points[place]
        self.players[place].met.setdefault(opponent, []).append(points[place])


class _Draw:
    """One attempt to draw a round: vertices are places in the table, and one more for the bye."""

    def __init__(self, table: list[Player], meetings: int, *, strict: bool) -> None:
        self._table = table
        count = len(table)
        neighbours = [
            [other for other in range(count) if other != row and self._may(row, other, meetings, strict)]
            for row in range(count)
        ]
        if count % 2:
            fewest = min(player.byes for player in table)
            neighbours.append([row for row in range(count) if table[row].byes == fewest])
            for row in neighbours[count]:
                neighbours[row].append(count)
        self._allowed = [set(rows) for rows in neighbours]
        self.matching = Matching(neighbours)
        self._left = list(range(count))

    def _may(self, row: int, other: int, meetings: int, strict: bool) -> bool:
        one, two = self._table[row], self._table[other]
        if len(one.met.get(two.place, ())) > meetings:
            return False
        leans = (one.lean, two.lean)
        return not (strict and (min(leans) >= _TOLERATED or max(leans) <= -_TOLERATED))

    def give_bye(self) -> int:
        """The place of the lowest engine that may have it."""
        nobody = len(self._table)
        for row in reversed(self._left):
            if nobody in self._allowed[row] and self.matching.settle(row, nobody):
                self._left.remove(row)
                return self._table[row].place
        raise AssertionError("a complete matching pairs somebody with the bye")

    def pairs(self) -> Iterator[tuple[Player, Player]]:
        """Everybody else, from the top down."""
        while self._left:
            top = self._left[0]
            other = next(row for row in self._choices(top) if self.matching.settle(top, row))
            self._left = [row for row in self._left if row not in (top, other)]
            yield self._table[top], self._table[other]

    def _choices(self, top: int) -> list[int]:
        """Opponents for the first who is left, the best first: the least met, the nearest in score."""
        one = self._table[top]
        choices: list[int] = []
        for score, rows in groupby(self._left[1:], key=lambda row: self._table[row].score):
            group = list(rows)
            if score == one.score:
                half = (len(group) + 1) // 2 - 1
                group = group[half:] + group[:half][::-1]
            group.sort(key=lambda row: bool(one.wish) and one.wish == self._table[row].wish)
            choices += (row for row in group if row in self._allowed[top])
        return sorted(choices, key=lambda row: len(one.met.get(self._table[row].place, ())))


def total(engines: int, rounds: int, games: int) -> int:
    """The number of games."""
    return engines // 2 * rounds * games


def pending(part: Part, state: State, *, rounds: int, games: int) -> Iterator[Pairing | None]:
    """The games of each round, once all of the round before have a result."""
    swiss = Swiss(part.entrants, games)
    number = 0
    for _ in range(rounds):
        drawn = swiss.draw()
        duels = [played for bout in drawn.bouts for played in bout.games]
        for place, (key, seating) in enumerate(duels, number):
            if key not in state:
                yield part.pairing(place, key, seating)
        number += len(duels)
        while any(key not in state.results for key, _ in duels):
            yield None
        swiss.score(drawn, state.results)
