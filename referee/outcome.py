"""The end of a game: the result by the rules, and the reason why play stopped."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game.

    Attributes:
        ranks: the rank of each seat in seat order; 1 is the best. Tied seats share the better rank:
            (1, 2, 2, 2) is one winner and three seats that share second place, and (1, 1) is a draw.
        reason: one word, for example ``goal``, ``repetition`` or ``length``.
        scores: the game's own points for each seat; None if the game counts no points.

    Raises:
        ValueError: the ranks are not consistent, for example (2, 2).
    """

    ranks: tuple[int, ...]
    reason: str
    scores: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for rank in self.ranks:
            if rank != 1 + sum(other < rank for other in self.ranks):
                raise ValueError(f"ranks {self.ranks} are not consistent: tied seats share the better rank")

    @property
    def winner(self) -> int | None:
        """The only seat with rank 1, 0-based; None if several seats share it."""
        return self.ranks.index(1) if self.ranks.count(1) == 1 else None

    @classmethod
    def win(cls, seat: int, players: int, reason: str) -> Outcome:
        """Return the outcome in which ``seat`` (0-based) wins and all others share second place."""
        return cls(tuple(1 if other == seat else 2 for other in range(players)), reason)

    @classmethod
    def draw(cls, players: int, reason: str) -> Outcome:
        """Return the outcome in which all seats share first place."""
        return cls((1,) * players, reason)

    @classmethod
    def by_count(cls, counts: tuple[int, ...], reason: str) -> Outcome:
        """Return the outcome in which seats with a higher count rank above the others. Equal counts tie."""
        return cls(tuple(1 + sum(other > count for other in counts) for count in counts), reason)


class Termination(StrEnum):
    """Why play stopped, but not who won. The values are the words that are stored and shown.

    - ``NORMAL``: the rules ended the game.
    - ``ADJUDICATED``: the referee ended it, for example by repetition or length.
    - ``TIME``, ``ILLEGAL``, ``CRASH``, ``STALL``, ``FLOOD``, ``GONE``, ``RESIGN``: a seat lost in this way.
      In a game with more than two players, the removal of the last such seat ended the game.
    - ``DISABLED``: the game was not played, because an engine was disabled.
    - ``VOID``: no engine is to blame. The game is not scored, and is played again.
    """

    NORMAL = "normal"
    ADJUDICATED = "adjudicated"
    TIME = "time"
    ILLEGAL = "illegal"
    CRASH = "crash"
    STALL = "stall"
    FLOOD = "flood"
    GONE = "gone"
    RESIGN = "resign"
    DISABLED = "disabled"
    VOID = "void"

    @property
    def is_forfeit(self) -> bool:
        """Whether a seat lost by misbehaviour and not by the rules. Resigning is not misbehaviour."""
        return self in _FORFEITS

    @property
    def is_fault(self) -> bool:
        """Whether a seat lost by misbehaviour in a game that was played: tables count these forfeits."""
        return self in _FORFEITS and self is not Termination.DISABLED

    @property
    def is_strike(self) -> bool:
        """Whether this counts as a strike: three strikes in a row disable an engine."""
        return self in _STRIKES


_FORFEITS = frozenset(
    {
        Termination.TIME,
        Termination.ILLEGAL,
        Termination.CRASH,
        Termination.STALL,
        Termination.FLOOD,
        Termination.GONE,
        Termination.DISABLED,
    }
)
_STRIKES = frozenset({Termination.CRASH, Termination.STALL, Termination.FLOOD})
