"""What a worker announces, and why it cannot play the games of a tournament."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

import arena.run
import arena.workers
import protocol
import referee
from arena.config import TournamentSpec
from arena.workers.engine_files import EngineFiles, files_of, missing, problem
from protocol.process import bubblewrap
from protocol.process.machine import usable_cores
from protocol.words import counted
from referee.errors import RefereeError
from referee.registry import game

_TRIES: Final = 3
_NAPS: Final = 200
_NAP_SECONDS: Final = 0.005


class Needs(msgspec.Struct, frozen=True):
    """What a worker must be able to do for a tournament."""

    source: str  # as from `source_hash`
    rules: dict[str, str]  # as from `rules_hash`, by game id
    sandboxes: tuple[str, ...]  # the engines with the sandbox bwrap
    margins: dict[str, int]  # milliseconds, by the engine's name
    cores: int  # of a game
    engines: tuple[EngineFiles, ...]


class Capabilities(msgspec.Struct, frozen=True):
    """What a worker can do; ``source`` and ``rules`` are as in `Needs`."""

    source: str
    rules: dict[str, str]  # "" for rules that it does not have
    bwrap: str  # why it has no bubblewrap; "" if it has
    cores: int  # that it offers
    late_ms: float  # as from `lateness_ms`
    problems: dict[str, str]  # why it cannot play with an engine at all, by the engine's name
    missing: tuple[str, ...]  # the engines of which it lacks a file, or has it with other contents


def source_hash() -> str:
    """Return a hash of the sources of the packages that play games."""
    folders = [Path(package.__path__[0]) for package in (protocol, referee, arena.run, arena.workers)]
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
    the least of three results counts, because the last games of another run may just be ending.
    """
    results: list[float] = []
    while not results or (results[-1] > most and len(results) < _TRIES):
        late = []
        for _ in range(_NAPS):
            start = time.perf_counter()
            time.sleep(_NAP_SECONDS)
            late.append(time.perf_counter() - start - _NAP_SECONDS)
        results.append(sorted(late)[len(late) * 99 // 100] * 1000)
    return min(results)


def announce(needs: Needs, offered: int) -> Capabilities:
    """Find out what this machine can do with the cores that it offers."""
    return Capabilities(
        source=source_hash(),
        rules={game_id: rules_hash(game_id) for game_id in needs.rules},
        bwrap=bubblewrap.trouble() if needs.sandboxes else "",
        cores=min(offered, len(usable_cores())),
        late_ms=lateness_ms(min(needs.margins.values())),
        problems={files.engine: text for files in needs.engines if (text := problem(files))},
        missing=tuple(files.engine for files in needs.engines if files.build or missing(files)),
    )


def refusal(needs: Needs, can: Capabilities) -> str:
    """Return why a worker cannot play at all, as the predicate of a sentence; "" if it can."""
    if can.source != needs.source:
        return "has another leapfrog-arena than the hub; install the same version, and start the worker again"
    for game_id, digest in needs.rules.items():
        if can.rules.get(game_id, "") != digest:
            return f"has not the hub's rules of the game {game_id}; install the package of the game as there"
    if can.cores < needs.cores:
        offered = counted(can.cores, "core")
        return f"offers {offered}, but a game needs {needs.cores} (`cores` below [executor])"
    if needs.sandboxes and can.bwrap:
        return f"has no sandbox for {needs.sandboxes[0]}: {can.bwrap}"
    engine = min(needs.margins, key=lambda name: needs.margins[name])
    if can.late_ms > needs.margins[engine]:
        return (
            f"wakes up {can.late_ms:.0f} ms late, more than the margin of {engine}"
            f" ({needs.margins[engine]} ms); let the machine do nothing else, or set a larger margin"
        )
    return ""


def needs_of(spec: TournamentSpec) -> Needs:
    """Find out what a tournament needs of its workers. This reads all files of all engines."""
    return Needs(
        source_hash(),
        {game_id: rules_hash(game_id) for game_id in spec.games},
        tuple(entry.spec.name for entry in spec.engines if entry.spec.sandbox == "bwrap"),
        {entry.spec.name: entry.spec.margin for entry in spec.engines},
        spec.executor.cores,
        tuple(files_of(entry.spec, spec.path.parent, entry.build) for entry in spec.engines),
    )
