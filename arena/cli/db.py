"""``arena db``: check a database, and save what can be read of a damaged one."""

from __future__ import annotations

import importlib

import click

from arena.cli.common.parameters import examples

__all__ = ["SUBCOMMANDS", "command"]

SUBCOMMANDS: dict[str, tuple[str, str]] = {
    "check": ("arena.cli.db_check", "Check every game of a database."),
    "rescue": ("arena.cli.db_rescue", "Save what can be read of a damaged database."),
}
"""The subcommands in the order of the help: name -> (module with its ``command``, line in the help)."""


class _Group(click.Group):
    """A group that imports a subcommand only when the user calls it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = importlib.import_module(SUBCOMMANDS[cmd_name][0]).command
        return command


@click.group(
    "db",
    cls=_Group,
    epilog=examples("$ arena db check arena.db", "$ arena db rescue arena.db -o saved.db"),
)
def command() -> None:
    """Check a database, and save what can be read of a damaged one."""
