"""Reading a database for a command: open it, close it, find a game or a tournament in it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common.parameters import Decorated
from arena.errors import ArenaError
from arena.model import GameRecord
from protocol.printable import printable

if TYPE_CHECKING:
    from arena.store import Store

__all__ = [
    "all_option",
    "find_tournament",
    "heading",
    "load_game",
    "one_or_all",
    "opened",
    "tournament_argument",
]


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    """The database, which must exist.

    Raises:
        StoreError: it doesn't, or cannot be used.
    """
    from arena.store import Store

    store = Store.open(path, create=False)
    try:
        yield store
    finally:
        store.close()


def load_game(path: Path, number: int) -> GameRecord:
    """A whole game of the database.

    Raises:
        StoreError: the database cannot be used.
        ArenaError: it has no such game.
    """
    with opened(path) as store:
        record = store.game(number)
    if record is None:
        raise ArenaError(f"{path}: there is no game {number}")
    return record


def tournament_argument(function: Decorated) -> Decorated:
    """``TOURNAMENT``: a tournament's name; or its file, which says the database unless ``--db`` does."""

    @wraps(function)
    def chosen(*args: Any, tournament: str | None, database: Path, **values: Any) -> Any:  # noqa: ANN401 - any command
        if tournament is not None and tournament.endswith(".toml"):
            from arena.config import locate

            tournament, its = locate(Path(tournament))
            source = click.get_current_context().get_parameter_source("database")
            database = database if source is click.ParameterSource.COMMANDLINE else its
        return function(*args, tournament=tournament, database=database, **values)

    return click.argument("tournament", required=False)(chosen)  # type: ignore[return-value]  # the same to click


all_option: Callable[[Decorated], Decorated] = click.option(
    "--all", "together", is_flag=True, help="All tournaments of the database together."
)


def one_or_all(tournament: str | None, *, together: bool) -> None:
    """Refuse a tournament's name beside ``--all``."""
    if together and tournament is not None:
        raise click.UsageError(f"--all is for all tournaments; leave {tournament!a} out, or --all")


def heading(tournament: str | None) -> str:
    """What a tournament is called above its tables; None stands for all of them."""
    return "all tournaments" if tournament is None else f"tournament {printable(tournament)}"


def find_tournament(store: Store, tournament: str | None) -> str:
    """The tournament of this name, or without one the tournament that was begun last.

    Raises:
        ArenaError: there is none.
    """
    names = [info.name for info in store.tournaments()]
    if not names:
        raise ArenaError(f"{store.path}: there is no tournament yet; `arena run FILE` begins one")
    if tournament is None:
        return names[-1]
    if tournament not in names:
        near = difflib.get_close_matches(tournament, names, n=1)
        hint = f"did you mean {near[0]!a}?" if near else f"there are {', '.join(map(ascii, names))}"
        raise ArenaError(f"{store.path}: there is no tournament {tournament!a}; {hint}")
    return tournament
