"""The description of the API in OpenAPI: every address, what it takes, and every answer that it can give."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from arena.model import NamedPly, Opening, PlayerRecord
from arena.tables.crosstable import CrosstableRow
from arena.tables.ratings import RankingRow
from arena.tables.tournament_list import EngineRow, TournamentRow
from arena.web.boards.moves import Part
from arena.web.pages.tournament import State
from referee import Termination

MOST_GAMES: Final = 500
"""The most games in one answer."""

# --- what is answered


class Failure(TypedDict):
    """Why a request failed."""

    error: Annotated[str, Meta(description="One sentence.")]


class Tournament(TournamentRow):
    """A tournament: its row in `arena tournaments --json`, and where a server shows it."""

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
    unplayed: Annotated[int, Meta(description="Those of them that were not played.")]
    crosstable: list[CrosstableRow]
    ranking: list[RankingRow]


class Standings(TypedDict):
    """What `arena standings --json` prints."""

    tournament: str | None
    games: list[GameTables]
    overall: NotRequired[Annotated[dict[str, Any], Meta(description="Over all ids, if there are several.")]]


class NextGame(TypedDict):
    """A game that has not begun."""

    place: Annotated[int, Meta(description="In the schedule, from 1.")]
    game: str
    seats: Annotated[list[str], Meta(description="The names of the engines.")]


class RunningGame(NextGame):
    """A running game."""

    key: Annotated[str, Meta(description="What the events call it.")]
    slot: Annotated[int, Meta(description="The lowest that was free when it began, from 0.")]
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
    lasted: Annotated[float, Meta(description="The seconds since the run began.")]
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
    scale: Annotated[float, Meta(description="The factor of the time controls there.")]
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


class OfferedGame(TypedDict):
    """A game that people can play."""

    id: str
    title: str
    players: int
    board: str
    sides: Annotated[list[str], Meta(description="The players' names in the rules.")]
    engines: Annotated[list[str], Meta(description="The engines that play it.")]
    time_control: str
    start: Annotated[str, Meta(description='A set-up; "" for the usual start.')]


class Begun(TypedDict):
    """A game that has begun."""

    id: str
    url: Annotated[str, Meta(description="Its page.")]


class PlayState(TypedDict):
    """The state of a game of people."""

    id: str
    game: str
    title: str
    status: Literal["starting", "thinking", "yours", "over"]
    turn: Annotated[int, Meta(description="The seat to move, from 0.")]
    ply: Annotated[int, Meta(description="The moves played so far.")]
    position: str
    seats: list[dict[str, Any]]
    moves: list[dict[str, Any]]
    hint: dict[str, str] | None
    result: Annotated[dict[str, str] | None, Meta(description="`text` and `detail`; null before the end.")]
    record: Annotated[bool, Meta(description="Whether there is a record.")]
    stored: Annotated[int | None, Meta(description="The number of the stored game.")]
    page: Annotated[str, Meta(description='The page of the stored game; "" before.')]
    board: dict[str, Any]
    places: list[Any]
    can_store: bool


class Moves(TypedDict):
    """The ways to make each legal move."""

    ply: int
    parts: list[Part]
    ways: Annotated[list[list[Any]], Meta(description="Each: a move, the indexes of its parts, and more.")]
    written: Annotated[
        dict[str, str],
        Meta(description="The moves as people write them, by their texts; empty if they write these."),
    ]


class Why(TypedDict):
    """Why a place cannot follow."""

    ply: int
    why: str


class Done(TypedDict):
    """Nothing: it is done, and the events tell what has changed."""


# --- what is taken


class NewGame(TypedDict):
    """A game to begin."""

    game: str
    seats: Annotated[list[str | None], Meta(description="The engine of each seat; null for a person.")]
    time_control: NotRequired[str]
    clock: NotRequired[Annotated[bool, Meta(description="Whether the time control holds for people, too.")]]
    start: NotRequired[Annotated[str, Meta(description="A position string or a set-up.")]]


class NewMove(TypedDict):
    """A move to play."""

    move: Annotated[str, Meta(description="Any legal text, or what `written` says, as `Nf3`; or `resign`.")]
    ply: Annotated[int, Meta(description="The moves played before it.")]


class HintWish(TypedDict):
    """Which engine looks for a move; by default the first opponent."""

    engine: NotRequired[str]


class NoWish(TypedDict):
    """Nothing has to be said."""


# --- the addresses


class _Parameter(NamedTuple):
    name: str
    where: Literal["path", "query", "header"]
    text: str
    type: Literal["integer", "string"] = "integer"


class _Address(NamedTuple):
    """An address: a type or a media type that it answers, what a POST takes, the codes of other answers."""

    path: str
    summary: str
    answer: Any
    codes: tuple[int, ...]
    parameters: tuple[_Parameter, ...] = ()
    wish: Any = None
    status: int = 200


_STREAM: Final = "text/event-stream"
_SAME: Final = 304
_OF_TOURNAMENT: Final = (308, 404, 503)
_OF_POST: Final = (400, 403, 413, 415)
_ALWAYS: Final = (405, 421)
_WORDS: Final = {
    304: "The client has this answer already (If-None-Match).",
    308: "Another id of the tournament; `Location` has the address.",
    400: "A parameter or the content is wrong.",
    403: "A page of another site has sent it.",
    404: "There is no such thing.",
    405: "The address takes another method; `Allow` names it.",
    409: "This is not possible now.",
    413: "The content is too large.",
    415: "The content has another type than JSON.",
    421: "The server does not answer for this name.",
    503: "The database cannot be read now.",
}

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
_FORMAT: Final = _Parameter("format", "query", "pgn or jsonl.", "string")
_TOURNAMENT: Final = "/api/tournaments/{id}"
_GAME: Final = "/api/play/games/{id}"
_BACK: Final = "Go back to before a person's last move."
_ADDRESSES: Final = (
    _Address("/api/tournaments", "All tournaments, the newest first.", list[Tournament], (_SAME, 503)),
    _Address(
        _TOURNAMENT,
        "Also its standings, crosstable and running games.",
        WholeTournament,
        (_SAME, *_OF_TOURNAMENT),
        (_ID,),
    ),
    _Address(
        f"{_TOURNAMENT}/games",
        "Results of a tournament, the newest first; `Link` has the next page.",
        list[ListedResult],
        (_SAME, 400, *_OF_TOURNAMENT),
        (_ID, _LIMIT, _BEFORE),
    ),
    _Address(
        f"{_TOURNAMENT}/games/{{number}}",
        "A game with all its plies and positions.",
        WholeGame,
        (_SAME, *_OF_TOURNAMENT),
        (_ID, _NUMBER),
    ),
    _Address(
        f"{_TOURNAMENT}/events", "What happens in a tournament.", _STREAM, _OF_TOURNAMENT, (_ID, *_LAST)
    ),
    _Address("/api/events", "The running tournaments, each with a game.", _STREAM, (), _LAST),
    _Address("/api/live", "How many games are played now.", Live, (_SAME,)),
    _Address(
        "/api/games/{number}",
        "The game with this number in a database.",
        WholeGame,
        (_SAME, 400, 404, 503),
        (_NUMBER, _DB),
    ),
    _Address(
        "/api/ratings",
        "The rating lists of a database.",
        list[RatingList],
        (_SAME, 400, 404, 503),
        (_DB,),
    ),
    _Address("/api/engines", "The engines of a database.", list[EngineRow], (_SAME, 400, 404, 503), (_DB,)),
    _Address("/api/openapi.json", "This document.", dict[str, Any], (_SAME,)),
    _Address(
        "/api/play/offer",
        "The games and engines that people can play with.",
        list[OfferedGame],
        (_SAME, 404),
    ),
    _Address("/api/play/games", "Begin a game.", Begun, (*_OF_POST, 409), wish=NewGame, status=201),
    _Address(_GAME, "The state of a game of people.", PlayState, (_SAME, 404), _GAME_ID),
    _Address(f"{_GAME}/events", "The state of the game after each change.", _STREAM, (404,), _GAME_ID),
    _Address(f"{_GAME}/moves", "The parts of the legal moves.", Moves, (_SAME, 404), _GAME_ID),
    _Address(f"{_GAME}/why", "Why a place cannot follow.", Why, (_SAME, 404), (*_GAME_ID, *_PART)),
    _Address(
        f"{_GAME}/record",
        "The record of a finished game.",
        "text/plain",
        (400, 404),
        (*_GAME_ID, _FORMAT),
    ),
    *(
        _Address(f"{_GAME}/{word}", summary, Done, (*_OF_POST, 404, *more), _GAME_ID, wish)
        for word, summary, wish, more in (
            ("move", "Play a move, or resign.", NewMove, (409,)),
            ("takeback", _BACK, NoWish, (409,)),
            ("hint", "Let an engine look for a move.", HintWish, (409,)),
            ("store", "Store the finished game, never rated.", NoWish, (409, 503)),
            ("end", "End the game without a result.", NoWish, ()),
        )
    ),
)


@cache
def document() -> dict[str, Any]:
    """Return the description of all addresses in OpenAPI 3.1."""
    types = [Failure, *(one for address in _ADDRESSES for one in (address.answer, address.wish))]
    types = [one for one in types if one is not None and not isinstance(one, str)]
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    contents = [{"application/json": {"schema": schema}} for schema in schemas]

    def content(answer: object) -> dict[str, Any]:
        return {answer: {}} if isinstance(answer, str) else contents[types.index(answer)]

    def other(code: int) -> dict[str, Any]:
        failure = {} if code < HTTPStatus.BAD_REQUEST else {"content": content(Failure)}
        return {"description": _WORDS[code], **failure}

    paths: dict[str, Any] = {}
    for path, summary, answer, codes, parameters, wish, status in _ADDRESSES:
        answers = {str(status): {"description": summary, "content": content(answer)}}
        answers |= {str(code): other(code) for code in sorted({*codes, *_ALWAYS})}
        if _SAME in codes:
            tag = {"description": "For If-None-Match.", "schema": {"type": "string"}}
            answers[str(status)]["headers"] = {"ETag": tag}
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
                "responses": answers,
            }
        }
    about = "Tournaments of game engines, running and finished. Only POST changes something."
    return {
        "openapi": "3.1.0",
        "info": {"title": "Leapfrog Arena", "version": "1", "description": about},
        "paths": paths,
        "components": {"schemas": components},
    }
