"""Disturb tournaments at random, round after round, and check after each that nothing was lost or left.

    python -m tests.soak [SECONDS] [--seed SEED] [--round NUMBER]

In each round arena plays a small tournament between harmless and hostile engines, as another user or in
another sandbox than in the round before. Meanwhile arena, referees and engines are killed and stopped, the
database is locked, moved or damaged, the disk is full, and so on. When arena has ended, it is started again.
At the end arena plays the rest of the games undisturbed. The test runs for SECONDS (default 600), and ends
after the round that is then being played. It prints the seed and each round. ``--round`` plays one round
again: what happens is the same, but not the exact time.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.faulty_machine import build_library
from tests.soak.plan import draw_plan
from tests.soak.round import Round
from tests.tools import missing


def _play(seed: str, number: int, top: Path, library: Path | None) -> tuple[list[str], Counter[str]]:
    """Play a round, and return what was wrong and which faults it had. The folder of a failure stays."""
    plan = draw_plan(f"{seed}/{number}")
    folder = top / str(number)
    folder.mkdir()
    print(f"round {number}: {plan}", flush=True)
    begun = time.monotonic()
    played = Round(plan, folder, library)
    played.play()
    for fault in played.faults:
        print(f"  FAILED: {fault}", flush=True)
    print(f"  {time.monotonic() - begun:.0f} s, {'wrong' if played.faults else 'all right'}", flush=True)
    if not played.faults:
        shutil.rmtree(folder, ignore_errors=True)
    return played.faults, Counter(name for _, name in plan.faults)


def _rounds(seconds: float, seed: str, only: int | None, top: Path) -> dict[int, list[str]]:
    """Play rounds for this many seconds, or only one; return what was wrong, by round."""
    library = None if missing("cc") else build_library(top)
    wrong: dict[int, list[str]] = {}
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    number = 1 if only is None else only
    while True:
        faults, struck = _play(seed, number, top, library)
        counts += struck
        if faults:
            wrong[number] = faults
        if only is not None or time.monotonic() > end:
            break
        number += 1
    print("faults:", ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return wrong


def main() -> None:
    """Run the soak test; the exit code is 1 if something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("seconds", type=float, nargs="?", default=600.0)
    parser.add_argument("--seed", default=str(random.randrange(1_000_000)))
    parser.add_argument("--round", type=int)
    options = parser.parse_args()
    top = Path(tempfile.mkdtemp(prefix="soak-"))
    top.chmod(0o755)
    print(f"disturbing tournaments for {options.seconds:g} s, seed {options.seed}, in {top}", flush=True)
    wrong = _rounds(options.seconds, options.seed, options.round, top)
    if not wrong:
        shutil.rmtree(top, ignore_errors=True)
        print("every game is stored once, nothing is left behind, every database is sound")
        return
    for number in wrong:
        print(f"FAILED: round {number}; again: make soak SEED={options.seed} ROUND={number}")
    print(f"the folders of these rounds are in {top}")
    sys.exit(1)


if __name__ == "__main__":
    main()
