"""The API: what a server knows, in JSON."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.events import LiveGame
from arena.model import GameRecord, Pairing
from arena.records.jsonl import result_data, whole_game
from arena.store import ALL_GAMES, REMOTE_GAMES, GameSearch, Store
from arena.tables.tournament_list import engine_list
from arena.tables.tournament_tables import tournament_tables
from arena.web.links import Links
from arena.web.pages.tournament import State
from arena.web.server.answers import Moved, NotFound, events, json, number_of
from arena.web.server.databases import Databases, ServedDatabase, ServedTournament
from arena.web.server.live import Broadcast
from arena.web.server.openapi import MOST_GAMES, Tournament, document
from referee.errors import RefereeError


class Api:
    """The answers of the API."""

    def __init__(self, databases: Databases, broadcast: Broadcast) -> None:
        self.databases = databases
        self._broadcast = broadcast

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/api/tournaments", self._tournaments),
            Route("/api/tournaments/{id}", self._tournament),
            Route("/api/tournaments/{id}/games", self._games),
            Route("/api/tournaments/{id}/games/{number:number}", self._game_of),
            Route("/api/tournaments/{id}/events", self._events),
            Route("/api/events", self._running_events),
            Route("/api/live", self._live),
            Route("/api/games/{number:number}", self._game),
            Route("/api/ratings", self._ratings),
            Route("/api/engines", self._engines),
            Route("/api/openapi.json", self._openapi),
        ]

    def find(self, request: Request) -> ServedTournament:
        """Return the tournament that an address names, or raise `NotFound`. Blocks."""
        id_ = request.path_params["id"]
        found = self.databases.tournament(id_)
        if found is None:
            hint = "; /api/tournaments lists them" if request.url.path.startswith("/api/") else ""
            raise NotFound(f"there is no such tournament{hint}")
        request.scope["tournament"] = found  # for the ways back of `refusal`
        if found.id != id_:
            path = request.url.path.replace(f"/tournaments/{id_}", f"/tournaments/{found.id}", 1)
            raise Moved(f"{path}?{request.url.query}" if request.url.query else path)
        return found

    def _tournaments(self, request: Request) -> Response:
        return json(
            request, [self.tournament_data(tournament) for tournament in self.databases.tournaments()]
        )

    def running_game(self, tournament: ServedTournament, number: int) -> LiveGame | None:
        """Return the running game with a place in the schedule, from 0; None if it does not run."""
        run = self._broadcast.runs.state(tournament.run_key)
        games = () if run is None else run.running()
        return next((game for game in games if game.pairing.number == number), None)

    def boards(self, tournament: ServedTournament) -> tuple[int, ...]:
        """Return the number of seats of each game that its run plays at once."""
        run = self._broadcast.runs.state(tournament.run_key)
        if run is None or run.rests:
            return ()
        running = {game.slot: len(game.pairing.seats) for game in run.running()}
        usual = max(running.values(), default=2)
        return tuple(running.get(slot, usual) for slot in range(run.slots))

    def now(self, tournament: ServedTournament) -> tuple[list[Pairing], list[Pairing]]:
        """Return the games that run now, and those that come next as far as they are known."""
        run = self._broadcast.runs.state(tournament.run_key)
        return ([], []) if run is None else ([one.pairing for one in run.running()], [*run.next])

    def state(self, tournament: ServedTournament) -> State:
        """Return whether a run plays it now, or rests, and otherwise whether no game is missing."""
        return self._broadcast.status(tournament)

    def tournament_data(self, tournament: ServedTournament) -> Tournament:
        """Return a tournament as lists of tournaments have it."""
        row = tournament.row
        return {
            "id": tournament.id,
            "name": tournament.name,
            "game": row["games"][0] if len(row["games"]) == 1 else None,
            "status": self.state(tournament),
            "url": Links(tournament.id).tournament(),
            "events": Links(tournament.id).events(),
            **row,
        }

    def _tournament(self, request: Request) -> Response:
        tournament = self.find(request)
        data = {
            **self.tournament_data(tournament),
            "standings": tables_of(tournament),
            "running": anyio.from_thread.run_sync(self._broadcast.state, tournament),
        }
        return json(request, data)

    def _games(self, request: Request) -> Response:
        tournament = self.find(request)
        before = number_of(request, "before", 0)
        most = number_of(request, "limit", 100, MOST_GAMES)
        finder = tournament.database.store.finder
        found = finder.results(GameSearch(tournament.name), most, after=before or None)
        links = Links(tournament.id)
        answer = json(request, [{**result_data(one), "url": links.game(one.id or 0)} for one in found])
        if found and len(found) == most:
            older = f"{request.url.path}?limit={most}&before={found[-1].id}"
            answer.headers["link"] = f'<{older}>; rel="next"'
        return answer

    async def _events(self, request: Request) -> Response:
        tournament = await anyio.to_thread.run_sync(self.find, request)
        return events(request, self._broadcast.log(tournament), partial(self._broadcast.state, tournament))

    async def _running_events(self, request: Request) -> Response:
        return events(request, self._broadcast.home, self._broadcast.running)

    async def _live(self, request: Request) -> Response:
        return json(request, self._broadcast.live())

    def database(self, request: Request) -> ServedDatabase:
        """Return the database that the parameter ``db`` names, by default the first, or raise `NotFound`."""
        found = self.databases.get(number_of(request, "db", 1))
        if found is None:
            raise NotFound("there is no database with this number")
        return found

    def _game_of(self, request: Request) -> Response:
        record = self.find(request).game(request.path_params["number"])
        return json(request, _whole_game(record))

    def _game(self, request: Request) -> Response:
        record = self.database(request).game(request.path_params["number"])
        return json(request, _whole_game(record))

    def _ratings(self, request: Request) -> Response:
        return json(request, self.database(request).computed("ratings", _rating_lists))

    def _engines(self, request: Request) -> Response:
        return json(request, self.database(request).computed("engines", engine_list))

    async def _openapi(self, request: Request) -> Response:
        return json(request, document())


def tables_of(tournament: ServedTournament) -> dict[str, object]:
    """Return the tables of a tournament as `arena standings --json` prints them."""
    name = tournament.name
    return tournament.database.computed(("tables", name), lambda store: tournament_tables(store, name)).data


def _whole_game(record: GameRecord) -> dict[str, Any]:
    """Return a game as `arena show --board --json` prints it. Without its rules, it has no positions."""
    try:
        return whole_game(record, boards=True)
    except (ArenaError, RefereeError):  # the rules are not installed any more
        return whole_game(record, boards=False)


def _rating_lists(store: Store) -> list[dict[str, object]]:
    from arena.tables.ratings import read_ratings

    return [
        read_ratings(store, game_id, tally, only).data(asdict(only))
        for only in (ALL_GAMES, REMOTE_GAMES)
        for game_id, tally in store.tally(only=only).items()
    ]
