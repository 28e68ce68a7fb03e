"""``arena docs`` and ``arena help``: the pages of the documentation, and the help of a command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from arena.cli.common import values
from arena.cli.common.output import is_screen, show, table
from arena.cli.common.parameters import examples
from arena.errors import ArenaError
from protocol.keys import did_you_mean

_PACKAGED: Final = Path(__file__).parents[1] / "documentation"
"""Where a wheel has the pages."""

_IN_CHECKOUT: Final = Path(__file__).parents[2] / "docs"

_SECTIONS: Final = ("tutorial", "howto", "reference", "games", "explanation")


def pages() -> dict[str, Path]:
    """Return the files of the pages by name, in the order of the sections; ArenaError: there are none."""
    folder = _PACKAGED if _PACKAGED.is_dir() else _IN_CHECKOUT
    found = {
        file.stem: file for section in _SECTIONS for file in sorted(folder.joinpath(section).rglob("*.md"))
    }
    if not found:
        raise ArenaError(f"the documentation is missing: there is no {folder}; install arena again")
    return found


@click.command("docs", epilog=examples("$ arena docs", "$ arena docs protocol", "$ arena docs quoridor"))
@click.argument("page", type=values.NAME, required=False)
def docs(page: str | None) -> None:
    """Print a page of the documentation; without PAGE, list them.

    The rules and the notation of a game are the page that has the id of the game. On a terminal, your pager
    shows the page; otherwise it is printed as Markdown.
    """
    found = pages()
    if page is None:
        listed = table("page", "about")
        for name, file in found.items():
            listed.add_row(name, _title(file))
        show(listed)
        return
    if page not in found:
        advice = did_you_mean(page, found) or "; `arena docs` lists the pages"
        raise click.UsageError(f"there is no page {page!r}{advice}")
    text = found[page].read_text()
    if not is_screen(sys.stdout):
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as captured:
        console.print(Markdown(text))
    click.echo_via_pager(captured.get())


def _title(file: Path) -> str:
    with file.open() as lines:
        return next(lines).lstrip("# ").strip()


@click.command("help", epilog=examples("$ arena help", "$ arena help run", "$ arena help db check"))
@click.argument("words", type=values.NAME, nargs=-1, metavar="[COMMAND]")
@click.pass_context
def help_(context: click.Context, words: Sequence[str]) -> None:
    """Explain a command, as `arena COMMAND --help` does; without COMMAND, list them."""
    found = context.find_root()
    for word in words:
        if not isinstance(found.command, click.Group):
            raise click.UsageError(f"{found.command_path!r} has no commands below it")
        name, command, _ = found.command.resolve_command(found, [word])
        if command is None:
            raise click.UsageError(f"there is no command {word!r}")
        found = click.Context(command, parent=found, info_name=name, **command.context_settings)
    click.echo(found.get_help())
