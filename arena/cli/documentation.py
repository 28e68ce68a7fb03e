"""``arena docs``, ``help`` and ``completion``: pages of the documentation, the help, scripts for shells."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Final

import click

from arena import manual
from arena.cli.common import values
from arena.cli.common.output import is_screen, show, table
from arena.cli.common.parameters import examples
from arena.manual import pages, prose, title
from protocol.keys import did_you_mean

_ALSO: Final = {
    **dict.fromkeys(("fastchess", "cutechess", "cutechess-cli"), "coming-from"),
    "class": "run-a-class-tournament",
    "course": "a-course-of-forty",
    "engines": "samples",
    "tutorial": "first-engine",
}
"""Other words for pages."""

_LINK: Final = re.compile(r"\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)")


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
            listed.add_row(name, title(file))
        show(listed)
        return
    if page not in found:
        advice = did_you_mean(page, found) or "; `arena docs` lists the pages"
        raise click.UsageError(f"there is no page {page!r}{advice}")
    text = _with_commands(prose(found[page]), found)
    if not is_screen(sys.stdout):
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as captured:
        console.print(Markdown(text))
    click.echo_via_pager(captured.get())


def _with_commands(text: str, pages: Collection[str]) -> str:
    """Replace each link to a page by its words and the command that prints the page."""

    def command(link: re.Match[str]) -> str:
        path = PurePosixPath(link[2])
        name = _ALSO.get(manual.name(path), manual.name(path))
        return f"{link[1]} (`arena docs {name}`)" if name in pages else link[0]

    return _LINK.sub(command, text)


@click.command("help", epilog=examples("$ arena help", "$ arena help run", "$ arena help db check"))
@click.argument("words", type=values.NAME, nargs=-1, metavar="[COMMAND]")
@click.pass_context
def help_(context: click.Context, words: Sequence[str]) -> None:
    """Explain a command, as `arena COMMAND --help` does; without COMMAND, list them."""
    named = context.find_root()
    for word in words:
        if not isinstance(named.command, click.Group):
            raise click.UsageError(f"{named.command_path!r} has no commands below it")
        name, command, _ = named.command.resolve_command(named, [word])
        if command is None:
            raise click.UsageError(f"there is no command {word!r}")
        named = click.Context(command, parent=named, info_name=name, **command.context_settings)
    click.echo(named.get_help())


_FILES = {
    "bash": "~/.local/share/bash-completion/completions/arena",
    "zsh": "~/.zfunc/_arena",
    "fish": "~/.config/fish/completions/arena.fish",
}
"""The file in which each shell looks for the script."""

_ZSH = """
# Also put these lines into ~/.zshrc, if they are not there yet:
#     fpath=(~/.zfunc $fpath)
#     autoload -Uz compinit && compinit"""
"""The folder must come first, because zsh brings a script for an old web browser that was called arena."""


@click.command(
    "completion",
    epilog=examples(*(f"$ arena completion {shell}" for shell in _FILES)),
)
@click.argument("shell", type=click.Choice(tuple(_FILES)), metavar="SHELL")
def completion(shell: str) -> None:
    """Print the script that completes commands and options in SHELL: bash, zsh or fish.

    Write it to the file that the last lines of the script name, and start a new shell.
    """
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    assert complete is not None
    root = click.get_current_context().find_root()
    script = complete(root.command, {}, "arena", "_ARENA_COMPLETE")
    text = (script.source_template % script.source_vars()).strip()
    click.echo(text.replace("COMPREPLY+=($value)", 'COMPREPLY+=("$(printf %q "$value")")'))  # `my cup`
    file = _FILES[shell]
    click.echo(
        f"\n# To install this script, type these two commands, and start a new {shell}:\n"
        f"#     mkdir -p {file.rpartition('/')[0]}\n"
        f"#     arena completion {shell} > {file}" + (_ZSH if shell == "zsh" else "")
    )
