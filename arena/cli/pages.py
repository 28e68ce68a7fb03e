"""``arena serve`` and ``arena report``: the web pages of tournaments, live or written into a folder."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.address import DEFAULT_DATABASE, Address
from arena.cli.common import values
from arena.cli.common.database import database_of, find_tournament, open_database, tournament_or_all
from arena.cli.common.engines import warn_of_engine, warn_of_root
from arena.cli.common.output import confirm, progress_line, tell
from arena.cli.common.parameters import (
    database_option,
    examples,
    force_option,
    game_option,
    host_option,
    is_typed,
    port_option,
)
from protocol.words import counted

if TYPE_CHECKING:
    from arena.web.server.app import PlaySettings


@click.command(
    "serve",
    epilog=examples(
        "$ arena serve",
        "$ arena serve --db league.db --db cup.db --open",
        "$ arena serve --engines league.toml",
    ),
)
@click.argument("files", nargs=-1, type=values.DATABASE, metavar="[FILE]…")
@click.option(
    "--db",
    "databases",
    multiple=True,
    type=values.DATABASE,
    envvar="ARENA_DB",
    show_envvar=True,
    help=f"A database with tournaments; repeatable.  [default: {DEFAULT_DATABASE}]",
)
@host_option
@port_option
@click.option(
    "--url",
    type=values.ORIGIN,
    metavar="ADDRESS",
    help="The address under which others reach the server through a proxy, as https://arena.example.org.",
)
@click.option(
    "--engines",
    type=values.TOURNAMENT_FILE,
    metavar="FILE.toml",
    help="Let people play in the browser against the engines of this file instead of the sample engines.",
)
@click.option(
    "--most-games",
    type=values.PLAYED_GAMES,
    default=20,
    help="The most games that people play at the same time; 0 lets nobody play.",
)
@click.option("--open", "open_browser", is_flag=True, help="Show the pages in your browser.")
def serve(
    files: tuple[Address, ...],
    databases: tuple[Address, ...],
    host: str,
    port: int,
    url: str | None,
    engines: Path | None,
    most_games: int,
    open_browser: bool,
) -> None:
    """Show tournaments in a browser while they are played, and afterwards.

    FILE is short for --db FILE, or a tournament file, for its database. The pages have the tournaments of
    each database. They show the boards and clocks of running games, and change by themselves. The command
    neither slows a run nor stops one. End it with Ctrl-C.

    People can also play in the browser. With --engines they play against the engines of the file, with its
    options, limits and sandbox. Without it they play against the sample engines, if only this machine can
    reach the server. A game is stored only if its player asks for it, in the first database.
    """
    import trio

    from arena.web.server.app import LOOPBACK, serve_databases

    with ExitStack() as stack:
        # A user who opens a server to others names the engines that they may start.
        offered = most_games > 0 and (engines is not None or (host in LOOPBACK and url is None))
        play = _play_settings(engines, most_games) if offered else None
        default = Path(DEFAULT_DATABASE)
        named = _named(files, databases)
        others = engines is None and any(Path().glob("*.db"))  # the error names those that are there
        absent = play is not None and not (named or default.exists() or others)
        if absent and engines is None:
            tell(f"there is no {DEFAULT_DATABASE} here, so there are no tournaments to see; people can play")
        served = () if absent else named or (default,)
        stores = [stack.enter_context(open_database(path)) for path in served]
        ready = partial(_ready, local=host in LOOPBACK, play=play is not None, open_browser=open_browser)
        trio.run(partial(serve_databases, stores, host, port, ready, play, url=url or ""))


def _named(files: tuple[Address, ...], databases: tuple[Address, ...]) -> tuple[Address, ...]:
    """Return the databases that a user names; the environment variable counts only if there are none."""
    of_files = tuple(map(database_of, files))
    return (*of_files, *databases) if is_typed("databases") else of_files or databases


def _play_settings(file: Path | None, most_games: int) -> PlaySettings:
    """Return what people can play. ConfigError: the tournament file has a mistake."""
    from arena.config import load
    from arena.web.offer import Offer, sample_offer
    from arena.web.server.app import PlaySettings
    from protocol.process.lifetime import adopt_orphans

    offer = sample_offer() if file is None else Offer(load(file))
    if file is not None:
        warn_of_root(entry.spec for entry in offer.spec.engines)
    adopt_orphans()
    return PlaySettings(offer, most_games, warn_of_engine)


def _ready(address: str, *, local: bool, play: bool, open_browser: bool) -> None:
    if not local:
        change = "everybody can play against the engines" if play else "nobody can change anything"
        tell(
            f"everybody who can reach {address} can see these tournaments: names, moves and what engines say"
            f" of themselves; {change}"
        )
    click.echo(f"serving on {address}")
    if open_browser:
        click.launch(address)


@click.command(
    "report",
    epilog=examples(
        "$ arena report",
        "$ arena report spring --db league.db -o public/spring",
    ),
)
@tournament_or_all
@click.option(
    "--output",
    "-o",
    "target",
    type=values.FOLDER,
    metavar="DIR",
    help="The folder to write: a new or empty one, or an earlier report.  [default: report-TOURNAMENT]",
)
@game_option
@click.option(
    "--replay",
    "last_games",
    type=values.LARGEST_COUNT,
    help="Write pages only for the last N games of each game id.  [default: all]",
)
@force_option
@database_option
def report(
    tournament: str | None,
    all_tournaments: bool,
    target: Path | None,
    game_id: str | None,
    last_games: int | None,
    force: bool,
    database: Address,
) -> None:
    """Write TOURNAMENT, or the newest one of the database, as web pages that need no server or network.

    The report has tables and plots for each game id. Each game has a page on which you can replay it.
    With --all, the first page links to a report of each tournament.
    """
    from arena.tables.text_table import heading
    from arena.web.report import plain_name, subject_of, write_report

    with open_database(database) as store:
        name = None if all_tournaments else find_tournament(store, tournament)
        target = target or Path(f"report-{'all' if name is None else plain_name(name)}")
        earlier = subject_of(target)
        if not force and earlier not in ("", heading(name)):
            confirm(
                f"{target}: replace the report of {earlier}?",
                f"{target}: it is the report of {earlier}; choose another name, or replace it with --force",
            )
        with progress_line() as show_line, store.database.snapshot():
            index = write_report(
                store, name, target, game_id, last_games, lambda count: show_line(counted(count, "game"))
            )
    click.echo(index)
