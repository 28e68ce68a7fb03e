"""A game between agents: the turn that is being chosen, and the end as the referee makes it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.envs.encoding import Encoding, PartialTurn
from arena.scoring import points
from referee import Position
from referee.game import CountsProgress
from referee.match.adjudication import USUAL

__all__ = ["State"]


@dataclass(frozen=True, slots=True)
class State:
    """A game so far. It does not change, so a copy is itself.

    Attributes:
        turn: the turn that is being chosen.
        plies: the number of whole turns.
        seen: how often each position has occurred, by its key.
        rewards: of each seat, from -1 for the last place to 1 for the first; all 0 until the end.
        ended: ``rules`` or ``referee``, for its draw by repetition, progress or length; "" before the end.
    """

    encoding: Encoding
    turn: PartialTurn
    plies: int
    seen: Mapping[Hashable, int]
    rewards: tuple[float, ...]
    ended: str

    @classmethod
    def start(cls, encoding: Encoding, position: Position) -> State:
        """Return the state of a game from a position."""
        return cls._after(encoding, position, 0, {})

    @classmethod
    def _after(
        cls, encoding: Encoding, position: Position, plies: int, seen: Mapping[Hashable, int]
    ) -> State:
        info = encoding.rules.info
        key = position.key()
        seen = {**seen, key: seen.get(key, 0) + 1}
        rewards, ended = (0.0,) * info.players, ""
        outcome = position.outcome()
        if outcome is not None:
            shares = points(outcome.ranks, (None,) * info.players)
            rewards, ended = tuple(2 * share - 1 for share in shares), "rules"
        elif (
            seen[key] == USUAL.repetition
            or (info.ply_limit is not None and plies >= info.ply_limit)
            or (isinstance(position, CountsProgress) and position.plies_without_progress == info.no_progress)
        ):
            ended = "referee"
        return cls(encoding, PartialTurn.start(encoding, position), plies, seen, rewards, ended)

    @property
    def seat(self) -> int:
        """The seat to act."""
        return self.turn.position.turn

    def act(self, action: int) -> State:
        """Return the state after an action, which ValueError says is not allowed; a whole turn is played."""
        turn = self.turn.choose(action)
        if not turn.is_whole:
            return State(self.encoding, turn, self.plies, self.seen, self.rewards, self.ended)
        position = turn.position
        position = position.play(position.parse_move(turn.text))
        return self._after(self.encoding, position, self.plies + 1, self.seen)

    def __deepcopy__(self, _memo: dict[int, Any]) -> State:
        return self
