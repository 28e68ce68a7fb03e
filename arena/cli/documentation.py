"""``arena docs`` and ``arena --completion``: pages of the documentation, and scripts for shells."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Final

import click

from arena import manual
from arena.cli.common import values
from arena.cli.common.output import is_screen, show, table
from arena.cli.common.parameters import examples
from arena.manual import pages, prose, title
from protocol.disguise import MAX_SEED, Disguise
from protocol.words import did_you_mean
from referee.registry import game, game_ids

_ALSO: Final = {
    **dict.fromkeys(("fastchess", "cutechess", "cutechess-cli"), "coming-from"),
    "class": "run-a-class-tournament",
    "course": "a-course-of-forty",
    "config": "tournament-file",
    "engines": "samples",
    "glossary": "terms",
    "keys": "tournament-file",
    "rules": "games",
    "tutorial": "first-engine",
    "words": "terms",
}
"""Other words for pages."""

_LINK: Final = re.compile(r"\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)")


@click.command(
    "docs",
    epilog=examples("$ arena docs", "$ arena docs protocol", "$ arena docs quoridor", "$ arena docs sprt"),
)
@click.argument("page", type=values.NAME, required=False, metavar="[PAGE | WORD]")
@click.option(
    "--disguise",
    type=values.Number(0, MAX_SEED),
    metavar="SEED",
    help="Print the rules of a game as an engine with this `disguise` needs them.",
)
def docs(page: str | None, disguise: int | None) -> None:
    """Print a page of the documentation; without PAGE, list them.

    For a word that is no page, list the headings that have it, terms, and keys of the tournament file. The
    rules and the notation of a game are the page that has the id of the game. On a terminal, your pager
    shows the page; otherwise it is printed as Markdown.
    """
    files = pages()
    page = _ALSO.get(page or "", page)
    if page is None:
        listed = table("page", "about")
        for name, file in files.items():
            listed.add_row(name, title(file))
        show(listed)
        return
    if page not in files:
        if places := manual.find(page):
            click.echo("\n".join(map(str, places)))
            return
        advice = did_you_mean(page, files) or "; `arena docs` lists the pages"
        raise click.UsageError(f"no page has the word {page!r}{advice}")
    text = prose(files[page])
    text = _with_commands(text if disguise is None else _disguised(text, page, disguise), files)
    if not is_screen(sys.stdout):
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as captured:
        console.print(Markdown(text))
    click.echo_via_pager(captured.get())


def _disguised(text: str, page: str, seed: int) -> str:
    """Disguise the page of a game."""
    if page not in game_ids():
        raise click.UsageError(f"--disguise is for the page of a game, which {page} is not")
    return Disguise(seed).rules(text, page, game(page).info.title.partition(",")[0])


def _with_commands(text: str, pages: Collection[str]) -> str:
    """Replace each link to a page by its words and the command that prints the page."""

    def command(link: re.Match[str]) -> str:
        path = PurePosixPath(link[2])
        name = _ALSO.get(manual.name(path), manual.name(path))
        return f"{link[1]} (`arena docs {name}`)" if name in pages else link[0]

    return _LINK.sub(command, text)


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


def completion_script(arena: click.Command, shell: str) -> str:
    """Return the script that completes commands and options in a shell, and how to install it."""
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    assert complete is not None
    script = complete(arena, {}, "arena", "_ARENA_COMPLETE")
    text = (script.source_template % script.source_vars()).strip()
    text = text.replace("COMPREPLY+=($value)", 'COMPREPLY+=("$(printf %q "$value")")')  # `my cup`
    file = _FILES[shell]
    return (
        f"{text}\n\n# To install this script, type these two commands, and start a new {shell}:\n"
        f"#     mkdir -p {file.rpartition('/')[0]}\n"
        f"#     arena --completion {shell} > {file}" + (_ZSH if shell == "zsh" else "")
    )
