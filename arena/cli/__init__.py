"""The ``arena`` command and the list of its subcommands.

`SECTIONS` says which module has a command.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.program import exit_code, prepare_streams, take_ctrl_c

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SECTIONS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Play": {
        "demo": ("arena.cli.demo", "Play a tournament of the sample engines."),
        "init": ("arena.cli.init:init", "Write a tournament file."),
        "match": ("arena.cli.match:match", "Play a match of two engines without a file, also with SPRT."),
        "place": (
            "arena.cli.place:place",
            "Find the Elo of an engine among known opponents.",
        ),
        "tune": ("arena.cli.tune:tune", "Tune the options of an engine by games against itself."),
        "run": ("arena.cli.run", "Play a tournament, or continue it."),
        "play": ("arena.cli.play", "Play one game, also against an engine yourself."),
        "mcp": ("arena.cli.mcp", "Let an agent play rated games from its own program."),
    },
    "Look": {
        "standings": ("arena.cli.tables:standings", "Show a tournament's crosstable and ratings."),
        "ratings": (
            "arena.cli.tables:ratings",
            "Rate the engines of a database, a table for each game.",
        ),
        "stats": ("arena.cli.tables:stats", "Show statistics of seats, openings, endings and time."),
        "list": ("arena.cli.tables:list_", "List the tournaments of a database, or the games of one."),
        "show": ("arena.cli.stored_games:show_game", "Show one game: moves, clocks, result."),
        "verify": ("arena.cli.verify", "Play a sample of stored games again, and compare them."),
    },
    "Share": {
        "serve": ("arena.cli.pages:serve", "Show tournaments live in a browser, and play there."),
        "report": ("arena.cli.pages:report", "Write web pages of a tournament, with a replay of every game."),
    },
    "Course": {
        "door": ("arena.door.commands", "Run a submission server (the door); invite and pause people."),
        "submit": ("arena.door.commands:submit", "Hand in an engine at the door of a tournament."),
        "connect": ("arena.door.commands:connect", "Let a bot play at a door from this machine."),
    },
    "Cluster": {
        "worker": ("arena.cli.worker", "Let this machine play games of tournaments on other machines."),
    },
    "Keep": {
        "export": ("arena.cli.records:export", "Write games as PGN or JSON lines."),
        "import": ("arena.cli.records:import_", "Add games from PGN or JSON lines to a database."),
        "void": (
            "arena.cli.stored_games:void",
            "Take games out of a tournament, so that they are played again.",
        ),
        "db": ("arena.cli.db", "Check or copy a database, also a damaged one."),
    },
    "Make": {
        "new-engine": ("arena.cli.new_engine", "Write a small working engine into a folder."),
        "check": ("arena.cli.check", "Check whether an engine follows the protocol and the rules."),
        "games": ("arena.cli.rules:games", "List the games that can be played."),
        "position": (
            "arena.cli.rules:position",
            "Draw a position, list its legal moves, or count them (perft).",
        ),
        "openings": ("arena.cli.openings", "Choose random openings, or check a file of openings."),
    },
    "Learn": {
        "docs": ("arena.cli.documentation:docs", "Print a page of the documentation, or find a word in it."),
    },
}
"""The subcommands by the section of the help, in its order: name -> (module, line in the help).

The click command is ``command`` of the module, or has the name after the colon.
"""

COMMANDS: Final = {name: entry for section in SECTIONS.values() for name, entry in section.items()}

_MEANT: Final = {
    "history": "list",
    "hand-in": "submit",
    "upload": "submit",
    "results": "list",
    "tournaments": "list",
    "new": "init",
    "status": "standings",
    "duel": "match",
    "tournament": "init",
    "watch": "serve",
}
"""Words that people type for a command."""


_OBJECTS_BEFORE_COLLECTION: Final = 200_000
"""After this many new objects Python looks for garbage, not after 700: a start makes half as many."""


class Group(click.Group):
    """A group that shows its commands in the order in which it got them, and suggests the nearest name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands that are not only for arena itself."""
        return [name for name, command in self.commands.items() if not command.hidden]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command as click does. If it does not exist, suggest the nearest name."""
        if args[0].startswith("-") or self.get_command(ctx, args[0]) is not None:
            return super().resolve_command(ctx, args)
        from protocol.words import did_you_mean

        names = self.list_commands(ctx)
        meant = _MEANT.get(args[0])
        near = f"; did you mean {meant}?" if meant in names else did_you_mean(args[0], names)
        hint = near or f"; the commands are {', '.join(names)}"
        raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx)


class _Arena(Group):
    """The whole command line. It imports the module of a command only when the user calls it.

    ``arena --help`` needs only the table of names, so it takes little more time than the import of click.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; return ``None`` if there is no command of this name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute or "command")
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, also of the two commands that people know from elsewhere."""
        match args:
            case ["help", *words]:
                args = [*words, "--help"]
            case ["perft"] | ["perft", "-h" | "--help"]:
                args = ["position", "--help"]
            case ["perft", *words]:
                args = ["position", *words[:1], "--perft", *words[1:]]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table."""
        width = max(map(len, COMMANDS))  # all sections have the same columns
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), summary) for name, (_, summary) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing any."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return named + click.Command.shell_complete(self, ctx, incomplete)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401 - click's own signature
    ) -> Any:  # noqa: ANN401 - click's own signature
        """Run the command line and exit with the codes that ``docs/reference/cli.md`` lists."""
        if not standalone_mode or os.environ.get("_ARENA_COMPLETE"):
            return super().main(args, "arena", complete_var, standalone_mode, **extra)

        prepare_streams()
        gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
        atexit.register(gc.freeze)  # else Python looks for garbage when it ends: a tenth of a second

        def run() -> None:
            words = list(sys.argv[1:] if args is None else args)
            with self.make_context("arena", words, obj=tuple(words), **extra) as context:
                self.invoke(context)

        take_ctrl_c()
        sys.exit(exit_code(run))


def _print_completion(ctx: click.Context, _option: click.Parameter, shell: str | None) -> None:
    if shell and not ctx.resilient_parsing:
        from arena.cli.documentation import completion_script

        click.echo(completion_script(ctx.command, shell))
        ctx.exit()


@click.group(
    cls=_Arena,
    name="arena",
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="`arena COMMAND --help` explains a command, with examples.",
)
@click.version_option(
    package_name="leapfrog-arena",
    message="%(package)s %(version)s",
    help="Print the version and exit.",
)
@click.option(
    "--completion",
    type=click.Choice(("bash", "zsh", "fish")),
    is_eager=True,
    expose_value=False,
    callback=_print_completion,
    metavar="SHELL",
    help="Print the script that completes commands in bash, zsh or fish, and exit.",
)
def main() -> None:
    """Tournaments for engines of abstract board games."""
