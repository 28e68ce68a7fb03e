"""A wheel with compiled modules, for those who ask for it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.missing_tools import needs

ROOT = Path(__file__).parents[3]
PACKAGES = ("arena", "engines", "man", "protocol", "referee")
FILES = ("pyproject.toml", "README.md", "LICENSE")

PLAY = """
import protocol.wire.session, referee.games.quoridor.position
from arena.cli import main
for module in (protocol.wire.session, referee.games.quoridor.position):
    assert module.__file__.endswith(".so"), module.__file__
seat = "{python} " + ENGINE
main(["play", "quoridor", "--time-control", "10+0.1", "--seat", seat, "--seat", seat])
"""


@pytest.mark.slow
@needs("cc")
def test_a_wheel_with_compiled_modules_plays_a_game(tmp_path: Path) -> None:
    checkout, unpacked = tmp_path / "checkout", tmp_path / "unpacked"
    unneeded = shutil.ignore_patterns("__pycache__", "*.so", "build")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, checkout / name, ignore=unneeded)
    for name in FILES:
        shutil.copy(ROOT / name, checkout)
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path],
        cwd=checkout,
        env={**os.environ, "HATCH_BUILD_HOOK_ENABLE_MYPYC": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert not wheel.name.endswith("-any.whl")
    zipfile.ZipFile(wheel).extractall(unpacked)
    engine = unpacked / "arena/sample_engines/python-random/engine.py"
    done = subprocess.run(
        [sys.executable, "-c", PLAY.replace("ENGINE", repr(str(engine)))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"wins|a draw", done.stdout.splitlines()[-1])
