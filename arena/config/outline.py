"""What decides who meets whom: what is stored of a tournament file beside the results, for later tables."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

import msgspec

__all__ = ["FORMATS", "Outline", "Sprt"]

FORMATS: Final = ("round-robin", "gauntlet", "swiss", "knockout", "match", "ladder")
"""The values of ``format``."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test (Wald 1945): is the first engine stronger by `elo0`, or by `elo1`?

    Attributes:
        elo0, elo1: the two hypotheses, in Elo of the logistic model, ``elo0 < elo1``.
        alpha: how often `elo1` may be accepted although `elo0` is true.
        beta: how often `elo0` may be accepted although `elo1` is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `elo0` and `elo1` are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def __str__(self) -> str:
        return f"elo0 {self.elo0:g}, elo1 {self.elo1:g}, alpha {self.alpha:g}, beta {self.beta:g}"


@dataclass(frozen=True, slots=True)
class Outline:
    """Who meets whom.

    Attributes:
        format: one of `FORMATS`.
        entrants: the engines' names by game id, in the order of the file.
        games_per_pairing: for two players the games that any two engines play when they meet; for more, the
            games in which any two sit at one table, at least.
        seeds: the engines of a gauntlet that play against all others.
        rounds: of a Swiss.
        max_games: after which a match or a ladder ends; None for no such limit.
        sprt: what ends a match.
    """

    format: str
    entrants: dict[str, tuple[str, ...]]
    games_per_pairing: int = 2
    seeds: tuple[str, ...] = ()
    rounds: int = 0
    max_games: int | None = None
    sprt: Sprt | None = None

    def encode(self) -> str:
        """As text, for the database."""
        return msgspec.json.encode(self).decode()

    @staticmethod
    def decode(text: str) -> Outline:
        """From text.

        Raises:
            ValueError: this is none.
        """
        return msgspec.json.decode(text, type=Outline)
