"""``arena demo``: a real tournament between the sample engines, in about a minute."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from arena.cli.common.parameters import examples

__all__ = ["command"]

FILE = Path("engines") / "demo.toml"


@click.command("demo", epilog=examples("$ arena demo", "$ arena demo --db first.db"))
@click.option(
    "--db",
    "database",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.db"),
    show_default=True,
    metavar="FILE",
    help="Where the games are stored; each demo in it is a tournament of its own.",
)
def command(database: Path) -> None:
    """Play a round-robin of the sample engines on Quoridor: real processes, a real database.

    Engines whose tool chain is missing (gcc, node) are left out, with a line that says so.
    """
    from dataclasses import replace

    from arena.cli.run import play
    from arena.config import load

    file = _file()
    spec = replace(load(file, skip_missing=_skip), database=database.absolute(), name=_name(database))
    play(spec)
    arena, python, folder = _typed(sys.argv[0]), _typed(sys.executable), _typed(str(file.parent))
    click.echo("\nWhat to try next:")
    for line in (
        f"{arena} show 1 --board --db {database}",
        f"{arena} play quoridor --seat human --seat '{python} {folder}/python-greedy/engine.py'",
        f"{arena} run {folder}/{file.name}",
    ):
        click.echo(f"  {line}")


def _typed(path: str) -> str:
    """How a user here would type the path of a program or folder."""
    if shutil.which(Path(path).name) == path:
        return Path(path).name
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _file() -> Path:
    """The demonstration's own tournament file, in a checkout of the project."""
    from arena.errors import ArenaError

    for folder in (Path.cwd(), Path(__file__).parents[2]):
        if (folder / FILE).is_file():
            return folder / FILE
    raise ArenaError(f"the sample engines are not here: call `arena demo` in a checkout that has {FILE}")


def _skip(name: str, problem: str) -> None:
    click.echo(f"left out: {name}: {problem}", err=True)


def _name(database: Path) -> str:
    """A name that no earlier demo in this database has."""
    if not database.exists():
        return "demo"
    from arena.store import Store

    store = Store.open(database, create=False)
    try:
        taken = {tournament.name for tournament in store.tournaments()}
    finally:
        store.close()
    number = 2
    while f"demo-{number}" in taken:
        number += 1
    return f"demo-{number}" if "demo" in taken else "demo"
