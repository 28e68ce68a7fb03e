"""Measure the resident memory of a referee during thousands of short games: it must not grow.

.venv/bin/python benchmarks/referee_memory.py [--games 5000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from protocol.spec import EngineSpec
from referee.match.adjudication import Adjudication
from referee.match.job import Job, JobFinished, JobSeat, QuitOrder, decode_event, encode

HERE = Path(__file__).parent
PLIES = 20


def resident(pid: int) -> int:
    """Return the kilobytes of resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def main() -> None:
    """Play the games, and print the memory at twelve points."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=5000)
    games = parser.parse_args().games
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O2", "-o", f"{folder}/instant", HERE / "instant.c"], check=True)
        Path(folder, "game").write_text("e2 e8 e3 e7 e4 e6 a1h a8h d4 f6 d3 f7 d2 f8 c2 g8 c3 g7 c4 g6")
        command = (f"{folder}/instant", f"{folder}/game")
        seats = tuple(JobSeat(EngineSpec(name, command), "60+0.6") for name in ("a", "b"))
        with subprocess.Popen(
            [sys.executable, "-m", "referee"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            print(f"{'games':>8} {'KB':>8}")
            for number in range(1, games + 1):
                process.stdin.write(
                    encode(Job(str(number), "quoridor", seats, adjudication=Adjudication(plies=PLIES)))
                )
                process.stdin.flush()
                for line in process.stdout:
                    event = decode_event(line)
                    if isinstance(event, JobFinished):
                        assert event.reason == "length", event
                        break
                if number in {1, 100} or number % (games // 10) == 0:
                    print(f"{number:8} {resident(process.pid):8}", flush=True)
            process.stdin.write(encode(QuitOrder()))
            process.stdin.close()
            process.stdout.read()


if __name__ == "__main__":
    main()
