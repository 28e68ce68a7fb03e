"""How a game ended: the rules' own verdict, and the words for every other end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Outcome", "Termination"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game.

    Attributes:
        ranks: one rank a seat in seat order, 1 = best; ties share the better rank, so (1, 2, 2, 2) is a
            winner and three who share second place, and (1, 1) is a draw.
        reason: one word, e.g. ``goal``, ``repetition``, ``length``.
        scores: the game's own points a seat, where it counts any; otherwise None.

    Raises:
        ValueError: for ranks that no sharing of places gives.
    """

    ranks: tuple[int, ...]
    reason: str
    scores: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for rank in self.ranks:
            if rank != 1 + sum(other < rank for other in self.ranks):
                raise ValueError(f"ranks {self.ranks} are not a sharing of places")

    @property
    def winner(self) -> int | None:
        """The seat (0-based) that is first alone; None when the first place is shared."""
        return self.ranks.index(1) if self.ranks.count(1) == 1 else None

    @classmethod
    def win(cls, seat: int, players: int, reason: str) -> Outcome:
        """``seat`` (0-based) wins, the others share second place."""
        return cls(tuple(1 if other == seat else 2 for other in range(players)), reason)

    @classmethod
    def draw(cls, players: int, reason: str) -> Outcome:
        """Everybody shares first place."""
        return cls((1,) * players, reason)


class Termination(StrEnum):
    """Why play stopped; not who won. Stored and shown by these words.

    ``NORMAL`` is the rules' own end; ``ADJUDICATED`` repetition and length. The next six are forfeits of
    the seat that caused them (with more than two players: of the last removed seat, when that ended the
    game). ``DISABLED`` is a game that was not played because an engine had been disabled, ``VOID`` one that
    nobody is to blame for: it is not scored, and is played again.
    """

    NORMAL = "normal"
    ADJUDICATED = "adjudicated"
    TIME = "time"
    ILLEGAL = "illegal"
    CRASH = "crash"
    STALL = "stall"
    FLOOD = "flood"
    RESIGN = "resign"
    DISABLED = "disabled"
    VOID = "void"

    @property
    def is_forfeit(self) -> bool:
        """Whether a seat lost by misbehaving, not by the rules (resigning is no misbehaviour)."""
        return self in _FORFEITS

    @property
    def is_strike(self) -> bool:
        """Whether it counts towards disabling the engine: three in a row do."""
        return self in _STRIKES


_FORFEITS = frozenset(
    {
        Termination.TIME,
        Termination.ILLEGAL,
        Termination.CRASH,
        Termination.STALL,
        Termination.FLOOD,
        Termination.DISABLED,
    }
)
_STRIKES = frozenset({Termination.CRASH, Termination.STALL, Termination.FLOOD})
