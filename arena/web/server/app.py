"""The application: its addresses, what no request can do, and how Hypercorn serves it under trio."""

from __future__ import annotations

import errno
import gc
import logging
import re
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import anyio
import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.address import name_of
from arena.errors import ArenaError, exhausted
from arena.run.cores import ANY
from arena.run.local_referees import open_referees
from arena.store import Store
from arena.web.offer import Offer, WrongOrder
from arena.web.server import connections
from arena.web.server.answers import Moved, NotFound, WrongRequest, origin_of, refusal
from arena.web.server.api import Api
from arena.web.server.casual_game import Unplayable
from arena.web.server.club import CHANGING, Club, PlayRoutes
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from arena.web.server.openapi import routes
from arena.web.server.pages import Pages
from arena.web.templating import prepare
from protocol.remote.line import LARGEST_MESSAGE

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
"""The headers of answers. Browsers ignore scripts and styles inside a page; only our files count."""

_POLICY: Final = "content-security-policy"
_FRAMED: Final = re.compile(r"/tournaments/[^/]+/(?:games/[0-9]+/)?embed")
_PICTURE: Final = re.compile(r"/(?:tournaments/[^/]+/)?(?:picture|engine|pair|games/[0-9]+)\.(?:png|gif)")
_JSON: Final = "application/json"
_FORMS: Final = ("multipart/form-data", "application/x-www-form-urlencoded")
_SMALL: Final = 1000
"""Shorter answers are not compressed."""

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names of this machine for itself."""

_STALLED_MS: Final = 20_000
"""A client that takes nothing for so long is cut off. Hypercorn shields what it sends from cancellation."""

_LISTENERS: Final = 16
_THREADS: Final = 8
_SWITCH_SECONDS: Final = 0.0005
"""How many threads make pages, and how long each keeps the lines of bots and all streams waiting."""

_GRACE: Final = 0.5
"""Seconds in which answers may end after the user wants the server to end."""


@dataclass(frozen=True, slots=True)
class ServedDoor:
    """What the server needs of the door of a tournament, to serve its pages beside its own."""

    tournament: str
    path: str  # with which the paths of all its pages start; it ends with a slash
    url: str  # under which participants reach the server; "" if requests have it
    routes: Callable[[Databases], list[BaseRoute]]
    run: Callable[[], Awaitable[None]] | None = None  # runs as long as the server


def application(
    databases: Databases,
    broadcast: Broadcast,
    hosts: Collection[str],
    club: Club | None = None,
    door: ServedDoor | None = None,
    url: str = "",
) -> ASGIApp:
    """Return the application. It answers for all names if ``hosts`` is empty.

    ``url`` is its scheme and host; by default, requests have them.
    """
    doors = {} if door is None else {door.tournament: door.path}
    entrance = [] if door is None else door.routes(databases)
    offer = None if club is None else club.offer
    refused = partial(_refused, databases)
    play = PlayRoutes(club, behind_proxy=bool(url))
    app = Starlette(
        routes=[
            *routes([*Api(databases, broadcast).addresses(), *play.addresses()]),
            *entrance,
            *play.pages(),
            *Pages(databases, broadcast, doors, offer).routes(),
        ],
        exception_handlers={
            Moved: _moved,
            NotFound: refused,
            WrongRequest: refused,
            WrongOrder: refused,
            Unplayable: refused,
            ArenaError: refused,
            HTTPException: refused,
            **dict.fromkeys((ImportError, MemoryError, OSError, RuntimeError), _failed),
            Exception: refused,
        },
    )
    forms = tuple(doors.values())
    compressed = GZipMiddleware(app, minimum_size=_SMALL, compresslevel=5)
    return Guarded(compressed, hosts, () if club is None else CHANGING, forms, url)


async def _moved(_request: Request, error: Exception) -> Response:
    """Lead to the address of today. A browser asks again each time: an old address depends on the server."""
    return RedirectResponse(str(error), 308, {"cache-control": "no-cache"})


async def _refused(databases: Databases, request: Request, error: Exception) -> Response:
    """Answer a request that failed with one sentence that says why."""
    match error:
        case HTTPException(status_code=404, detail="Not Found"):  # Starlette knows no such address
            return refusal(request, 404, "there is no such address")
        case HTTPException(status_code=405, headers={"Allow": allow}):
            return refusal(request, 405, f"this address only answers {allow}", error.headers)
        case HTTPException(status_code=status, detail=text, headers=headers):
            return refusal(request, status, text, headers)
        case NotFound():
            return refusal(request, 404, str(error))
        case WrongRequest() | WrongOrder():
            return refusal(request, 400, str(error))
        case Unplayable():
            return refusal(request, 409, str(error))
        case ArenaError():  # the database is damaged, or another program has locked it
            text = str(error)
            for database in databases.all:  # its folder is nobody's business
                text = text.replace(str(database.store.address), name_of(database.store.address))
            return refusal(request, 503, text)
    return refusal(request, 500, "the server has made a mistake; its user can see which")


async def _failed(request: Request, error: Exception) -> Response:
    """Answer a request for which this machine lacks something; any other error is the server's mistake."""
    if not (text := exhausted(error)):
        raise error
    return refusal(request, 503, text)


