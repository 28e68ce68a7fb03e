"""What a worker announces, and why it cannot play the games of a tournament."""

from __future__ import annotations

import hashlib
import shutil
import sys
import time
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

import protocol
import referee
from arena.config import TournamentSpec
from arena.config.tournament_keys import speed_engine
from arena.run.batch import BatchOrder
from arena.workers.engine_files import EngineFiles, files_of, missing, problem
from arena.workers.speed import SpeedTest, speed_test
from protocol.process import bubblewrap
from protocol.process.machine import usable_cores
from protocol.process.program import NOEXEC, starts_nothing
from protocol.words import counted
from referee.errors import RefereeError
from referee.match.job import Job
from referee.registry import game

CLOCK_SECONDS: Final = 30.0  # a worker whose clock differs from that of the hub by more is refused
FREE_BYTES: Final = 64 << 20  # a worker with less free space on the disk of temporary files is refused
_TRIES: Final = 3
_NAPS: Final = 200
_NAP_SECONDS: Final = 0.005


class Needs(msgspec.Struct, frozen=True):
    """What a worker must be able to do for a tournament."""

    version: str
    source: str  # as from `source_hash`
    rules: dict[str, str]  # as from `rules_hash`, by game id
    sandboxes: tuple[str, ...]  # the engines with the sandbox bwrap
    margins: dict[str, int]  # milliseconds, by the engine's name
    cores: int  # of a game
    engines: tuple[EngineFiles, ...]


class Capabilities(msgspec.Struct, frozen=True):
    """What a worker can do; ``version``, ``source`` and ``rules`` are as in `Needs`."""

    version: str
    source: str
    rules: dict[str, str]  # "" for rules that it does not have
    bwrap: str  # why it has no bubblewrap; "" if it has
    cores: int  # that it offers
    late_ms: float  # as from `lateness_ms`
    now: float  # seconds since the epoch by its own clock
    free: int  # bytes on the disk of temporary files
    problems: dict[str, str]  # why it cannot play with an engine at all, by the engine's name
    missing: tuple[str, ...]  # the engines of which it lacks a file, or has it with other contents


def source_hash() -> str:
    """Return a hash of the sources of the packages that play games."""
    folders = [Path(package.__path__[0]) for package in (protocol, referee)]
    return _hash(path for folder in folders for path in folder.rglob("*.py"))


def rules_hash(game_id: str) -> str:
    """Return a hash of the sources of the rules of a game; "" if this machine does not have the game."""
    try:
        module = sys.modules[type(game(game_id)).__module__]
    except RefereeError:
        return ""
    file = Path(module.__file__ or "")
    whole_folder = (file.parent / "__init__.py").exists()
    return _hash(file.parent.rglob("*.py") if whole_folder else [file])


