"""The pairing plan of a tournament: its format, engines and sequential test, as the database stores them."""

from dataclasses import dataclass
from math import log
from typing import Annotated, Final, Literal, get_args

import msgspec

from protocol.keys import Between, Key, KeyTable

__all__ = [
    "FORMATS",
    "MOST_NORMALIZED_ELO",
    "EloModel",
    "Format",
    "PairingPlan",
    "Sprt",
    "TestUnit",
    "stored_plan",
]

Format = Literal["round-robin", "gauntlet", "swiss", "knockout", "match", "ladder"]

FORMATS: Final[tuple[Format, ...]] = get_args(Format)
"""The values of ``format``."""

EloModel = Literal["logistic", "normalized"]
TestUnit = Literal["pair", "game"]

MOST_NORMALIZED_ELO: Final = 200
"""The largest normalized Elo of a hypothesis. It is more than half a standard deviation of a game."""

_ELO: Final = Between(-1000, 1000)
_PROBABILITY: Final = Between(0, 0.5, open=True)


@dataclass(frozen=True, slots=True)
class Sprt(KeyTable):
    """A sequential probability ratio test (Wald 1945) of two Elo differences.

    Attributes:
        elo0, elo1: the hypotheses: the first engine is stronger by this many Elo. ``elo0`` is below ``elo1``.
        alpha: the probability of accepting `elo1` if `elo0` is true.
        beta: the probability of accepting `elo0` if `elo1` is true.
        model: the scale of `elo0` and `elo1`.
        unit: what the test counts.
    """

    elo0: Annotated[float, _ELO, Key("One hypothesis: the first engine is stronger by this many Elo.")]
    elo1: Annotated[float, _ELO, Key("The other hypothesis. It must be greater than `elo0`.")]
    alpha: Annotated[float, _PROBABILITY, Key("The probability of accepting `elo1` wrongly.")] = 0.05
    beta: Annotated[float, _PROBABILITY, Key("The probability of accepting `elo0` wrongly.")] = 0.05
    model: Annotated[
        EloModel,
        Key(
            'The scale of `elo0` and `elo1`: `"logistic"` is the Elo of the tables; `"normalized"` divides by'
            " the spread of the results, so the length of a test hardly depends on the share of draws."
        ),
    ] = "logistic"
    unit: Annotated[
        TestUnit,
        Key('What the test counts: `"pair"`: pairs of games on one opening; `"game"`: single games.'),
    ] = "pair"

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `elo0` and `elo1` are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def __str__(self) -> str:
        text = f"elo0 {self.elo0:g}, elo1 {self.elo1:g}, alpha {self.alpha:g}, beta {self.beta:g}"
        model = "" if self.model == "logistic" else f", model {self.model}"
        unit = "" if self.unit == "pair" else f", unit {self.unit}"
        return text + model + unit


@dataclass(frozen=True, slots=True)
class PairingPlan:
    """Everything that decides which engines meet.

    Attributes:
        format: one of `FORMATS`.
        entrants: the engines' names by game id, in the order of the file.
        games_per_pairing: the number of games that two engines play when they meet. For more than two
            players, the smallest number of games in which any two engines meet.
        seeds: the engines of a gauntlet that play against all others.
        rounds: the number of rounds of a Swiss.
        max_games: the number of games after which a match or a ladder ends; None for no limit.
        sprt: the test that ends a match; None for no test.
    """

    format: str
    entrants: dict[str, tuple[str, ...]]
    games_per_pairing: int = 2
    seeds: tuple[str, ...] = ()
    rounds: int = 0
    max_games: int | None = None
    sprt: Sprt | None = None

    def encode(self) -> str:
        """Convert the plan to text for the database."""
        return msgspec.json.encode(self).decode()

    @staticmethod
    def decode(text: str) -> "PairingPlan":
        """Convert text from the database to a plan.

        Raises:
            ValueError: the text is not a pairing plan.
        """
        return msgspec.json.decode(text, type=PairingPlan)


def stored_plan(text: str) -> PairingPlan | None:
    """Convert text from the database to a plan.

    Return None if the tournament did not come from a file, or if an earlier version of arena began it.
    """
    try:
        return PairingPlan.decode(text)
    except ValueError:
        return None