def headers_of(path: str) -> dict[str, str]:
    """Return the headers of answers at a path: other sites may frame boards, and show pictures."""
    headers = dict(HEADERS)
    if _FRAMED.fullmatch(path):
        policy = headers[_POLICY].replace("frame-ancestors 'none'", "frame-ancestors *")
        headers[_POLICY] = policy.replace("form-action 'self'", "form-action 'none'")
    elif _PICTURE.fullmatch(path):
        headers["cross-origin-resource-policy"] = "cross-origin"
    return headers


class Guarded:
    """Answers requests only under the names of this server, and adds `HEADERS` to every answer.

    A page of another site can make a browser send requests here under that site's name, if the name leads to
    this machine (DNS rebinding). So the host that a request names must be one of ours. Requests that change
    something are answered only at addresses that start with one of ``changing``, which take JSON, or
    ``forms``, whose pages may send forms, and never if a page of another site has sent them.

    The application sees each request as its client sent it, behind a proxy, too: with the host and the scheme
    of ``url``, or with the scheme in the header of the proxy. Redirects name neither.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        changing: tuple[str, ...] = (),
        forms: tuple[str, ...] = (),
        url: str = "",
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._changing = changing
        self._forms = forms
        self._scheme, _, self._host = url.partition("://")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":  # a WebSocket asks for a token in a header, which no page can send
            await self._app(scope, receive, send)
            return

        sent = self._as_sent(scope)
        origin = origin_of(Request(sent))

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in headers_of(scope["path"]).items():
                    headers[name] = value
                path = headers.get("location", "").removeprefix(f"{origin}/")
                if path != headers.get("location", path):
                    headers["location"] = f"/{path.lstrip('/')}"
            await send(message)

        answer = self._refusal(scope, Request(sent)) or self._app
        await answer(sent, receive, with_headers)

    def _as_sent(self, scope: Scope) -> Scope:
        headers = Headers(scope=scope)
        schemes = scope["scheme"], self._scheme, headers.get("x-forwarded-proto")
        host = (self._host or headers.get("host", "")).encode("latin-1")
        others = [(name, value) for name, value in scope["headers"] if name != b"host"]
        return {
            **scope,
            "scheme": "https" if "https" in schemes else "http",
            "headers": [(b"host", host), *others],
        }

    def _refusal(self, scope: Scope, request: Request) -> Response | None:
        """Return why a request is refused; None if it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if self._hosts and name.strip("[]").lower() not in self._hosts:
            why = "this server does not answer for this name; its user can allow it with --url"
            return refusal(request, 421, why)
        if scope["method"] == "POST" and scope["path"].startswith((*self._changing, *self._forms)):
            if not _is_same_origin(headers, {host.lower(), self._host}):
                return refusal(request, 403, "this request comes from a page of another site")
            takes = _FORMS if scope["path"].startswith(self._forms) else (_JSON,)
            if headers.get("content-type", "").partition(";")[0].strip() not in takes:
                return refusal(request, 415, f"this request must be {' or '.join(takes)}")
        elif scope["method"] not in ("GET", "HEAD"):
            return refusal(request, 405, "this server only answers GET and HEAD", {"allow": "GET, HEAD"})
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:  # which no text of a database may have
            return refusal(request, 400, "an address must not have a null character")
        return None


