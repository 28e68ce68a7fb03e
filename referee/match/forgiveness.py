"""Forgiveness: what a tournament lets pass that otherwise loses the game, and how often in a game.

`Forgiveness` holds the settings. `Forgiver` counts the faults of one game, and draws the moves that the
referee plays for a seat. A forgiven fault is an entry of the game's record, see `referee.ply`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Annotated, Literal

from protocol.keys import Between, Key, KeyTable
from referee.game import Position
from referee.match.forfeits import Forfeit
from referee.outcome import Termination
from referee.ply import RANDOM

_FAULTS = Between(0, 1000, "faults")


@dataclass(frozen=True, slots=True)
class Forgiveness(KeyTable):
    """Which faults are forgiven; None means that such a fault loses immediately."""

    illegal: Annotated[
        int | None,
        _FAULTS,
        Key(
            "How many illegal moves of an engine are forgiven in a game. Each time the engine is asked"
            " again, with the time that is left.",
            default="none: the first one loses",
        ),
    ] = None
    timeouts: Annotated[
        int | None,
        _FAULTS,
        Key(
            "How many late moves of an engine are forgiven in a game. Each time the engine is asked again,"
            " with the clock that it had before.",
            default="none: the first one loses",
        ),
    ] = None
    then: Annotated[
        Literal["lose", "random"],
        Key(
            'What follows the next fault of the same kind. `"lose"`: the engine loses. `"random"`: the'
            " referee plays a random legal move for it, now and after each further fault of this kind."
        ),
    ] = "lose"

    def __post_init__(self) -> None:
        self.check_bounds("forgive.")
        if self.illegal is None and self.timeouts is None:
            raise ValueError("this needs illegal, timeouts or both, e.g. illegal = 2")

    def __str__(self) -> str:
        counts = {"illegal": self.illegal, "timeouts": self.timeouts}
        shown = [f"{name} {count}" for name, count in counts.items() if count is not None]
        return f"{', '.join(shown)}, then {self.then}"


class Forgiver:
    """Counts the faults in one game; ``seed`` decides about the moves that are drawn."""

    __slots__ = ("_faults", "_limits", "_seed", "_then")

    def __init__(self, rules: Forgiveness, seed: str) -> None:
        limits = {Termination.ILLEGAL: rules.illegal, Termination.TIME: rules.timeouts}
        self._limits = {kind: limit for kind, limit in limits.items() if limit is not None}
        self._then = RANDOM if rules.then == RANDOM else ""
        self._seed = seed
        self._faults: Counter[tuple[int, Termination]] = Counter()

    def judge(self, seat: int, fault: Forfeit) -> str:
        """Count a fault of a seat. Return a sentence if it is forgiven, `RANDOM`, or "" if the seat loses."""
        kind = fault.termination
        limit = self._limits.get(kind)
        if limit is None:
            return ""
        self._faults[seat, kind] += 1
        count = self._faults[seat, kind]
        return f"forgiven, {count} of {limit}" if count <= limit else self._then

    def draw(self, position: Position, plies: int) -> str:
        """Draw a legal move. It depends only on the seed, the number of plies before it, and the position."""
        return Random(f"{self._seed} {plies}").choice(sorted(map(str, position.legal_moves())))
