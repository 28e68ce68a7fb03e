"""How long a user waits: `arena --help` against importing click, and `arena run` until the first `go`.

.venv/bin/python benchmarks/startup.py [--runs 9]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ARENA = [sys.executable, "-m", "arena"]
ENGINE = """#!/bin/sh
while read -r word rest; do
  case $word in
    ugi) echo "ugiok" ;;
    isready) echo "readyok" ;;
    go) date +%s%N >> "$1"; echo "bestmove none" ;;
    quit) exit 0 ;;
  esac
done
"""


def seconds(command: list[str]) -> float:
    """Wall time of a command."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def first_go(folder: Path) -> float:
    """Seconds from starting `arena run` with a new database to the first `go` that an engine sees."""
    for leftover in folder.iterdir():
        leftover.unlink()
    engine = folder / "engine.sh"
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    log = folder / "go"
    engines = "".join(
        f'[[engines]]\nname = "{name}"\ncommand = ["{engine}", "{log}"]\n' for name in ("a", "b")
    )
    (folder / "t.toml").write_text(f'game = "quoridor"\nconcurrency = 1\n{engines}')
    begin = time.time_ns()
    subprocess.run([*ARENA, "run", str(folder / "t.toml")], check=True, capture_output=True)
    return (int(log.read_text().split()[0]) - begin) / 1e9


def main() -> None:
    """Measure in turn, print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    figures: dict[str, list[float]] = {"import click": [], "arena --help": [], "arena run to first go": []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            figures["import click"].append(seconds([sys.executable, "-c", "import click"]))
            figures["arena --help"].append(seconds([*ARENA, "--help"]))
            figures["arena run to first go"].append(first_go(Path(folder)))
    unit = statistics.median(figures["import click"])
    print(f"{'wall time, median of ' + str(runs):32} {'s':>7} {'min':>7} {'max':>7}  × click")
    for name, values in figures.items():
        median = statistics.median(values)
        print(f"{name:32} {median:7.3f} {min(values):7.3f} {max(values):7.3f}  {median / unit:6.2f}")


if __name__ == "__main__":
    main()
