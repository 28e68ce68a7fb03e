"""``arena run``: play a tournament, or continue it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import values
from arena.cli.common.engines import warn_of_root
from arena.cli.common.parameters import examples, json_option
from protocol.plurals import counted

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.run.runner import RunSummary

__all__ = ["DISABLED", "command", "play"]

DISABLED = 1
"""Exit code of a run that disabled an engine."""


@click.command(
    "run", epilog=examples("$ arena run tournament.toml", "$ arena run tournament.toml --log logs")
)
@click.argument("file", type=values.FilePath(), metavar="FILE")
@click.option(
    "--log",
    type=values.FolderPath(),
    metavar="DIR",
    help="The folder for transcripts, instead of `log` in the file.",
)
@click.option("--verbose", is_flag=True, help="Say how the processes of engines are contained.")
@json_option
def command(file: Path, log: Path | None, verbose: bool, as_json: bool) -> None:
    """Play the tournament that FILE describes, or continue it.

    Every game is stored as soon as it ends. After Ctrl-C the command waits for the running games to end; a
    second Ctrl-C stops it at once. Run the same command again to continue the tournament.
    """
    from dataclasses import replace

    from arena.config import load

    spec = load(file)
    if verbose:
        _print_containment(spec)
    play(spec if log is None else replace(spec, log=log.absolute()), as_json=as_json)


def _print_containment(spec: TournamentSpec) -> None:
    """Print what holds the processes of the tournament's engines, to standard error."""
    from protocol.process.containment import BWRAP, containment

    boxes = {entry.spec.sandbox for entry in spec.engines}
    if boxes - {"bwrap"}:
        found = containment()
        click.echo(f"containment: {found.kind}: {found.text}", err=True)
    if "bwrap" in boxes:
        click.echo(f'containment with sandbox = "bwrap": namespace: {BWRAP}', err=True)


def play(spec: TournamentSpec, *, as_json: bool = False) -> None:
    """Play a tournament, print its tables, and report problems.

    If standard output or standard error breaks, the run goes on and writes to a log.

    Raises:
        click.exceptions.Exit: an engine was disabled; the exit code is ``DISABLED``.
    """
    from arena.cli.common.interrupt import run_trio
    from arena.cli.common.lasting_output import make_output_last
    from arena.cli.common.live_view import open_view
    from arena.run.tournament import run_tournament
    from protocol.process import orphans

    make_output_last(spec.log or spec.database.parent, spec.name)
    warn_of_root(entry.spec for entry in spec.engines)
    orphans.adopt()
    with open_view(spec.name) as view:
        summary = run_trio(run_tournament, spec, view.begin, view.observe)
    _print_tables(spec, as_json=as_json)
    _print_summary(spec, summary)
    if summary.disabled:
        raise click.exceptions.Exit(DISABLED)


def _print_tables(spec: TournamentSpec, *, as_json: bool) -> None:
    from arena.cli.standings import show_standings

    show_standings(spec.database, spec.name, "json" if as_json else "table")


def _print_summary(spec: TournamentSpec, summary: RunSummary) -> None:
    """Print disabled engines, skipped games and the number of games played to standard error."""
    for name in summary.disabled:
        click.echo(f"{name} was disabled: it failed three times in a row; `arena check` shows why", err=True)
    if summary.disabled and spec.disabled == "lose":
        click.echo(
            "the remaining games of disabled engines count as lost; to play them with a repaired engine, give"
            " the tournament another name",
            err=True,
        )
    if summary.skipped:
        click.echo(
            f"not played because an engine is disabled: {counted(summary.skipped, 'game')}; repair the engine"
            " and run the same command again",
            err=True,
        )
    if summary.stopped:
        click.echo(f"stopped; `arena run {spec.path}` continues the tournament", err=True)
    click.echo(f"{counted(summary.played, 'game')} played, stored in {spec.database}", err=True)
