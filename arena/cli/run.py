"""``arena run``: play a tournament, or go on with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common.parameters import examples, json_option
from protocol.plurals import counted

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.run.runner import RunSummary

__all__ = ["DISABLED", "command", "play"]

DISABLED = 1
"""Exit code of a run in which an engine was disabled."""


@click.command(
    "run", epilog=examples("$ arena run tournament.toml", "$ arena run tournament.toml --log logs")
)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--log",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder for transcripts, instead of the file's `log`.",
)
@json_option
def command(file: Path, log: Path | None, as_json: bool) -> None:
    """Play the tournament that FILE describes, or what is missing of it.

    Every finished game is in the database at once. Ctrl-C lets the running games end and stops; pressed
    again, it stops at once. Called again, the same command goes on where it stopped.
    """
    from dataclasses import replace

    from arena.config import load

    spec = load(file)
    play(spec if log is None else replace(spec, log=log.absolute()), as_json=as_json)


def play(spec: TournamentSpec, *, as_json: bool = False) -> None:
    """Play a tournament, show its tables, and end with the exit code of how it went."""
    import trio

    from arena.cli.common.live_view import open_view
    from arena.run.tournament import run_tournament
    from protocol.process import orphans

    orphans.adopt()
    with open_view(spec.name) as view:
        summary = trio.run(run_tournament, spec, view.begin, view.observe)
    _tables(spec, as_json=as_json)
    _epilogue(spec, summary)
    if summary.disabled:
        raise click.exceptions.Exit(DISABLED)


def _tables(spec: TournamentSpec, *, as_json: bool) -> None:
    from arena.cli.standings import show_standings

    show_standings(spec.database, spec.name, "json" if as_json else "table")


def _epilogue(spec: TournamentSpec, summary: RunSummary) -> None:
    """What happened beside the games, on standard error."""
    for name in summary.disabled:
        click.echo(f"{name} was disabled: it failed three times in a row; arena check tells why", err=True)
    if summary.disabled and spec.disabled == "lose":
        click.echo(
            "what disabled engines had left to play counts as lost; to play anew with a mended engine, give"
            " the tournament another name",
            err=True,
        )
    if summary.skipped:
        click.echo(
            f"not played, as an engine is disabled: {counted(summary.skipped, 'game')}; mend the engine and"
            " run the same command again",
            err=True,
        )
    if summary.stopped:
        click.echo(f"stopped; `arena run {spec.path}` goes on from here", err=True)
    click.echo(f"{counted(summary.played, 'game')} played, stored in {spec.database}", err=True)
