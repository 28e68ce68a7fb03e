"""Games for agents that learn: as environments of PettingZoo, as games of OpenSpiel, and policies as engines.

`env` and `parallel_env` need the extra ``pettingzoo``, and `openspiel_game` needs the extra ``openspiel``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.envs.encoding import END, Encoding, Observation
from arena.envs.engine import play
from arena.envs.state import State
from arena.extras import need_extra

if TYPE_CHECKING:
    import pyspiel
    from pettingzoo import AECEnv, ParallelEnv

__all__ = ["END", "Encoding", "Observation", "State", "env", "openspiel_game", "parallel_env", "play"]


def env(game_id: str, render_mode: str | None = None) -> AECEnv[str, Observation, int]:
    """Return a game as an environment of PettingZoo, in which an action that is not allowed loses.

    Args:
        game_id: a game with a drawn board.
        render_mode: ``ansi`` for texts, ``rgb_array`` for pictures; None to show nothing.

    Raises:
        ArenaError: the extra is missing, or the game declares no board.
        RefereeError: there is no such game.
    """
    need_extra("pettingzoo", "environments of PettingZoo")
    from pettingzoo.utils import wrappers

    from arena.envs.environment import GameEnvironment

    game: AECEnv[str, Observation, int] = GameEnvironment(game_id, render_mode)
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)


def parallel_env(game_id: str, render_mode: str | None = None) -> ParallelEnv[str, Observation, int]:
    """Return the same as a parallel environment: only the action of the agent to act counts."""
    game = env(game_id, render_mode)
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

    parallel: ParallelEnv[str, Observation, int] = turn_based_aec_to_parallel(game)
    return parallel


def openspiel_game(game_id: str) -> pyspiel.Game:
    """Return a game as a Python game of OpenSpiel, where its short name is ``leapfrog``.

    Raises:
        ArenaError: the extra is missing, or the game declares no board.
        RefereeError: there is no such game.
    """
    need_extra("openspiel", "games of OpenSpiel")
    from arena.envs.openspiel import load

    return load(game_id)
