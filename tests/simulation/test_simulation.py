"""The simulation repeats itself, and bites."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from arena.formats.format import built_in_formats
from referee.registry import BUILT_IN
from tests.simulation.__main__ import failed_seeds
from tests.simulation.engines import FAULTS
from tests.simulation.plan import CLUSTER, DISTURBANCES, draw_plan
from tests.simulation.planted import PLANTS
from tests.simulation.simulate import become_world, simulate

pytestmark = pytest.mark.system

SEEDS = [f"again/{number}" for number in range(4)]

PLAY = """
import sys
from tests.simulation.simulate import become_world, simulate
if __name__ == "__main__":
    become_world()
    for seed in sys.argv[1:]:
        played = simulate(seed)
        print(seed, played.digest, *played.faults)
"""


def digests(seeds, hash_seed):
    """Play tournaments in a new process whose sets of words have another order."""
    played = subprocess.run(
        [sys.executable, "-c", PLAY, *seeds],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=300,
        cwd=Path(__file__).parents[2],
    ).stdout
    return sorted(played.splitlines())


def test_the_same_seed_gives_the_same_run_to_the_byte_in_every_process():
    first = digests(SEEDS, "1")
    assert digests(SEEDS[::-1], "2") == first
    assert len({line.split()[1] for line in first}) == len(SEEDS)


def test_every_game_every_format_and_all_that_goes_wrong_is_drawn():
    plans = [draw_plan(f"drawn/{number}") for number in range(2000)]
    games = {*BUILT_IN, "chess", "chess960"}
    assert {game for plan in plans for game in plan.games} == games
    assert {plan.format for plan in plans} == {form.name for form in built_in_formats()}
    assert {kind for plan in plans for kind in plan.engines.values()} == FAULTS.keys()
    what = {disturbance.what for plan in plans for run in plan.runs for disturbance in run}
    assert what == DISTURBANCES.keys() | CLUSTER.keys()


@pytest.fixture(scope="module")
def world():
    """A process that is a world."""
    with ProcessPoolExecutor(1, get_context("spawn"), become_world) as pool:
        yield pool


def test_the_seeds_that_failed_once_are_right(world):
    assert [str(played) for played in world.map(simulate, failed_seeds()) if played.faults] == []


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_fault_is_found(world, plant):
    tried = (f"planted/{number}" for number in range(30))
    seed = next(seed for seed in tried if world.submit(simulate, seed, plant).result().faults)
    assert world.submit(simulate, seed).result().faults == ()
