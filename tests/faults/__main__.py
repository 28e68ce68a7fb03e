"""Let each write of some commands fail, one after the other, and check after each that nothing was lost.

    python -m tests.faults [COMMAND…] [--fault NAME] [--first N] [--last N] [--every K] [--messages]

A command runs with a fault at its n-th write: the disk is full or broken or read-only, half of the bytes are
written, or the process gets a signal. Then the same command runs without faults. This happens for n = 1, 2, 3
and so on, until the command ends before its n-th write. Writes are all calls that change a file or a folder:
the database, with SQLite under it, and every other file. In the end a table has the counts: how many trials
of each command and fault were right, and how many there were.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from protocol.process.machine import usable_cores
from tests.faults.commands import COMMANDS
from tests.faults.trial import FAULTS, Outcome, Workplace
from tests.faulty_machine import build_library
from tests.tools import missing


def _series(place: Workplace, fault: str, first: int, last: float, every: int) -> dict[int, Outcome]:
    """Strike one write after the other, until there are no more; return the outcomes by number."""
    outcomes: dict[int, Outcome] = {}
    number = first
    while number <= last and ((outcome := place.strike(fault, number)).struck or outcome.problems):
        outcomes[number] = outcome
        for problem in outcome.problems:
            print(
                f"FAILED: {place.name}, {fault} at write {number} ({outcome.struck}): {problem}", flush=True
            )
        if not outcome.struck:
            break
        number += every
    print(f"{place.name}, {fault}: {_counts(outcomes)}", flush=True)
    return outcomes


def _counts(outcomes: Mapping[int, Outcome]) -> str:
    return f"{sum(not outcome.problems for outcome in outcomes.values())} of {len(outcomes)}"


def _table(series: Mapping[str, Mapping[str, Mapping[int, Outcome]]]) -> list[str]:
    """Return the lines of the table of the outcomes, which are by command, fault and number."""
    faults = list(next(iter(series.values())))
    rows = [["", *faults]] + [[name, *map(_counts, row.values())] for name, row in series.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _messages(series: Mapping[str, Mapping[int, Outcome]]) -> Iterator[str]:
    """Yield what a command said last, with counts."""
    for fault, outcomes in series.items():
        answers = Counter((outcome.code, outcome.message) for outcome in outcomes.values())
        for (code, message), count in sorted(answers.items()):
            yield f"  {fault}: {count} times {code}: {message}"


def main() -> None:
    """Run the trials; the exit code is 1 if something was wrong."""
    names = {command.name: command for command in COMMANDS}
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"only these: {', '.join(names)}")
    parser.add_argument("--fault", choices=FAULTS, action="append", help="only this fault")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only every K-th write")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="start with the N-th write")
    parser.add_argument("--last", type=int, default=math.inf, metavar="N", help="end with the N-th write")
    parser.add_argument("--messages", action="store_true", help="print what the commands said, with counts")
    options = parser.parse_args()
    if unknown := set(options.commands) - set(names):
        parser.error(f"there is no command {', '.join(unknown)}; choose from {', '.join(names)}")
    start = time.monotonic()
    top = Path(tempfile.mkdtemp(prefix="faults-"))
    library = build_library(top)
    os.environ["LD_PRELOAD"] = str(library)  # in the process from which the commands are forked
    faults = options.fault or list(FAULTS)
    with ThreadPoolExecutor(2 * len(usable_cores())) as pool:  # each waits for the disk half of its time
        tasks = {}
        for name in options.commands or names:
            if names[name].role == "worker" and (reason := missing("bwrap")):
                print(f"{name}: is left out, because it needs bubblewrap: {reason}")
                continue
            place = Workplace(names[name], top / name.replace(" ", "-"), library)
            tasks[name] = {
                fault: pool.submit(_series, place, fault, options.first, options.last, options.every)
                for fault in faults
            }
        series = {name: {fault: task.result() for fault, task in row.items()} for name, row in tasks.items()}
    if options.messages:
        for name, row in series.items():
            print(f"{name}:", *_messages(row), sep="\n")
    print(*_table(series), f"{time.monotonic() - start:.0f} s", sep="\n")
    results = (outcomes for row in series.values() for outcomes in row.values())
    if any(outcome.problems for outcomes in results for outcome in outcomes.values()):
        print(f"the folders of the trials that failed are in {top}")
        sys.exit(1)
    shutil.rmtree(top, ignore_errors=True)


if __name__ == "__main__":
    main()
