"""Play one game of Quoridor between two engines, and say who won.

Run it in a checkout: ``python docs/examples/python/play_one_game.py``.
"""

import sys
from pathlib import Path

import trio

from arena.single.play import play_one
from protocol.spec import EngineSpec
from referee import game
from referee.match.adjudication import Adjudication
from referee.match.arbiter import Arbiter
from referee.match.job import Job, JobFinished, JobSeat

ENGINES = Path(__file__).parents[3] / "engines"


def engine(folder: str) -> EngineSpec:
    """A sample engine: a name, and the command that starts it."""
    return EngineSpec(folder, (sys.executable, str(ENGINES / folder / "engine.py")))


def watch(arbiter: Arbiter) -> None:
    """Called before the first move, and after every move."""
    if arbiter.record:
        ply = arbiter.record[-1]
        print(f"{arbiter.plies}. player {ply.seat + 1} plays {ply.text}")


def warn(name: str, text: str) -> None:
    """Called with each warning about an engine."""
    print(f"{name}: {text}", file=sys.stderr)


def main() -> JobFinished:
    """Play the game."""
    job = Job(
        id="1",
        game="quoridor",
        seats=(JobSeat(engine("python-greedy"), "5+0.1"), JobSeat(engine("python-random"), "5+0.1")),
        adjudication=Adjudication.for_game(game("quoridor").info),
    )
    finished = trio.run(play_one, job, {}, watch, warn)
    ranks = ", ".join(f"player {number}: {seat.rank}" for number, seat in enumerate(finished.seats, 1))
    print(f"{finished.reason} after {len(finished.record)} plies; ranks: {ranks}")
    return finished


if __name__ == "__main__":
    main()
