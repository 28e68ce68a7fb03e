"""What a worker announces, and why it cannot play the games of a tournament."""

from __future__ import annotations

import hashlib
import shutil
import socket
import sys
import time
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

import protocol
import referee
from arena.errors import ArenaError
from arena.workers.engine_files import EngineFiles, FileHashes, missing, problem
from protocol.plurals import counted
from protocol.process import bubblewrap
from protocol.process.machine import usable_cores
from referee.errors import RefereeError
from referee.registry import game

__all__ = ["Capabilities", "Needs", "announce", "lateness_ms", "refusal", "rules_hash", "source_hash"]

CLOCK_SECONDS: Final = 30.0
"""A worker whose clock differs from that of the hub by more is refused."""

FREE_BYTES: Final = 64 << 20
"""A worker with less free space on the disk of temporary files is refused."""

_TRIES: Final = 3
_NAPS: Final = 200
_NAP_SECONDS: Final = 0.005


class Needs(msgspec.Struct, frozen=True):
    """What a worker must be able to do for a tournament.

    Attributes:
        version: the version of arena on the hub.
        source: as from `source_hash`, on the hub.
        rules: as from `rules_hash`, on the hub, by game id.
        sandboxes: the engines with the sandbox ``bwrap``.
        margins: the margin of each engine, in milliseconds.
        cores: how many cores a game needs.
        send: whether files of engines that the worker lacks are sent to it.
        engines: the files of the engines.
    """

    version: str
    source: str
    rules: dict[str, str]
    sandboxes: tuple[str, ...]
    margins: dict[str, int]
    cores: int
    send: bool
    engines: tuple[EngineFiles, ...]


class Capabilities(msgspec.Struct, frozen=True):
    """What a worker can do.

    Attributes:
        host: the name of the machine.
        version, source, rules: as in `Needs`; "" for rules that the worker does not have.
        bwrap: why it has no bubblewrap; "" if it has.
        cores: the number of cores that it offers.
        late_ms: as from `lateness_ms`.
        now: its clock when it announced this, in seconds since the epoch.
        free: the free bytes on the disk of temporary files.
        problems: why it cannot play with an engine at all, by the engine's name.
        missing: the first file that it lacks or has with other contents, by the engine's name.
    """

    host: str
    version: str
    source: str
    rules: dict[str, str]
    bwrap: str
    cores: int
    late_ms: float
    now: float
    free: int
    problems: dict[str, str]
    missing: dict[str, str]


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

    A machine that has other work to do, or a virtual machine on a busy host, wakes a process late. Engines
    would lose games on time because of that. If the result is more than ``most``, the measurement is repeated
    up to two times, because the last games of another run may just be ending. The least result is returned.
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


def announce(needs: Needs, hashes: FileHashes, folder: Path, offered: int) -> Capabilities:
    """Find out what this machine can do.

    Args:
        needs: what it is asked for.
        hashes: computes the hashes of files.
        folder: the folder of temporary files.
        offered: how many cores the worker offers.
    """
    problems = {files.engine: text for files in needs.engines if (text := problem(files, hashes))}
    lacking = {
        files.engine: paths[0]
        for files in needs.engines
        if (paths := [files.folder] if files.build else missing(files, hashes))
    }
    return Capabilities(
        host=socket.gethostname(),
        version=version("leapfrog-arena"),
        source=source_hash(),
        rules={game_id: rules_hash(game_id) for game_id in needs.rules},
        bwrap=bubblewrap.trouble() if needs.sandboxes else "",
        cores=min(offered, len(usable_cores())),
        late_ms=lateness_ms(min(needs.margins.values())),
        now=time.time(),
        free=shutil.disk_usage(folder).free,
        problems=problems,
        missing=lacking,
    )


def refusal(needs: Needs, found: Capabilities, asked: float, answered: float) -> str:
    """Return why a worker cannot play at all, as the predicate of a sentence; "" if it can.

    Args:
        needs: what it was asked for.
        found: what it announced.
        asked: when the hub asked, in seconds since the epoch by its own clock.
        answered: when the hub had the answer, in seconds since the epoch by its own clock.
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


def lacks(needs: Needs, found: Capabilities) -> dict[str, str]:
    """Return why a worker cannot play with some engines, by the engine's name."""
    told = dict(found.problems)
    if not needs.send:
        told |= {
            name: f"its file {path} is missing, or another one than on the hub"
            for name, path in found.missing.items()
            if name not in told
        }
    return told


def needs_of(
    files: Mapping[str, EngineFiles],
    games: Iterable[str],
    sandboxes: Iterable[str],
    margins: Mapping[str, int],
    cores: int,
    *,
    send: bool,
) -> Needs:
    """Return what a tournament needs, from facts of this machine.

    Raises:
        ArenaError: this machine lacks the rules of a game.
    """
    rules = {game_id: rules_hash(game_id) for game_id in games}
    if "" in rules.values():
        raise ArenaError("the hub lacks the rules of a game")
    return Needs(
        version("leapfrog-arena"),
        source_hash(),
        rules,
        tuple(sandboxes),
        dict(margins),
        cores,
        send,
        tuple(files.values()),
    )
