"""The command line.

``main`` is a group that imports a subcommand only when it is called: the table below is all that
``arena --help`` needs, so that it costs little more than importing click.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from arena.cli.common.errors import exit_code

__all__ = ["COMMANDS", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("arena.cli.demo", "Play a tournament of the sample engines."),
    "new-engine": ("arena.cli.new_engine", "Make a folder with an engine to start your own from."),
    "run": ("arena.cli.run", "Play a tournament, or go on with it."),
    "play": ("arena.cli.play", "Play one game, here and now."),
    "check": ("arena.cli.check", "Check whether an engine keeps to the protocol and the rules."),
    "ratings": ("arena.cli.ratings", "Rate the engines of a database, game by game."),
    "standings": ("arena.cli.standings", "Show a tournament's crosstable and ratings."),
    "stats": ("arena.cli.stats", "Show a tournament's seats, openings, ends and use of time."),
    "report": ("arena.cli.report", "Write a tournament as web pages, with every game to replay."),
    "show": ("arena.cli.show", "Show one game: moves, clocks, result."),
    "replay-turn": ("arena.cli.replay_turn", "Put a turn of a stored game before an engine again."),
    "export": ("arena.cli.export", "Write games as text."),
    "import": ("arena.cli.import_", "Take games from text into a database."),
    "games": ("arena.cli.games", "List the games that can be played."),
    "position": ("arena.cli.position", "Draw a position and list its legal moves."),
    "openings": ("arena.cli.openings", "Draw openings for tournaments, balanced ones if wanted."),
    "perft": ("arena.cli.perft", "Count the positions a number of moves away."),
}
"""Command name: (module whose ``command`` it is, its line in the overview), in the order of the overview."""


class LazyGroup(click.Group):
    """A group that knows its commands' names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the overview's order, which is the order of use and not the alphabet's."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; None for a name that isn't one."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but suggest the nearest name for one that doesn't exist."""
        if args[0] in COMMANDS or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        import difflib

        near = difflib.get_close_matches(args[0], COMMANDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the commands are {', '.join(COMMANDS)}"
        raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401 - click's own signature
    ) -> Any:  # noqa: ANN401 - click's own signature
        """Run the command line and exit with the codes that the reference page promises."""
        if not standalone_mode or os.environ.get("_ARENA_COMPLETE"):
            return super().main(args, "arena", complete_var, standalone_mode, **extra)

        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a board is worth showing in any encoding

        def run() -> None:
            with self.make_context("arena", list(sys.argv[1:] if args is None else args), **extra) as context:
                self.invoke(context)

        sys.exit(exit_code(run))


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"leapfrog-arena {version('leapfrog-arena')}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    name="arena",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`arena COMMAND --help` says more, with examples.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def main() -> None:
    """Tournaments for engines of abstract board games."""
