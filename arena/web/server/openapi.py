"""The API: its answers, and its addresses, which make its routes and its description in OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from inspect import iscoroutinefunction
from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict, get_type_hints

import anyio
import msgspec
from msgspec import Meta
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from arena.model import NamedPly, Opening, PlayerRecord
from arena.tables.crosstable import CrosstableRow
from arena.tables.ratings import RankingRow
from arena.tables.tournament_list import TournamentRow
from arena.web.pages.tournament import State
from arena.web.server.answers import Count, WrongRequest, json, properties_of, query_of
from referee import Termination

MOST_GAMES: Final = 500
"""The most games in one answer."""

_LONGEST_CONTENT: Final = 16_384
_CONTENT_SECONDS: Final = 20

# --- what is answered


class Failure(TypedDict):
    """Why a request failed."""

    error: Annotated[str, Meta(description="One sentence.")]


class Tournament(TournamentRow):
    """A tournament: its row in `arena list --json`, and where a server shows it."""

    id: Annotated[str, Meta(description="It never changes.")]
    name: str
    game: Annotated[str | None, Meta(description="Null if it has several game ids.")]
    status: State
    url: Annotated[str, Meta(description="Its page.")]
    events: Annotated[str, Meta(description="Its stream of events.")]


class GameTables(TypedDict):
    """The tables of one game id; a format adds its own."""

    game: str
    played: Annotated[int, Meta(description="The games that count.")]
    unplayed: Annotated[int, Meta(description="The games among them that were not played.")]
    crosstable: list[CrosstableRow]
    ranking: list[RankingRow]


class Standings(TypedDict):
    """What `arena standings --json` prints."""

    tournament: str | None
    games: list[GameTables]
    all_games: NotRequired[Annotated[dict[str, Any], Meta(description="Over all ids, if there are several.")]]


class NextGame(TypedDict):
    """A game that has not started."""

    place: Annotated[int, Meta(description="In the schedule, from 1.")]
    game: str
    seats: Annotated[list[str], Meta(description="The names of the engines.")]


class RunningGame(NextGame):
    """A running game."""

    key: Annotated[str, Meta(description="What the events call it.")]
    slot: Annotated[int, Meta(description="The lowest that was free at its start, from 0.")]
    url: Annotated[str, Meta(description="Its page.")]
    time_controls: list[str]
    position: Annotated[str | None, Meta(description="Where it starts; null for the usual start.")]
    opening: list[str]
    worker: Annotated[str, Meta(description='Who plays it; "" for the machine of the run.')]
    first: Annotated[int, Meta(description="The number of plies before `plies`.")]
    plies: Annotated[list[list[Any]], Meta(description="Each: seat, move, nanoseconds, score, depth.")]
    written: Annotated[
        list[str],
        Meta(description="The same moves as people write them; empty if these are the texts."),
    ]
    ply: Annotated[int, Meta(description="The number of plies, with the opening.")]
    turn: Annotated[int, Meta(description="The seat to move, from 0.")]
    clocks_ms: Annotated[list[int | None], Meta(description="Null for a seat without a clock.")]
    seen: Annotated[float, Meta(description="When the clocks had these values, in seconds since 1970.")]
    scores: Annotated[list[str], Meta(description="The last score of each seat.")]
    chance: Annotated[int | None, Meta(description="Of the first of two seats, in percent.")]
    signs: Annotated[list[str], Meta(description="SVG elements, one for each seat.")]
    board: Annotated[str, Meta(description="SVG.")]
    caption: str


class TournamentState(TypedDict):
    """The data of the event `state`."""

    running: Annotated[bool, Meta(description="Whether a run plays the tournament.")]
    status: State
    played: int
    total: int | None
    lasted: Annotated[float, Meta(description="The seconds since the start of the run.")]
    new: Annotated[int, Meta(description="The games of this run.")]
    stopping: bool
    next: list[NextGame]
    stages: Annotated[dict[str, str], Meta(description="The stage of each game id.")]
    resting: Annotated[list[str], Meta(description="The game ids that rest.")]
    notices: list[str]
    games: list[RunningGame]


class WholeTournament(Tournament):
    """A tournament with its tables and running games."""

    standings: Standings
    running: TournamentState


class Result(TypedDict):
    """The result of a game."""

    number: Annotated[int, Meta(description="Its number, which `arena show` takes.")]
    place: Annotated[int, Meta(description="Its place in the schedule, from 1.")]
    tournament: str
    key: Annotated[str, Meta(description="Its name in the schedule.")]
    game: str
    termination: Termination
    reason: str
    detail: str
    plies: Annotated[int, Meta(description="The number of moves, without the opening.")]
    players: Annotated[list[PlayerRecord], Meta(description="In the order of the seats.")]


class ListedResult(Result):
    """The result of a game, and its page."""

    url: str


class TimedPly(NamedPly, frozen=True, kw_only=True):
    """A ply, with what the engine reported; times are nanoseconds."""

    clock: int | None


class WholeGame(TypedDict):
    """A game, as `arena show --board --json` prints it."""

    result: Result
    opening: Opening
    record: list[TimedPly]
    final_position: str
    started: Annotated[float, Meta(description="In seconds since 1970.")]
    duration: Annotated[int, Meta(description="In nanoseconds.")]
    worker: str
    positions: NotRequired[Annotated[list[str], Meta(description="Missing if the rules are not installed.")]]


class Live(TypedDict):
    """What is played now."""

    games: Annotated[int, Meta(description="How many games.")]
    url: Annotated[str, Meta(description="The page of the only running tournament, else the first page.")]


class RatedRow(RankingRow):
    """An engine of a rating list."""

    better: Annotated[float | None, Meta(description="The probability that it is better than the next one.")]


class RatingList(TypedDict):
    """A rating list, as `arena ratings --json` prints it."""

    game: str
    counted: Annotated[dict[str, Any], Meta(description="Which games count.")]
    repeated: int
    ranking: list[RatedRow]
    fit: Annotated[dict[str, Any] | None, Meta(description="Elo; null if it cannot be estimated.")]
    settings: dict[str, Any]


class StartedGame(TypedDict):
    """A game that has started."""

    id: str
    url: Annotated[str, Meta(description="Its page.")]


class Why(TypedDict):
    """Why a place cannot follow."""

    ply: int
    why: str


class Done(TypedDict):
    """Nothing: it is done, and the events have what has changed."""


# --- what is taken


class OfDatabase(msgspec.Struct, frozen=True):
    """Which database is meant."""

    db: Annotated[Count, Meta(description="The number of the database on the command line, from 1.")] = 1


class OfList(msgspec.Struct, frozen=True):
    """Which part of a list is meant."""

    limit: Annotated[
        int, Meta(ge=0, le=MOST_GAMES, description=f"The most games to return, at most {MOST_GAMES}.")
    ] = 100
    before: Annotated[Count, Meta(description="Only games with a smaller number: the next page.")] = 0


class OfStream(msgspec.Struct, frozen=True):
    """Where a stream goes on."""

    last: Annotated[str, Meta(description="As Last-Event-ID, for clients that cannot set a header.")] = ""


class OfPart(msgspec.Struct, frozen=True):
    """A place after chosen parts of a move."""

    chosen: Annotated[str, Meta(description="The joined texts of the chosen parts.")] = ""
    place: Annotated[str, Meta(description="The name of the place.")] = ""


class OfRecord(msgspec.Struct, frozen=True):
    """How a record is written."""

    format: Annotated[str, Meta(description="pgn or jsonl.")] = "pgn"


class NewMove(msgspec.Struct, frozen=True):
    """A move to play."""

    move: Annotated[str, Meta(description="Any legal text, or what `written` says, as `Nf3`; or `resign`.")]
    ply: Annotated[int, Meta(description="The moves played before it.")]


class HintWish(msgspec.Struct, frozen=True):
    """Which engine looks for a move; by default the first opponent."""

    engine: str = ""


# --- the addresses

STREAM: Final = "text/event-stream"
TEXT: Final = "text/plain"
_IN_PATH: Final = {
    "{number}": ("number", "integer", "The number of the game in its database."),
    "/api/tournaments/{id}": ("id", "string", "The id of a tournament, from /api/tournaments."),
    "/api/play/games/{id}": ("id", "string", "The id of a game, from POST /api/play/games."),
}
"""The name, the type and the meaning of a part of a path."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address, and who answers there: the types of the handler say what it takes and what it answers.

    A handler gets the request, and also the parameters if it has an argument ``query``, or the content if it
    has an argument ``content``. It returns plain values, or a response of another type than JSON. The first
    line of its docstring describes the address.
    """

    path: str
    handler: Callable[..., Any]
    method: Literal["GET", "POST"] = "GET"
    status: int = 200
    media_type: str = "application/json"

    @property
    def summary(self) -> str:
        """What the address is for."""
        return (self.handler.__doc__ or "").partition("\n")[0]

    @property
    def types(self) -> dict[str, Any]:
        """The type of each argument of the handler, and of what it returns, under ``return``."""
        return get_type_hints(self.handler)

    def route(self) -> Route:
        """Return the route; a handler that is no coroutine runs in a thread."""
        types = self.types

        async def answer(request: Request) -> Response:
            given = {}
            if "query" in types:
                given["query"] = query_of(request, types["query"])
            if "content" in types:
                given["content"] = await _content(request, types["content"])
            if iscoroutinefunction(self.handler):
                return self._encoded(request, await self.handler(request, **given))
            return await anyio.to_thread.run_sync(
                lambda: self._encoded(request, self.handler(request, **given))
            )

        return Route(self.path.replace("{number}", "{number:number}"), answer, methods=[self.method])

    def _encoded(self, request: Request, answer: object) -> Response:
        if isinstance(answer, Response):
            return answer
        if self.method == "GET":
            response = json(request, answer)
        else:
            response = Response(msgspec.json.encode(answer) + b"\n", self.status, media_type=self.media_type)
        response.headers.update(getattr(request.state, "headers", {}))
        return response


async def _content(request: Request, kind: Any) -> Any:  # noqa: ANN401 - a type, and one of its values
    """Return what a request has sent in JSON; null is as good as a missing field."""
    body = b""
    try:
        with anyio.fail_after(_CONTENT_SECONDS):
            async with aclosing(request.stream()) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if len(body) > _LONGEST_CONTENT:
                        raise HTTPException(413, f"a request has at most {_LONGEST_CONTENT} bytes")
    except (ClientDisconnect, TimeoutError):
        raise WrongRequest("the request is not complete") from None
    try:
        fields = msgspec.json.decode(body or b"{}")
        if isinstance(fields, dict):
            fields = {name: value for name, value in fields.items() if value is not None}
        return msgspec.convert(fields, kind)
    except (ValueError, RecursionError) as error:  # also of msgspec, and for wrong UTF-8
        raise WrongRequest(f"the content of the request is wrong: {error}") from None


def routes(addresses: Iterable[Address]) -> list[Route]:
    """Return the routes of addresses, and of their description."""

    async def description(_request: Request) -> dict[str, Any]:
        """This document."""
        return document(everything)

    everything = (*addresses, Address("/api/openapi.json", description))
    return [address.route() for address in everything]


@cache
def document(addresses: tuple[Address, ...]) -> dict[str, Any]:
    """Return the description of addresses in OpenAPI 3.1."""
    kinds: list[Any] = [Failure]
    for address in addresses:
        types = address.types
        kinds += [types[name] for name in ("return", "content") if name in types]
    kinds = [kind for kind in kinds if kind is not Response]
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")

    def content(kind: object) -> dict[str, Any]:
        return {"application/json": {"schema": schemas[kinds.index(kind)]}}

    refused = {
        "description": "The sentence says why.",
        "content": content(Failure),
    }
    paths: dict[str, Any] = {}
    for address in addresses:
        types = address.types
        is_json = address.media_type == "application/json"
        answer: dict[str, Any] = {
            "description": address.summary,
            "content": content(types["return"]) if is_json else {address.media_type: {}},
        }
        if is_json and address.method == "GET":
            tag = {"description": "For If-None-Match.", "schema": {"type": "string"}}
            answer["headers"] = {"ETag": tag}
        elsewhere = {"description": "Nothing has changed, or `Location` has the address."}
        answers = {str(address.status): answer, "3XX": elsewhere, "4XX": refused, "5XX": refused}
        operation = {"summary": address.summary, "parameters": _parameters(address), "responses": answers}
        if "content" in types:
            operation["requestBody"] = {"content": content(types["content"])}
        paths[address.path] = {address.method.lower(): operation}
    about = "Tournaments of game engines, running and finished. Only POST changes something."
    return {
        "openapi": "3.1.0",
        "info": {"title": "Leapfrog Arena", "version": "1", "description": about},
        "paths": paths,
        "components": {"schemas": components},
    }


def _parameters(address: Address) -> list[dict[str, Any]]:
    """Return the parts of the path, the parameters after it, and a stream's header."""
    parameters = [
        _parameter(name, "path", text, type_)
        for part, (name, type_, text) in _IN_PATH.items()
        if part in address.path
    ]
    query = address.types.get("query")
    if query is not None:
        for name, about in properties_of(query).items():
            parameters.append(_parameter(name, "query", about["description"], about["type"]))
    if address.media_type == STREAM:
        parameters.append(
            _parameter("Last-Event-ID", "header", "The last event that the client has.", "string")
        )
    return parameters


def _parameter(name: str, where: str, text: str, type_: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "required": where == "path",
        "description": text,
        "schema": {"type": type_},
    }
