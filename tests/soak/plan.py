"""What a round of the soak test does, drawn from its seed: the machine, the tournament, and its faults."""

from __future__ import annotations

import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.rights import stranger
from tests.tools import missing

__all__ = ["DISK", "ROOT", "Plan", "draw_plan"]

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "tests" / "engines" / "hostile.py"
GAME_SECONDS = 6.0
"""About how long the games of a round would take together if nothing disturbed them."""

PLIES = 6
OPENING = 4
DISK = 24 << 20
"""The bytes of a disk that can be full."""

HARMLESS = ("honest", "answers-twice", "ignores-quit", "leaves-a-grandchild", "prints-garbage")
FAULTY = ("dies-in-the-middle", "floods-stderr", "plays-illegal", "resigns")
DAEMONS = ("leaves-a-daemon", "leaves-a-fork-loop", "dies-behind-a-child", "answers-and-dies-behind-a-child")
"""Engines with processes outside their groups."""

ATTACKERS = ("kills-its-referee", "stops-its-referee", "stops-its-referee-at-the-end")

FAULTS = {
    "kill arena": 3,
    "stop some and kill arena": 5,
    "kill a referee": 3,
    "kill an engine": 3,
    "stop a referee": 3,
    "stop a referee for good": 1,
    "stop an engine": 2,
    "stop arena": 2,
    "ctrl-c": 2,
    "ctrl-c twice": 3,
    "terminate": 1,
    "lock the database": 2,
    "lock the database for long": 1,
    "lock the database and press ctrl-c twice": 2,
    "move the database": 2,
    "damage the database": 2,
    "no processes": 2,
    "set the clock": 1,
    "fill the disk": 3,
    "go away": 2,
}
"""The faults, and how often each is drawn."""

MACHINES = 0.4
"""How many of the rounds have a cluster, or a database on a server."""

RUN_FAULTS = {"kill arena": 2, "ctrl-c": 2, "ctrl-c twice": 2, "terminate": 1, "stop arena": 1}
CLUSTER_FAULTS = {
    "kill a worker": 4,
    "kill some processes of a worker": 4,
    "stop a worker": 3,
    "kill the scheduler": 2,
    "kill arena and a worker": 2,
}
SERVER_FAULTS = {"stop the server": 3, "kill the server": 3, "stop the server and press ctrl-c twice": 2}
"""The faults of these rounds, and how often each is drawn."""

OUTPUTS = ("file", "file", "pipe", "terminal", "full", "closed")
"""Where arena's output goes: a pipe and a terminal may go away, and a full disk takes nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A round of the soak test.

    Attributes:
        seed: the seed of the round.
        user: the user who runs arena.
        containment: what may hold the processes of engines.
        box: their sandbox.
        modes: the engines.
        concurrency: the number of games at once.
        games: the number of games for each pair of engines.
        output: where arena's output goes.
        disk: whether the tournament is on a small disk.
        machine: whether a library can refuse processes and set the clock.
        faults: the faults, each with the seconds before it.
        workers: the number of workers of the cluster that plays the games; 0 for this machine alone.
        server: whether the database is on a PostgreSQL server.
    """

    seed: str
    user: int
    containment: str
    box: str
    modes: tuple[str, ...]
    concurrency: int
    games: int
    output: str
    disk: bool
    machine: bool
    faults: tuple[tuple[float, str], ...]
    workers: int = 0
    server: bool = False

    def __str__(self) -> str:
        who = "root" if self.user == 0 else f"user {self.user}"
        faults = ", ".join(f"{name} after {seconds:.1f} s" for seconds, name in self.faults)
        disk = ", small disk" if self.disk else ""
        return (
            f"{who}, containment {self.containment}, sandbox {self.box}, {self.concurrency} at once,"
            f" {self.total} games, output to {self.output}{disk}{self._where}"
            f"\n  engines: {', '.join(self.modes)}\n  faults: {faults}"
        )

    @property
    def _where(self) -> str:
        workers = f", {self.workers} workers" if self.workers else ""
        return workers + (", database on a server" if self.server else "")

    @property
    def total(self) -> int:
        """The number of games."""
        return self.games * len(self.modes) * (len(self.modes) - 1) // 2

    @property
    def attacked(self) -> bool:
        """Whether an engine can stop or kill its referee, so that its games have no result."""
        return self.box != "bwrap" and not set(ATTACKERS).isdisjoint(self.modes)

    def tournament(self, mark: str, database: str = "arena.db", scheduler: str = "") -> str:
        """Return the tournament file. All engines have ``mark`` in their environment or command line.

        Args:
            mark: the mark.
            database: the path or the address of the database.
            scheduler: the address of the scheduler; "" if this machine plays alone.
        """
        think = GAME_SECONDS * min(self.concurrency, 2) / (self.total * PLIES)
        lines = [
            f'name = "soak"\ngame = "quoridor"\ntime_control = "5+1"\nconcurrency = {self.concurrency}',
            f'database = "{database}"',
            f"games_per_pairing = {self.games}",
            f'[openings]\nkind = "random"\nplies = {OPENING}',
            f"[adjudication]\nplies = {OPENING + PLIES}",
            f'[defaults]\nsandbox = "{self.box}"\nreadable = {[*_interpreter(), str(HOSTILE.parent)]}',
            f'env = {{ SOAK = "{mark}", THINK = "{think}" }}',
            "timeouts = { quit = 0.3 }",
        ]
        if scheduler:
            # Workers on a machine with much to do would be refused.
            lines.append(f'margin = 30000\n[executor]\nkind = "dask"\nscheduler = "{scheduler}"')
        for mode in self.modes:
            # This daemon has no environment, so the mark is in its command line.
            words = [sys.executable, "-S", str(HOSTILE), mode, *([mark] if mode == "leaves-a-daemon" else [])]
            lines.append(f'[[engines]]\nname = "{mode}"\ncommand = {words}')
        return "\n".join(lines)


