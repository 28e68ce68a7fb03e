"""``arena void``: take games out of a tournament, so that they are played again."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import find_tournament, open_database, tournament_argument
from arena.cli.common.parameters import database_option, examples
from arena.errors import ArenaError
from protocol.keys import did_you_mean
from protocol.words import counted

if TYPE_CHECKING:
    from arena.model import GameResult
    from arena.store import Store


@click.command(
    "void",
    epilog=examples("$ arena void spring --worker lab3", "$ arena void spring --engine alpha --dry-run"),
)
@tournament_argument
@click.option("--worker", type=values.NAME, metavar="NAME", help="The worker that played the games.")
@click.option(
    "--engine",
    type=values.NAME,
    metavar="NAME",
    help="The disabled engine that lost the games without playing them.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing; only count the games.")
@database_option
def command(
    tournament: str | None, worker: str | None, engine: str | None, dry_run: bool, database: Address
) -> None:
    """Take games out of TOURNAMENT, or out of the newest tournament of the database.

    These are all games of a worker, or the games that a disabled engine lost without playing them. They
    become void: they count no more, and the next `arena run` plays them. Do this while the tournament is not
    running. A ladder has no games that were lost unplayed: correct the engine, or hand in a new version.
    """
    from arena.store import GameSearch

    if (worker is None) == (engine is None):
        raise click.UsageError("name either a worker with --worker NAME, or an engine with --engine NAME")
    with open_database(database) as store:
        name = find_tournament(store, tournament)
        if not dry_run:
            store.claim(name)
        if worker is not None:
            found = store.finder.results(GameSearch(name, worker=worker))
            detail = f"taken out with all games of the worker {worker}"
        else:
            found = unplayed(store, name, str(engine))
            detail = f"opened again: {engine} had been disabled"
        games = {result.id or 0: result.key for result in found if result.counts}
        if not games:
            raise ArenaError(f"{database}: {_nothing(store, name, worker, engine)}")
        if dry_run:
            click.echo(f"{counted(len(games), 'game')} of {name} would become void")
            return
        consequence = _keep_rounds(store, name, games.values())
        store.make_void(games, detail)
    them = "it" if len(games) == 1 else "them"
    click.echo(f"{counted(len(games), 'game')} of {name} now void; the next `arena run` plays {them}")
    if consequence:
        click.echo(consequence)


def unplayed(store: Store, tournament: str, engine: str) -> list[GameResult]:
    """Return the results of the games that a disabled engine lost without playing them."""
    from arena.store import GameSearch
    from referee.outcome import Termination

    word = Termination.DISABLED
    games = store.finder.results(GameSearch(tournament, engines=(engine,), reason=word.value))
    return [game for game in games if (engine, word) in ((seat.name, seat.forfeit) for seat in game.players)]


def _nothing(store: Store, tournament: str, worker: str | None, engine: str | None) -> str:
    """Return why no game can become void."""
    if engine is None:
        return (
            f"a worker {worker!a} has played no game that counts in the tournament {tournament!a};"
            " `arena stats --by worker` lists the workers"
        )
    names = {use.name for use in store.uses(tournament)}
    if engine not in names:
        return f"the tournament {tournament!a} has no engine {engine!a}{did_you_mean(engine, names)}"
    return (
        f"{engine} lost no game of the tournament {tournament!a} unplayed, so there is nothing to open again"
    )


def _keep_rounds(store: Store, tournament: str, void: Collection[str]) -> str:
    """Let the rounds that have begun stay before games become void; return a sentence about the others."""
    from arena.formats.plan import Plan

    plan = Plan.stored(store.outline(tournament))
    if plan is None:  # it came from no file
        return ""
    kept = plan.without(void, {ending.key: ending for ending in store.endings(tournament)})
    if kept.past != plan.past:
        store.begin_tournament(tournament, {}, kept.encode())
    if any(past.rounds for past in kept.past.values()):
        return "the rounds that have begun keep their pairs"
    if plan.format.decided_by == "format":
        return "the next games follow from the new results; games that they need no more stay in the tables"
    return ""
