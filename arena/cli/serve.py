"""``arena serve``: live pages of tournaments in a browser."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from arena.cli.common import values
from arena.cli.common.database import open_database
from arena.cli.common.parameters import examples
from arena.defaults import DEFAULT_DATABASE

__all__ = ["command"]


@click.command("serve", epilog=examples("$ arena serve", "$ arena serve league.db cup.db --open"))
@click.argument("files", nargs=-1, envvar="ARENA_DB", type=values.FilePath(), metavar="[FILE]…")
@click.option(
    "--host",
    type=values.NAME,
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen. Only this machine can reach 127.0.0.1.",
)
@click.option(
    "--port",
    type=values.PORT,
    default=8321,
    show_default=True,
    metavar="N",
    help="The port to listen on; 0 for any that is free.",
)
@click.option("--open", "open_browser", is_flag=True, help="Show the pages in your browser.")
def command(files: tuple[Path, ...], host: str, port: int, open_browser: bool) -> None:
    """Show tournaments in a browser while they are played, and afterwards.

    The pages have the tournaments of each FILE, by default of arena.db. They show the boards and clocks of
    running games, and change by themselves. The command only reads: it neither slows a run nor stops one. End
    it with Ctrl-C.
    """
    from arena.cli.program.interrupt import run_trio
    from arena.web.server.serving import LOOPBACK, serve_databases

    with ExitStack() as stack:
        stores = [stack.enter_context(open_database(path)) for path in files or (Path(DEFAULT_DATABASE),)]
        ready = partial(_ready, local=host in LOOPBACK, open_browser=open_browser)
        run_trio(partial(serve_databases, stores, host, port, ready))


def _ready(address: str, *, local: bool, open_browser: bool) -> None:
    if not local:
        click.echo(
            f"everybody who can reach {address} can see these tournaments: names, moves and what engines say"
            " of themselves; nobody can change anything",
            err=True,
        )
    click.echo(f"serving on {address}")
    if open_browser:
        click.launch(address)
