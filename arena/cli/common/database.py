"""Open a database for a command, and choose a game, a tournament or the games of a table in it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.parameters import Decorated
from arena.errors import ArenaError
from arena.model import GameRecord
from protocol.words import printable

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


def load_game(address: Address, number: int) -> GameRecord:
    """Read a game with all its plies.

    StoreError: the database cannot be used. ArenaError: it has no such game.
    """
    with open_database(address) as store:
        return store.game(number)


def tournament_argument(function: Decorated) -> Decorated:
    """Add the argument ``TOURNAMENT``: the name of a tournament, or its tournament file.

    If it is a file, the command reads the database that the file names, unless ``--db`` names another one.
    """

    @wraps(function)
    def with_database(*args: Any, tournament: str | None, database: Address, **others: Any) -> Any:  # noqa: ANN401 - any command
        if tournament is not None and tournament.endswith(".toml"):
            from arena.config import locate

            tournament, file_database = locate(Path(tournament))
            source = click.get_current_context().get_parameter_source("database")
            database = database if source is click.ParameterSource.COMMANDLINE else file_database
        return function(*args, tournament=tournament, database=database, **others)

    return click.argument("tournament", required=False, type=values.TOURNAMENT)(with_database)  # type: ignore[return-value]  # click passes the same arguments


all_option: Callable[[Decorated], Decorated] = click.option(
    "--all", "all_tournaments", is_flag=True, help="Combine all tournaments of the database."
)


def reject_name_with_all(tournament: str | None, *, all_tournaments: bool) -> None:
    """Reject a tournament's name together with ``--all``."""
    if all_tournaments and tournament is not None:
        raise click.UsageError(f"--all means all tournaments; leave out {tournament!a} or --all")


def find_tournament(store: Store, tournament: str | None) -> str:
    """Return the name of this tournament, or of the one that came into the database last if it is ``None``.

    Raises:
        ArenaError: the database has no such tournament.
    """
    names = [info.name for info in store.tournaments()]
    if not names:
        raise ArenaError(f"{store.address}: there is no tournament yet; `arena run FILE` begins one")
    if tournament is None:
        return names[-1]
    if tournament not in names:
        near = difflib.get_close_matches(tournament, names, n=1)
        hint = f"did you mean {near[0]!a}?" if near else f"there are {', '.join(map(ascii, names))}"
        raise ArenaError(f"{store.address}: there is no tournament {tournament!a}; {hint}")
    return tournament


if TYPE_CHECKING:
    from arena.store import GameFilter, Store


_MOST: Final = 5
"""The most values in a message or in the line above a table."""


@dataclass(frozen=True, slots=True)
class ChosenGames:
    """The values of the options; None for an option that is not given."""

    tournament: str | None = None
    time_control: str | None = None
    since: datetime | None = None  # in local time

    def filter(self, store: Store) -> GameFilter:
        """Return the conditions of the games.

        ArenaError: there is no such tournament or time control.
        """
        from arena.store import GameFilter

        name = None if self.tournament is None else find_tournament(store, self.tournament)
        if self.time_control is not None:
            known = store.time_controls()
            if self.time_control not in known:
                raise ArenaError(
                    f"{store.address}: no game has the time control {self.time_control!a}; there are"
                    f" {_list(known)}"
                )
        return GameFilter(name, self.time_control, self._earliest())

    def _earliest(self) -> float | None:
        return None if self.since is None else self.since.timestamp()

    def words(self) -> str:
        """Return which games are counted."""
        parts = []
        if self.tournament is not None:
            parts.append(f"tournament {printable(self.tournament)}")
        if self.time_control is not None:
            parts.append(f"time control {printable(self.time_control)}")
        if self.since is not None:
            parts.append(f"begun since {self.since:%Y-%m-%d %H:%M}")
        return ", ".join(parts) or "all games of the database"

    def data(self) -> dict[str, object]:
        """Return the values for programs."""
        return {
            "tournament": self.tournament,
            "time_control": self.time_control,
            "since": self._earliest(),
        }


def game_filter_options(function: Decorated) -> Decorated:
    """Add the options. The command takes them as the arguments of `ChosenGames`."""
    options = (
        click.option(
            "--tournament", type=values.TOURNAMENT, metavar="NAME", help="Take only games of this tournament."
        ),
        click.option(
            "--time-control",
            type=values.LINE,
            metavar="TC",
            help="Take only games in which every engine has this time control.",
        ),
        click.option(
            "--since",
            type=values.Date(),
            metavar="DATE",
            help="Take only games that began on this date or later, as in 2026-11-22 or 2026-11-22T18:00.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def _list(texts: Sequence[str]) -> str:
    more = len(texts) - _MOST
    shown = "; ".join(map(printable, texts[:_MOST])) or "none"
    return f"{shown} and {more} more" if more > 0 else shown
