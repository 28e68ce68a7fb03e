"""How a round of a Swiss is drawn: who is paired with whom, from everybody's score and what came before.

From the top of the table down, each takes the first opponent in its order of preference with whom two things
stay as good as they can be: how many must meet somebody again (nobody, nearly always), and how many pairs can
be made in the score group. Matchings tell that before two are paired, so nothing is ever taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from arena.schedule.matching import Matching

__all__ = ["RoundPairing", "SwissPlayer", "pair_round"]

_ABSOLUTE = 3


@dataclass(slots=True)
class SwissPlayer:
    """One engine on its way through the rounds.

    Attributes:
        place: in the list of entrants, which is its rank among those with equal scores.
        score: points so far, byes included.
        met: the opponents' places, and what was scored against each, with a list for each meeting.
        byes: how often it had none to play.
        seats: the seat of each meeting's odd game: 1 for the first, -1 for the second.
    """

    place: int
    score: float = 0.0
    met: dict[int, list[float]] = field(default_factory=dict)
    byes: int = 0
    seats: list[int] = field(default_factory=list)

    @property
    def lean(self) -> int:
        """How many more games it had on the first seat than on the second."""
        return sum(self.seats)

    @property
    def demand(self) -> int:
        """Which seat is due to it: above 0 the first, below 0 the second, the farther the more so.

        The colour preferences of the Dutch system: 3 is absolute (two games more on the other seat, or both
        of the last two), 2 strong (one game more), 1 mild (the last game).
        """
        lean, last = self.lean, self.seats[-2:]
        if abs(lean) < 2 and len(last) == 2 and last[0] == last[1]:
            return -_ABSOLUTE * last[0]
        if lean:
            return -(_ABSOLUTE if abs(lean) > 1 else 2) * (1 if lean > 0 else -1)
        return -last[-1] if last else 0


def pair_round(table: Sequence[SwissPlayer], *, seats: bool) -> RoundPairing:
    """A round under the strictest conditions that let everybody be paired.

    Args:
        table: everybody, the best first.
        seats: whether seats matter: not where two engines play as many games on either.
    """
    byes: list[SwissPlayer | None] = [None]
    if len(table) % 2:
        fewest = min(player.byes for player in table)
        byes = [player for player in reversed(table) if player.byes == fewest]
    best: RoundPairing | None = None
    for strict in (True, False) if seats else (False,):
        for bye in byes:
            attempt = RoundPairing([player for player in table if player is not bye], bye, strict=strict)
            if best is None or attempt.again < best.again:
                best = attempt
            if not best.again:
                return best
    assert best is not None
    return best


class RoundPairing:
    """One attempt to draw a round.

    Args:
        table: who plays, the best first.
        bye: who doesn't.
        strict: whether two to whom the same seat is absolutely due may not meet.

    Attributes:
        bye: who has a bye.
        again: how many have to meet somebody whom the conditions forbid; as few as can be.
    """

    def __init__(self, table: Sequence[SwissPlayer], bye: SwissPlayer | None, *, strict: bool) -> None:
        self.bye = bye
        self._table = table
        self._demands = [player.demand for player in table]
        self._left = list(range(len(table)))
        self._fresh = list(self._opponents(strict=strict))
        self._everybody = _Group(self._left, self._fresh)
        self._group: _Group | None = None
        self.again = self._everybody.single

    def pair(self) -> Iterator[tuple[SwissPlayer, SwissPlayer]]:
        """Pair everybody who plays, from the top down; a draw can be made once."""
        while self._left:
            top = self._left[0]
            other = self._opponent(top)
            self._left = [row for row in self._left if row not in (top, other)]
            yield self._table[top], self._table[other]

    def _opponents(self, *, strict: bool) -> Iterator[set[int]]:
        """For each row those whom it may meet."""
        rows = {player.place: row for row, player in enumerate(self._table)}
        clashing = {
            due: {row for row in self._left if self._demands[row] == due} for due in (-_ABSOLUTE, _ABSOLUTE)
        }
        for row, player in enumerate(self._table):
            others = set(self._left)
            others.discard(row)
            others.difference_update(rows[place] for place in player.met if place in rows)
            if strict:
                others.difference_update(clashing.get(self._demands[row], ()))
            yield others

    def _clash(self, row: int, other: int) -> bool:
        """Whether the same seat is absolutely due to both."""
        return abs(self._demands[row]) == _ABSOLUTE and self._demands[row] == self._demands[other]

    def _opponent(self, top: int) -> int:
        """Whom the first who is left meets."""
        choices = list(self._choices(top))
        fresh = [row for row in choices if row in self._fresh[top]]
        for clash in (False, True):
            chosen = [row for row in fresh if self._clash(top, row) is clash]
            for row in chosen:
                if self._keeps_its_group(top, row, fresh):
                    return row
            for row in chosen:
                if self._everybody.settle(top, row):
                    self._group = None
                    return row
        choices.sort(key=lambda row: len(self._table[top].met.get(self._table[row].place, ())))
        self._group = None
        return next(row for row in choices if self._everybody.leave(top, row))

    def _keeps_its_group(self, top: int, row: int, fresh: Sequence[int]) -> bool:
        """Pair two if that costs neither everybody nor the score group a pair.

        The group of somebody who has no opponent of its own score left is the next in which it has one.
        """
        lowest = max(self._table[other].score for other in fresh)
        if self._table[row].score < lowest:
            return False
        if self._group is None or self._group.lowest != lowest:
            rows = [other for other in self._left if self._table[other].score >= lowest]
            self._group = _Group(rows, self._fresh, lowest)
        if not self._group.settle(top, row):
            return False
        if self._everybody.settle(top, row):
            return True
        self._group.release(top, row)
        return False

    def _choices(self, top: int) -> Iterator[int]:
        """Everybody else who is left, the best opponent for ``top`` first: the nearest in score.

        In a score group the upper half meets the lower: first comes the one half a group below, then those
        below it, then those above; and of all these first those who do not want the same seat.
        """
        score, demand = self._table[top].score, self._demands[top]
        for its_score, rows in groupby(self._left[1:], key=lambda row: self._table[row].score):
            group = list(rows)
            if its_score == score:
                half = (len(group) + 1) // 2 - 1
                group = group[half:] + group[:half][::-1]
            yield from sorted(group, key=lambda row: demand * self._demands[row] > 0)


class _Group:
    """Engines among whom as many pairs are to be made as can be.

    Args:
        rows: who they are.
        fresh: for each row of the table those whom it may meet.
        lowest: the lowest score among them.

    Attributes:
        single: how many are left over.
    """

    def __init__(self, rows: Sequence[int], fresh: Sequence[set[int]], lowest: float = 0.0) -> None:
        self.lowest = lowest
        self._vertices = {row: vertex for vertex, row in enumerate(rows)}
        neighbours = [[self._vertices[other] for other in rows if other in fresh[row]] for row in rows]
        self._matching = Matching(neighbours)
        self.single = self._matching.single
        if self.single:  # so many more vertices, with which anybody may be paired, stand for being left over
            everybody = list(range(len(rows)))
            spare = [len(rows) + number for number in range(self.single)]
            neighbours = [near + spare for near in neighbours] + [everybody for _ in spare]
            self._matching = Matching(neighbours)
        self._spare = len(rows)

    def settle(self, one: int, other: int) -> bool:
        """Pair two for good, if no more are then left over; False, and nothing changed, if not."""
        return self._matching.settle(self._vertices[one], self._vertices[other])

    def leave(self, one: int, other: int) -> bool:
        """Leave two over for good, if no more have to be; False, and nothing changed, if not."""
        if not self._matching.settle(self._vertices[one], self._spare):
            return False
        if not self._matching.settle(self._vertices[other], self._spare + 1):
            self._matching.release(self._vertices[one], self._spare)
            return False
        self._spare += 2
        return True

    def release(self, one: int, other: int) -> None:
        """Take back that these two were settled."""
        self._matching.release(self._vertices[one], self._vertices[other])
