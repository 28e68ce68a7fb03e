"""The log-likelihood of rankings and its derivatives.

A ranking is a chain of choices. First the set of players on the first place is chosen from all players. Then
the set on the next place is chosen from the remaining players, until at most one player remains. If the
players have the worths w, the probability of the set C is proportional to

    tie[size of C] · (product of w over C) ^ (1 / size of C),        tie[1] = 1

This is the Plackett-Luce model with Davidson's ties (Turner, van Etten, Firth, Kosmidis: Modelling rankings
in R: the PlackettLuce package, 2020). For two players it is the Bradley-Terry model with Davidson's draws
(1970). The logarithm of a worth is the player's strength plus the seat's, so the log-likelihood is concave in
all parameters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.scoring import GameScore

Numbers: TypeAlias = NDArray[np.floating[Any]]

_BLOCK_SIZE = 20_000
"""The largest number of different choices in one array. With four players, more would take gigabytes."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Different choices among the same number of players."""

    features: Numbers  # coefficients of the parameters in a row of `places`, shape (sets, width)
    places: NDArray[np.intp]  # players, seats and ties of each choice, shape (choices, width)
    chosen: NDArray[np.intp]  # the index of the chosen set, shape (choices,)
    counts: Numbers  # shape (choices,)

    def probabilities(self, parameters: Numbers) -> tuple[float, Numbers]:
        """The log-likelihood, and the probability of each set in each choice, shape (choices, sets)."""
        worth = parameters[self.places] @ self.features.T
        worth -= worth.max(axis=1, keepdims=True)
        total = np.log(np.exp(worth).sum(axis=1, keepdims=True))
        likelihood = self.counts @ (worth - total)[np.arange(len(worth)), self.chosen]
        return float(likelihood), np.exp(worth - total)

    def add_gradient(self, probabilities: Numbers, gradient: Numbers) -> Numbers:
        """Add the first derivatives of the log-likelihood in place; return the means of the features."""
        mean: Numbers = probabilities @ self.features
        residual = self.counts[:, None] * (self.features[self.chosen] - mean)
        gradient += np.bincount(self.places.ravel(), residual.ravel(), len(gradient))
        return mean

    def add_derivatives(self, probabilities: Numbers, gradient: Numbers, information: Numbers) -> None:
        """Add the first and the negative second derivatives of the log-likelihood in place."""
        size, width = len(gradient), self.features.shape[1]
        mean = self.add_gradient(probabilities, gradient)
        squares = (self.features[:, :, None] * self.features[:, None, :]).reshape(-1, width * width)
        covariance = (probabilities @ squares).reshape(-1, width, width) - mean[:, :, None] * mean[:, None, :]
        cells = self.places[:, :, None] * size + self.places[:, None, :]
        weights = self.counts[:, None, None] * covariance
        information += np.bincount(cells.ravel(), weights.ravel(), size * size).reshape(size, size)


class Choices:
    """All choices in some games, in which no player has two seats.

    The parameters belong to the players and to the ``seats``, and the last ones are the logarithms of ``tie``
    from 2 to ``seats``.
    """

    def __init__(self, games: Mapping[GameScore, int], names: Sequence[str]) -> None:
        index = {name: place for place, name in enumerate(names)}
        self.seats = max(map(len, games))
        self.size = len(names) + 2 * self.seats - 1
        by_size: defaultdict[int, Counter[tuple[tuple[int, ...], int]]] = defaultdict(Counter)
        for outcome, count in games.items():
            for seats, chosen in _choices(outcome):
                players = [index[outcome[seat].name] for seat in seats]
                places = (*players, *(len(names) + seat for seat in seats))
                by_size[len(seats)][places, chosen] += count
        ties = len(names) + self.seats
        # Sorted, because sums in another order differ in their last digits.
        self._blocks = [
            block
            for players_left, counts in sorted(by_size.items())
            for block in _blocks(players_left, counts, first_tie=ties)
        ]

    def likelihood(self, parameters: Numbers) -> float:
        """The log-likelihood."""
        return sum(block.probabilities(parameters)[0] for block in self._blocks)

    def gradient(self, parameters: Numbers) -> Numbers:
        """The gradient of the log-likelihood."""
        gradient = np.zeros(self.size)
        for block in self._blocks:
            block.add_gradient(block.probabilities(parameters)[1], gradient)
        return gradient

    def derivatives(self, parameters: Numbers) -> tuple[float, Numbers, Numbers]:
        """The log-likelihood, its gradient, and its negative second derivatives."""
        gradient, information = np.zeros(self.size), np.zeros((self.size, self.size))
        likelihood = 0.0
        for block in self._blocks:
            block_likelihood, probabilities = block.probabilities(parameters)
            likelihood += block_likelihood
            block.add_derivatives(probabilities, gradient, information)
        return likelihood, gradient, information


def _choices(outcome: GameScore) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield from the top of the ranking the seats that remain, and the bit mask of the chosen ones."""
    remaining = sorted(range(len(outcome)), key=lambda seat: outcome[seat].rank)
    for _, group in groupby(list(remaining), key=lambda seat: outcome[seat].rank):
        chosen = set(group)
        if len(remaining) > 1:
            seats = tuple(sorted(remaining))
            yield seats, sum(1 << bit for bit, seat in enumerate(seats) if seat in chosen)
        remaining = [seat for seat in remaining if seat not in chosen]


def _blocks(
    players: int, counts: Counter[tuple[tuple[int, ...], int]], *, first_tie: int
) -> Iterator[_Block]:
    """Put the choices (places of parameters without ties, bit mask) of some players into arrays."""
    sets = (np.arange(1, 1 << players)[:, None] >> np.arange(players)) & 1
    sizes = sets.sum(axis=1)
    share = sets / sizes[:, None]
    features = np.hstack([share, share, sizes[:, None] == np.arange(2, players + 1)])
    ties = np.arange(first_tie, first_tie + players - 1)
    rows = sorted(counts.items())
    for first in range(0, len(rows), _BLOCK_SIZE):
        block = rows[first : first + _BLOCK_SIZE]
        places = np.array([places for (places, _), _ in block], dtype=np.intp)
        yield _Block(
            features,
            np.hstack([places, np.broadcast_to(ties, (len(block), players - 1))]),
            np.array([chosen - 1 for (_, chosen), _ in block], dtype=np.intp),
            np.array([count for _, count in block], dtype=np.float64),
        )
