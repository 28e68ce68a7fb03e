"""``arena hand-in``: hand in an engine at the door of a tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.common import values
from arena.cli.common.parameters import examples

__all__ = ["command"]

REFUSED = 1
"""Exit code when the engine was not admitted."""

_WAIT_SECONDS = 1.0


@click.command(
    "hand-in",
    epilog=examples(
        "$ arena hand-in --to https://arena.example.org/door/enter/TOKEN .",
        "$ arena hand-in --to https://arena.example.org/door/enter/TOKEN bot.py --no-wait",
    ),
)
@click.argument("path", type=values.ExistingPath(), metavar="PATH")
@click.option(
    "--to",
    "link",
    required=True,
    type=values.LINE,
    envvar="ARENA_DOOR",
    show_envvar=True,
    metavar="LINK",
    help="The link that the organiser has given you.",
)
@click.option("--no-wait", is_flag=True, help="Do not wait until the engine is built and checked.")
def command(path: Path, link: str, no_wait: bool) -> None:
    """Hand in PATH: a source file, an archive, or a folder.

    Then the command shows how it is built, checked and tried, and ends with exit code 0 if the engine is
    admitted, or 1 if it is not.
    """
    from arena.door.client import Door, packed_path

    door = Door.of_link(link)
    name, data = packed_path(path)
    number, version = door.hand_in(name, data)
    click.echo(f"handed in as version {version}: {door.address}/door/submissions/{number}")
    if no_wait:
        return
    if not _follow(door, number):
        raise click.exceptions.Exit(REFUSED)


def _follow(door: Any, number: int) -> bool:  # noqa: ANN401 - Door, which is imported late
    """Print what happens to a submission; return whether it is admitted."""
    import time

    from protocol.printable import printable

    shown = 0
    while True:
        found = door.look(number)
        if len(found["lines"]) < shown:
            shown = 0  # a worker was killed, and another begins again
        for line in found["lines"][shown:]:
            click.echo(printable(line["text"], keep="\n").rstrip("\n"))
        shown = len(found["lines"])
        if found["state"] == "refused":
            return False
        if found["state"] in ("plays", "replaced"):
            return True
        time.sleep(_WAIT_SECONDS)
