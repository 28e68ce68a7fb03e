"""``arena worker``: let this machine play games of tournaments on other machines."""

from __future__ import annotations

from typing import Final

import click

from arena.cli.common.parameters import examples
from arena.cli.program.lazy_group import LazyGroup

__all__ = ["command"]

_COMMANDS: Final = {
    "start": ("arena.cli.worker.start", "Start a worker; the word start may be left out."),
    "certificates": ("arena.cli.worker.certificates", "Make certificates for the machines of a cluster."),
}


class _WorkerGroup(LazyGroup):
    """The group, in which an address is enough to start a worker."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the word ``start`` before an address."""
        if args and args[0] not in _COMMANDS and any("://" in word for word in args):
            args = ["start", *args]
        return super().parse_args(ctx, args)


@click.group(
    "worker",
    cls=_WorkerGroup,
    table=_COMMANDS,
    epilog=examples("$ arena worker certificates", "$ arena worker tls://hub:8786"),
)
def command() -> None:
    """Let this machine play games for tournaments that run on another machine."""
