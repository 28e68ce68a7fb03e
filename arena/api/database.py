"""Read the results in a database."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from types import TracebackType
from typing import Self

from arena.address import read_address
from arena.config import stored_plan
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult
from arena.ratings.lists import rating_list, with_clusters
from arena.store import Store, TournamentInfo
from arena.tables.standings import Standing, Versus, standings, standings_order, versus

__all__ = ["Database", "RatedEngine", "open_database"]


@dataclass(frozen=True, slots=True)
class RatedEngine:
    """The ratings of one engine for one game id. All are None for an engine without a rated game.

    Attributes:
        name: the engine.
        mu: the mean of its skill in TrueSkill.
        sigma: the standard deviation of that skill.
        elo: its strength in the order-free fit. The mean of all engines is 0, unless an anchor is set.
        elo_error: half of the 95 % interval of ``elo``.
    """

    name: str
    mu: float | None
    sigma: float | None
    elo: float | None
    elo_error: float | None


class Database:
    """An open database, to read from. Use it in a ``with`` statement, or call `close`.

    All methods block for as long as the database takes: call them in a thread if an event loop runs. Each
    raises `StoreError` if the database cannot be read. Void games are in no table.
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def tournaments(self) -> tuple[TournamentInfo, ...]:
        """Return all tournaments, oldest first."""
        return self._store.tournaments()

    def results(self, tournament: str | None = None) -> tuple[GameResult, ...]:
        """Return the results of the games that count, in the order of the schedule.

        Args:
            tournament: only games of this tournament; None for all.

        Raises:
            ArenaError: there is no such tournament.
        """
        return tuple(
            result for result in self._store.results(tournament=self._known(tournament)) if result.counts
        )

    def game(self, number: int) -> GameRecord:
        """Return a whole game with its moves.

        Args:
            number: its number in the database, `GameResult.id`.

        Raises:
            ArenaError: there is no such game.
        """
        return self._store.game(number)

    def standings(self, tournament: str | None = None) -> dict[str, tuple[Standing, ...]]:
        """Return the standings for each game id, best first: in a gauntlet by the score, else by points.

        Args:
            tournament: only games of this tournament; None for all.

        Raises:
            ArenaError: there is no such tournament.
        """
        tallies = self._store.tally(tournament=self._known(tournament))
        plan = None if tournament is None else stored_plan(self._store.outline(tournament))
        order = standings_order("" if plan is None else plan.format)
        return {game: standings(counts, order) for game, counts in tallies.items()}

    def crosstable(self, tournament: str | None = None) -> dict[str, dict[tuple[str, str], Versus]]:
        """Return the score of each engine against each opponent, by (engine, opponent), for each game id.

        Args:
            tournament: only games of this tournament; None for all.

        Raises:
            ArenaError: there is no such tournament.
        """
        tallies = self._store.tally(tournament=self._known(tournament))
        return {game: versus(counts) for game, counts in tallies.items()}

    def ratings(self) -> dict[str, tuple[RatedEngine, ...]]:
        """Return the ratings for each game id over all tournaments, best first by mu - 3 sigma."""
        return {game: self._ratings(game) for game in self._store.tally()}

    def _ratings(self, game: str) -> tuple[RatedEngine, ...]:
        games = self._store.tally(game=game)[game]
        rated = with_clusters(self._store, rating_list(self._store, game, games))
        fitted = rated.fit()
        elo = {} if fitted is None else {strength.name: strength for strength in fitted.strengths}
        rows = []
        for standing in standings(rated.tally):
            rating, strength = rated.ratings.get(standing.name), elo.get(standing.name)
            rows.append(
                RatedEngine(
                    standing.name,
                    None if rating is None else rating.mu,
                    None if rating is None else rating.sigma,
                    None if strength is None else strength.elo,
                    None if strength is None else strength.error,
                )
            )
        return tuple(sorted(rows, key=_conservative, reverse=True))

    def _known(self, tournament: str | None) -> str | None:
        """Return the name of a tournament.

        Raises:
            ArenaError: the database has no such tournament.
        """
        names = [info.name for info in self.tournaments()]
        if tournament is not None and tournament not in names:
            there = ", ".join(map(ascii, names)) or "none yet"
            raise ArenaError(
                f"{self._store.address}: there is no tournament {tournament!a}; there are {there}"
            )
        return tournament


def _conservative(engine: RatedEngine) -> float:
    return float("-inf") if engine.mu is None or engine.sigma is None else engine.mu - 3 * engine.sigma


def open_database(address: str | PathLike[str]) -> Database:
    """Open the database of ``arena run`` or `arena.run_tournament`.

    Args:
        address: its file, or ``postgresql://USER@HOST/NAME``.

    Raises:
        StoreError: there is no such database, or arena did not make it.
        ValueError: it looks like an address on a server, but is not valid.
    """
    return Database(Store.open(read_address(address), create=False))
