"""A trained policy as an engine: a program with one call of `play` plays in tournaments."""

from __future__ import annotations

from collections.abc import Callable

from arena.envs.encoding import Encoding, Observation, PartialTurn
from protocol.engine import Engine, Turn, run


class PolicyEngine(Engine):
    """Chooses each turn part by part, as an agent of the environment does."""

    capabilities = ("fen",)

    def __init__(self, game_id: str, policy: Callable[[Observation], int], name: str) -> None:
        self.games = (game_id,)
        self.name = name
        self._encoding = Encoding(game_id)
        self._policy = policy

    def choose(self, turn: Turn) -> str:
        """Ask the policy for actions until the turn is whole."""
        position = turn.replay(self._encoding.rules)
        partial = PartialTurn.start(self._encoding, position)
        while not partial.is_whole:
            partial = partial.choose(int(self._policy(partial.observation(position.turn))))
        return partial.text


def play(game_id: str, policy: Callable[[Observation], int], name: str = "policy") -> None:
    """Speak the protocol on standard input and output for a policy.

    Args:
        game_id: the game that the policy has learned.
        policy: returns an action of which ``action_mask`` is 1, for an observation as in the environment.
        name: the engine's name.
    """
    run(PolicyEngine(game_id, policy, name))
