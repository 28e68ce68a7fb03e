"""``arena demo``: play a tournament of the sample engines in about a minute."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from arena.cli.common import values
from arena.cli.common.parameters import examples

__all__ = ["command"]

FILE = Path("engines") / "demo.toml"


@click.command("demo", epilog=examples("$ arena demo", "$ arena demo --db first.db"))
@click.option(
    "--db",
    "database",
    type=values.FilePath(),
    default=Path("demo.db"),
    show_default=True,
    metavar="FILE",
    help="The database for the games. Each demo in it is a separate tournament.",
)
def command(database: Path) -> None:
    """Play a round-robin tournament of the sample engines on Quoridor.

    An engine whose tool (gcc, node) is missing does not play; a line of the output names it.
    """
    from dataclasses import replace

    from arena.cli.run import play
    from arena.config import load

    file = _file()
    spec = replace(load(file, skip_missing=_skip), database=database.absolute(), name=_new_name(database))
    play(spec)
    arena, python, folder = (
        _short_path(sys.argv[0]),
        _short_path(sys.executable),
        _short_path(str(file.parent)),
    )
    click.echo("\nWhat to try next:")
    for line in (
        f"{arena} show 1 --board --db {database}",
        f"{arena} play quoridor --seat human --seat '{python} {folder}/python-greedy/engine.py'",
        f"{arena} run {folder}/{file.name}",
    ):
        click.echo(f"  {line}")


def _short_path(path: str) -> str:
    """Shorten the path of a program or folder to what a user types in the current folder."""
    if shutil.which(Path(path).name) == path:
        return Path(path).name
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _file() -> Path:
    """Return the path of the demo's tournament file in a checkout of the project.

    Raises:
        ArenaError: neither the current folder nor the installed package is in a checkout.
    """
    from arena.errors import ArenaError

    for folder in (Path.cwd(), Path(__file__).parents[2]):
        if (folder / FILE).is_file():
            return folder / FILE
    raise ArenaError(
        f"the sample engines are missing: call `arena demo` in a checkout of the project that has {FILE}"
    )


def _skip(name: str, problem: str) -> None:
    click.echo(f"left out: {name}: {problem}", err=True)


def _new_name(database: Path) -> str:
    """Return a tournament name that no earlier demo in this database has."""
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
