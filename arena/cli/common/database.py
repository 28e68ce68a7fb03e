"""Open a database for a command, and find a game or a tournament in it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from arena.address import DEFAULT_DATABASE, Address
from arena.cli.common import values
from arena.cli.common.parameters import Decorated, is_typed
from arena.errors import ArenaError
from protocol.words import did_you_mean

if TYPE_CHECKING:
    from arena.store import Store


@contextmanager
def open_database(address: Address) -> Iterator[Store]:
    """Open an existing database, and close it at the end of the block. StoreError: it cannot be used."""
    from arena.store import Store

    store = Store.open(address, create=False)
    try:
        yield store
    finally:
        store.close()


def database_of(address: Address) -> Address:
    """Return the database of a tournament file; any other address is a database itself.

    ConfigError: the tournament file cannot be read, or has a mistake.
    """
    if not isinstance(address, Path) or address.suffix != ".toml":
        return address
    from arena.config import locate

    return locate(address)[1]


database_argument = click.argument(
    "database",
    type=values.DATABASE,
    default=Path(DEFAULT_DATABASE),
    envvar="ARENA_DB",
    metavar="[FILE]",
    callback=lambda _ctx, _argument, address: database_of(address),
)
"""The argument ``FILE``: a database, or a tournament file, which names one."""


def tournament_argument(function: Decorated) -> Decorated:
    """Add the argument ``TOURNAMENT``: the name of a tournament, or its tournament file.

    If it is a file, the command reads the database that the file names, unless ``--db`` names another one.
    """

    @wraps(function)
    def with_database(*args: Any, tournament: str | None, database: Address, **others: Any) -> Any:  # noqa: ANN401 - any command
        named = is_typed("database")
        if tournament is not None and tournament.endswith(".toml"):
            from arena.config import locate

            tournament, file_database = locate(Path(tournament))
            database = database if named else file_database
        elif tournament is not None and not named:
            from arena.store.sqlite import is_database

            if is_database(Path(tournament)):
                hint = f"give it with --db {quote(tournament)}"
                raise ArenaError(f"{tournament}: this is a database, not the name of a tournament; {hint}")
        return function(*args, tournament=tournament, database=database, **others)

    return click.argument("tournament", required=False, type=values.TOURNAMENT)(with_database)  # type: ignore[return-value]  # click passes the same arguments


def tournament_or_all(function: Decorated) -> Decorated:
    """Add the argument ``TOURNAMENT`` and ``--all``, which the command takes as ``all_tournaments``."""

    @wraps(function)
    def with_choice(*args: Any, tournament: str | None, all_tournaments: bool, **others: Any) -> Any:  # noqa: ANN401 - any command
        if all_tournaments and tournament is not None:
            raise click.UsageError(f"--all means all tournaments; leave out {tournament!a} or --all")
        return function(*args, tournament=tournament, all_tournaments=all_tournaments, **others)

    all_option = click.option(
        "--all", "all_tournaments", is_flag=True, help="Combine all tournaments of the database."
    )
    return tournament_argument(all_option(with_choice))  # type: ignore[return-value]  # it takes the same arguments


def new_name(address: Address, wanted: str) -> str:
    """Return a name that no tournament of a database has: this one, or with a number from 2 after it."""
    from arena.errors import MissingDatabase

    try:
        with open_database(address) as store:
            taken = {tournament.name for tournament in store.tournaments()}
    except MissingDatabase:
        return wanted
    return free_name(wanted, taken)


def free_name(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken: this one, or with a number from 2 after it."""
    names = (f"{wanted}-{number}" for number in count(2))
    return next(name for name in names if name not in taken) if wanted in taken else wanted


def find_tournament(store: Store, tournament: str | None) -> str:
    """Return the name of this tournament, or of the one that came into the database last if it is ``None``.

    ArenaError: the database has no such tournament.
    """
    names = [info.name for info in store.tournaments()]
    if not names:
        raise ArenaError(f"{store.address}: there is no tournament yet; `arena run FILE` starts one")
    if tournament is None:
        return names[-1]
    if tournament not in names:
        hint = did_you_mean(tournament, names) or f"; there are {', '.join(map(ascii, names))}"
        raise ArenaError(f"{store.address}: there is no tournament {tournament!a}{hint}")
    return tournament


def check_engine(store: Store, tournament: str | None, engine: str) -> None:
    """Raise an ArenaError if no game of a tournament, or of the database, has the engine."""
    engines = store.finder.facets(tournament).engines
    if engine not in engines:
        meant = did_you_mean(engine, engines)
        raise ArenaError(f"{store.address}: no game there has the engine {engine!a}{meant}")
