"""``arena door pages``: serve the pages of the door."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from arena.cli.common import values
from arena.cli.common.parameters import examples
from arena.cli.door.common import file_argument

__all__ = ["command", "host_option", "port_option"]

host_option = click.option(
    "--host",
    type=values.NAME,
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen. Only this machine can reach 127.0.0.1.",
)
port_option = click.option(
    "--port",
    type=values.PORT,
    default=8321,
    show_default=True,
    metavar="N",
    help="The port to listen on; 0 for any that is free.",
)


@click.command("pages", epilog=examples("$ arena door pages league.toml --port 8000"))
@file_argument
@host_option
@port_option
def command(file: Path, host: str, port: int) -> None:
    """Serve the tournament and its door until Ctrl-C. `arena door run` starts this command.

    It takes what is handed in, and starts no engine and no build.
    """
    from arena.cli.program.interrupt import run_trio
    from arena.config import load
    from arena.door.folder import DoorFolder
    from arena.door.worker import door_of
    from arena.store import Store
    from arena.web.server.door.desk import Desk
    from arena.web.server.serving import serve_databases

    spec = load(file)
    door = door_of(spec)
    store = Store.open(spec.database, create=True)
    try:
        desk = Desk(spec, door, store, DoorFolder(door.place(spec.path), door.disk))
        run_trio(partial(serve_databases, [store], host, port, _ready, None, desk))
    finally:
        store.close()


def _ready(address: str) -> None:
    click.echo(f"the door is open at {address}/door/")
