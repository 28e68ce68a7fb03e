"""``arena worker start``: play games for the hub of a Dask scheduler, until Ctrl-C."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import values
from arena.cli.common.parameters import examples

__all__ = ["command"]


@click.command(
    "start",
    epilog=examples(
        "$ arena worker start tls://hub:8786",
        "$ arena worker tls://hub:8786 --cores 8 --certificates ~/cluster",
    ),
)
@click.argument("address", type=values.NAME)
@click.option(
    "--name", type=values.NAME, metavar="NAME", help="The worker's name.  [default: this machine's]"
)
@click.option(
    "--cores",
    type=values.CORES,
    metavar="N",
    help="How many cores the worker offers.  [default: all that it may use]",
)
@click.option(
    "--certificates",
    type=values.FolderPath(),
    default=Path("certificates"),
    show_default=True,
    metavar="DIR",
    help="The folder with the certificates of this machine, for an address with tls://.",
)
def command(address: str, name: str | None, cores: int | None, certificates: Path) -> None:
    """Play games for the Dask scheduler at ADDRESS, until Ctrl-C.

    Each game has cores for itself. When the scheduler goes away, the worker waits until it is back.
    """
    from arena.config.executor_keys import check_address
    from arena.run.executors.dask.installed import check_installed

    try:
        check_address(address)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    check_installed()
    from arena.run.executors.dask.start_worker import run_worker

    run_worker(address, name, cores, certificates, lambda text: click.echo(text, err=True))
