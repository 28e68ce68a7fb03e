"""Games as Python games of OpenSpiel: they pass its random test, and its tree search plays them."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts

from arena import extras
from arena.envs import openspiel_game
from arena.errors import ArenaError


@pytest.mark.parametrize("game_id", ["hops", "rodeurs", "movers-hoppers-expert", "quoridor"])
def test_a_game_passes_the_random_test_of_openspiel(game_id: str) -> None:
    pyspiel.random_sim_test(openspiel_game(game_id), num_sims=1, serialize=False, verbose=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game_id",
    ["quoridor4", "movers-hoppers", "rampants", "eclaircissement", "quatre-en-ligne", "rodeurs-diagonal"],
)
def test_the_other_games_pass_it_too(game_id: str) -> None:
    pyspiel.random_sim_test(openspiel_game(game_id), num_sims=1, serialize=False, verbose=False)


class Count:
    """Values a state by the count of the game, without random games."""

    def evaluate(self, state: pyspiel.State) -> list[float]:
        at = state.state_of_game
        first, second = at.encoding.rules.count(at.turn.position)
        value = float(np.tanh((first - second) / 100_000))
        return [value, -value]

    def prior(self, state: pyspiel.State) -> list[tuple[int, float]]:
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


def test_tree_search_of_openspiel_beats_random_moves() -> None:
    rules = openspiel_game("rodeurs")
    state = rules.new_initial_state()
    rng = random.Random(1)
    bot = mcts.MCTSBot(rules, 1.0, 20, Count(), random_state=np.random.RandomState(1))
    while not state.is_terminal():
        own = state.current_player() == 0
        state.apply_action(bot.step(state) if own else rng.choice(state.legal_actions()))
    assert state.returns() == [1, -1]


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ArenaError, match=r"need more packages: pip install 'leapfrog-arena\[openspiel\]'"):
        openspiel_game("hops")
