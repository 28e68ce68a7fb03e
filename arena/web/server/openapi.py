"""The description of the API in OpenAPI 3.1, for programs that make clients from it."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["DOCUMENT"]


def _operation(summary: str, schema: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {
        "get": {
            "summary": summary,
            "parameters": list(parameters),
            "responses": {
                "200": {"description": summary, "content": content},
                "304": {"description": "The client has this answer already (If-None-Match)."},
                "400": {"description": "A parameter has a wrong value.", "content": _ERROR},
                "404": {"description": "There is no such thing.", "content": _ERROR},
            },
        }
    }


def _parameter(name: str, where: str, text: str, type_: str = "integer") -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "required": where == "path",
        "description": text,
        "schema": {"type": type_},
    }


_ERROR: Final = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
_OBJECT: Final[dict[str, Any]] = {"type": "object"}
_OBJECTS: Final[dict[str, Any]] = {"type": "array", "items": {"type": "object"}}
_ID: Final = _parameter("id", "path", "The id of a tournament, from /api/tournaments.", "string")
_DB: Final = _parameter("db", "query", "The number of the database on the command line, from 1.")
_TOURNAMENT: Final = {"$ref": "#/components/schemas/Tournament"}


def _stream(summary: str, *parameters: dict[str, Any]) -> dict[str, Any]:
    """Describe an address whose answer is a stream of events."""
    last = "The last event that the client has."
    return {
        "get": {
            "summary": summary,
            "parameters": [
                *parameters,
                _parameter("Last-Event-ID", "header", last, "string"),
                _parameter("last", "query", "The same, for clients that cannot set a header.", "string"),
            ],
            "responses": {"200": {"description": "Events.", "content": {"text/event-stream": {}}}},
        }
    }


def _change(summary: str, schema: dict[str, Any], status: str, *parameters: dict[str, Any]) -> dict[str, Any]:
    """An address that changes something by a POST of a JSON object."""
    return {
        "post": {
            "summary": summary,
            "parameters": list(parameters),
            "requestBody": {"content": {"application/json": {"schema": schema}}},
            "responses": {
                status: {"description": summary, "content": {"application/json": {"schema": _OBJECT}}},
                "400": {"description": "The request has a mistake.", "content": _ERROR},
                "403": {"description": "A page of another site has sent it."},
                "404": {"description": "There is no such game.", "content": _ERROR},
                "409": {"description": "This is not possible now.", "content": _ERROR},
            },
        }
    }


def _wish(*required: str, **properties: object) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}


_TEXT: Final = {"type": "string"}
_GAME_ID: Final = _parameter("id", "path", "The id of a game, from POST /api/play/games.", "string")
_GAME: Final = "/api/play/games/{id}"
_PLAY: Final[dict[str, Any]] = {
    "/api/play/offer": _operation("The games and engines that people can play with.", _OBJECTS),
    "/api/play/games": _change(
        "Begin a game.",
        _wish(
            "game",
            "seats",
            game=_TEXT,
            seats={
                "type": "array",
                "items": {"type": ["string", "null"]},
                "description": "The engine of each seat; null for a person.",
            },
            time_control=_TEXT,
            clock={"type": "boolean", "description": "Whether the time control holds for people, too."},
            start={"type": "string", "description": "A position string or a set-up."},
        ),
        "201",
    ),
    _GAME: _operation("The state of a game of people.", _OBJECT, _GAME_ID),
    f"{_GAME}/events": {
        "get": {
            "summary": "The state of a game after each change, as server-sent events.",
            "parameters": [_GAME_ID],
            "responses": {"200": {"description": "Events.", "content": {"text/event-stream": {}}}},
        }
    },
    f"{_GAME}/moves": _operation("The parts of the legal moves.", _OBJECT, _GAME_ID),
    f"{_GAME}/record": {
        "get": {
            "summary": "The record of a finished game.",
            "parameters": [_GAME_ID, _parameter("format", "query", "text or jsonl.", "string")],
            "responses": {"200": {"description": "The record.", "content": {"text/plain": {}}}},
        }
    },
    f"{_GAME}/move": _change(
        "Play a move, or resign.",
        _wish(
            "move", "ply", move=_TEXT, ply={"type": "integer", "description": "The moves played before it."}
        ),
        "200",
        _GAME_ID,
    ),
    f"{_GAME}/takeback": _change("Go back to before a person's last move.", _OBJECT, "200", _GAME_ID),
    f"{_GAME}/hint": _change("Let an engine look for a move.", _wish(engine=_TEXT), "200", _GAME_ID),
    f"{_GAME}/store": _change("Store the finished game, never rated.", _OBJECT, "200", _GAME_ID),
    f"{_GAME}/end": _change("End the game without a result.", _OBJECT, "200", _GAME_ID),
}

DOCUMENT: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Leapfrog Arena",
        "version": "1",
        "description": "Tournaments of game engines, running and finished. Only POST changes something.",
    },
    "paths": {
        "/api/tournaments": _operation(
            "All tournaments, the newest first.", {"type": "array", "items": _TOURNAMENT}
        ),
        "/api/tournaments/{id}": _operation(
            "A tournament with its standings, crosstable and running games.", _TOURNAMENT, _ID
        ),
        "/api/tournaments/{id}/games": _operation(
            "Results of a tournament, the newest first.",
            _OBJECTS,
            _ID,
            _parameter("limit", "query", "The most games to return, at most 500."),
            _parameter("before", "query", "Only games with a smaller id: the next page."),
        ),
        "/api/tournaments/{id}/events": _stream("What happens in a tournament, as server-sent events.", _ID),
        "/api/events": _stream("The running tournaments, each with a game, as server-sent events."),
        "/api/live": _operation("How many games are played now.", _OBJECT),
        "/api/games/{number}": _operation(
            "A game with its moves, clocks, scores and positions.",
            _OBJECT,
            _parameter("number", "path", "The number of the game in its database."),
            _DB,
        ),
        "/api/ratings": _operation("The rating lists of a database.", _OBJECTS, _DB),
        "/api/engines": _operation("The engines of a database and the number of their games.", _OBJECTS, _DB),
        "/api/openapi.json": _operation("This document.", _OBJECT),
        **_PLAY,
    },
    "components": {
        "schemas": {
            "Error": {
                "type": "object",
                "required": ["error"],
                "properties": {"error": {"type": "string"}},
            },
            "Tournament": {
                "type": "object",
                "required": ["id", "name", "game", "status", "url", "events", "played"],
                "properties": {
                    "id": {"type": "string"},
                    "name": {"type": "string"},
                    "game": {"type": ["string", "null"], "description": "Null if it has several game ids."},
                    "games": {"type": "array", "items": {"type": "string"}},
                    "format": {"type": ["string", "null"]},
                    "status": {"enum": ["running", "finished", "open"]},
                    "begun": {"type": "number", "description": "Seconds since 1970."},
                    "engines": {"type": ["integer", "null"]},
                    "played": {"type": "integer"},
                    "total": {"type": ["integer", "null"]},
                    "url": {"type": "string", "description": "Its page."},
                    "events": {"type": "string", "description": "Its stream of events."},
                },
            },
        }
    },
}
