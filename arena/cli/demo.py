"""``arena demo``: play a tournament of the sample engines in about a minute.

In a checkout the engines are in the folder ``engines``; an installed package has copies of them. An installed
package may be in a folder that the user cannot write, and compilers write beside the sources. So the engines
of a package are copied into the user's cache folder, and are built and started there, until the demo ends.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arena import samples
from arena.address import Address, absolute
from arena.cli.common import values
from arena.cli.common.database import new_name, open_database
from arena.cli.common.output import arena_command, tell
from arena.cli.common.parameters import examples
from arena.errors import ArenaError, MissingDatabase
from protocol.process.machine import cache_folder, scratch_folder


@click.command("demo", epilog=examples("$ arena demo", "$ arena demo --db first.db"))
@click.option(
    "--db",
    "database",
    type=values.DATABASE,
    default=Path("demo.db"),
    help="The database for the games. Each demo in it is a separate tournament.",
)
def command(database: Address) -> None:
    """Play a round-robin tournament of the sample engines on Quoridor.

    An engine whose tool (make, a C compiler, node) is missing does not play; a line of the output names it.
    If the last demo in the database was stopped, it continues.
    """
    from arena.cli.run import play
    from arena.config import load

    def left_out(name: str, problem: str) -> None:
        tell(f"left out: {name}: {problem}")

    with sample_engines() as folder:
        spec = load(folder / "demo.toml", skip_missing=left_out)
        name = _unfinished(database, spec.plan.most) or new_name(database, "demo")
        play(spec.override(database=absolute(database), name=name))
    click.echo("\nWhat to try next:")
    for line in next_commands(database, name):
        click.echo(f"  {line}")


def _unfinished(database: Address, games: int | None) -> str | None:
    """Return the name of the last demo of a database if it has fewer ``games``; None if all are played."""
    try:
        with open_database(database) as store:
            demos = [info for info in store.tournaments() if re.fullmatch(r"demo(-\d+)?", info.name)]
    except MissingDatabase:
        return None
    return demos[-1].name if demos and demos[-1].games < (games or 0) else None


def next_commands(database: Address, tournament: str) -> tuple[str, ...]:
    """Return commands that a user can type after the demonstration, in the folder where it ran."""
    file = str(database)
    return (
        arena_command("show", "1", "--board", "--db", file),
        arena_command("play", "quoridor", "--seat", "human", "--seat", "sample:greedy"),
        arena_command("serve", file, "--open"),
        arena_command("report", tournament, "--db", file),
        arena_command("new-engine", "mine", "--lang", "python", "--game", "quoridor"),
    )


_BUILT = "c-alphabeta"
"""The engine of the demonstration that needs a compiler; a target of the Makefile of the engines."""


@contextmanager
def sample_engines() -> Iterator[Path]:
    """Yield the folder of the sample engines for the block; build the demo's if there is a compiler."""
    if not samples.PACKAGED.is_dir():
        if not (samples.IN_CHECKOUT / "demo.toml").is_file():
            problem = f"the sample engines are missing: there is no {samples.PACKAGED}; install arena again"
            raise ArenaError(problem)
        _build(samples.IN_CHECKOUT)
        yield samples.IN_CHECKOUT
        return
    with scratch_folder(cache_folder()) as scratch:
        folder = scratch / "engines"
        shutil.copytree(samples.PACKAGED, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for script in folder.glob("tiny/tiny.*"):
            script.chmod(0o755)  # installers drop this bit
        _build(folder)
        yield folder


def _build(folder: Path) -> None:
    """Build the engine in C. The output of make goes to standard error; a failure does not end the demo."""
    make = shutil.which("make")
    if make is None:
        tell(f"no make: {_BUILT} is left out")  # as the Makefile reports a missing compiler
        return
    words = [make, "-s", "--no-print-directory", "-C", str(folder), _BUILT]
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=2, check=False)
