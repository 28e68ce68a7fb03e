"""Kills things at random while a tournament of 1,000 games is played, then proves that nothing was lost.

    python tests/soak/soak.py [SECONDS]

For SECONDS (600) it kills and stops arena, referees and engines, and locks the database; whenever arena is
gone it is started again. Then the tournament is played to its end. The database has to show every game of the
schedule once, the table has to equal one that is added up here, and no process and no descriptor may be left.
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
"""Done, an engine was disabled, games came to nothing, Ctrl-C twice, killed, Ctrl-C before it had begun."""

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
    """The tournament file: its games take about as long as there is time to kill things."""
    pairs = len(MODES) * (len(MODES) - 1) // 2
    think = seconds * CONCURRENCY / (GAMES * PLIES)
    text = FILE.format(concurrency=CONCURRENCY, games=GAMES // pairs, plies=PLIES + 4, mark=mark, think=think)
    for mode in MODES:
        text += ENGINE.format(mode=mode, python=sys.executable, hostile=HOSTILE, mark=mark)
    (folder / "soak.toml").write_text(text)


def children(pid: int) -> list[int]:
    """The processes that a process has started or adopted."""
    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.NoSuchProcess:
        return []


def marked(mark: str) -> list[int]:
    """Engines, and what they started: whoever has our mark on the command line or in the environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit():
                continue
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            if mark.encode() in told:
                found.append(int(entry.name))
        except OSError:
            pass
    return found


class Soak:
    """One run: the tournament in ``folder``, whatever becomes of its processes."""

    def __init__(self, folder: Path, mark: str, seed: int) -> None:
        self.folder = folder
        self.mark = mark
        self.random = random.Random(seed)
        self.arena: subprocess.Popen[bytes] | None = None
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self.log = (folder / "arena.log").open("ab")

    def start(self) -> subprocess.Popen[bytes]:
        """Arena, started if it does not run."""
        if self.arena is None or self.arena.poll() is not None:
            if self.arena is not None and self.arena.returncode not in _EXITS:
                self.faults.append(f"arena ended with {self.arena.returncode}")
            command = [sys.executable, "-m", "arena", "run", "soak.toml"]
            self.arena = subprocess.Popen(command, cwd=self.folder, stdout=self.log, stderr=self.log)
            self.done["starts"] += 1
        return self.arena

    def hurt(self) -> None:
        """One thing that goes wrong."""
        arena = self.start()
        referees = [pid for pid in children(arena.pid) if b"referee" in command_line(pid)]
        engines = [pid for referee in referees for pid in children(referee)]
        what = self.random.choice(
            ("kill arena", "kill referee", "kill referee", "kill engine", "kill engine", "stop referee",
             "stop engine", "stop arena", "lock database", "ctrl-c")
        )  # fmt: skip
        kind, whom = what.split() if " " in what else (what, "arena")
        victims = {"arena": [arena.pid], "referee": referees, "engine": engines, "database": [0]}[whom]
        if not victims:
            return
        self.done[what] += 1
        self.strike(kind, self.random.choice(victims))

    def strike(self, kind: str, victim: int) -> None:
        """Do it; whoever is gone already is spared."""
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
            self.assert_nobody_is_left("after arena was killed")

    def lock(self) -> None:
        """Another program writes to the database for a second."""
        if (self.folder / "arena.db").exists():
            with closing(sqlite3.connect(self.folder / "arena.db", isolation_level=None)) as other:
                try:
                    other.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError:
                    return
                time.sleep(1)
                other.execute("ROLLBACK")

    def count_descriptors(self) -> None:
        """More open files than arena and its referees can need are a leak."""
        assert self.arena is not None
        for pid in (self.arena.pid, *children(self.arena.pid)):
            try:
                count = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            except OSError:
                continue
            limit = OWN_FILES + CHILDREN_FILES * len(children(pid))
            self.done["most descriptors"] = max(self.done["most descriptors"], count)
            if count > limit:
                self.faults.append(f"process {pid} has {count} open files")

    def assert_nobody_is_left(self, when: str) -> None:
        """All engines end within a few seconds of arena."""
        end = time.monotonic() + 10
        while left := marked(self.mark):
            if time.monotonic() > end:
                self.faults.append(f"{when} there are {len(left)} processes of engines")
                return
            time.sleep(0.05)

    def run(self, seconds: float) -> None:
        """Hurt it for ``seconds``, then let it end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self.random.uniform(0.2, 3.0))
            self.hurt()
            self.count_descriptors()
        for _ in range(20):
            self.start().wait()
            if not self.left():
                break
        self.assert_nobody_is_left("at the end")
        self.log.close()

    def left(self) -> int:
        """Games that are missing."""
        with closing(sqlite3.connect(self.folder / "arena.db")) as database:
            (count,) = database.execute("SELECT count(*) FROM game WHERE termination != 'void'").fetchone()
        return GAMES - int(count)


def command_line(pid: int) -> bytes:
    """The command of a process; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def prove(folder: Path) -> list[str]:
    """What the database does not show as it should."""
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
        how = Counter(word for (word,) in database.execute("SELECT termination FROM game"))
    wanted = Counter(pairing.key for pairing in schedule(load(folder / "soak.toml")).pending(()))
    if keys != wanted:
        faults.append(f"missing {wanted - keys}, too many {keys - wanted}")
    command = [sys.executable, "-m", "arena", "standings", "--json"]
    shown = json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)
    table = {row["engine"]: row["points"] for row in rows(shown)}
    if table != points:
        faults.append(f"the table says {table}, its games {points}")
    print("games:", dict(how))
    print("points:", points)
    return faults


def rows(shown: object) -> list[dict[str, object]]:
    """The rows of a table, wherever in the output they are."""
    if isinstance(shown, list):
        return [row for item in shown for row in rows(item)]
    if isinstance(shown, dict):
        return [shown] if "points" in shown and "engine" in shown else rows(list(shown.values()))
    return []


def main() -> None:
    """Run it, and say what was found."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1_000_000)
    mark = f"soak-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        write(folder, mark, seconds)
        print(f"killing for {seconds:g} s, seed {seed}, in {folder}", flush=True)
        soak = Soak(folder, mark, seed)
        soak.run(seconds)
        print("done:", dict(soak.done))
        faults = [*soak.faults, *prove(folder)]
        if faults:
            print((folder / "arena.log").read_text(errors="replace")[-3000:])
    print("FAILED: " + "; ".join(faults) if faults else "every game once, nobody left, the table adds up")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
