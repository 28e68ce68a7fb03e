"""Games as Python games of OpenSpiel, whose actions are the parts of a turn.

This module registers the game ``leapfrog``; its parameter ``game`` is an id.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
import pyspiel

from arena.envs.encoding import Encoding
from arena.envs.state import State

_NAME: Final = "leapfrog"
_LONGEST_GAME: Final = 1000  # plies of a game without a limit of plies
_LONGEST_TURN: Final = 100  # parts
_MOST_PLAYERS: Final = 4

_TYPE: Final = pyspiel.GameType(
    short_name=_NAME,
    long_name="A game of Leapfrog Arena",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=_MOST_PLAYERS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": "quoridor"},
)


@cache
def _encoding(game_id: str) -> Encoding:
    return Encoding(game_id)


class LeapfrogGame(pyspiel.Game):  # type: ignore[misc] # pyspiel has no type hints
    """The rules of one game."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.encoding: Final = _encoding((params or {}).get("game", "quoridor"))
        info = self.encoding.rules.info
        described = pyspiel.GameInfo(
            num_distinct_actions=len(self.encoding.actions),
            max_chance_outcomes=0,
            num_players=info.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=(info.ply_limit or _LONGEST_GAME) * _LONGEST_TURN,
        )
        super().__init__(_TYPE, described, params or {})

    def new_initial_state(self) -> LeapfrogState:
        """Return the start."""
        return LeapfrogState(self, State.start(self.encoding, self.encoding.rules.start()))

    def make_py_observer(self, _kind: Any = None, _params: Any = None) -> Observer:  # noqa: ANN401 - untyped
        """Return an object that writes planes."""
        return Observer(self.encoding)


class LeapfrogState(pyspiel.State):  # type: ignore[misc] # as above
    """A game so far; OpenSpiel changes it by actions."""

    def __init__(self, game: LeapfrogGame, state: State) -> None:
        super().__init__(game)
        self.state_of_game = state

    def current_player(self) -> int:
        """Return the seat to act."""
        return pyspiel.PlayerId.TERMINAL if self.state_of_game.ended else self.state_of_game.seat

    def _legal_actions(self, _player: int) -> list[int]:
        return sorted(self.state_of_game.turn.allowed)

    def _apply_action(self, action: int) -> None:
        self.state_of_game = self.state_of_game.act(action)

    def _action_to_string(self, _player: int, action: int) -> str:
        return self.state_of_game.encoding.actions[action]

    def is_terminal(self) -> bool:
        """Return whether the rules or the referee have ended the game."""
        return bool(self.state_of_game.ended)

    def returns(self) -> list[float]:
        """Return the reward of each seat."""
        return list(self.state_of_game.rewards)

    def __str__(self) -> str:
        turn = self.state_of_game.turn
        return f"{turn.position.diagram()}\n{turn.text}".rstrip()


class Observer:
    """Writes the planes of a state into ``tensor``, a row of numbers, and into its view in ``dict``."""

    def __init__(self, encoding: Encoding) -> None:
        self.tensor = np.zeros(int(np.prod(encoding.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(encoding.shape)}

    def set_from(self, state: LeapfrogState, player: int) -> None:
        """Write what a seat sees."""
        self.dict["observation"][:] = state.state_of_game.turn.observation(player)["observation"]

    def string_from(self, state: LeapfrogState, _player: int) -> str:
        """Return the position string, and the part of the turn so far."""
        turn = state.state_of_game.turn
        return f"{turn.position} {turn.text}".rstrip()


def load(game_id: str) -> pyspiel.Game:
    """Return the game with this id; ArenaError or RefereeError says why there is none."""
    _encoding(game_id)
    return pyspiel.load_game(_NAME, {"game": game_id})


pyspiel.register_game(_TYPE, LeapfrogGame)