def _is_same_origin(headers: Headers, hosts: set[str]) -> bool:
    """Whether a request comes from a page of this server, or from a program that is not a browser.

    Browsers send ``Origin`` with every POST. New ones also send ``Sec-Fetch-Site``, which stays true behind a
    proxy that changes the host. No page can set either.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() in hosts - {""}


# --- serving


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """What people can play on a server."""

    offer: Offer
    most_games: int  # at the same time
    warn: Callable[[str, str], None]  # called with an engine's name and a sentence for the user of the server


async def serve_databases(
    stores: list[Store],
    host: str,
    port: int,
    ready: Callable[[str], None],
    play: PlaySettings | None = None,
    door: ServedDoor | None = None,
    url: str = "",
) -> None:
    """Serve until SIGINT or SIGTERM; call ``ready`` with the address of the home page when it answers.

    ``url`` is as in `application`; a door has its own.
    """
    async with AsyncExitStack() as stack:
        club = None
        if play is not None:
            # One referee for all games: each waits for people nearly all the time.
            referees = await stack.enter_async_context(open_referees((ANY,), keep=0, lasting=True))
            club = Club(play.offer, referees, play.most_games, play.warn, stores[0] if stores else None)
            stack.push_async_callback(club.close)
        listener = _listen(host, port)
        port = listener.getsockname()[1]
        config = Config()
        # Hypercorn takes one connection a turn from each, so nobody waits long behind others.
        config.bind = [f"fd://{listener.dup().detach()}" for _ in range(_LISTENERS)]
        listener.close()
        config.include_server_header = False
        config.errorlog = logging.getLogger("arena.serve")
        config.graceful_timeout = config.shutdown_timeout = _GRACE
        config.h11_max_incomplete_size = 32_768
        config.websocket_max_message_size = LARGEST_MESSAGE
        url = url if door is None else door.url
        connections.use(behind_proxy=bool(url))
        databases = Databases(stores)
        broadcast = Broadcast(databases)
        # A server for other machines cannot know all of its names, so it answers for every host.
        hosts = LOOPBACK if host in LOOPBACK else frozenset[str]()
        if hosts and url:
            hosts |= {urlsplit(url).hostname or ""}
        app = application(databases, broadcast, hosts, club, door, url)
        prepare()
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        sys.setswitchinterval(_SWITCH_SECONDS)
        stop = trio.Event()
        signals = stack.enter_context(trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM))
        nursery = await stack.enter_async_context(trio.open_nursery())

        async def end_on_signal() -> None:
            async for _ in signals:
                broadcast.end_streams()
                if club is not None:
                    club.end_streams()
                stop.set()

        async def serving(task_status: trio.TaskStatus[list[str]]) -> None:
            await serve(app, config, shutdown_trigger=stop.wait, task_status=task_status)  # type: ignore[arg-type]  # Hypercorn spells the type of an application in another way
            nursery.cancel_scope.cancel()

        nursery.start_soon(end_on_signal)
        nursery.start_soon(broadcast.run)
        if door is not None and door.run is not None:
            nursery.start_soon(door.run)
        if club is not None:
            nursery.start_soon(club.run)
        await nursery.start(serving)
        # Else Python looks now and then for garbage among all modules, and everybody waits for 150 ms.
        gc.collect()
        gc.freeze()
        name = _reachable(host)
        ready(f"http://{f'[{name}]' if ':' in name else name}:{port}")


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or raise an `ArenaError` that says why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; accepted sockets inherit it
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _STALLED_MS)
            listener.bind(address)
            listener.listen(1024)
        except BaseException:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        remedy = "--port 0 takes any free port" if taken else "--host must name an address of this machine"
        raise ArenaError(f"cannot listen on {host} port {port}: {reason}; {remedy}") from error
    return listener


def _reachable(host: str) -> str:
    """Return the address at which others reach a server. It may listen on one address or on all."""
    wildcards = {"0.0.0.0": (socket.AF_INET, "192.0.2.1"), "::": (socket.AF_INET6, "2001:db8::1")}  # noqa: S104 - nothing listens here
    if host not in wildcards:
        return host
    family, far = wildcards[host]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((far, 9))  # sends nothing; the addresses are from RFC 5737 and 3849
            return str(way.getsockname()[0])
    except OSError:  # this machine has no network
        return "localhost"
