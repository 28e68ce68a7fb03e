"""Answers of the server: JSON and pages with an entity tag, and errors in one sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from arena.web.server.events import EventLog

HTML = "text/html; charset=utf-8"


class NotFound(Exception):
    """The address names something that does not exist; the text says what is missing."""


class WrongRequest(Exception):
    """A parameter has a wrong value; the text says which values are valid."""


def tagged(request: Request, body: bytes, media_type: str) -> Response:
    """Return an answer, or "not modified" if the client has the same already."""
    tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    known = [part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")]
    if tag in known:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


def json(request: Request, data: Any) -> Response:  # noqa: ANN401 - any plain value
    """Return plain values as JSON."""
    return tagged(request, msgspec.json.encode(data) + b"\n", "application/json")


def html(request: Request, text: str) -> Response:
    """Return a page."""
    return tagged(request, text.encode(), HTML)


def events(request: Request, log: EventLog, state: Callable[[], Any]) -> Response:
    """Return the stream of a log's events; see `EventLog.stream`."""
    last = request.headers.get("last-event-id", "") or request.query_params.get("last", "")
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(log.stream(last, state), media_type="text/event-stream", headers=headers)


def number_of(request: Request, name: str, default: int, most: int) -> int:
    """Return a parameter of the address that is a whole number.

    Raises:
        WrongRequest: it is no number from 0 to ``most``.
    """
    text = request.query_params.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) < 19 and int(text) <= most):
        raise WrongRequest(f"{name} must be a whole number from 0 to {most}")
    return int(text)
