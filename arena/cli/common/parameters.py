"""Options that several commands share, examples in their help, and functions that print their data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from arena import DEFAULT_DATABASE
from arena.cli.common import values

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = [
    "ascii_option",
    "database_option",
    "dialect_option",
    "examples",
    "format_options",
    "game_option",
    "json_option",
    "paragraphs",
    "position_option",
    "print_json",
    "print_tables",
    "setup_option",
    "show",
    "table",
]

PLAIN_WIDTH = 1000
"""The width, in columns, of tables in a file or a pipe. It is large enough that nothing is wrapped or cut."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

database_option: Callable[[Decorated], Decorated] = click.option(
    "--db",
    "database",
    type=values.FilePath(),
    default=Path(DEFAULT_DATABASE),
    envvar="ARENA_DB",
    show_default=True,
    show_envvar=True,
    metavar="FILE",
    help="The database with the results.",
)
game_option: Callable[[Decorated], Decorated] = click.option(
    "--game", "game_id", type=values.NAME, metavar="ID", help="Take only games of this id."
)
json_option: Callable[[Decorated], Decorated] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON."
)
_format_option: Callable[[Decorated], Decorated] = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "csv", "md", "html"]),
    help="The format of the tables.  [default: table]",
)
setup_option: Callable[[Decorated], Decorated] = click.option(
    "--setup",
    type=values.POSITION,
    metavar="SETUP",
    help="Start from this set-up: default, random:SEED, or a named set-up of the game.",
)
position_option: Callable[[Decorated], Decorated] = click.option(
    "--position", type=values.POSITION, metavar="STR", help="Start from this position string."
)
dialect_option: Callable[[Decorated], Decorated] = click.option(
    "--dialect",
    type=click.Choice(["ugi", "uci"]),
    default="ugi",
    show_default=True,
    help="The protocol of the engines.",
)
ascii_option: Callable[[Decorated], Decorated] = click.option(
    "--ascii", "ascii_only", is_flag=True, help="Draw boards with ASCII characters only."
)


def examples(*lines: str) -> str:
    """Return a help epilog with examples; a line that begins with ``$`` is a call."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def print_json(value: object) -> None:
    """Print ``value`` (built-in types, dataclasses, enums) as indented JSON."""
    import msgspec

    try:
        click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))
    except UnicodeEncodeError:  # a path that is not UTF-8, whose bytes JSON can only show as escapes
        click.echo(json.dumps(msgspec.to_builtins(value), indent=2))


def show(renderable: RenderableType) -> None:
    """Print a table or a text.

    On a terminal it has colours and fits the width. Elsewhere it is plain text that is never wrapped or cut.
    """
    from rich.console import Console

    if sys.stdout.isatty():
        console = Console(highlight=False, markup=False, emoji=False)
        console.print(renderable)
        return
    plain_console = Console(
        width=PLAIN_WIDTH, color_system=None, force_terminal=False, highlight=False, markup=False, emoji=False
    )
    with plain_console.capture() as captured:
        plain_console.print(renderable)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def paragraphs(renderables: Iterable[RenderableType]) -> None:
    """Print texts and tables with an empty line between them."""
    for number, renderable in enumerate(renderables):
        if number:
            click.echo()
        show(renderable)


def format_options(function: Decorated) -> Decorated:
    """Add ``--format``, and ``--json`` as a short form of ``--format json``.

    The command takes both as ``output_format``.
    """

    @wraps(function)
    def with_format(*args: Any, as_json: bool, output_format: str | None, **others: Any) -> Any:  # noqa: ANN401 - any command
        if as_json and output_format not in (None, "json"):
            raise click.UsageError(f"give either --json or --format {output_format}, not both")
        return function(*args, output_format="json" if as_json else output_format or "table", **others)

    return json_option(_format_option(with_format))  # type: ignore[return-value]  # it takes one argument less


def print_tables(renderables: Iterable[RenderableType], data: object, output_format: str) -> None:
    """Print the result of a command.

    Args:
        renderables: texts and tables, for every format but JSON.
        data: the same result, for JSON.
        output_format: a value of ``--format``.
    """
    if output_format == "json":
        print_json(data)
    elif output_format == "table":
        paragraphs(renderables)
    elif output_format == "html":
        from arena.web.templating import tables_page

        click.echo(tables_page(renderables))
    else:
        from arena.tables.export import as_csv, as_markdown

        text = as_csv(renderables) if output_format == "csv" else as_markdown(renderables)
        if text:
            click.echo(text)


def table(*columns: str) -> Table:
    """Return an empty table without lines or markup; ``>`` before a column's name aligns it to the right.

    On a narrow screen a cell is wrapped and not cut, because a number that is cut looks like another number.
    """
    from rich.table import Table

    empty = Table(box=None, pad_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        empty.add_column(column.removeprefix(">"), justify=justify, overflow="fold")
    return empty
