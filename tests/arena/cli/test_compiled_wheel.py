"""A wheel with compiled modules, for those who ask for it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.missing_tools import needs

ROOT = Path(__file__).parents[3]
PACKAGES = ("arena", "engines", "man", "protocol", "referee")
FILES = ("pyproject.toml", "README.md", "LICENSE")

RELEASE = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
"""How a release builds and tests such a wheel."""


@pytest.mark.slow
@needs("cc")
def test_a_wheel_of_a_release_has_compiled_modules_and_plays_a_game(tmp_path: Path) -> None:
    checkout, unpacked = tmp_path / "checkout", tmp_path / "unpacked"
    unneeded = shutil.ignore_patterns("__pycache__", "*.so", "build")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, checkout / name, ignore=unneeded)
    for name in FILES:
        shutil.copy(ROOT / name, checkout)
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path],
        cwd=checkout,
        env={**os.environ, **RELEASE["environment"]},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert not wheel.name.endswith("-any.whl")
    zipfile.ZipFile(wheel).extractall(unpacked)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        " && ".join(RELEASE["test-command"]),
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked), "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"wins|a draw", done.stdout.splitlines()[-1])
