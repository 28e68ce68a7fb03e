"""The likelihood of rankings, and its derivatives, as a chain of choices.

A ranking is read from the top: those who share the first place were chosen from all, the next ones from those
who are left, until one is left at most. From players with the worths w the set C is chosen with a probability
proportional to

    tie[size of C] · (product of w over C) ^ (1 / size of C),        tie[1] = 1

which is Plackett's and Luce's model with the ties of Davidson (Turner, van Etten, Firth, Kosmidis: Modelling
rankings in R: the PlackettLuce package, 2020). Of two players it is Bradley's and Terry's with the draws of
Davidson (1970). The logarithm of a worth is the sum of the player's strength and the seat's, so the
log-likelihood is concave in all parameters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.scoring import GameScore

__all__ = ["Choices", "Numbers"]

Numbers: TypeAlias = NDArray[np.float64]

_AT_ONCE = 20_000
"""Different choices in one array: more of them need gigabytes at a table of four."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Choices among equally many.

    Attributes:
        features: what each set that may be chosen takes of the parameters in a row of ``places``.
        places: of each choice's parameters among all: players, seats, ties.
        chosen: which set was.
        counts: how often.
    """

    features: Numbers
    places: NDArray[np.intp]
    chosen: NDArray[np.intp]
    counts: Numbers

    def chances(self, parameters: Numbers) -> tuple[float, Numbers]:
        """The log-likelihood, and every set's probability in each choice."""
        worth = parameters[self.places] @ self.features.T
        worth -= worth.max(axis=1, keepdims=True)
        total = np.log(np.exp(worth).sum(axis=1, keepdims=True))
        likelihood = self.counts @ (worth - total)[np.arange(len(worth)), self.chosen]
        return float(likelihood), np.exp(worth - total)

    def add_derivatives(self, chances: Numbers, slope: Numbers, information: Numbers) -> None:
        """Add the gradient, and the negative second derivatives."""
        size, width = len(slope), self.features.shape[1]
        mean = chances @ self.features
        gradient = self.counts[:, None] * (self.features[self.chosen] - mean)
        slope += np.bincount(self.places.ravel(), gradient.ravel(), size)
        squares = (self.features[:, :, None] * self.features[:, None, :]).reshape(-1, width * width)
        spread = (chances @ squares).reshape(-1, width, width) - mean[:, :, None] * mean[:, None, :]
        cells = self.places[:, :, None] * size + self.places[:, None, :]
        weights = self.counts[:, None, None] * spread
        information += np.bincount(cells.ravel(), weights.ravel(), size * size).reshape(size, size)


class Choices:
    """All choices of a tally.

    Args:
        games: outcomes and how often they came up; nobody sits on two seats of one.
        names: the players, in the order in which their strengths are to stand among the parameters.

    Attributes:
        seats: how many seats the games have; their parameters follow those of the players.
        size: the number of parameters; the last ones are the logarithms of ``tie`` from 2 to ``seats``.
    """

    def __init__(self, games: Mapping[GameScore, int], names: Sequence[str]) -> None:
        place = {name: index for index, name in enumerate(names)}
        self.seats = max(map(len, games))
        self.size = len(names) + 2 * self.seats - 1
        found: defaultdict[int, Counter[tuple[tuple[int, ...], int]]] = defaultdict(Counter)
        for outcome, count in games.items():
            for seats, chosen in _choices(outcome):
                players = [place[outcome[seat].name] for seat in seats]
                places = (*players, *(len(names) + seat for seat in seats))
                found[len(seats)][places, chosen] += count
        ties = len(names) + self.seats
        # Sorted, as sums in another order differ in their last digits.
        self._blocks = [
            block
            for among, counts in sorted(found.items())
            for block in _blocks(among, counts, first_tie=ties)
        ]

    def likelihood(self, parameters: Numbers) -> float:
        """The log-likelihood."""
        return sum(block.chances(parameters)[0] for block in self._blocks)

    def derivatives(self, parameters: Numbers) -> tuple[float, Numbers, Numbers]:
        """The log-likelihood, its gradient, and its negative second derivatives."""
        slope, information = np.zeros(self.size), np.zeros((self.size, self.size))
        likelihood = 0.0
        for block in self._blocks:
            part, chances = block.chances(parameters)
            likelihood += part
            block.add_derivatives(chances, slope, information)
        return likelihood, slope, information


def _choices(outcome: GameScore) -> Iterator[tuple[tuple[int, ...], int]]:
    """The seats that are left, and a bit for each of them that is chosen; from the top of the ranking."""
    left = sorted(range(len(outcome)), key=lambda seat: outcome[seat].rank)
    for _, group in groupby(list(left), key=lambda seat: outcome[seat].rank):
        chosen = set(group)
        if len(left) > 1:
            seats = tuple(sorted(left))
            yield seats, sum(1 << bit for bit, seat in enumerate(seats) if seat in chosen)
        left = [seat for seat in left if seat not in chosen]


def _blocks(among: int, counts: Counter[tuple[tuple[int, ...], int]], *, first_tie: int) -> Iterator[_Block]:
    """The choices among so many."""
    sets = (np.arange(1, 1 << among)[:, None] >> np.arange(among)) & 1
    sizes = sets.sum(axis=1)
    share = sets / sizes[:, None]
    features = np.hstack([share, share, sizes[:, None] == np.arange(2, among + 1)])
    ties = np.arange(first_tie, first_tie + among - 1)
    rows = sorted(counts.items())
    for first in range(0, len(rows), _AT_ONCE):
        part = rows[first : first + _AT_ONCE]
        places = np.array([places for (places, _), _ in part], dtype=np.intp)
        yield _Block(
            features,
            np.hstack([places, np.broadcast_to(ties, (len(part), among - 1))]),
            np.array([chosen - 1 for (_, chosen), _ in part], dtype=np.intp),
            np.array([count for _, count in part], dtype=np.float64),
        )
