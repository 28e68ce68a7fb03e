"""Build engines as the worker of a door does: in the sandbox, at a low priority, one after another.

    .venv/bin/python benchmarks/builds.py [GAMES]

It builds the C++ engine of `arena new-engine` again and again, until somebody ends the program, and prints
how many seconds each build took. The first line says that the first build begins. GAMES is a number of games.
Each of these games has a processor of its own, which no build uses, as with `affinity = true`. fair_clock.py
runs it beside games.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from arena.config import TournamentSpec, load
from arena.door.client import packed_path
from arena.door.processes import work
from arena.door.upload import ArchiveLimits, packed, read_files
from arena.door.worker import build
from arena.engine_templates import LANGUAGES, write_engine
from referee import game

FILE = """
game = "quoridor"
format = "ladder"
concurrency = {games}
affinity = {pinned}
engines = [{{ name = "a", command = "sh" }}, {{ name = "b", command = "sh" }}]
[door]
"""


def door(folder: Path, games: int) -> TournamentSpec:
    """Return a tournament with a door.

    Args:
        folder: where its file is written.
        games: how many games have processors of their own; 0 if they share them with builds.
    """
    file = folder / "course.toml"
    file.write_text(FILE.format(games=games or 1, pinned="true" if games else "false"))
    return load(file)


def sources(folder: Path) -> bytes:
    """Return the files of an engine as a tar."""
    write_engine(folder / "engine", "cpp", game("quoridor").info)
    archive = io.BytesIO(packed_path(folder / "engine")[1])
    return packed(read_files("engine.tar.gz", archive, ArchiveLimits()))


async def main(source: bytes) -> None:
    """Build until this process is ended."""

    async def tell(_text: str) -> None:
        pass

    print("building", flush=True)
    while True:
        began = time.monotonic()
        await build(source, LANGUAGES["cpp"].build, 120, tell)
        print(f"{time.monotonic() - began:.1f}", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        spec = door(Path(name), int(sys.argv[1]) if len(sys.argv) > 1 else 0)
        work(spec, "the builds", partial(main, sources(Path(name))))
