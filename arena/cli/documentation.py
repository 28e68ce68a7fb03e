"""``arena docs`` and ``arena help``: the pages of the documentation, and the help of a command."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import click

from arena import samples
from arena.cli.common import values
from arena.cli.common.output import is_screen, show, table
from arena.cli.common.parameters import examples
from arena.errors import ArenaError
from protocol.keys import did_you_mean

_PACKAGED: Final = Path(__file__).parents[1] / "documentation"
"""Where a wheel has the pages."""

_IN_CHECKOUT: Final = Path(__file__).parents[2] / "docs"

_SECTIONS: Final = ("tutorial", "howto", "reference", "games", "explanation")

_ALSO: Final = {
    **dict.fromkeys(("fastchess", "cutechess", "cutechess-cli"), "coming-from"),
    "class": "run-a-class-tournament",
    "course": "a-course-of-forty",
    "engines": "samples",
    "tutorial": "first-engine",
}
"""Other words for pages."""

_LINK: Final = re.compile(r"\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)")


def pages() -> dict[str, Path]:
    """Return the files of the pages by name, in the order of the sections; ArenaError: there are none.

    The pages of the sample engines come last: ``samples``, and one for each folder that is here.
    """
    folder = _PACKAGED if _PACKAGED.is_dir() else _IN_CHECKOUT
    found = {
        file.stem: file for section in _SECTIONS for file in sorted(folder.joinpath(section).rglob("*.md"))
    }
    if not found:
        raise ArenaError(f"the documentation is missing: there is no {folder}; install arena again")
    engines = samples.folder()
    found["samples"] = engines / "README.md"
    return found | {file.parent.name: file for file in sorted(engines.glob("*/README.md"))}


@click.command("docs", epilog=examples("$ arena docs", "$ arena docs protocol", "$ arena docs quoridor"))
@click.argument("page", type=values.NAME, required=False)
def docs(page: str | None) -> None:
    """Print a page of the documentation; without PAGE, list them.

    The rules and the notation of a game are the page that has the id of the game. On a terminal, your pager
    shows the page; otherwise it is printed as Markdown.
    """
    found = pages()
    page = _ALSO.get(page or "", page)
    if page is None:
        listed = table("page", "about")
        for name, file in found.items():
            listed.add_row(name, _title(file))
        show(listed)
        return
    if page not in found:
        advice = did_you_mean(page, found) or "; `arena docs` lists the pages"
        raise click.UsageError(f"there is no page {page!r}{advice}")
    text = _with_commands(found[page].read_text(), found)
    if not is_screen(sys.stdout):
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as captured:
        console.print(Markdown(text))
    click.echo_via_pager(captured.get())


def _with_commands(text: str, found: Collection[str]) -> str:
    """Replace each link to a page by its words and the command that prints the page."""

    def command(link: re.Match[str]) -> str:
        path = PurePosixPath(link[2])
        name = path.parent.name if path.name == "README.md" else path.stem
        name = _ALSO.get(name, name)
        return f"{link[1]} (`arena docs {name}`)" if name in found else link[0]

    return _LINK.sub(command, text)


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
