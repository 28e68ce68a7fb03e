"""What a command writes and asks: JSON, tables, whole files, progress, questions, commands to type next."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, TextIO

import click

from arena.errors import ArenaError, explaining_unreadable
from protocol.words import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


@contextmanager
def open_output(path: Path | None) -> Iterator[BinaryIO]:
    """Open the output: standard output for None and ``-``.

    A file gets its name only after it is complete. ArenaError: it cannot be written.
    """
    if path is None or str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    special = path.exists() and not path.is_file()  # a pipe or a device
    partial = path if special else path.with_name(f"{path.name}.part")
    try:
        with partial.open("wb") as out:
            yield out
        if not special:
            partial.replace(path)
    except BaseException as error:
        if not special:
            with suppress(OSError):  # a disk that has become read-only keeps it
                partial.unlink()
        if isinstance(error, OSError):
            raise ArenaError(f"{path}: cannot be written: {error.strerror}") from error
        raise


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``. ConfigError: it cannot be read."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    with explaining_unreadable(path), path.open("rb") as file:
        yield file


def input_name(path: Path) -> str:
    """Return what messages call an input."""
    return "standard input" if str(path) == "-" else str(path)


def print_json(value: object) -> None:
    """Print ``value`` (built-in types, dataclasses, enums) as indented JSON."""
    import msgspec

    try:
        click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))
    except UnicodeEncodeError:  # a path that is not UTF-8, whose bytes JSON can only show as escapes
        click.echo(json.dumps(msgspec.to_builtins(value), indent=2))


def tell(text: str) -> None:
    """Print what is no data to standard error; it may quote an engine, a server or a file."""
    click.echo(printable(text, keep="\n"), err=True)


def is_screen(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that moves its cursor; one with ``TERM=dumb`` only gets lines."""
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def show(renderable: RenderableType) -> None:
    """Print a table or a text.

    On a screen it has colours and fits the width. Elsewhere it is plain text that is never wrapped or cut.
    """
    from rich.console import Console
    from rich.table import Table

    screen = is_screen(sys.stdout)
    console = Console(highlight=False, markup=False, emoji=False)
    if isinstance(renderable, Table) and (lines := _lines(renderable, console.width if screen else None)):
        click.secho(lines[0], bold=True, color=None if screen else False)
        click.echo("\n".join(lines[1:]), nl=len(lines) > 1)
    elif screen:
        console.print(renderable)
    else:
        from arena.tables.text_table import as_text

        for line in as_text(renderable).splitlines():
            click.echo(line.rstrip())


def _lines(table: Table, width: int | None) -> list[str]:
    """Return the lines of a table that needs no wrapping and no colours; [] if it does, on a screen.

    A game can have thousands of moves, and rich takes a millisecond for each row.
    """
    from rich.cells import cell_len

    columns = [(str(column.header), *map(str, column.cells)) for column in table.columns]
    widths = [max(map(cell_len, column)) for column in columns]
    if width is not None and (
        sum(widths) + 2 * len(widths) - 2 > width or any(row.style for row in table.rows)
    ):
        return []
    rights = [column.justify == "right" for column in table.columns]

    def padded(cell: str, room: int, right: bool) -> str:
        spaces = " " * (room - cell_len(cell))
        return spaces + cell if right else cell + spaces

    rows = zip(*columns, strict=True)
    return ["  ".join(map(padded, row, widths, rights)).rstrip() for row in rows]


def paragraphs(renderables: Iterable[RenderableType]) -> None:
    """Print texts and tables with an empty line between them."""
    for number, renderable in enumerate(renderables):
        if number:
            click.echo()
        show(renderable)


def print_tables(renderables: Iterable[RenderableType], data: object, output_format: str) -> None:
    """Print a result in a value of ``--format``: texts and tables, or the same as data for JSON."""
    if output_format == "json":
        print_json(data)
    elif output_format == "table":
        paragraphs(renderables)
    else:
        from arena.tables.text_table import as_csv, as_markdown

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


_ERASE: Final = "\033[K"
"""Erases from the cursor to the end of the line."""


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that replaces one line on standard error, which is erased at the end of the block.

    Nothing is printed if standard error is no screen.
    """
    shown = False

    def show_line(text: str) -> None:
        nonlocal shown
        if is_screen(sys.stderr):
            click.echo(f"\r{text} {_ERASE}", err=True, nl=False)
            shown = True

    try:
        yield show_line
    finally:
        if shown:
            click.echo(f"\r{_ERASE}", err=True, nl=False)


def confirm(question: str, refusal: str) -> None:
    """Ask the user on a terminal whether to continue; if not, end the command with exit code 2.

    Without a terminal, nobody can answer: the ArenaError ``refusal`` names the option that answers yes.
    """
    if not is_terminal():
        raise ArenaError(refusal)
    if not click.confirm(question, err=True):
        tell("nothing was changed")
        raise click.exceptions.Exit(2)


def may_replace(path: Path | None, *, force: bool) -> None:
    """Without ``force``, ask whether an existing file may be replaced; None and ``-`` are standard output."""
    if not force and path is not None and path.is_file():
        confirm(
            f"{path} exists. Replace it?", f"{path} exists; choose another name, or replace it with --force"
        )


def is_terminal() -> bool:
    """Return whether a person can answer a question."""
    return sys.stdin.isatty()


# --- commands to type next, quoted for the shell: above all the one that continues after an interruption


def arena_command(*words: str) -> str:
    """Return a command with these words after ``arena``, which the user can type in the current folder."""
    return shlex.join([short_path(own_name()), *words])


def same_command(*, name: str | None = None) -> str:
    """Return the command that the user has typed, for a tournament of this ``name`` if it had none."""
    words: list[str] = list(click.get_current_context().find_root().obj or ())
    if name is not None:
        end = words.index("--") if "--" in words else len(words)
        if not {"--name", f"--name={name}"}.intersection(words[:end]):
            words[end:end] = ["--name", name]
    return arena_command(*words)


def own_name() -> str:
    """Return the word that starts this arena in the user's shell: ``arena``, or the path of the program.

    ``uvx`` puts the folder of the program on ``PATH`` only for the program itself. So ``arena`` on ``PATH``
    is not enough: its environment must be activated, or the program must be outside of an environment, as a
    link of pipx is.
    """
    called = Path(sys.argv[0]).absolute()
    program = called if called.name == "arena" else Path(sys.executable).with_name("arena")
    if not program.is_file():
        return "arena"
    on_path = shutil.which("arena")
    outside = sys.prefix == sys.base_prefix or program.parent != Path(sys.prefix, "bin")
    if on_path is None or Path(on_path).absolute() != program:
        return str(program)
    return "arena" if outside or os.environ.get("VIRTUAL_ENV") == sys.prefix else str(program)


def short_path(path: str) -> str:
    """Convert a path below the current folder to a relative path; return any other text unchanged."""
    relative = os.path.relpath(path)
    return relative if Path(path).is_absolute() and not relative.startswith("..") else path
