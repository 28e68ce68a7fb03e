"""Kill processes at random during a tournament of 1,000 games, then check that no game was lost.

    python tests/soak/soak.py [SECONDS]

For SECONDS (default 600) it kills and stops arena, referees and engines, and locks the database. When arena
has ended, it is started again. Then the tournament is played to its end. The database must have every game of
the schedule once, the table must equal the sums over the games, and no process or open file may be left.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "tests" / "engines" / "hostile.py"
MODES = ("honest", "leaves-a-grandchild", "leaves-a-daemon", "ignores-quit", "answers-twice")
GAMES = 1000
PLIES = 10
CONCURRENCY = 2
CHILDREN_FILES = 4
OWN_FILES = 40

_EXITS = (0, 1, 2, 130, -signal.SIGKILL, -signal.SIGINT)
"""Allowed exit codes: finished, engine disabled, void games, Ctrl-C twice, killed, Ctrl-C at the start."""

FILE = """
name = "soak"
game = "quoridor"
time_control = "5+1"
concurrency = {concurrency}
games_per_pairing = {games}
[openings]
kind = "random"
plies = 4
[adjudication]
plies = {plies}
[defaults]
env = {{ SOAK = "{mark}", THINK = "{think}" }}
timeouts = {{ quit = 0.3, terminate = 0.2, drain = 0.3 }}
"""
ENGINE = '[[engines]]\nname = "{mode}"\ncommand = ["{python}", "-S", "{hostile}", "{mode}", "{mark}"]\n'


def write(folder: Path, mark: str, seconds: float) -> None:
    """Write the tournament file, so that its games take about so many seconds."""
    pairs = len(MODES) * (len(MODES) - 1) // 2
    think = seconds * CONCURRENCY / (GAMES * PLIES)
    text = FILE.format(concurrency=CONCURRENCY, games=GAMES // pairs, plies=PLIES + 4, mark=mark, think=think)
    for mode in MODES:
        text += ENGINE.format(mode=mode, python=sys.executable, hostile=HOSTILE, mark=mark)
    (folder / "soak.toml").write_text(text)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started or adopted."""
    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.NoSuchProcess:
        return []


def marked(mark: str) -> list[int]:
    """Return engines and their children: processes with the mark in the command line or the environment."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit():
                continue
            texts = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            if mark.encode() in texts:
                pids.append(int(entry.name))
        except OSError:
            pass
    return pids


class Soak:
    """One run of the soak test, with the tournament in ``folder``."""

    def __init__(self, folder: Path, mark: str, seed: int) -> None:
        self.folder = folder
        self.mark = mark
        self.random = random.Random(seed)
        self.arena: subprocess.Popen[bytes] | None = None
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.log = (folder / "arena.log").open("ab")

    def start(self) -> subprocess.Popen[bytes]:
        """Return the process of arena; start it if it does not run."""
        if self.arena is None or self.arena.poll() is not None:
            if self.arena is not None and self.arena.returncode not in _EXITS:
                self.faults.append(f"arena ended with {self.arena.returncode}")
            command = [sys.executable, "-m", "arena", "run", "soak.toml"]
            self.arena = subprocess.Popen(command, cwd=self.folder, stdout=self.log, stderr=self.log)
            self.counts["starts"] += 1
        return self.arena

    def cause_fault(self) -> None:
        """Choose a fault and a process at random, and cause the fault."""
        arena = self.start()
        referees = [pid for pid in children(arena.pid) if b"referee" in command_line(pid)]
        # The guard of a referee, a shell, kills what a killed referee has left, so it is not killed itself.
        engines = [
            pid for referee in referees for pid in children(referee) if b"groups=" not in command_line(pid)
        ]
        fault = self.random.choice(
            ("kill arena", "kill referee", "kill referee", "kill engine", "kill engine", "stop referee",
             "stop engine", "stop arena", "lock database", "ctrl-c")
        )  # fmt: skip
        kind, target = fault.split() if " " in fault else (fault, "arena")
        victims = {"arena": [arena.pid], "referee": referees, "engine": engines, "database": [0]}[target]
        if not victims:
            return
        self.counts[fault] += 1
        self.strike(kind, self.random.choice(victims))

    def strike(self, kind: str, victim: int) -> None:
        """Cause a fault of a process; do nothing if the process has ended."""
        try:
            if kind == "lock":
                self.lock()
            elif kind == "stop":
                os.kill(victim, signal.SIGSTOP)
                time.sleep(self.random.choice((0.3, 2.0, 10.0 if self.random.random() < 0.3 else 1.0)))
                os.kill(victim, signal.SIGCONT)
            else:
                os.kill(victim, signal.SIGINT if kind == "ctrl-c" else signal.SIGKILL)
        except ProcessLookupError:
            return
        if self.arena is not None and victim == self.arena.pid and kind == "kill":
            self.arena.wait()
            self.assert_no_engine_is_left("after arena was killed")

    def lock(self) -> None:
        """Lock the database for a second, as another program that writes."""
        if (self.folder / "arena.db").exists():
            with closing(sqlite3.connect(self.folder / "arena.db", isolation_level=None)) as other:
                try:
                    other.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError:
                    return
                time.sleep(1)
                other.execute("ROLLBACK")

    def count_descriptors(self) -> None:
        """Report a process of arena that has more open files than it can need: this is a leak."""
        assert self.arena is not None
        for pid in (self.arena.pid, *children(self.arena.pid)):
            try:
                count = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            except OSError:
                continue
            limit = OWN_FILES + CHILDREN_FILES * len(children(pid))
            self.counts["most descriptors"] = max(self.counts["most descriptors"], count)
            if count > limit:
                self.faults.append(f"process {pid} has {count} open files")

    def assert_no_engine_is_left(self, when: str) -> None:
        """Check that all engines end within a few seconds after arena."""
        end = time.monotonic() + 10
        while left := marked(self.mark):
            if time.monotonic() > end:
                self.faults.append(f"{when}, {len(left)} processes of engines are left")
                return
            time.sleep(0.05)

    def run(self, seconds: float) -> None:
        """Cause faults for ``seconds``, then let the tournament end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self.random.uniform(0.2, 3.0))
            self.cause_fault()
            self.count_descriptors()
        for _ in range(20):
            self.start().wait()
            if not self.missing_games():
                break
        self.assert_no_engine_is_left("at the end")
        self.log.close()

    def missing_games(self) -> int:
        """Return the number of missing games."""
        with closing(sqlite3.connect(self.folder / "arena.db")) as database:
            (count,) = database.execute("SELECT count(*) FROM game WHERE termination != 'void'").fetchone()
        return GAMES - int(count)


