"""An installed wheel: what users have, without the checkout."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[3]


def built_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout into a folder, and return it."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def installed(wheel: Path, environment: Path) -> Path:
    """Install a wheel into a new virtual environment, and return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    install = [
        environment / "bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        wheel,
    ]
    subprocess.run(install, check=True, capture_output=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    # The dependencies of this environment, but not the checkout: Python reads no .pth file below this one.
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n")
    return environment / "bin"
