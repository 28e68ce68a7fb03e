"""The API: what a server knows, in JSON, and its description in OpenAPI for programs that make clients."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache, partial
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired, TypedDict

import anyio
import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.events import LiveGame
from arena.model import GameRecord, GameResult
from arena.records.jsonl import result_data, whole_game
from arena.store import ALL_GAMES, REMOTE_GAMES, Store
from arena.tables.tournament_list import EngineRow, TournamentRow, engine_list
from arena.tables.tournament_tables import tournament_tables
from arena.web.links import ServerLinks
from arena.web.pages.tournament import State, state_word
from arena.web.server.answers import Moved, NotFound, events, json, number_of
from arena.web.server.databases import Databases, ServedDatabase, ServedTournament
from arena.web.server.live import Broadcast
from referee.errors import RefereeError

MOST_GAMES: Final = 500
"""The most games in one answer."""

_LARGEST: Final = 2**63 - 1


class Tournament(TournamentRow):
    """A tournament: its row in `arena tournaments --json`, and where a server shows it."""

    id: str
    name: str
    game: Annotated[str | None, Meta(description="Null if it has several game ids.")]
    status: State
    url: Annotated[str, Meta(description="Its page.")]
    events: Annotated[str, Meta(description="Its stream of events.")]


class Api:
    """The answers of the API."""

    def __init__(self, databases: Databases, broadcast: Broadcast) -> None:
        self._databases = databases
        self._broadcast = broadcast

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            Route("/api/tournaments", self._tournaments),
            Route("/api/tournaments/{id}", self._tournament),
            Route("/api/tournaments/{id}/games", self._games),
            Route("/api/tournaments/{id}/games/{number:int}", self._game_of),
            Route("/api/tournaments/{id}/events", self._events),
            Route("/api/events", self._running_events),
            Route("/api/live", self._live),
            Route("/api/games/{number:int}", self._game),
            Route("/api/ratings", self._ratings),
            Route("/api/engines", self._engines),
            Route("/api/openapi.json", self._openapi),
        ]

    async def find(self, request: Request) -> ServedTournament:
        """Return the tournament that an address names, or raise `NotFound`."""
        id_ = request.path_params["id"]
        found = await anyio.to_thread.run_sync(self._databases.tournament, id_)
        if found is None:
            hint = "; /api/tournaments lists them" if request.url.path.startswith("/api/") else ""
            raise NotFound(f"there is no such tournament{hint}")
        request.scope["tournament"] = found  # for the ways back of `refusal`
        if found.id != id_:
            path = request.url.path.replace(f"/tournaments/{id_}", f"/tournaments/{found.id}", 1)
            raise Moved(f"{path}?{request.url.query}" if request.url.query else path)
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
        return next((game for game in games if game.pairing.number == number), None)

    def state(self, tournament: ServedTournament) -> State:
        """Return whether a run plays it now, or rests, and otherwise whether no game is missing."""
        run = self._broadcast.runs.state(tournament.run_key)
        if run is not None:
            return "resting" if run.rests else "running"
        return state_word(tournament.row["finished"])

    def tournament_data(self, tournament: ServedTournament) -> Tournament:
        """Return a tournament as lists of tournaments have it."""
        row = tournament.row
        return {
            "id": tournament.id,
            "name": tournament.name,
            "game": row["games"][0] if len(row["games"]) == 1 else None,
            "status": self.state(tournament),
            "url": ServerLinks(tournament.id).tournament(),
            "events": ServerLinks(tournament.id).events(),
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
        links = ServerLinks(tournament.id)
        return json(request, [{**result_data(one), "url": links.game(one.id or 0)} for one in found])

    async def _events(self, request: Request) -> Response:
        tournament = await self.find(request)
        return events(request, self._broadcast.log(tournament), partial(self._broadcast.state, tournament))

    async def _running_events(self, request: Request) -> Response:
        return events(request, self._broadcast.home, self._broadcast.running)

    async def _live(self, request: Request) -> Response:
        return json(request, self._broadcast.live())

    def database(self, request: Request) -> ServedDatabase:
        """Return the database that the parameter ``db`` names, by default the first, or raise `NotFound`."""
        found = self._databases.get(number_of(request, "db", 1, _LARGEST))
        if found is None:
            raise NotFound("there is no database with this number")
        return found

    async def _game_of(self, request: Request) -> Response:
        tournament = await self.find(request)
        number = min(request.path_params["number"], _LARGEST)
        record = await anyio.to_thread.run_sync(tournament.game, number)
        return json(request, await anyio.to_thread.run_sync(_whole_game, record))

    async def _game(self, request: Request) -> Response:
        database = self.database(request)
        number = min(request.path_params["number"], _LARGEST)
        record = await anyio.to_thread.run_sync(database.game, number)
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
        return json(request, _document())


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


# --- the description ---------------------------------------------------------------------------------------


class Failure(TypedDict):
    """Why a request failed, in one sentence."""

    error: str


class NewGame(TypedDict):
    """A game to begin."""

    game: str
    seats: Annotated[list[str | None], Meta(description="The engine of each seat; null for a person.")]
    time_control: NotRequired[str]
    clock: NotRequired[Annotated[bool, Meta(description="Whether the time control holds for people, too.")]]
    start: NotRequired[Annotated[str, Meta(description="A position string or a set-up.")]]


class NewMove(TypedDict):
    """A move to play."""

    move: str
    ply: Annotated[int, Meta(description="The moves played before it.")]


class HintWish(TypedDict):
    """Which engine looks for a move; by default the first opponent."""

    engine: NotRequired[str]


class _Parameter(NamedTuple):
    name: str
    where: Literal["path", "query", "header"]
    text: str
    type: Literal["integer", "string"] = "integer"


class _Address(NamedTuple):
    """An address with what it answers: a type, or a media type. ``wish`` is what a POST takes."""

    path: str
    summary: str
    answer: Any
    parameters: tuple[_Parameter, ...] = ()
    wish: Any = None
    status: int = 200


_OBJECT: Final = dict[str, Any]
_OBJECTS: Final = list[dict[str, Any]]
_STREAM: Final = "text/event-stream"
_ID: Final = _Parameter("id", "path", "The id of a tournament, from /api/tournaments.", "string")
_DB: Final = _Parameter("db", "query", "The number of the database on the command line, from 1.")
_LAST: Final = (
    _Parameter("Last-Event-ID", "header", "The last event that the client has.", "string"),
    _Parameter("last", "query", "The same, for clients that cannot set a header.", "string"),
)
_NUMBER: Final = _Parameter("number", "path", "The number of the game in its database.")
_LIMIT: Final = _Parameter("limit", "query", f"The most games to return, at most {MOST_GAMES}.")
_BEFORE: Final = _Parameter("before", "query", "Only games with a smaller number: the next page.")
_GAME_ID: Final = (_Parameter("id", "path", "The id of a game, from POST /api/play/games.", "string"),)
_PART: Final = (
    _Parameter("chosen", "query", "The joined texts of the chosen parts.", "string"),
    _Parameter("place", "query", "The name of the place.", "string"),
)
_FORMAT: Final = _Parameter("format", "query", "text or jsonl.", "string")
_GAME: Final = "/api/play/games/{id}"
_ADDRESSES: Final = (
    _Address("/api/tournaments", "All tournaments, the newest first.", list[Tournament]),
    _Address(
        "/api/tournaments/{id}", "Also its standings, crosstable and running games.", Tournament, (_ID,)
    ),
    _Address(
        "/api/tournaments/{id}/games",
        "Results of a tournament, the newest first.",
        list[GameResult],
        (_ID, _LIMIT, _BEFORE),
    ),
    _Address(
        "/api/tournaments/{id}/games/{number}",
        "A game with all its plies and positions.",
        _OBJECT,
        (_ID, _NUMBER),
    ),
    _Address("/api/tournaments/{id}/events", "What happens in a tournament.", _STREAM, (_ID, *_LAST)),
    _Address("/api/events", "The running tournaments, each with a game.", _STREAM, _LAST),
    _Address("/api/live", "How many games are played now.", _OBJECT),
    _Address("/api/games/{number}", "A game with all its plies and positions.", _OBJECT, (_NUMBER, _DB)),
    _Address("/api/ratings", "The rating lists of a database.", _OBJECTS, (_DB,)),
    _Address("/api/engines", "The engines of a database.", list[EngineRow], (_DB,)),
    _Address("/api/openapi.json", "This document.", _OBJECT),
    _Address("/api/play/offer", "The games and engines that people can play with.", _OBJECTS),
    _Address("/api/play/games", "Begin a game.", _OBJECT, wish=NewGame, status=201),
    _Address(_GAME, "The state of a game of people.", _OBJECT, _GAME_ID),
    _Address(f"{_GAME}/events", "The state of the game after each change.", _STREAM, _GAME_ID),
    _Address(f"{_GAME}/moves", "The parts of the legal moves.", _OBJECT, _GAME_ID),
    _Address(f"{_GAME}/why", "Why a place cannot follow.", _OBJECT, (*_GAME_ID, *_PART)),
    _Address(f"{_GAME}/record", "The record of a finished game.", "text/plain", (*_GAME_ID, _FORMAT)),
    _Address(f"{_GAME}/move", "Play a move, or resign.", _OBJECT, _GAME_ID, NewMove),
    _Address(f"{_GAME}/takeback", "Go back to before a person's last move.", _OBJECT, _GAME_ID, _OBJECT),
    _Address(f"{_GAME}/hint", "Let an engine look for a move.", _OBJECT, _GAME_ID, HintWish),
    _Address(f"{_GAME}/store", "Store the finished game, never rated.", _OBJECT, _GAME_ID, _OBJECT),
    _Address(f"{_GAME}/end", "End the game without a result.", _OBJECT, _GAME_ID, _OBJECT),
)


@cache
def _document() -> dict[str, Any]:
    """Return the description of all addresses in OpenAPI 3.1."""
    types = [one for address in _ADDRESSES for one in (address.answer, address.wish or _OBJECT)]
    types = [one for one in (Failure, *types) if not isinstance(one, str)]
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    contents = [{"application/json": {"schema": schema}} for schema in schemas]

    def content(answer: object) -> dict[str, Any]:
        return {answer: {}} if isinstance(answer, str) else contents[types.index(answer)]

    failures = {
        "304": {"description": "The client has this answer already (If-None-Match)."},
        "400": {"description": "The request has a mistake.", "content": content(Failure)},
        "403": {"description": "A page of another site has sent it."},
        "404": {"description": "There is no such thing.", "content": content(Failure)},
        "409": {"description": "This is not possible now.", "content": content(Failure)},
    }
    paths: dict[str, Any] = {}
    for path, summary, answer, parameters, wish, status in _ADDRESSES:
        possible = ("400", "404", "304") if wish is None else ("400", "404", "403", "409")
        found = {str(status): {"description": summary, "content": content(answer)}}
        paths[path] = {
            "get" if wish is None else "post": {
                "summary": summary,
                "parameters": [
                    {
                        "name": one.name,
                        "in": one.where,
                        "required": one.where == "path",
                        "description": one.text,
                        "schema": {"type": one.type},
                    }
                    for one in parameters
                ],
                **({} if wish is None else {"requestBody": {"content": content(wish)}}),
                "responses": found | {code: failures[code] for code in possible},
            }
        }
    about = "Tournaments of game engines, running and finished. Only POST changes something."
    return {
        "openapi": "3.1.0",
        "info": {"title": "Leapfrog Arena", "version": "1", "description": about},
        "paths": paths,
        "components": {"schemas": components},
    }
