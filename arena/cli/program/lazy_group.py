"""A group of commands that imports the module of a command only when the user calls it.

``arena --help`` needs only a table of names, so it takes little more time than the import of click.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group that lists the names and summaries of its commands without importing them.

    Args:
        table: the commands in the order of the help: name -> (module, line in the help). The command is
            ``command`` of the module, or has the name after a colon.
    """

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], **others: Any) -> None:  # noqa: ANN401 - click's own arguments
        super().__init__(*args, **others)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table and not in alphabetical order."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; return ``None`` if there is no command of this name."""
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute or "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing any."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in self._table.items()
            if name.startswith(incomplete)
        ]
        return named + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command as click does. If it does not exist, suggest the nearest name."""
        if args[0] in self._table or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        import difflib

        near = difflib.get_close_matches(args[0], self._table, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the commands are {', '.join(self._table)}"
        raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
