"""Draws a simulated tournament from its seed: the file, the engines, and what disturbs each run."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tests.simulation.engines import FAULTS

GAMES: Final = {
    "quoridor": 10, "movers-hoppers": 6, "movers-hoppers-expert": 6, "rampants": 9, "eclaircissement": 8,
    "quatre-en-ligne": 8, "rodeurs": 1, "rodeurs-diagonal": 1, "hops": 1, "chess": 3, "chess960": 2,
    "quoridor4": 3,
}  # fmt: skip
"""The games, and how often each is drawn. Some have slower rules than others."""

FORMATS: Final = {
    "round-robin": 4, "gauntlet": 3, "swiss": 3, "knockout": 2, "match": 4, "ladder": 3, "stages": 1,
    "place": 1, "tune": 1,
}  # fmt: skip

DISTURBANCES: Final = {
    "ctrl-c": 3,
    "ctrl-c twice": 5,
    "kill": 5,
    "kill at a statement": 3,
    "kill at a write": 3,
    "disk fails": 2,
    "disk is full": 2,
    "kill a referee": 3,
    "kill an engine": 3,
    "stop everything": 2,
    "set the clock": 2,
    "an engine comes": 2,
}
AT_STATEMENTS: Final = {
    "kill at a statement": 60,
    "kill at a write": 10,
    "disk fails": 10,
    "disk is full": 10,
}
"""The most statements of the database before these fall; all but the first kind count those that insert."""

GROWING: Final = ("round-robin", "gauntlet", "ladder")
"""The formats in which an engine may come later."""

NEWCOMER: Final = ("z", "honest")
"""The name and the kind of the engine that comes."""

CLUSTER: Final = {
    "a worker dies": 4,
    "a worker loses its line": 4,
    "a worker comes": 3,
    "the scheduler goes": 2,
    "results twice": 4,
}
FAULTLESS: Final = tuple(kind for kind, forfeit in FAULTS.items() if not forfeit)
_AT_FAULT: Final = ("just-late", *(kind for kind, forfeit in FAULTS.items() if forfeit))
_SECONDS: Final = 2.0
"""In how many seconds of a run disturbances fall. A small tournament takes about as long."""

_CONTROLS: Final = {
    1: ("1+0.1", "0.5+0.05", "movetime=0.3", "2+0"),
    20: ("10+1", "5+1", "movetime=4", "20+0"),
    100: ("50+5", "25+5", "movetime=20", "100+0"),
}
"""The time controls by pace."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Something that goes wrong in a run.

    Attributes:
        after: seconds after the start of the run, or a number of statements, see `AT_STATEMENTS`.
        what: a key of `DISTURBANCES` or `CLUSTER`.
        size: from 0 to 1; how large it is.
    """

    after: float
    what: str
    size: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A simulated tournament.

    Attributes:
        seed: from which all is drawn.
        keys: the keys of the tournament file, without engines.
        tables: its tables, as text.
        engines: the kind of each engine, by name.
        pace: the factor by which everything takes longer than in a quick tournament.
        runs: what disturbs each run. One more run is undisturbed.
        tried: whether the engines are tried with their options before the first game.
    """

    seed: str
    keys: Mapping[str, object]
    tables: str
    engines: Mapping[str, str]
    pace: int
    runs: tuple[tuple[Disturbance, ...], ...]
    tried: bool = False

    @property
    def format(self) -> str:
        """The format."""
        return str(self.keys["format"])

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games."""
        games = self.keys["games"]
        assert isinstance(games, list)
        return tuple(games)

    @property
    def cluster(self) -> bool:
        """Whether workers play the games."""
        return "[executor]" in self.tables

    @property
    def forgiving(self) -> bool:
        """Whether a fault may be forgiven."""
        return "[forgive]" in self.tables

    @property
    def same_again(self) -> bool:
        """Whether an undisturbed run must play the same games with the same results.

        A ladder, a place and a test choose by what has ended first, and so do three failures in a row.
        """
        test = self.format in ("ladder", "place") or "[sprt]" in self.tables
        return not test and all(kind in FAULTLESS for kind in self.engines.values())

    def text(self) -> str:
        """Return the tournament file."""
        lines = [f"{name} = {_toml(value)}" for name, value in self.keys.items()]
        entered = list(self.engines.items())
        if self.format == "tune":  # both are sides of one engine
            entered = [(name[:-1], kind) for name, kind in entered[:1]]
        engines = (engine_table(*engine, tried=self.tried) for engine in entered)
        return "\n".join([*lines, self.tables, *engines])

    def __str__(self) -> str:
        runs = " | ".join(
            ", ".join(f"{each.what} after {each.after:.2f}" for each in run) or "undisturbed"
            for run in self.runs
        )
        keys = ", ".join(f"{name} {value}" for name, value in self.keys.items())
        engines = ", ".join(f"{name} {kind}" for name, kind in self.engines.items())
        where = (" on workers" if self.cluster else "") + (", tried" if self.tried else "")
        return f"{keys}{where}\n  engines: {engines}\n  runs: {runs}"


def engine_table(name: str, kind: str, *, tried: bool) -> str:
    """Return the table of an engine in the tournament file. Its option says whose it is."""
    options = f'options = {{ Owner = "{name}" }}\nforce_options = {_toml(not tried)}\n'
    return f'[[engines]]\nname = "{name}"\ncommand = ["./bot", "{kind}"]\n{options}'


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


def _weighted(draw: random.Random, weights: Mapping[str, int], count: int) -> list[str]:
    return draw.choices(list(weights), list(weights.values()), k=count)


def draw_plan(seed: str) -> Plan:
    """Draw a tournament. The same seed gives the same one on every machine."""
    draw = random.Random(f"plan {seed}")
    games = sorted(set(_weighted(draw, GAMES, 1 + (draw.random() < 0.1))))
    (form,) = _weighted(draw, FORMATS, 1)
    four = "quoridor4" in games
    if four:
        form = draw.choice(("round-robin", "ladder"))
    if form in ("place", "tune"):
        del games[1:]
    least = 4 if four or form == "stages" else 2
    most = {"match": 2, "tune": 2, "knockout": 3}.get(form, 4)
    count = min(most, max(least, draw.choice((2, 2, 2, 2, 3, 3, 4))))
    kinds = [draw.choice(FAULTLESS) if draw.random() < 0.5 else "honest" for _ in range(count)]
    if draw.random() < 0.6:
        kinds[draw.randrange(count)] = draw.choice(_AT_FAULT)
    cluster = draw.random() < 0.2
    pace = draw.choice((1, 1, 1, 1, 20, 20, 20, 100))
    keys = _keys(draw, games, form, count, pace)
    tables = _tables(draw, form, count, cluster=cluster)
    runs = _runs(draw, pace, cluster=cluster)
    engines = {"a+": kinds[0], "a-": kinds[0]} if form == "tune" else _engines(kinds)
    return Plan(seed, keys, tables, engines, pace, runs, tried=draw.random() < 0.3)


def _engines(kinds: list[str]) -> dict[str, str]:
    return {chr(ord("a") + place): kind for place, kind in enumerate(kinds)}


def _keys(draw: random.Random, games: list[str], form: str, count: int, pace: int) -> dict[str, object]:
    keys: dict[str, object] = {
        "games": games,
        "format": form,
        "time_control": draw.choice(_CONTROLS[pace]),
        "concurrency": draw.choice((1, 2, 2, 3, 5)),
        "affinity": False,
        "seed": draw.randrange(1000),
        "disabled": draw.choice(("lose", "skip")),
    }
    if form not in ("match", "ladder", "stages", "place", "tune"):
        keys["games_per_pairing"] = draw.choice((1, 1, 1, 4) if "quoridor4" in games else (1, 1, 1, 2))
    if form == "swiss":
        keys["rounds"] = draw.randrange(1, count)
    if form in ("match", "ladder", "place"):
        keys["max_games"] = 2 * draw.choice((1, 1, 1, 2, 3, 5) if form == "match" else (1, 1, 2, 3))
    if form == "place":
        keys["within"] = 300
    return keys


def _tables(draw: random.Random, form: str, count: int, *, cluster: bool) -> str:
    plies = draw.choice((0, 0, 0, 0, 1, 1, 1, 2))
    tables = [f"[adjudication]\nplies = {plies + draw.choice((3, 4, 4, 4, 5, 7))}"]
    if plies:
        tables.append(f'[openings]\nkind = "random"\nplies = {plies}')
    if draw.random() < 0.2:
        then = draw.choice(("lose", "random"))
        illegal, timeouts = draw.randint(0, 2), draw.randint(0, 1)
        tables.append(f'[forgive]\nillegal = {illegal}\ntimeouts = {timeouts}\nthen = "{then}"')
    if form == "match" and draw.random() < 0.4:
        tables.append("[sprt]\nelo0 = 0\nelo1 = 800")
    if form == "stages":
        tables.append('[[stages]]\nname = "pools"\nformat = "round-robin"\npools = 2')
        tables.append('[[stages]]\nname = "final"\nformat = "knockout"\nengines = 2')
    if form == "place":
        opponents = [chr(ord("a") + place) for place in range(1, count)]
        tables.append("\n".join(["[strengths]", *(f"{name} = 100" for name in opponents)]))
    if form == "tune":
        steps, parallel = draw.randint(2, 6), draw.randint(1, 2)
        tables.append(f"[tune]\nsteps = {steps}\nparallel = {parallel}")
        tables.append("parameters.Weight = { start = 50, min = 0, max = 100 }")
    if cluster:
        tables.append('[executor]\nscheduler = "tcp://127.0.0.1:8786"')
    return "\n".join(tables)


def _runs(draw: random.Random, pace: int, *, cluster: bool) -> tuple[tuple[Disturbance, ...], ...]:
    kinds = {**DISTURBANCES, **CLUSTER, "ctrl-c twice": 20} if cluster else DISTURBANCES
    runs = []
    for _ in range(draw.choice((0, 0, 1, 1, 1, 1, 1, 1, 2, 3))):
        names = _weighted(draw, kinds, draw.choice((1, 1, 2, 3)))
        runs.append(tuple(Disturbance(_when(draw, name, pace), name, draw.random()) for name in names))
    return tuple(runs)


def _when(draw: random.Random, what: str, pace: int) -> float:
    if what in AT_STATEMENTS:
        return float(draw.randrange(1, AT_STATEMENTS[what]))
    return round(pace * _SECONDS * draw.random() ** 2, 3)
