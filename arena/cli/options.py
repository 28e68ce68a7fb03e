"""What several commands share: options, examples in the help, and how data is written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["ascii_option", "console", "database_option", "examples", "json_option", "print_json"]

DEFAULT_DATABASE = Path("arena.db")
PLAIN_WIDTH = 1000
"""Columns for tables that go to a file or a pipe: wide enough that nothing is wrapped or cut."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

database_option: Callable[[Decorated], Decorated] = click.option(
    "--db",
    "database",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_DATABASE,
    envvar="ARENA_DB",
    show_default=True,
    show_envvar=True,
    metavar="FILE",
    help="The database with the results.",
)
json_option: Callable[[Decorated], Decorated] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON."
)
ascii_option: Callable[[Decorated], Decorated] = click.option(
    "--ascii", "ascii_only", is_flag=True, help="Draw boards with ASCII characters only."
)


def examples(*lines: str) -> str:
    """An epilog that shows how the command is called; a line beginning with ``$`` is a call."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def print_json(value: object) -> None:
    """Write ``value`` (builtins, dataclasses, enums) to standard output as indented JSON."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def console() -> Console:
    """Where tables go: coloured and fitted on a terminal; elsewhere plain text that is never cropped."""
    from rich.console import Console

    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(width=PLAIN_WIDTH, color_system=None, highlight=False, force_terminal=False)
