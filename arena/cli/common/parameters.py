"""What several commands share: options, examples in the help, and how data is written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from arena import DEFAULT_DATABASE

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = [
    "ascii_option",
    "database_option",
    "dialect_option",
    "examples",
    "form_options",
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
"""Columns for tables that go to a file or a pipe: wide enough that nothing is wrapped or cut."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

database_option: Callable[[Decorated], Decorated] = click.option(
    "--db",
    "database",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path(DEFAULT_DATABASE),
    envvar="ARENA_DB",
    show_default=True,
    show_envvar=True,
    metavar="FILE",
    help="The database with the results.",
)
game_option: Callable[[Decorated], Decorated] = click.option(
    "--game", "game_id", metavar="ID", help="Only this game's."
)
json_option: Callable[[Decorated], Decorated] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON."
)
_format_option: Callable[[Decorated], Decorated] = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "md", "html"]),
    help="How tables are written; table, for people, unless told.",
)
setup_option: Callable[[Decorated], Decorated] = click.option(
    "--setup",
    metavar="SETUP",
    help="Begin with this set-up: default, random:SEED, or another that the game offers.",
)
position_option: Callable[[Decorated], Decorated] = click.option(
    "--position", metavar="STR", help="Begin with this position string."
)
dialect_option: Callable[[Decorated], Decorated] = click.option(
    "--dialect",
    type=click.Choice(["ugi", "uci"]),
    default="ugi",
    show_default=True,
    help="The words that engines are spoken to in.",
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


def show(part: RenderableType) -> None:
    """Write a table or a text to standard output.

    Coloured and fitted to it on a terminal; elsewhere plain text that is never wrapped or cut.
    """
    from rich.console import Console

    if sys.stdout.isatty():
        console = Console(highlight=False, markup=False, emoji=False)
        console.print(part)
        return
    plain_console = Console(
        width=PLAIN_WIDTH, color_system=None, force_terminal=False, highlight=False, markup=False, emoji=False
    )
    with plain_console.capture() as captured:
        plain_console.print(part)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def paragraphs(parts: Iterable[RenderableType]) -> None:
    """Write texts and tables with an empty line between any two."""
    for number, part in enumerate(parts):
        if number:
            click.echo()
        show(part)


def form_options(function: Decorated) -> Decorated:
    """``--format``, and ``--json`` as another name for one of its values; the command takes ``form``."""

    @wraps(function)
    def chosen(*args: Any, as_json: bool, form: str | None, **values: Any) -> Any:  # noqa: ANN401 - any command
        if as_json and form not in (None, "json"):
            raise click.UsageError(f"--json and --format {form} exclude each other")
        return function(*args, form="json" if as_json else form or "table", **values)

    return json_option(_format_option(chosen))  # type: ignore[return-value]  # takes one argument less


def print_tables(parts: Iterable[RenderableType], data: object, form: str) -> None:
    """Write what a command found, as ``--format`` has it: ``parts`` for people, ``data`` as JSON."""
    if form == "json":
        print_json(data)
    elif form == "table":
        paragraphs(parts)
    elif form == "html":
        from arena.web.templating import tables_page

        click.echo(tables_page(parts))
    else:
        from arena.tables.export import as_csv, as_markdown

        text = as_csv(parts) if form == "csv" else as_markdown(parts)
        if text:
            click.echo(text)


def table(*columns: str) -> Table:
    """An empty table without rules or markup; a column whose name begins with ``>`` is set to the right.

    On a narrow screen cells take several lines: a number that is cut would be another number.
    """
    from rich.table import Table

    empty = Table(box=None, pad_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        empty.add_column(column.removeprefix(">"), justify=justify, overflow="fold")
    return empty
