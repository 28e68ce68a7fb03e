"""A game as an environment of PettingZoo: its agents take turns, and end a game as the referee does."""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from arena.envs.encoding import Encoding, Observation
from arena.envs.state import State
from arena.extras import need_extra
from arena.replay import start_position

_PICTURE: Final = 480  # the side of a picture in pixels
_LONGEST_POSITION: Final = 1000
_PRINTABLE: Final = "".join(map(chr, range(ord(" "), ord("~") + 1)))


class GameEnvironment(AECEnv[str, Observation, int]):  # type: ignore[misc] # pettingzoo has no type hints
    """One game, whose agents ``player_1``, ``player_2``, ... choose turns part by part.

    Attributes:
        encoding: the numbering of actions and planes.
        state_of_game: the game so far.
    """

    def __init__(self, game_id: str, render_mode: str | None = None) -> None:
        super().__init__()
        self.encoding: Final = Encoding(game_id)
        self.metadata = {
            "name": game_id,
            "render_modes": ["ansi", "rgb_array"],
            "is_parallelizable": True,  # by the wrapper for games in which one agent acts at a time
        }
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat + 1}" for seat in range(self.encoding.rules.info.players)]
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 127, self.encoding.shape, np.int8),
                "action_mask": spaces.Box(0, 1, (len(self.encoding.actions),), np.int8),
                "position": spaces.Text(_LONGEST_POSITION, charset=_PRINTABLE),
                "turn": spaces.Text(_LONGEST_POSITION, min_length=0, charset=_PRINTABLE),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = {
            agent: spaces.Discrete(len(self.encoding.actions)) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The planes, the mask of the actions, the position string, and the turn as far as it is chosen."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The numbers of ``encoding.actions``."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. The option ``start`` is a position string or the name of a set-up.

        Nothing here is random, so the seed does nothing. PositionError: there is no such start.
        """
        start = start_position(self.encoding.rules, (options or {}).get("start"))
        self.state_of_game = State.start(self.encoding, start)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.state_of_game.seat]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees; its mask is empty while another agent is to act."""
        return self.state_of_game.turn.observation(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        """Add a part to the turn of the selected agent; a complete turn is played.

        ValueError: the action is not allowed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0
        state = self.state_of_game = self.state_of_game.act(action)
        self.agent_selection = self.possible_agents[state.seat]
        if state.ended:
            self.rewards = dict(zip(self.agents, state.rewards, strict=True))
            ended = self.terminations if state.ended == "rules" else self.truncations
            ended.update(dict.fromkeys(self.agents, True))
        self._accumulate_rewards()

    def render(self) -> str | np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the board as a text, or in the mode ``rgb_array`` as a picture of 480 x 480 pixels."""
        position = self.state_of_game.turn.position
        if self.render_mode != "rgb_array":
            return position.diagram()
        need_extra("pictures", "pictures of boards")
        from PIL import Image

        from arena.web.boards import draw
        from arena.web.boards.picture import board_element, png

        element = board_element(draw(self.encoding.rules.info.id, position), 0, 0, _PICTURE)
        picture = Image.open(io.BytesIO(png(element, _PICTURE, _PICTURE)))
        return np.asarray(picture.convert("RGB"))

    def close(self) -> None:
        """There is nothing to close."""
