"""Options and functions that the commands of ``arena door`` share."""

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

__all__ = ["file_argument", "link", "names_argument", "opened_door"]

file_argument: Callable[[Decorated], Decorated] = click.argument(
    "file", type=values.FilePath(), metavar="FILE"
)
names_argument: Callable[[Decorated], Decorated] = click.argument(
    "names", nargs=-1, required=True, type=values.NAME, metavar="NAME…"
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


def link(spec: TournamentSpec, token: str) -> str:
    """Return the link of a token."""
    from arena.door.worker import door_of

    return f"{door_of(spec).url}/door/enter/{token}"