def _interpreter() -> list[str]:
    return list(dict.fromkeys(str(Path(prefix).resolve()) for prefix in (sys.prefix, sys.base_prefix)))


def draw_plan(seed: str) -> Plan:
    """Draw a round. The same seed gives the same round on the same machine."""
    draw = random.Random(seed)
    if draw.random() < MACHINES:
        return _draw_machines(seed, draw)
    user = draw.choice(_users())
    containment = draw.choice([kind for kind in ("cgroup", "namespace", "none") if _works(kind, user)])
    box = draw.choice(["none", "folder", "bwrap"] if not missing("bwrap") else ["none", "folder"])
    disk = draw.random() < 0.3 and not missing("mount")
    machine = draw.random() < 0.3 and not missing("cc") and box != "bwrap"
    modes = _draw_modes(draw, contained=containment != "none" or box == "bwrap", walls=box == "bwrap")
    return Plan(
        seed=seed,
        user=user,
        containment=containment,
        box=box,
        modes=modes,
        concurrency=draw.choice((1, 2, 2, 3)),
        games=max(2, 40 * 2 // (len(modes) * (len(modes) - 1)) // 2 * 2),
        output=draw.choice(OUTPUTS),
        disk=disk,
        machine=machine,
        faults=_draw_faults(draw, disk=disk, machine=machine),
    )


def _draw_machines(seed: str, draw: random.Random) -> Plan:
    """Draw a round with a cluster, with a database on a server, or with both."""
    server = not missing("postgresql") and draw.random() < 0.6
    workers = draw.choice((2, 3)) if not server or draw.random() < 0.5 else 0
    weights = dict(RUN_FAULTS)
    if workers:
        weights |= CLUSTER_FAULTS
    if server:
        weights |= SERVER_FAULTS
    names = draw.choices(list(weights), list(weights.values()), k=draw.randint(3, 7))
    return Plan(
        seed=seed,
        user=os.geteuid(),
        containment="none",
        box="none",
        modes=tuple(draw.sample(HARMLESS, 3) + draw.sample(FAULTY, draw.choice((0, 1)))),
        concurrency=2,
        games=12,
        output="pipe",
        disk=False,
        machine=False,
        faults=tuple((round(draw.uniform(0.3, 4.0), 1), name) for name in names),
        workers=workers,
        server=server,
    )


def _draw_modes(draw: random.Random, *, contained: bool, walls: bool) -> tuple[str, ...]:
    """Draw the engines. Nothing but the kernel ends every daemon, and only walls keep off every attacker."""
    modes = draw.sample(HARMLESS, 3) + draw.sample(FAULTY, draw.choice((0, 0, 1)))
    if contained:
        modes += draw.sample(DAEMONS, draw.choice((0, 1, 1, 2)))
    if walls or draw.random() < 0.2:
        modes += draw.sample(ATTACKERS, draw.choice((0, 1)) if walls else 1)
    return tuple(modes)


def _draw_faults(draw: random.Random, *, disk: bool, machine: bool) -> tuple[tuple[float, str], ...]:
    weights = dict(FAULTS)
    if not disk:
        del weights["fill the disk"]
    if not machine:
        del weights["no processes"], weights["set the clock"]
    names = draw.choices(list(weights), list(weights.values()), k=draw.randint(2, 6))
    return tuple((round(draw.uniform(0.3, 4.0), 1), name) for name in names)


def _users() -> list[int]:
    """Return this user, and an ordinary one if this is root and others may run this Python."""
    user = os.geteuid()
    if user == 0 and not missing("setpriv") and _open_to_all(Path(sys.executable)) and _open_to_all(HOSTILE):
        return [0, stranger()]
    return [user]


def _open_to_all(file: Path) -> bool:
    """Return whether every user may read a file, and a link to it leads to such a file, too."""
    path = file.resolve()
    return all(
        entry.stat().st_mode & (0o001 if entry.is_dir() else 0o004)
        for start in (file.absolute(), path)
        for entry in (start, *start.parents)
    )


def _works(kind: str, user: int) -> bool:
    """Return whether a kind of containment works for a user."""
    if kind == "cgroup":
        return user == 0 and not missing("cgroup")
    return kind == "none" or not missing("namespaces")
