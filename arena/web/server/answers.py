"""Answers of the server: JSON and pages with an entity tag, streams of events, and refusals in one sentence.

A stream follows https://html.spec.whatwg.org/#server-sent-events. Its events are numbered, so that a client
that comes back misses nothing. A client that comes without a number, or with one that the server no longer
has, gets an event ``state`` with the whole current state. When nothing happens, the event ``alive`` without a
number shows clients that the server is there.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Final, TypeVar

import anyio
import msgspec
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from arena.web.links import Links
from arena.web.templating import page

HTML: Final = "text/html; charset=utf-8"
_DIGITS: Final = 18
"""The most digits of a number in an address: with one more, some numbers are too large for a database."""

_EVENTS_KEPT: Final = 500
_KEEP_ALIVE_SECONDS: Final = 5.0


class NotFound(Exception):
    """The address names something that does not exist; the text says what is missing."""


class WrongRequest(Exception):
    """A parameter has a wrong value; the text says which values are valid."""


class Moved(Exception):
    """What the address names has another one, which the text is."""


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


def html(request: Request, template: str, **values: object) -> Response:
    """Return a page, which is about no tournament unless the values have one."""
    text = page(template, **({"links": links_of(request), "tournament": ""} | values))
    return tagged(request, text.encode(), HTML)


class _Number(Convertor[int]):
    """A number in the path of an address, as ``{name:number}``. A longer one is no address."""

    regex = f"[0-9]{{1,{_DIGITS}}}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("number", _Number())


LARGEST: Final = 10**_DIGITS - 1
Count = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
"""A number in the parameters of an address."""


class After(msgspec.Struct, frozen=True):
    """After which game or row the page of a list starts."""

    after: Count = 0


_Query = TypeVar("_Query", bound=msgspec.Struct)


def query_of(request: Request, kind: type[_Query]) -> _Query:
    """Return the parameters of an address; an empty one counts as none. Raises `WrongRequest`.

    The fields of ``kind`` are texts, and numbers from 0 to the largest one of their type.
    """
    given: dict[str, str | int] = {}
    for name, about in properties_of(kind).items():
        text = request.query_params.get(name)
        if not text:
            continue
        given[name] = text
        if about["type"] == "integer":
            most = about["maximum"]
            if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS and int(text) <= most):
                raise WrongRequest(f"{name} must be a whole number from 0 to {most}")
            given[name] = int(text)
    return kind(**given)


@cache
def properties_of(kind: type[msgspec.Struct]) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each field of a type."""
    (schema,) = msgspec.json.schema(kind)["$defs"].values()
    properties: dict[str, dict[str, Any]] = schema["properties"]
    return properties


def origin_of(request: Request) -> str:
    """Return the scheme and the host of this server as clients see them; see `Guarded`."""
    return f"{request.url.scheme}://{request.headers['host']}"


def links_of(request: Request, tournament: str = "") -> Links:
    """Return the links of a page: with the origin of the server, or as the report that asks wants them."""
    report: Links | None = request.scope.get("report")
    return Links(tournament, origin_of(request)) if report is None else replace(report, id=tournament)


def refusal(
    request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Refuse a request: programs get JSON below ``/api/`` or if they ask for it, and browsers a page."""
    wanted = request.headers.get("accept", "")
    kept = {"cache-control": "no-store", "vary": "accept", **(headers or {})}
    if request.url.path.startswith("/api/") or "application/json" in wanted:
        return Response(msgspec.json.encode({"error": sentence}) + b"\n", status, kept, "application/json")
    if "text/html" not in wanted:
        return Response(f"{sentence}\n", status, kept, "text/plain; charset=utf-8")
    values = {
        "links": Links(),
        "tournament": "",
        "status": status,
        "sentence": f"{sentence[:1].upper()}{sentence[1:]}".rstrip(".") + ".",
        "near": request.scope.get("tournament"),
        "place": request.url.path.strip("/").partition("/")[0],
    }
    return Response(page("refused.html.j2", **values), status, kept, HTML)


class EventLog:
    """The last events of one tournament."""

    def __init__(self) -> None:
        self.listeners = 0
        self.mark = secrets.token_hex(4)  # in every number, so that numbers of an earlier server are unknown
        self._events: deque[tuple[int, bytes]] = deque(maxlen=_EVENTS_KEPT)
        self._last = 0
        self._news = anyio.Event()
        self._ended = False

    def add(self, kind: str, data: object) -> None:
        """Add an event, and wake the streams."""
        self._last += 1
        self._events.append((self._last, self._event(kind, data)))
        self._wake()

    def skip(self) -> None:
        """Forget all events. Call this instead of `add` if nobody listens."""
        self._last += 1
        self._events.clear()

    def renew(self) -> None:
        """Forget all events, and wake the streams, which send the whole state."""
        self.skip()
        self._wake()

    def end(self) -> None:
        """End all streams, because the server ends."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()

    def _event(self, kind: str, data: object) -> bytes:
        text = msgspec.json.encode(data).decode()
        return f"id: {self.mark}-{self._last}\nevent: {kind}\ndata: {text}\n\n".encode()

    async def stream(self, last_id: str, state: Callable[[], Any]) -> AsyncIterator[bytes]:
        """Yield the events after ``last_id``, or for "" the whole state and all events after it."""
        server, _, number = last_id.partition("-")
        known = server == self.mark and number.isdecimal() and len(number) < 20
        seen = int(number) if known else -1
        self.listeners += 1
        try:
            yield b"retry: 2000\n\n"
            while not self._ended:
                first = self._events[0][0] if self._events else self._last + 1
                if not first - 1 <= seen <= self._last:  # an event after it is missing
                    seen = self._last  # events can come while the client takes this one
                    yield self._event("state", state())
                elif seen < self._last:
                    for sent, event in [self._events[place] for place in range(seen - self._last, 0)]:
                        yield event
                        seen = sent
                else:
                    with anyio.move_on_after(_KEEP_ALIVE_SECONDS) as scope:
                        await self._news.wait()
                    if scope.cancelled_caught:
                        yield b"event: alive\ndata: null\n\n"
        finally:
            self.listeners -= 1


def events(request: Request, log: EventLog, state: Callable[[], Any], last: str) -> Response:
    """Return the stream of a log's events, after the event that a header names, or ``last``."""
    last = request.headers.get("last-event-id", "") or last
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    if request.method == "HEAD":  # nothing is written, so nobody would notice that the client has gone
        return Response(media_type="text/event-stream", headers=headers)
    return StreamingResponse(log.stream(last, state), media_type="text/event-stream", headers=headers)
