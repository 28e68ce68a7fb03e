"""Pairings of one round of a Swiss, from the scores and the earlier meetings.

The algorithm goes down the table. Each engine gets the first opponent in its order of preference that passes
two tests: the number of forbidden meetings in the round stays minimal (it is nearly always 0), and the number
of pairs within the score group stays maximal. A maximum matching does both tests before two engines are
paired. So the algorithm never has to undo a pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from arena.formats.matching import Matching

_ABSOLUTE = 3
"""The size of an absolute seat preference."""


@dataclass(slots=True)
class SwissPlayer:
    """One engine with its history in the earlier rounds."""

    place: int  # in the list of entrants; it orders engines with equal scores
    score: float = 0.0  # points so far, with byes
    met: dict[int, list[float]] = field(default_factory=dict)  # the points in each meeting, by opponent
    byes: int = 0
    seats: list[int] = field(default_factory=list)  # in odd games: 1 for the first seat, -1 for the second
    missed: int = 0  # the rounds in which it neither met an opponent nor had a bye
    missed_since: int = 0  # the missed rounds since its last other round

    @property
    def seat_difference(self) -> int:
        """The number of games on the first seat minus the number of games on the second seat."""
        return sum(self.seats)

    @property
    def seat_preference(self) -> int:
        """The seat that the engine should get: the first if above 0, the second if below 0.

        The size is as for a colour preference in the Dutch system. 3 is absolute: the engine had the other
        seat in two games more, or in both of the last two games. 2 is strong: it had the other seat in one
        game more. 1 is mild: it had the other seat in the last game.
        """
        difference, last = self.seat_difference, self.seats[-2:]
        if abs(difference) < 2 and len(last) == 2 and last[0] == last[1]:
            return -_ABSOLUTE * last[0]
        if difference:
            return -(_ABSOLUTE if abs(difference) > 1 else 2) * (1 if difference > 0 else -1)
        return -last[-1] if last else 0


def pair_round(table: Sequence[SwissPlayer], *, seats: bool) -> RoundPairing:
    """Choose the bye and the strictest conditions under which the round can be paired.

    Seat preferences do not count when a match has equally many games on both seats.
    """
    byes: list[SwissPlayer | None] = [None]
    if len(table) % 2:
        fewest = min(player.byes for player in table)
        byes = [player for player in reversed(table) if player.byes == fewest]
    best: RoundPairing | None = None
    for strict in (True, False) if seats else (False,):
        for bye in byes:
            attempt = RoundPairing([player for player in table if player is not bye], bye, strict=strict)
            if best is None or attempt.forbidden < best.forbidden:
                best = attempt
            if not best.forbidden:
                return best
    assert best is not None
    return best


class RoundPairing:
    """An attempt to pair a round, in which two engines may not meet if they have met before.

    If it is ``strict``, two engines with an absolute preference for the same seat may not meet either. The
    number of engines that get a ``forbidden`` opponent is as small as possible.
    """

    def __init__(self, table: Sequence[SwissPlayer], bye: SwissPlayer | None, *, strict: bool) -> None:
        self.bye = bye
        self._table = table
        self._preferences = [player.seat_preference for player in table]
        self._unpaired = list(range(len(table)))
        self._allowed = list(self._allowed_opponents(strict=strict))
        self._whole_table = _Group(self._unpaired, self._allowed)
        self._score_group: _Group | None = None
        self.forbidden = self._whole_table.single

    def pair(self) -> Iterator[tuple[SwissPlayer, SwissPlayer]]:
        """Yield the pairs, from the top down. You can call this once."""
        while self._unpaired:
            top = self._unpaired[0]
            opponent = self._opponent(top)
            self._unpaired.remove(top)
            self._unpaired.remove(opponent)
            yield self._table[top], self._table[opponent]

    def _allowed_opponents(self, *, strict: bool) -> Iterator[set[int]]:
        """Yield for each row of the table the rows of the opponents that the conditions allow."""
        rows = {player.place: row for row, player in enumerate(self._table)}
        absolute = {
            preference: {row for row in self._unpaired if self._preferences[row] == preference}
            for preference in (-_ABSOLUTE, _ABSOLUTE)
        }
        for row, player in enumerate(self._table):
            opponents = set(self._unpaired)
            opponents.discard(row)
            opponents.difference_update(rows[place] for place in player.met if place in rows)
            if strict:
                opponents.difference_update(absolute.get(self._preferences[row], ()))
            yield opponents

    def _clash(self, first: int, second: int) -> bool:
        """Whether both engines have an absolute preference for the same seat."""
        preference = self._preferences[first]
        return abs(preference) == _ABSOLUTE and preference == self._preferences[second]

    def _opponent(self, top: int) -> int:
        """Choose the opponent of the highest engine that is not paired yet."""
        allowed = self._allowed[top]
        lowest = next((self._table[row].score for row in self._unpaired if row in allowed), 0.0)
        for clash in (False, True):
            for row in self._candidates(top, clash=clash):
                if self._table[row].score < lowest:
                    break
                if self._keeps_score_group(top, row, lowest):
                    return row
            for row in self._candidates(top, clash=clash):
                if self._whole_table.fix(top, row):
                    self._score_group = None
                    return row
        choices = list(self._choices(top))
        choices.sort(key=lambda row: len(self._table[top].met.get(self._table[row].place, ())))
        self._score_group = None
        return next(row for row in choices if self._whole_table.leave_single(top, row))

    def _candidates(self, top: int, *, clash: bool) -> Iterator[int]:
        """Yield the allowed opponents of ``top``, the best first: those with this clash of seats."""
        allowed = self._allowed[top]
        return (row for row in self._choices(top) if row in allowed and self._clash(top, row) is clash)

    def _keeps_score_group(self, top: int, row: int, lowest: float) -> bool:
        """Pair two engines, unless the whole table or the score group loses a pair by this.

        If an engine has no allowed opponent with its own score, its score group reaches down to the next
        score at which it has one, which is ``lowest``.
        """
        if self._score_group is None or self._score_group.lowest != lowest:
            rows = [other for other in self._unpaired if self._table[other].score >= lowest]
            self._score_group = _Group(rows, self._allowed, lowest)
        if not self._score_group.fix(top, row):
            return False
        if self._whole_table.fix(top, row):
            return True
        self._score_group.release(top, row)
        return False

    def _choices(self, top: int) -> Iterator[int]:
        """Yield all possible opponents of ``top``, the best first: those with the nearest score.

        In the score group of ``top``, the engine half a group below it comes first, then the engines below
        that one, and then the engines above it. Within each score, opponents that prefer another seat come
        first.
        """
        score, preference = self._table[top].score, self._preferences[top]
        for group_score, rows in groupby(self._unpaired[1:], key=lambda row: self._table[row].score):
            group = list(rows)
            if group_score == score:
                half = (len(group) + 1) // 2 - 1
                group = group[half:] + group[:half][::-1]
            yield from sorted(group, key=lambda row: preference * self._preferences[row] > 0)


class _Group:
    """Rows of the table from which as many allowed pairs as possible are made; ``single`` ones are left."""

    def __init__(self, rows: Sequence[int], allowed: Sequence[set[int]], lowest: float = 0.0) -> None:
        self.lowest = lowest
        self._vertices = {row: vertex for vertex, row in enumerate(rows)}
        neighbours = [[self._vertices[other] for other in rows if other in allowed[row]] for row in rows]
        self._matching = Matching(neighbours)
        self.single = self._matching.single
        if self.single:  # add one vertex for each of them; an engine that is paired with it stays single
            engines = list(range(len(rows)))
            spare = [len(rows) + number for number in range(self.single)]
            neighbours = [near + spare for near in neighbours] + [engines for _ in spare]
            self._matching = Matching(neighbours)
        self._spare = len(rows)

    def fix(self, first: int, second: int) -> bool:
        """Fix a pair and return True, if the number of single engines stays the same."""
        return self._matching.fix(self._vertices[first], self._vertices[second])

    def leave_single(self, first: int, second: int) -> bool:
        """Let two engines stay single and return True, if the number of single engines stays the same."""
        if not self._matching.fix(self._vertices[first], self._spare):
            return False
        if not self._matching.fix(self._vertices[second], self._spare + 1):
            self._matching.release(self._vertices[first], self._spare)
            return False
        self._spare += 2
        return True

    def release(self, first: int, second: int) -> None:
        """Undo `fix` for a pair."""
        self._matching.release(self._vertices[first], self._vertices[second])
