"""Measure how long `arena --help` takes, and `arena run` until the first `go`; compare with importing click.

.venv/bin/python benchmarks/startup.py [--runs 9]        two engines, against importing click
.venv/bin/python benchmarks/startup.py --many 1000       many engines, in every format
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from store import add, records

ARENA = [sys.executable, "-m", "arena"]
STORED = 5000
ENGINE = """#!/bin/sh
while read -r word rest; do
  case $word in
    ugi) echo "protocol 1"; echo "ugiok" ;;
    isready) echo "readyok" ;;
    go) date +%s%N >> "$1"; echo "bestmove none" ;;
    quit) exit 0 ;;
  esac
done
"""


def seconds(command: list[str]) -> float:
    """Return the wall time of a command."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


MANY = {
    "round-robin x 100 cycles": 'game = "quoridor"\ngames_per_pairing = 200',
    "gauntlet": 'game = "quoridor"\nformat = "gauntlet"',
    "swiss": 'game = "quoridor"\nformat = "swiss"\nrounds = 9',
    "knockout": 'game = "quoridor"\nformat = "knockout"',
    "ladder": 'game = "quoridor"\nformat = "ladder"',
    "tables of four": 'game = "quoridor4"\ngames_per_pairing = 20',
    "ladder of four": 'game = "quoridor4"\nformat = "ladder"',
}
"""The keys of the tournaments with many engines."""


def write(folder: Path, keys: str, engines: int) -> tuple[Path, Path]:
    """Write a tournament of one program under many names; return its file and the log of `go` commands."""
    folder.mkdir(exist_ok=True)
    for leftover in folder.iterdir():
        leftover.unlink()
    engine, log, file = folder / "engine.sh", folder / "go", folder / "t.toml"
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    tables = (
        f'[[engines]]\nname = "engine-{number}"\ncommand = ["{engine}", "{log}"]\n'
        for number in range(engines)
    )
    file.write_text(f"{keys}\nconcurrency = 1\n{''.join(tables)}")
    return file, log


def first_go(folder: Path) -> tuple[float, float]:
    """Return the seconds of `arena run` to the first `go`, and of the next run, which plays nothing."""
    file, log = write(folder, 'game = "quoridor"', 2)
    begin = time.time_ns()
    subprocess.run([*ARENA, "run", str(file)], check=True, capture_output=True)
    to_go = (int(log.read_text().split()[0]) - begin) / 1e9
    return to_go, seconds([*ARENA, "run", str(file)])


def next_go(file: Path, log: Path) -> tuple[float, float, float]:
    """Return the seconds from the start of `arena run` to the next `go`, its CPU seconds and megabytes."""
    log.unlink(missing_ok=True)
    begin = time.time_ns()
    with subprocess.Popen(
        [*ARENA, "run", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        while not (log.exists() and log.read_text().endswith("\n")):
            if run.poll() is not None:
                raise RuntimeError(f"{file}: arena ended before the first go")
            time.sleep(0.005)
        status = Path(f"/proc/{run.pid}/status").read_text()
        ticks = Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        run.kill()
    seconds = (int(log.read_text().split()[0]) - begin) / 1e9
    processor = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    memory = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return seconds, processor, memory


def quickest(file: Path, log: Path, runs: int) -> str:
    """Return the figures of the quickest of several runs."""
    seconds, processor, memory = min(next_go(file, log) for _ in range(runs))
    return f"{seconds:7.2f} s {processor:7.2f} s {memory:7.0f} MB"


def many(engines: int, runs: int) -> None:
    """Print the time to the first game of each format, and to the next game of a round-robin."""
    print(f"{'from the command to the first `go`':40} {'wall':>9} {'processor':>9} {'memory':>10}")
    with tempfile.TemporaryDirectory() as name:
        for title, keys in MANY.items():
            count = engines // 5 if "four" in title else engines
            file, log = write(Path(name), keys, count)
            print(f"{f'{count} engines, {title}':40} {quickest(file, log, runs)}")
            if title.startswith("round-robin"):
                add(Path(name), itertools.islice(records(file), STORED))
                print(f"{f'{STORED} games stored':40} {quickest(file, log, runs)}")


def main() -> None:
    """Measure in turn, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--many", type=int, help="engines in one tournament")
    options = parser.parse_args()
    runs = options.runs
    if options.many:
        many(options.many, runs)
        return
    figures: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            to_go, nothing = first_go(Path(folder))
            for name, figure in (
                ("import click", seconds([sys.executable, "-c", "import click"])),
                ("arena --help", seconds([*ARENA, "--help"])),
                ("arena run to first go", to_go),
                ("arena run with nothing to play", nothing),
            ):
                figures.setdefault(name, []).append(figure)
    unit = statistics.median(figures["import click"])
    print(f"{'wall time, median of ' + str(runs):32} {'s':>7} {'min':>7} {'max':>7}  × click")
    for name, values in figures.items():
        median = statistics.median(values)
        print(f"{name:32} {median:7.3f} {min(values):7.3f} {max(values):7.3f}  {median / unit:6.2f}")


if __name__ == "__main__":
    main()
