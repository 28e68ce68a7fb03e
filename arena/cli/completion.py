"""``arena completion``: print the script that completes commands and options in a shell."""

from __future__ import annotations

import click

from arena.cli.common.parameters import examples

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
def command(shell: str) -> None:
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
