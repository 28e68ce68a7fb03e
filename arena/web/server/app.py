"""The application: its addresses, and the answers to wrong requests."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from arena.errors import ArenaError
from arena.web.server.answers import NotFound, WrongRequest
from arena.web.server.api import Api
from arena.web.server.broadcast import Broadcast
from arena.web.server.databases import Databases
from arena.web.server.pages import Pages
from arena.web.server.play.club import Club
from arena.web.server.play.routes import CHANGING, PlayRoutes
from arena.web.server.security import Compressed, Guarded

__all__ = ["application"]


@dataclass(frozen=True, slots=True)
class ServedDoor:
    """What the server needs of the door of a tournament, to serve its pages beside its own.

    Attributes:
        tournament: the name of the tournament.
        path: the beginning of the paths of all its pages, with a slash at the end.
        host: the host under which participants reach the server.
        routes: makes the pages.
    """

    tournament: str
    path: str
    host: str
    routes: Callable[[Databases], list[Route]]


def application(
    databases: Databases,
    broadcast: Broadcast,
    hosts: Collection[str],
    club: Club | None = None,
    door: ServedDoor | None = None,
) -> ASGIApp:
    """Return the application.

    Args:
        databases: what it shows.
        broadcast: the running tournaments.
        hosts: the names under which it answers; empty for any.
        club: the games that people play; None if they cannot.
        door: the door of a tournament; None if there is none.
    """
    api = Api(databases, broadcast)
    doors = {} if door is None else {door.tournament: door.path}
    entrance = [] if door is None else door.routes(databases)
    app = Starlette(
        routes=[*api.routes(), *entrance, *PlayRoutes(club).routes(), *Pages(api, doors).routes()],
        exception_handlers={
            NotFound: _refused,
            WrongRequest: _refused,
            ArenaError: _refused,
            HTTPException: _refused,
        },
    )
    forms = tuple(doors.values())
    return Guarded(Compressed(app), hosts, () if club is None else CHANGING, forms)


async def _refused(request: Request, error: Exception) -> Response:
    """Answer a request that failed with one sentence that says why."""
    text = str(error)
    match error:
        case HTTPException(status_code=status):
            text = error.detail
        case NotFound():
            status = 404
        case WrongRequest():
            status = 400
        case _:  # the database is damaged, or another program has locked it
            status = 503
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": text}, status)
    return PlainTextResponse(f"{text}\n", status)
