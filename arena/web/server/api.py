"""The API: what a server knows, in JSON. `docs/reference/api.md` describes it, `/api/openapi.json` too."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import anyio
import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.live.messages import LiveGame
from arena.model import GameRecord, GameResult
from arena.records.jsonl import whole_game
from arena.store import Store
from arena.tables.engine_list import engine_list
from arena.tables.ratings import rating_data
from arena.tables.tournament_tables import tournament_tables
from arena.web.server.answers import NotFound, events, json, number_of
from arena.web.server.broadcast import Broadcast
from arena.web.server.databases import Databases, ServedDatabase, ServedTournament
from arena.web.server.openapi import DOCUMENT
from referee.errors import RefereeError

__all__ = ["Api", "result_data"]

MOST_GAMES: Final = 500
"""The most games in one answer."""

_ALL: Final[dict[str, object]] = {
    "tournament": None,
    "time_control": None,
    "since": None,
    "opening_book": None,
}
"""The settings of a rating list of all games, as `arena ratings --json` prints them."""

_LARGEST: Final = 2**63 - 1


class Api:
    """The answers of the API.

    Args:
        databases: the databases.
        broadcast: the running tournaments and the event logs.
    """

    def __init__(self, databases: Databases, broadcast: Broadcast) -> None:
        self._databases = databases
        self._broadcast = broadcast

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/api/tournaments", self._tournaments),
            Route("/api/tournaments/{id}", self._tournament),
            Route("/api/tournaments/{id}/games", self._games),
            Route("/api/tournaments/{id}/events", self._events),
            Route("/api/events", self._running_events),
            Route("/api/live", self._live),
            Route("/api/games/{number:int}", self._game),
            Route("/api/ratings", self._ratings),
            Route("/api/engines", self._engines),
            Route("/api/openapi.json", self._openapi),
        ]

    async def find(self, request: Request) -> ServedTournament:
        """Return the tournament that an address names.

        Raises:
            NotFound: there is none.
        """
        id_ = request.path_params["id"]
        found = await anyio.to_thread.run_sync(self._databases.tournament, id_)
        if found is None:
            raise NotFound("there is no such tournament; /api/tournaments lists them")
        return found

    def tournaments(self) -> list[ServedTournament]:
        """Return all tournaments, the newest first. Blocks."""
        return self._databases.tournaments()

    async def _tournaments(self, request: Request) -> Response:
        found = await anyio.to_thread.run_sync(self.tournaments)
        return json(request, [self.tournament_data(tournament) for tournament in found])

    def running_game(self, tournament: ServedTournament, number: int) -> LiveGame | None:
        """Return the running game with a place in the schedule, from 0; None if it does not run."""
        run = self._broadcast.runs.state(tournament.run_key)
        games = () if run is None else run.games.values()
        return next((game for game in games if game.number == number), None)

    def state(self, tournament: ServedTournament) -> str:
        """Return ``running``, ``finished`` or ``open``."""
        if self._broadcast.runs.state(tournament.run_key) is not None:
            return "running"
        return "finished" if tournament.row["finished"] else "open"

    def tournament_data(self, tournament: ServedTournament) -> dict[str, Any]:
        """Return a tournament as lists of tournaments have it."""
        row = tournament.row
        return {
            "id": tournament.id,
            "name": tournament.name,
            "game": row["games"][0] if len(row["games"]) == 1 else None,
            "status": self.state(tournament),
            "url": f"/tournaments/{tournament.id}/",
            "events": f"/api/tournaments/{tournament.id}/events",
            **row,
        }

    async def _tournament(self, request: Request) -> Response:
        tournament = await self.find(request)
        tables = await anyio.to_thread.run_sync(tables_of, tournament)
        data = {
            **self.tournament_data(tournament),
            "standings": tables,
            "running": self._broadcast.state(tournament),
        }
        return json(request, data)

    async def _games(self, request: Request) -> Response:
        tournament = await self.find(request)
        before = number_of(request, "before", 0, _LARGEST)
        most = number_of(request, "limit", 100, MOST_GAMES)
        newest = partial(tournament.database.store.newest, tournament=tournament.name, before=before)
        found = await anyio.to_thread.run_sync(newest, most)
        return json(request, [result_data(result) for result in found])

    async def _events(self, request: Request) -> Response:
        tournament = await self.find(request)
        return events(request, self._broadcast.log(tournament), partial(self._broadcast.state, tournament))

    async def _running_events(self, request: Request) -> Response:
        return events(request, self._broadcast.home, self._broadcast.running)

    async def _live(self, request: Request) -> Response:
        return json(request, self._broadcast.live())

    def database(self, request: Request) -> ServedDatabase:
        """Return the database that the parameter ``db`` names by its number; by default the first.

        Raises:
            NotFound: there is none.
        """
        found = self._databases.get(number_of(request, "db", 1, _LARGEST))
        if found is None:
            raise NotFound("there is no database with this number")
        return found

    async def _game(self, request: Request) -> Response:
        number = request.path_params["number"]
        store = self.database(request).store
        try:
            record = await anyio.to_thread.run_sync(store.game, min(number, _LARGEST))
        except ArenaError as error:
            raise NotFound(str(error).removeprefix(f"{store.address}: ")) from None
        return json(request, await anyio.to_thread.run_sync(_whole_game, record))

    async def _ratings(self, request: Request) -> Response:
        database = self.database(request)
        lists = await anyio.to_thread.run_sync(database.computed, "ratings", _rating_lists)
        return json(request, lists)

    async def _engines(self, request: Request) -> Response:
        database = self.database(request)
        engines = await anyio.to_thread.run_sync(database.computed, "engines", engine_list)
        return json(request, engines)

    async def _openapi(self, request: Request) -> Response:
        return json(request, DOCUMENT)


def tables_of(tournament: ServedTournament) -> dict[str, object]:
    """Return the tables of a tournament as `arena standings --json` prints them."""
    name = tournament.name
    return tournament.database.computed(("tables", name), lambda store: tournament_tables(store, name)).data


def result_data(result: GameResult) -> dict[str, Any]:
    """Return a result as plain values."""
    data: dict[str, Any] = msgspec.to_builtins(result)
    return {**data, "number": result.number + 1}


def _whole_game(record: GameRecord) -> dict[str, Any]:
    """Return a game as `arena show --board --json` prints it. Without its rules, it has no positions."""
    try:
        return whole_game(record, boards=True)
    except (ArenaError, RefereeError):  # the rules are not installed any more
        return whole_game(record, boards=False)


def _rating_lists(store: Store) -> list[dict[str, object]]:
    from arena.ratings.fit_check import check_fit
    from arena.ratings.lists import rating_list, repeated_games, with_clusters
    from arena.tables.ratings import ranking_rows
    from arena.tables.standings import standings

    found = []
    for game_id, tally in store.tally().items():
        rated = with_clusters(store, rating_list(store, game_id, tally))
        best = rated.fit()
        check = None if best is None else check_fit(rated.tally, rated.model, best)
        names = [] if best is None else [strength.name for strength in best.strengths]
        rows = ranking_rows(standings(tally), rated.ratings, "trueskill", names, rated.groups())
        repeated = repeated_games(store, game_id, tally)
        found.append(rating_data(rated, rows, best, check, counted=_ALL, repeated=repeated))
    return found
