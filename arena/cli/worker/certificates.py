"""``arena worker certificates``: make certificates for the machines of a cluster."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import values
from arena.cli.common.parameters import examples
from arena.errors import ArenaError

__all__ = ["command"]


@click.command(
    "certificates", epilog=examples("$ arena worker certificates", "$ arena worker certificates ~/cluster")
)
@click.argument("folder", type=values.FolderPath(), metavar="DIR", required=False)
def command(folder: Path | None) -> None:
    """Make certificates in DIR (default: certificates), with which only your own machines talk to each other.

    Copy ca.pem and machine.pem to all machines of the cluster, and keep ca-key.pem for yourself. Whoever has
    machine.pem can run programs on all of them.
    """
    from arena.run.executors.dask.installed import check_installed

    check_installed()
    from arena.run.executors.dask.security import make_certificates

    folder = folder or Path("certificates")
    try:
        written = make_certificates(folder)
    except OSError as error:
        raise ArenaError(f"{folder}: the certificates cannot be written: {error.strerror}") from error
    for path in written:
        click.echo(str(path))