def command_line(pid: int) -> bytes:
    """Return the command line of a process; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def check(folder: Path) -> list[str]:
    """Return the faults of the stored games and the table, as sentences."""
    sys.path.insert(0, str(ROOT))
    from arena.config import load
    from arena.schedule import schedule

    faults = []
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        keys = Counter(key for (key,) in database.execute("SELECT key FROM game WHERE termination != 'void'"))
        points = dict(
            database.execute(
                "SELECT engine.name, sum(points) FROM player JOIN engine ON engine.id = engine_id"
                " JOIN game ON game.id = game_id WHERE termination != 'void' GROUP BY engine.name"
            )
        )
        terminations = Counter(word for (word,) in database.execute("SELECT termination FROM game"))
    expected = Counter(pairing.key for pairing in schedule(load(folder / "soak.toml")).pending(()))
    if keys != expected:
        faults.append(f"missing {expected - keys}, too many {keys - expected}")
    command = [sys.executable, "-m", "arena", "standings", "--json"]
    output = json.loads(
        subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    )
    table = {row["engine"]: row["points"] for row in rows(output)}
    if table != points:
        faults.append(f"the table has {table}, but its games add up to {points}")
    print("games:", dict(terminations))
    print("points:", points)
    return faults


def rows(output: object) -> list[dict[str, object]]:
    """Return the rows of the table from anywhere in the output."""
    if isinstance(output, list):
        return [row for item in output for row in rows(item)]
    if isinstance(output, dict):
        return [output] if "points" in output and "engine" in output else rows(list(output.values()))
    return []


def main() -> None:
    """Run the soak test, and print the faults."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1_000_000)
    mark = f"soak-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        write(folder, mark, seconds)
        print(f"killing for {seconds:g} s, seed {seed}, in {folder}", flush=True)
        soak = Soak(folder, mark, seed)
        soak.run(seconds)
        print("counts:", dict(soak.counts))
        faults = [*soak.faults, *check(folder)]
        if faults:
            print((folder / "arena.log").read_text(errors="replace")[-3000:])
    print(
        "FAILED: " + "; ".join(faults)
        if faults
        else "every game is stored once, no process is left, the table is right"
    )
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
