"""The sample engines: in a checkout the folder ``engines``, in an installed package copies of them.

An installed package may be in a folder that the user cannot write, and compilers write beside the sources. So
the engines of a package are copied into the user's cache folder, and are built and started there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import click

from arena.errors import ArenaError

__all__ = ["sample_engines"]

_PACKAGE = Path(__file__).parents[2]
_PACKAGED = _PACKAGE / "sample_engines"
"""Where a wheel has the engines."""

_IN_CHECKOUT = _PACKAGE.parent / "engines"
_BUILT = "c-alphabeta"
"""The engine of the demonstration that needs a compiler; a target of the Makefile of the engines."""


def sample_engines() -> Path:
    """Return the folder of the sample engines. Build those of the demonstration if there is a compiler.

    Raises:
        ArenaError: there are no sample engines, or the cache folder cannot be written.
    """
    if not _PACKAGED.is_dir():
        if not (_IN_CHECKOUT / "demo.toml").is_file():
            raise ArenaError(f"the sample engines are missing: there is no {_PACKAGED}; install arena again")
        _build(_IN_CHECKOUT)
        return _IN_CHECKOUT
    folder = _cache_folder() / f"engines-{_digest(_PACKAGED)}"
    try:
        if folder.is_dir():
            _build(folder)
        else:
            _copy(_PACKAGED, folder)
    except OSError as error:
        raise ArenaError(
            f"the sample engines cannot be copied to {folder}: {error.strerror or error};"
            " set XDG_CACHE_HOME to a folder that you can write"
        ) from error
    return folder


def _cache_folder() -> Path:
    """Return arena's folder in the user's cache folder."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if Path(chosen).is_absolute():  # the specification says to ignore other paths
        return Path(chosen) / "leapfrog-arena"
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home fails for a user without a home
    caches = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    return caches / "leapfrog-arena"


def _digest(folder: Path) -> str:
    """Return a short hash of all files: the engines of another version of arena get another folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    digest = sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _copy(source: Path, folder: Path) -> None:
    """Copy and build the engines. The folder appears when it is complete, also if several demos start."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="new-", dir=folder.parent) as temporary:
        new = Path(temporary) / "engines"
        shutil.copytree(source, new, ignore=shutil.ignore_patterns("__pycache__"))
        for script in new.glob("tiny/tiny.*"):
            script.chmod(0o755)  # installers drop this bit
        _build(new)
        try:
            new.rename(folder)
        except OSError:
            if not folder.is_dir():  # another demo was quicker
                raise


def _build(folder: Path) -> None:
    """Build the engine in C. The output of make goes to standard error; a failure does not end the demo."""
    make = shutil.which("make")
    if make is None:
        click.echo(f"no make: {_BUILT} is left out", err=True)  # as the Makefile reports a missing compiler
        return
    done = subprocess.run(
        [make, "-s", "--no-print-directory", "-C", str(folder), _BUILT],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    click.echo(done.stdout.decode(errors="replace"), nl=False, err=True)