def _hash(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(paths, key=lambda path: path.parts):
        whole.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return whole.hexdigest()[:16]


def lateness_ms(most: float) -> float:
    """Sleep for a second in small naps; return by how many milliseconds the 99th percentile of them is late.

    A busy machine wakes processes late, and engines would lose on time. If the result is more than ``most``,
    the least of three counts, because the last games of another run may just be ending.
    """
    found: list[float] = []
    while not found or (found[-1] > most and len(found) < _TRIES):
        late = []
        for _ in range(_NAPS):
            begun = time.perf_counter()
            time.sleep(_NAP_SECONDS)
            late.append(time.perf_counter() - begun - _NAP_SECONDS)
        found.append(sorted(late)[len(late) * 99 // 100] * 1000)
    return min(found)


def announce(needs: Needs, folder: Path, offered: int, cache: Path) -> Capabilities:
    """Find out what this machine can do, with its folder for temporary files and the cores that it offers.

    Engines that are sent get a folder in ``cache``.
    """
    sent = [files for files in needs.engines if files.build or missing(files)]
    problems = {files.engine: text for files in needs.engines if (text := problem(files))}
    if starts_nothing(cache):
        text = f"{cache} is on {NOEXEC}; set XDG_CACHE_HOME to a folder on another drive"
        problems |= {files.engine: text for files in sent if not files.python}
    return Capabilities(
        version=version("leapfrog-arena"),
        source=source_hash(),
        rules={game_id: rules_hash(game_id) for game_id in needs.rules},
        bwrap=bubblewrap.trouble() if needs.sandboxes else "",
        cores=min(offered, len(usable_cores())),
        late_ms=lateness_ms(min(needs.margins.values())),
        now=time.time(),
        free=shutil.disk_usage(folder).free,
        problems=problems,
        missing=tuple(files.engine for files in sent),
    )


def refusal(needs: Needs, found: Capabilities, asked: float, answered: float) -> str:
    """Return why a worker cannot play at all, as the predicate of a sentence; "" if it can.

    The hub asked and had the answer at these times, in seconds since the epoch by its own clock.
    """
    if found.version != needs.version:
        return f"has leapfrog-arena {found.version}, but the hub has {needs.version}; install that version"
    if found.source != needs.source:
        return (
            f"has other sources of leapfrog-arena {found.version} than the hub; install the same ones, and"
            " start the worker again"
        )
    for game_id, digest in needs.rules.items():
        if found.rules.get(game_id, "") != digest:
            other = "other rules" if found.rules.get(game_id) else "no rules"
            return f"has {other} of the game {game_id}; install the package of the game as on the hub"
    ahead = max(found.now - answered - CLOCK_SECONDS, 0) - max(asked - CLOCK_SECONDS - found.now, 0)
    if ahead:
        seconds = round(found.now - (answered if ahead > 0 else asked))
        word = "ahead" if seconds > 0 else "behind"
        return f"has a clock that is {abs(seconds)} s {word}; set the clock of the machine"
    if found.free < FREE_BYTES:
        return f"has only {found.free >> 20} MiB of disk left for temporary files; free some"
    if found.cores < needs.cores:
        offered = counted(found.cores, "core")
        return f"offers {offered}, but a game needs {needs.cores} (`cores` below [executor])"
    if needs.sandboxes and found.bwrap:
        return f"has no sandbox for {needs.sandboxes[0]}: {found.bwrap}"
    engine = min(needs.margins, key=lambda name: needs.margins[name])
    if found.late_ms > needs.margins[engine]:
        return (
            f"wakes up {found.late_ms:.0f} ms late, more than the margin of {engine}"
            f" ({needs.margins[engine]} ms); let the machine do nothing else, or set a larger margin"
        )
    return ""


class Prepared(msgspec.Struct, frozen=True):
    """What the hub finds out about a tournament before its first game."""

    needs: Needs
    files: dict[str, EngineFiles]  # by the engine's name
    speed: SpeedTest | None  # None if the speed of workers does not matter


def prepare(spec: TournamentSpec) -> Prepared:
    """Find out what a tournament needs of its workers. This reads all files of all engines."""
    keys = spec.executor
    files = {entry.spec.name: files_of(entry.spec, spec.path.parent, entry.build) for entry in spec.engines}
    needs = Needs(
        version("leapfrog-arena"),
        source_hash(),
        {game_id: rules_hash(game_id) for game_id in spec.games},
        tuple(entry.spec.name for entry in spec.engines if entry.spec.sandbox == "bwrap"),
        {entry.spec.name: entry.spec.margin for entry in spec.engines},
        keys.cores,
        tuple(files.values()),
    )
    speed = None if keys.scale is None else speed_test(spec, speed_engine(keys.scale))
    return Prepared(needs, files, speed)


def engine_files(prepared: Prepared, orders: Iterable[BatchOrder]) -> tuple[EngineFiles, ...]:
    """Return the files of the engines of some orders."""
    names: set[str] = set()
    for order in orders:
        engines = [seat.engine for seat in order.seats] if isinstance(order, Job) else [order.engine]
        names.update(engine.name for engine in engines)
    return tuple(files for name, files in prepared.files.items() if name in names)
