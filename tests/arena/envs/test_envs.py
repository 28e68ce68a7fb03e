"""Games as environments of PettingZoo: each id passes its tests, and actions make exactly the legal moves."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from arena import extras
from arena.envs import END, Encoding, State, env, parallel_env
from arena.envs.encoding import PartialTurn
from arena.envs.engine import PolicyEngine
from arena.envs.environment import GameEnvironment
from arena.errors import ArenaError
from protocol.engine import Turn
from referee import Position, game
from referee.match.adjudication import USUAL
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.time_control import TimeControl
from referee.outcome import Termination
from referee.registry import BUILT_IN

# PettingZoo's tests know by name the environments whose observations are dictionaries with masks.
pytestmark = pytest.mark.filterwarnings("ignore:(Observation|Action mask)")


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_each_game_passes_the_tests_of_pettingzoo(game_id: str) -> None:
    api_test(env(game_id), num_cycles=20)
    seed_test(lambda: env(game_id), num_cycles=10)
    parallel_api_test(parallel_env(game_id), num_cycles=10)


def positions(game_id: str, rng: random.Random) -> Iterator[Position]:
    position = game(game_id).start()
    for _ in range(30):
        yield position
        moves = list(position.legal_moves())
        if not moves:
            return
        position = position.play(rng.choice(moves))


@pytest.mark.parametrize("game_id", [*BUILT_IN, "chess"])
def test_rows_of_actions_are_exactly_the_legal_moves(game_id: str) -> None:
    rng = random.Random(7)
    encoding = Encoding(game_id)
    for position in positions(game_id, rng):
        legal = sorted(str(move) for move in position.legal_moves())
        turns = encoding.turns(position)
        assert sorted(turns.values()) == legal
        for actions, text in rng.sample(sorted(turns.items()), min(5, len(turns))):
            partial = PartialTurn.start(encoding, position)
            while not partial.is_whole:
                partial = partial.choose(actions[len(partial._chosen)])
            assert partial.text == text
        partial = PartialTurn.start(encoding, position)
        while partial.allowed:
            partial = partial.choose(rng.choice(sorted(partial.allowed)))
        assert (partial.text in legal) == bool(legal)


def play(environment: GameEnvironment, *moves: str) -> None:
    """Play whole turns by their parts."""
    for move in moves:
        plies = environment.state_of_game.plies
        for part in [*environment.encoding.parts(move), END]:
            number = environment.encoding.numbers[part]
            if environment.state_of_game.plies == plies and number in environment.state_of_game.turn.allowed:
                environment.step(number)


def test_an_agent_sees_the_board_its_seat_and_the_part_of_its_turn() -> None:
    environment = GameEnvironment("hops")
    environment.reset()
    encoding = environment.encoding
    environment.step(encoding.numbers["d1"])
    seen = environment.observe("player_1")
    drawn = {
        name: plane for name, plane in zip(encoding.planes, seen["observation"], strict=True) if plane.any()
    }
    assert np.argwhere(drawn["B"]).tolist() == np.argwhere(drawn["named last"]).tolist() == [[0, 3]]
    assert drawn["r"].sum() == 7
    assert drawn["seen by player 1"].all()
    assert drawn["player 1 to move"].all()
    assert (seen["position"], seen["turn"]) == ("rrrrrrr/7/7/7/7/7/bbbBbbb b", "d1")
    other = environment.observe("player_2")
    assert not other["action_mask"].any()
    assert other["observation"][encoding.planes.index("seen by player 2")].all()


def test_places_of_tiles_follow_their_box() -> None:
    encoding = Encoding("quatre-en-ligne")
    near = game("quatre-en-ligne").start()
    far = game("quatre-en-ligne").parse_position(str(near).replace("0,0", "-30,40"))
    assert encoding.turns(near).keys() == encoding.turns(far).keys()
    assert (encoding.draw(near, 0, []) == encoding.draw(far, 0, [])).all()


def test_rewards_follow_the_ranks_and_the_rules_terminate() -> None:
    environment = GameEnvironment("quoridor4")
    environment.reset(options={"start": "/ / e8 a5 f9 i5 / 5 5 5 5 / 1"})
    play(environment, "e9")
    assert environment.rewards == pytest.approx(
        {"player_1": 1, "player_2": -1 / 3, "player_3": -1 / 3, "player_4": -1 / 3}
    )
    assert all(environment.terminations.values())


def test_the_referees_draws_truncate() -> None:
    environment = GameEnvironment("quoridor")
    environment.reset()
    play(environment, *["e2", "e8", "e1", "e9"] * 2)
    assert set(environment.truncations.values()) == {True}
    assert set(environment.rewards.values()) == {0}


@pytest.mark.parametrize("game_id", ["movers-hoppers", "eclaircissement", "chess"])
def test_a_game_ends_when_the_referee_ends_it(game_id: str) -> None:
    rng = random.Random(3)
    rules = game(game_id)
    state = State.start(Encoding(game_id), rules.start())
    clock = Clock([TimeControl.parse("none")] * 2, [0, 0])
    arbiter = Arbiter(rules, rules.start(), (), clock, USUAL)
    while not state.ended:
        plies, before = state.plies, state
        state = state.act(rng.choice(sorted(state.turn.allowed)))
        if state.plies > plies:
            assert not arbiter.over
            position = before.turn.position
            successors = {str(position.play(move)): str(move) for move in position.legal_moves()}
            arbiter.on_move(successors[str(state.turn.position)], 0, 0, "")
    assert arbiter.verdict is not None
    assert (arbiter.verdict.termination is Termination.NORMAL) == (state.ended == "rules")


def test_an_action_that_is_not_allowed_loses() -> None:
    environment = env("quoridor")
    environment.reset()
    environment.step(0)
    assert environment.rewards == {"player_1": -1, "player_2": 0}
    with pytest.raises(ValueError, match="action 0 is not among"):
        PartialTurn.start(Encoding("quoridor"), game("quoridor").start()).choose(0)


def test_a_board_is_shown_as_text_and_as_a_picture() -> None:
    for mode in ("ansi", "rgb_array"):
        environment = env("hops", mode)
        environment.reset()
        shown = environment.render()
        if mode == "ansi":
            assert "Blue to move, towards row 7" in shown
        else:
            assert shown.shape == (480, 480, 3)
            assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 20


def test_a_policy_is_an_engine() -> None:
    def first(seen: dict[str, np.ndarray]) -> int:
        return int(np.flatnonzero(seen["action_mask"])[0])

    engine = PolicyEngine("hops", first, "first")
    assert engine.choose(Turn("hops", legal=[])) in {str(move) for move in game("hops").start().legal_moves()}
    assert (engine.games, engine.name) == (("hops",), "first")


def test_what_has_no_environment_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no game has the id 'hop'"):
        env("hop")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ArenaError, match=r"need more packages: pip install 'leapfrog-arena\[pettingzoo\]'"):
        env("hops")
