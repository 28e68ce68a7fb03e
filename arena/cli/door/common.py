"""What the commands of ``arena door`` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import values
from arena.cli.common.parameters import Decorated

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.store.door.register import DoorRegister

__all__ = ["file_argument", "link", "names_argument", "opened_door", "url_option"]

file_argument: Callable[[Decorated], Decorated] = click.argument(
    "file", type=values.FilePath(), metavar="FILE"
)
names_argument: Callable[[Decorated], Decorated] = click.argument(
    "names", nargs=-1, required=True, type=values.NAME, metavar="NAME…"
)
url_option: Callable[[Decorated], Decorated] = click.option(
    "--url",
    type=values.LINE,
    default="http://127.0.0.1:8321",
    envvar="ARENA_DOOR_URL",
    show_default=True,
    show_envvar=True,
    metavar="URL",
    help="The address under which participants reach the pages.",
)


@contextmanager
def opened_door(file: Path) -> Iterator[tuple[TournamentSpec, DoorRegister]]:
    """Give a tournament and what is stored of its door, until the end of the block.

    Raises:
        ArenaError: the file has a mistake or no door, or the database cannot be used.
    """
    from arena.config import load
    from arena.door.worker import door_of
    from arena.store import Store

    spec = load(file)
    door_of(spec)
    store = Store.open(spec.database, create=True)
    try:
        yield spec, store.door(spec.name)
    finally:
        store.close()


def link(url: str, token: str) -> str:
    """Return the link of a token."""
    return f"{url.rstrip('/')}/door/enter/{token}"
