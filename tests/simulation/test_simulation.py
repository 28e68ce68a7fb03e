"""The simulation repeats itself, and bites."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.simulation.__main__ import failed_seeds
from tests.simulation.simulate import begin, simulate

pytestmark = pytest.mark.system

SEEDS = [f"again/{number}" for number in range(4)]

PLAY = """
import sys
from tests.simulation.simulate import begin, simulate
if __name__ == "__main__":
    begin()
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


@pytest.fixture(scope="module")
def world():
    """A process that is a world."""
    with ProcessPoolExecutor(1, get_context("spawn"), begin) as pool:
        yield pool


def test_the_seeds_that_failed_once_are_right(world):
    assert [str(played) for played in world.map(simulate, failed_seeds()) if played.faults] == []


@pytest.mark.parametrize(
    ("plant", "seed"),
    [
        ("each search is charged 5 ms too much", "planted/0"),
    ],
)
def test_a_planted_fault_is_found(world, plant, seed):
    assert world.submit(simulate, seed, plant).result().faults
    assert world.submit(simulate, seed).result().faults == ()
