"""``arena worker``: let this machine play games of tournaments on other machines."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import Group
from arena.cli.common import values
from arena.cli.common.output import tell
from arena.cli.common.parameters import examples
from arena.errors import ArenaError
from arena.extras import need_extra


class _WorkerGroup(Group):
    """The group, in which an address is enough to start a worker."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the word ``start`` before an address."""
        if args and args[0] not in self.commands and any("://" in word for word in args):
            args = ["start", *args]
        return super().parse_args(ctx, args)


@click.group(
    "worker",
    cls=_WorkerGroup,
    epilog=examples("$ arena worker certificates", "$ arena worker tls://hub:8786"),
)
def command() -> None:
    """Let this machine play games for tournaments that run on another machine."""


@command.command(
    "start",
    short_help="Start a worker; the word start may be left out.",
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
    type=values.FOLDER,
    default=Path("certificates"),
    show_default=True,
    metavar="DIR",
    help="The folder with the certificates of this machine, for an address with tls://.",
)
def start(address: str, name: str | None, cores: int | None, certificates: Path) -> None:
    """Play games for the Dask scheduler at ADDRESS, until Ctrl-C.

    Each game has cores for itself. When the scheduler goes away, the worker waits until it is back.
    """
    from arena.config.tournament_keys import check_address

    try:
        check_address(address)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    need_extra("dask", "games on many machines")
    from arena.workers.worker import run_worker

    run_worker(address, name, cores, certificates, tell)


@command.command(
    "certificates",
    short_help="Make certificates for the machines of a cluster.",
    epilog=examples("$ arena worker certificates", "$ arena worker certificates ~/cluster"),
)
@click.argument("folder", type=values.FOLDER, metavar="DIR", required=False)
def certificates(folder: Path | None) -> None:
    """Make certificates in DIR (default: certificates), with which only your own machines talk to each other.

    Copy ca.pem and machine.pem to all machines of the cluster, and keep ca-key.pem for yourself. Whoever has
    machine.pem can run programs on all of them.
    """
    need_extra("dask", "games on many machines")
    from arena.workers.security import make_certificates

    folder = folder or Path("certificates")
    try:
        written = make_certificates(folder)
    except OSError as error:
        raise ArenaError(f"{folder}: the certificates cannot be written: {error.strerror}") from error
    for path in written:
        click.echo(str(path))
