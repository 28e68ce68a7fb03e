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


DOCUMENT: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Leapfrog Arena",
        "version": "1",
        "description": "Tournaments of game engines, running and finished. Every address only reads.",
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
        "/api/games/{number}": _operation(
            "A game with its moves, clocks, scores and positions.",
            _OBJECT,
            _parameter("number", "path", "The number of the game in its database."),
            _DB,
        ),
        "/api/ratings": _operation("The rating lists of a database.", _OBJECTS, _DB),
        "/api/engines": _operation("The engines of a database and the number of their games.", _OBJECTS, _DB),
        "/api/openapi.json": _operation("This document.", _OBJECT),
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
                    "game": {"type": ["string", "null"], "description": "Null if it has several games."},
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
