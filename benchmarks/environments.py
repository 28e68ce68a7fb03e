"""Count turns a second of our environments of PettingZoo, beside its own connect four, in one run.

Agents choose any allowed action. The environments play in short rounds one after another, so that other work
of the machine slows all of them. A row has the medians of its rounds.

    .venv/bin/python benchmarks/environments.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from types import ModuleType
from typing import Any

import numpy as np

sys.modules.setdefault("pygame", ModuleType("pygame"))  # connect four needs it only to draw
from pettingzoo.classic import connect_four_v3  # noqa: E402 - after the line above

from arena.envs import env  # noqa: E402 - as above
from referee.registry import BUILT_IN  # noqa: E402 - as above

SECONDS = 1.0  # of a round


def turns_of(environment: Any) -> int:  # noqa: ANN401 - PettingZoo has no type hints
    """Return the turns of a game so far; an action of connect four is a turn."""
    state = getattr(environment.unwrapped, "state_of_game", None)
    return 0 if state is None else int(state.plies)


def measure(
    environment: Any,  # noqa: ANN401 - as above
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the actions and the turns a second of a round."""
    actions = turns = 0
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        environment.reset()
        for _ in environment.agent_iter(100):
            seen, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                break
            environment.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            actions += 1
        turns += turns_of(environment)
    seconds = time.perf_counter() - start
    return actions / seconds, (turns or actions) / seconds


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    rng = np.random.default_rng(1)
    environments = {"connect_four_v3": connect_four_v3.env(), **{name: env(name) for name in BUILT_IN}}
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in environments}
    for _ in range(rounds):
        for name, environment in environments.items():
            measured[name].append(measure(environment, rng))
    print(f"{'environment':24}{'actions/s':>10}{'turns/s':>10}{'turns, connect four = 1':>25}")
    own = None
    for name, rates in measured.items():
        actions, turns = (statistics.median(column) for column in zip(*rates, strict=True))
        own = own or turns
        print(f"{name:24}{actions:10.0f}{turns:10.0f}{turns / own:25.2f}")


if __name__ == "__main__":
    main()
