"""Writes the man pages in man/ from the commands, and the tables of options for the site.

`make man` runs this: ``arena.1`` is about all commands, ``arena-run.1`` about one. The pages are a part of
the wheel. They have no date, so that they only change with the commands. There is a library, click-man, but
it leaves out the examples and the commands that a group imports late.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from inspect import cleandoc
from pathlib import Path

import click

from arena.cli import main

FOLDER = Path(__file__).parents[2] / "man"
LONG = 10_000
"""More characters than any summary has: man wraps the lines."""


def pages() -> dict[str, str]:
    """The texts of all pages, by file name."""
    return {f"{context.command_path.replace(' ', '-')}.1": page(context) for context in all_contexts()}


def all_contexts() -> Iterator[click.Context]:
    """The contexts of ``arena`` and of all commands."""
    return contexts(click.Context(main, info_name="arena", **main.context_settings))


def contexts(context: click.Context) -> Iterator[click.Context]:
    """The context of a command, and of all commands below it."""
    yield context
    for name, command in subcommands(context):
        yield from contexts(
            click.Context(command, parent=context, info_name=name, **command.context_settings)
        )


def subcommands(context: click.Context) -> list[tuple[str, click.Command]]:
    """The commands of a group; of any other command none."""
    group = context.command
    if not isinstance(group, click.Group):
        return []
    found = [(name, group.get_command(context, name)) for name in group.list_commands(context)]
    return [(name, command) for name, command in found if command is not None]


def page(context: click.Context) -> str:
    """The page of a command."""
    command = context.command
    name = context.command_path.replace(" ", "-")
    lines = [
        f'.TH "{name.upper()}" "1" "" "leapfrog-arena {version("leapfrog-arena")}" "Leapfrog Arena"',
        ".SH NAME",
        rf"{roff(name)} \- {roff(summary(command))}",
        ".SH SYNOPSIS",
        f".B {roff(context.command_path)}",
        roff(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *paragraphs(cleandoc(command.help or "")),
    ]
    if options := [
        record for option in command.get_params(context) if (record := help_record(option, context))
    ]:
        lines += [".SH OPTIONS", *definitions(options)]
    if below := [(name, summary(command)) for name, command in subcommands(context)]:
        lines += [".SH COMMANDS", *definitions(below)]
    if examples := re.findall(r"^  (\$ .*)$", command.epilog or "", re.MULTILINE):
        lines += [".SH EXAMPLES", ".nf", *map(roff, examples), ".fi"]
    lines += [".SH SEE ALSO", see_also(context)]
    return "\n".join(lines) + "\n"


def summary(command: click.Command) -> str:
    """The first sentence of a command's help, without its full stop."""
    return command.get_short_help_str(LONG).removesuffix(".")


def help_record(parameter: click.Parameter, context: click.Context) -> tuple[str, str] | None:
    """An option and its explanation, as ``--help`` shows them; None for an argument."""
    return parameter.get_help_record(context) if isinstance(parameter, click.Option) else None


def option_tables() -> dict[str, str]:
    """The usage of each command with a table of its options, in Markdown, for the site."""
    made = {}
    for context in all_contexts():
        records = [help_record(option, context) for option in context.command.params]
        rows = [f"| `{word}` | {cell(text)} |" for word, text in filter(None, records)]
        usage = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
        lines = ["```text", usage, "```", ""] + (
            ["| option | meaning |", "|---|---|", *rows, ""] if rows else []
        )
        if not isinstance(context.command, click.Group):
            made[context.command_path] = "\n".join(lines)
    return made


def cell(text: str) -> str:
    """The help of an option as a cell of a table."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[").split())


def definitions(records: list[tuple[str, str]]) -> Iterator[str]:
    """A list of words with their explanations."""
    for word, text in records:
        yield from (".TP", rf"\fB{roff(word)}\fP", roff(text))


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of running text."""
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text)):
        if number:
            yield ".PP"
        yield roff(" ".join(paragraph.replace("\b", "").split()))


def see_also(context: click.Context) -> str:
    """The pages of the commands below and above a command."""
    path = context.command_path.replace(" ", "-")
    names = [f"{path}-{name}" for name, _ in subcommands(context)]
    if context.parent is not None:
        names.insert(0, context.parent.command_path.replace(" ", "-"))
    return ", ".join(rf"\fB{roff(name)}\fP(1)" for name in names)


def roff(text: str) -> str:
    r"""Text for man: a hyphen that can be typed is ``\-``, and a line may not begin with a dot or a quote."""
    text = re.sub(r"`([^`]+)`", "\0\\1\1", text.replace("\\", "\\e").replace("-", "\\-"))
    text = text.replace("\0", "\\fB").replace("\1", "\\fP")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    made = pages()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.1"):
        old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
