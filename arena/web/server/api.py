"""The API: what a server knows, in JSON."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import cast

import anyio
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.records.jsonl import result_data, whole_game
from arena.store import ALL_GAMES, REMOTE_GAMES, GameSearch, Store
from arena.tables.tournament_list import EngineRow, engine_list
from arena.tables.tournament_tables import tournament_tables
from arena.web.links import Links
from arena.web.server.answers import NotFound, events
from arena.web.server.databases import Databases, ServedDatabase, ServedTournament
from arena.web.server.live import Broadcast
from arena.web.server.openapi import (
    STREAM,
    Address,
    ListedResult,
    Live,
    OfDatabase,
    OfList,
    OfStream,
    RatingList,
    Standings,
    Tournament,
    WholeGame,
    WholeTournament,
)
from referee.errors import RefereeError


class Api:
    """The answers of the API."""

    def __init__(self, databases: Databases, broadcast: Broadcast) -> None:
        self._databases = databases
        self._broadcast = broadcast

    def addresses(self) -> list[Address]:
        """Return the addresses."""
        tournament = "/api/tournaments/{id}"
        return [
            Address("/api/tournaments", self._tournaments),
            Address(tournament, self._tournament),
            Address(f"{tournament}/games", self._games),
            Address(f"{tournament}/games/{{number}}", self._game_of),
            Address(f"{tournament}/events", self._events, media_type=STREAM),
            Address("/api/events", self._running_events, media_type=STREAM),
            Address("/api/live", self._live),
            Address("/api/games/{number}", self._game),
            Address("/api/ratings", self._ratings),
            Address("/api/engines", self._engines),
        ]

    def _tournaments(self, _request: Request) -> list[Tournament]:
        """All tournaments, the newest first."""
        return [self.tournament_data(tournament) for tournament in self._databases.tournaments()]

    def tournament_data(self, tournament: ServedTournament) -> Tournament:
        """Return a tournament as lists of tournaments have it."""
        row = tournament.row
        return {
            "id": tournament.id,
            "name": tournament.name,
            "game": row["games"][0] if len(row["games"]) == 1 else None,
            "status": self._broadcast.status(tournament),
            "url": Links(tournament.id).tournament(),
            "events": Links(tournament.id).events(),
            **row,
        }

    def _tournament(self, request: Request) -> WholeTournament:
        """Also its standings, crosstable and running games."""
        tournament = self._databases.find(request)
        tables = tournament.database.computed(
            ("tables", tournament.name), lambda store: tournament_tables(store, tournament.name)
        )
        return {
            **self.tournament_data(tournament),
            "standings": cast("Standings", tables.data),
            "running": anyio.from_thread.run_sync(self._broadcast.state, tournament),
        }

    def _games(self, request: Request, query: OfList) -> list[ListedResult]:
        """Results of a tournament, the newest first; `Link` has the next page."""
        tournament = self._databases.find(request)
        finder = tournament.database.store.finder
        results = finder.results(GameSearch(tournament.name), query.limit, after=query.before or None)
        if results and len(results) == query.limit:
            older = f"{request.url.path}?limit={query.limit}&before={results[-1].id}"
            request.state.headers = {"link": f'<{older}>; rel="next"'}
        links = Links(tournament.id)
        listed = [{**result_data(result), "url": links.game(result.id or 0)} for result in results]
        return cast("list[ListedResult]", listed)

    async def _events(self, request: Request, query: OfStream) -> Response:
        """What happens in a tournament."""
        tournament = await anyio.to_thread.run_sync(self._databases.find, request)
        state = partial(self._broadcast.state, tournament)
        return events(request, self._broadcast.log(tournament), state, query.last)

    async def _running_events(self, request: Request, query: OfStream) -> Response:
        """The running tournaments, each with a game."""
        return events(request, self._broadcast.home, self._broadcast.running, query.last)

    async def _live(self, _request: Request) -> Live:
        """How many games are played now."""
        return self._broadcast.live()

    def _game_of(self, request: Request) -> WholeGame:
        """A game with all its plies and positions."""
        return _whole_game(self._databases.find(request).game(request.path_params["number"]))

    def _game(self, request: Request, query: OfDatabase) -> WholeGame:
        """The game with this number in a database."""
        return _whole_game(self._database(query).game(request.path_params["number"]))

    def _ratings(self, _request: Request, query: OfDatabase) -> list[RatingList]:
        """The rating lists of a database."""
        return self._database(query).computed("ratings", _rating_lists)

    def _engines(self, _request: Request, query: OfDatabase) -> list[EngineRow]:
        """The engines of a database."""
        return self._database(query).computed("engines", engine_list)

    def _database(self, query: OfDatabase) -> ServedDatabase:
        if not 1 <= query.db <= len(self._databases.all):
            raise NotFound("there is no database with this number")
        return self._databases.all[query.db - 1]


def _whole_game(record: GameRecord) -> WholeGame:
    """Return a game as `arena show --board --json` prints it. Without its rules, it has no positions."""
    try:
        data = whole_game(record, boards=True)
    except (ArenaError, RefereeError):  # the rules are not installed any more
        data = whole_game(record, boards=False)
    return cast("WholeGame", data)


def _rating_lists(store: Store) -> list[RatingList]:
    from arena.tables.ratings import read_ratings

    lists = [
        read_ratings(store, game_id, tally, only).data(asdict(only))
        for only in (ALL_GAMES, REMOTE_GAMES)
        for game_id, tally in store.tally(only=only).items()
    ]
    return cast("list[RatingList]", lists)
